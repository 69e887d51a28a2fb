#include "engine/format/tokenizer_metadata.h"

#include <algorithm>
#include <array>

#include "engine/base/string_format.h"
#include "engine/format/tokenizer_files.h"
#include "engine/text/splitting_rules.h"

namespace lacuna {
namespace {

/// The name under which GGUF knows these patterns.
Result<std::string> ruleName(const TokenizerData& data) {
    if (!data.preTokenizer.empty()) return data.preTokenizer;
    std::vector<SplitStep> steps = data.splits;
    // Where the matches cover the text, to keep them alone is to isolate them.
    for (SplitStep& step : steps)
        if (step.invert && step.behaviour == SplitBehaviour::Removed) {
            step.invert = false;
            step.behaviour = SplitBehaviour::Isolated;
        }
    if (const auto name = splittingRuleName(steps)) return std::string(*name);
    return fail(ErrorCode::TokPreUnknown,
                format("the tokenizer splits text by a rule for which GGUF has no name; known are "
                       "those of {}",
                       knownSplittingRules()));
}

/// Kinds for which GGUF has a form that other programs read in the same way.
Status checkKind(const TokenizerData& data) {
    const bool scored = data.scores.size() == data.pieces.size();
    const bool spaces = data.kind == TokenizerKind::SentencePieceBpe ||
                        (data.kind == TokenizerKind::CharacterBpe && scored);
    if (data.kind == TokenizerKind::ByteLevelBpe || spaces) return {};
    return fail(ErrorCode::TokPreUnknown,
                format("a {} tokenizer with steps of its own has no form in GGUF",
                       tokenizerKindName(data.kind)));
}

std::int32_t typeNumber(TokenKind kind) {
    switch (kind) {
        case TokenKind::Normal:
            return 1;
        case TokenKind::Unknown:
            return 2;
        case TokenKind::Control:
            return 3;
        case TokenKind::UserDefined:
            return 4;
        case TokenKind::Unused:
            return 5;
        case TokenKind::Byte:
            return 6;
    }
    return 1;
}

void addId(GgufMetadata& metadata, std::string_view key, std::optional<TokenId> id) {
    if (id) metadata.addUnsigned(key, static_cast<std::uint32_t>(*id));
}

/// Ends of a turn that no reader would find by their names.
std::vector<TokenId> unnamedEnds(const TokenizerData& data) {
    TokenizerData byName = data;
    byName.endOfTurn.clear();
    addKnownEnds(byName);
    std::vector<TokenId> rest;
    for (const TokenId id : data.endOfTurn)
        if (std::ranges::find(byName.endOfTurn, id) == byName.endOfTurn.end() && id != data.eos)
            rest.push_back(id);
    return rest;
}

void addSpecialIds(GgufMetadata& metadata, const TokenizerData& data) {
    addId(metadata, "tokenizer.ggml.bos_token_id", data.bos);
    addId(metadata, "tokenizer.ggml.eos_token_id", data.eos);
    addId(metadata, "tokenizer.ggml.unknown_token_id", data.unknown);
    addId(metadata, "tokenizer.ggml.padding_token_id", data.pad);
    const std::vector<TokenId> ends = unnamedEnds(data);
    if (!ends.empty()) addId(metadata, "tokenizer.ggml.eot_token_id", ends[0]);
    if (ends.size() > 1) addId(metadata, "tokenizer.ggml.eom_token_id", ends[1]);
    metadata.addBool("tokenizer.ggml.add_bos_token", data.addBos);
    metadata.addBool("tokenizer.ggml.add_eos_token", data.addEos);
}

}  // namespace

Status addTokenizer(GgufMetadata& metadata, const TokenizerData& data, int vocabulary) {
    const auto rows = static_cast<std::size_t>(vocabulary);
    if (data.pieces.size() > rows)
        return fail(ErrorCode::ModelVocab,
                    format("the tokenizer has {} tokens; the model has rows for {}",
                           data.pieces.size(), rows));
    LACUNA_TRY_STATUS(checkKind(data));
    std::vector<std::string> pieces = data.pieces;
    std::vector<std::int32_t> types;
    for (std::size_t id = 0; id < pieces.size(); ++id)
        types.push_back(typeNumber(data.kinds.empty() ? TokenKind::Normal : data.kinds[id]));
    while (pieces.size() < rows) {
        pieces.push_back(format("[PAD{}]", pieces.size()));
        types.push_back(typeNumber(TokenKind::Unused));
    }
    const bool byteLevel = data.kind == TokenizerKind::ByteLevelBpe;
    metadata.addText("tokenizer.ggml.model", byteLevel ? "gpt2" : "llama");
    if (byteLevel) {
        LACUNA_TRY(const std::string rule, ruleName(data));
        metadata.addText("tokenizer.ggml.pre", rule);
    }
    metadata.addTexts("tokenizer.ggml.tokens", pieces);
    metadata.addInts("tokenizer.ggml.token_type", types);
    if (byteLevel) {
        metadata.addTexts("tokenizer.ggml.merges", data.merges);
    } else {
        std::vector<float> scores(rows, 0.0F);
        std::ranges::transform(data.scores, scores.begin(),
                               [](double score) { return static_cast<float>(score); });
        metadata.addFloats("tokenizer.ggml.scores", scores);
        metadata.addBool("tokenizer.ggml.add_space_prefix", data.addSpacePrefix);
    }
    addSpecialIds(metadata, data);
    return {};
}

}  // namespace lacuna
