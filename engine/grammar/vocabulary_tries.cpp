#include "engine/grammar/vocabulary_tries.h"

#include <algorithm>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

bool changesNeighbours(const TokenizerData& data) {
    const auto changes = [](const DecodeStep& step) {
        return step.kind == DecodeStep::Kind::WordPiece ||
               step.kind == DecodeStep::Kind::WordSuffix;
    };
    return data.kind == TokenizerKind::WordPiece || std::ranges::any_of(data.decoder, changes);
}

/// Whether a token shows text that an answer may hold.
bool isText(const Tokenizer& tokenizer, TokenId id) {
    const auto& kinds = tokenizer.data().kinds;
    const TokenKind kind = kinds.empty() ? TokenKind::Normal : kinds[static_cast<std::size_t>(id)];
    const bool shown =
        kind == TokenKind::Normal || kind == TokenKind::UserDefined || kind == TokenKind::Byte;
    return shown && !tokenizer.isEndOfTurn(id);
}

Result<std::vector<std::string>> textsOf(const Tokenizer& tokenizer, bool atStart) {
    std::vector<std::string> texts(static_cast<std::size_t>(tokenizer.vocabularySize()));
    for (TokenId id = 0; id < tokenizer.vocabularySize(); ++id) {
        if (!isText(tokenizer, id)) continue;
        Tokenizer::DecodeState state;
        state.first = state.stripping = atStart;
        LACUNA_TRY(texts[static_cast<std::size_t>(id)], tokenizer.decodeNext(id, state));
    }
    return texts;
}

}  // namespace

Result<std::shared_ptr<const VocabularyTries>> VocabularyTries::create(const Tokenizer& tokenizer) {
    if (changesNeighbours(tokenizer.data()))
        return fail(ErrorCode::Unsupported,
                    format("a grammar cannot be used with a {} vocabulary: its tokens change the "
                           "text beside them",
                           tokenizerKindName(tokenizer.data().kind)));
    LACUNA_TRY(std::vector<std::string> inside, textsOf(tokenizer, false));
    LACUNA_TRY(std::vector<std::string> start, textsOf(tokenizer, true));
    std::vector<TokenId> ends;
    for (TokenId id = 0; id < tokenizer.vocabularySize(); ++id)
        if (tokenizer.isEndOfTurn(id)) ends.push_back(id);
    const bool alike = start == inside;
    std::shared_ptr<VocabularyTries> tries(new VocabularyTries(std::move(inside), std::move(ends)));
    if (!alike) tries->start_.emplace(std::move(start));
    return tries;
}

}  // namespace lacuna
