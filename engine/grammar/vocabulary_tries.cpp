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

constexpr std::size_t kMaxTextBytes = std::size_t{256} << 20;
/// Of all trees together: bytes and comparisons. A vocabulary of a million tokens takes a tenth.
constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 33;

Status statusOf(const WorkBudget& work) {
    return work.status(ErrorCode::Unsupported,
                       "the vocabulary is too large for answers that follow a grammar");
}

Result<std::vector<std::string>> textsOf(const Tokenizer& tokenizer, bool atStart,
                                         WorkBudget& work) {
    std::vector<std::string> texts(static_cast<std::size_t>(tokenizer.vocabularySize()));
    std::size_t bytes = 0;
    for (TokenId id = 0; id < tokenizer.vocabularySize(); ++id) {
        work.spend(1 + (id == 0 ? 0 : texts[static_cast<std::size_t>(id) - 1].size()));
        LACUNA_TRY_STATUS(statusOf(work));
        if (!isText(tokenizer, id)) continue;
        Tokenizer::DecodeState state;
        state.first = state.stripping = atStart;
        LACUNA_TRY(texts[static_cast<std::size_t>(id)], tokenizer.decodeNext(id, state));
        bytes += texts[static_cast<std::size_t>(id)].size();
        if (bytes > kMaxTextBytes)
            return fail(ErrorCode::Unsupported,
                        format("a grammar cannot be used with this vocabulary: its tokens show "
                               "more than {} bytes",
                               kMaxTextBytes));
    }
    return texts;
}

}  // namespace

Result<std::shared_ptr<const VocabularyTries>> VocabularyTries::create(const Tokenizer& tokenizer,
                                                                       StopAsked stop) {
    if (changesNeighbours(tokenizer.data()))
        return fail(ErrorCode::Unsupported,
                    format("a grammar cannot be used with a {} vocabulary: its tokens change the "
                           "text beside them",
                           tokenizerKindName(tokenizer.data().kind)));
    WorkBudget work(kMaxSteps, std::move(stop));
    LACUNA_TRY(std::vector<std::string> inside, textsOf(tokenizer, false, work));
    LACUNA_TRY(std::vector<std::string> start, textsOf(tokenizer, true, work));
    std::vector<TokenId> ends;
    for (TokenId id = 0; id < tokenizer.vocabularySize(); ++id)
        if (tokenizer.isEndOfTurn(id)) ends.push_back(id);
    const bool alike = start == inside;
    std::shared_ptr<VocabularyTries> tries(
        new VocabularyTries(std::move(inside), std::move(ends), work));
    if (!alike) tries->start_.emplace(std::move(start), &work);
    LACUNA_TRY_STATUS(statusOf(work));
    return tries;
}

}  // namespace lacuna
