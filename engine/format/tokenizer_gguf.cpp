#include <algorithm>
#include <array>
#include <limits>
#include <unordered_set>

#include "engine/base/string_format.h"
#include "engine/format/tokenizer_files.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kNoToken = std::numeric_limits<std::uint32_t>::max();  // -1 as u32

constexpr std::array<std::string_view, 8> kEndNames = {
    "<|im_end|>", "<|eot_id|>",    "<|eom_id|>",      "<|end|>",
    "<|eot|>",    "<end_of_turn>", "<|end_of_text|>", "<|endoftext|>",
};

// Rules of the Llama 3 family: whole pieces win over merges, and texts begin with bos.
constexpr std::array<std::string_view, 3> kLlama3Rules = {"llama-bpe", "llama3", "llama-v3"};

Result<TokenKind> kindOf(std::int32_t type, std::size_t id) {
    switch (type) {
        case 0:  // undefined, in old files
        case 1:
            return TokenKind::Normal;
        case 2:
            return TokenKind::Unknown;
        case 3:
            return TokenKind::Control;
        case 4:
            return TokenKind::UserDefined;
        case 5:
            return TokenKind::Unused;
        case 6:
            return TokenKind::Byte;
        default:  // a number from a file, not one of our enumerators
            return fail(ErrorCode::TokConfig,
                        format("tokenizer.ggml.token_type[{}] is {}; expected 0 to 6", id, type));
    }
}

Result<std::optional<TokenId>> idAt(const GgufFile& file, std::string_view key) {
    LACUNA_TRY(const std::optional<std::uint64_t> value, file.getUnsigned(key));
    if (!value) return std::optional<TokenId>();
    if (*value > static_cast<std::uint64_t>(std::numeric_limits<TokenId>::max()))
        return fail(ErrorCode::TokSpecialId, format("{} is {}, which is no token", key, *value));
    return std::optional<TokenId>(static_cast<TokenId>(*value));
}

Result<TokenizerKind> modelKind(const GgufFile& file) {
    constexpr std::string_view kKey = "tokenizer.ggml.model";
    LACUNA_TRY(const std::string_view model, needed(file.getText(kKey), kKey));
    if (model == "gpt2") return TokenizerKind::ByteLevelBpe;
    if (model == "llama") return TokenizerKind::SentencePieceBpe;
    return fail(ErrorCode::TokConfig,
                format("{} is \"{}\"; built here are \"gpt2\" (byte-level BPE) and \"llama\" "
                       "(SentencePiece BPE)",
                       kKey, model));
}

Status readPieces(const GgufFile& file, TokenizerData& data) {
    constexpr std::string_view kTokens = "tokenizer.ggml.tokens";
    LACUNA_TRY(const std::vector<std::string_view> pieces, needed(file.getTexts(kTokens), kTokens));
    data.pieces.assign(pieces.begin(), pieces.end());
    LACUNA_TRY(const auto types, file.getInts("tokenizer.ggml.token_type"));
    if (types)
        for (std::size_t i = 0; i < types->size(); ++i) {
            LACUNA_TRY(const TokenKind kind, kindOf((*types)[i], i));
            data.kinds.push_back(kind);
        }
    if (data.kind == TokenizerKind::SentencePieceBpe) {
        constexpr std::string_view kScores = "tokenizer.ggml.scores";
        LACUNA_TRY(data.scores, needed(file.getFloats(kScores), kScores));
        return {};
    }
    constexpr std::string_view kMerges = "tokenizer.ggml.merges";
    LACUNA_TRY(const std::vector<std::string_view> merges, needed(file.getTexts(kMerges), kMerges));
    data.merges.assign(merges.begin(), merges.end());
    return {};
}

Status readIds(const GgufFile& file, TokenizerData& data) {
    LACUNA_TRY(data.bos, idAt(file, "tokenizer.ggml.bos_token_id"));
    LACUNA_TRY(data.eos, idAt(file, "tokenizer.ggml.eos_token_id"));
    LACUNA_TRY(data.unknown, idAt(file, "tokenizer.ggml.unknown_token_id"));
    // Files without padding write -1 here; nothing depends on it.
    constexpr std::string_view kPadding = "tokenizer.ggml.padding_token_id";
    LACUNA_TRY(const std::optional<std::uint64_t> padding, file.getUnsigned(kPadding));
    if (padding != kNoToken) {
        LACUNA_TRY(data.pad, idAt(file, kPadding));
    }
    for (const std::string_view key :
         {"tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"}) {
        LACUNA_TRY(const std::optional<TokenId> id, idAt(file, key));
        if (id) data.endOfTurn.push_back(*id);
    }
    return {};
}

Status readFlags(const GgufFile& file, TokenizerData& data) {
    const bool byteLevel = data.kind == TokenizerKind::ByteLevelBpe;
    const bool llama3 = byteLevel && std::find(kLlama3Rules.begin(), kLlama3Rules.end(),
                                               data.preTokenizer) != kLlama3Rules.end();
    LACUNA_TRY(const auto addBos, file.getBool("tokenizer.ggml.add_bos_token"));
    LACUNA_TRY(const auto addEos, file.getBool("tokenizer.ggml.add_eos_token"));
    LACUNA_TRY(const auto addSpace, file.getBool("tokenizer.ggml.add_space_prefix"));
    data.addBos = addBos.value_or((!byteLevel || llama3) && data.bos.has_value());
    data.addEos = addEos.value_or(false);
    data.addSpacePrefix = addSpace.value_or(true);
    data.ignoreMerges = llama3;
    // A GGUF file does not say whether texts are to be composed, and its other readers do not.
    data.normalizeNfc = false;
    data.byteFallback =
        std::find(data.kinds.begin(), data.kinds.end(), TokenKind::Byte) != data.kinds.end();
    return {};
}

}  // namespace

void addKnownEnds(TokenizerData& data) {
    std::unordered_set<TokenId> listed(data.endOfTurn.begin(), data.endOfTurn.end());
    if (data.eos) listed.insert(*data.eos);
    for (std::size_t i = 0; i < data.kinds.size() && i < data.pieces.size(); ++i) {
        const TokenKind kind = data.kinds[i];
        if (kind != TokenKind::Control && kind != TokenKind::UserDefined) continue;
        const auto id = static_cast<TokenId>(i);
        const bool named =
            std::find(kEndNames.begin(), kEndNames.end(), data.pieces[i]) != kEndNames.end();
        if (named && listed.insert(id).second) data.endOfTurn.push_back(id);
    }
}

Result<TokenizerData> tokenizerFromGguf(const GgufFile& file) {
    TokenizerData data;
    LACUNA_TRY(data.kind, modelKind(file));
    if (data.kind == TokenizerKind::ByteLevelBpe) {
        LACUNA_TRY(const auto rule, file.getText("tokenizer.ggml.pre"));
        data.preTokenizer = rule.value_or("default");
    }
    LACUNA_TRY_STATUS(readPieces(file, data));
    LACUNA_TRY_STATUS(readIds(file, data));
    LACUNA_TRY_STATUS(readFlags(file, data));
    addKnownEnds(data);
    return data;
}

}  // namespace lacuna
