#include "engine/format/tokenizer_metadata.h"

#include <algorithm>
#include <array>

#include "engine/base/string_format.h"
#include "engine/format/tokenizer_files.h"

namespace lacuna {
namespace {

struct NamedRule {
    std::string_view name;
    std::vector<std::string_view> patterns;
};

constexpr std::string_view kGpt2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr std::string_view kLlama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwen2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

/// The name under which GGUF knows these patterns.
Result<std::string> ruleName(const TokenizerData& data) {
    if (!data.preTokenizer.empty()) return data.preTokenizer;
    const std::array<NamedRule, 4> rules{{
        {"gpt-2", {kGpt2}},
        {"llama-bpe", {kLlama3}},
        {"qwen2", {kQwen2}},
        {"smollm", {R"(\p{N})", kGpt2}},
    }};
    for (const NamedRule& rule : rules)
        if (std::ranges::equal(rule.patterns, data.splitPatterns)) return std::string(rule.name);
    return fail(ErrorCode::TokPreUnknown,
                "the tokenizer splits text by a rule for which GGUF has no name; known are "
                "those of gpt-2, llama-bpe, qwen2 and smollm");
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
        std::vector<float> scores = data.scores;
        scores.resize(rows, 0.0F);
        metadata.addFloats("tokenizer.ggml.scores", scores);
        metadata.addBool("tokenizer.ggml.add_space_prefix", data.addSpacePrefix);
    }
    addSpecialIds(metadata, data);
    return {};
}

}  // namespace lacuna
