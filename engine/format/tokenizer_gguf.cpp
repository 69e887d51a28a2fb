#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <unordered_set>

#include "engine/base/string_format.h"
#include "engine/format/tokenizer_files.h"
#include "engine/text/splitting_rules.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kNoToken = std::numeric_limits<std::uint32_t>::max();  // -1 as u32

constexpr std::array<std::string_view, 10> kEndNames = {
    "<|im_end|>",    "<|eot_id|>", "<|eom_id|>",       "<|end|>",         "<|eot|>",
    "<end_of_turn>", "<turn|>",    "<|tool_response>", "<|end_of_text|>", "<|endoftext|>",
};
/// Ends of an answer in a vocabulary with channels, where "<|end|>" only ends a message of it.
constexpr std::array<std::string_view, 3> kChannelEndNames = {"<|return|>", "<|call|>",
                                                              "<|endoftext|>"};

Result<TokenKind> kindOf(std::int32_t type, std::size_t id) {
    if (type == 0) return TokenKind::Normal;  // undefined, in old files
    if (const auto kind = tokenKindFromNumber(type)) return *kind;
    return fail(ErrorCode::TokConfig,
                format("tokenizer.ggml.token_type[{}] is {}; expected 0 to 6", id, type));
}

Result<std::optional<TokenId>> idAt(const GgufFile& file, std::string_view key) {
    LACUNA_TRY(const std::optional<std::uint64_t> value, file.getUnsigned(key));
    if (!value) return std::optional<TokenId>();
    if (*value > static_cast<std::uint64_t>(std::numeric_limits<TokenId>::max()))
        return fail(ErrorCode::TokSpecialId, format("{} is {}, which is not a token", key, *value));
    return std::optional<TokenId>(static_cast<TokenId>(*value));
}

/// The value of tokenizer.ggml.model and its implications.
struct ModelName {
    std::string_view name;
    TokenizerKind kind = TokenizerKind::ByteLevelBpe;
};
constexpr std::array<ModelName, 5> kModels = {{
    {"gpt2", TokenizerKind::ByteLevelBpe},
    {"llama", TokenizerKind::SentencePieceBpe},
    {"t5", TokenizerKind::Unigram},
    {"bert", TokenizerKind::WordPiece},
    {"gemma4", TokenizerKind::CharacterBpe},
}};

Result<TokenizerKind> modelKind(const GgufFile& file) {
    constexpr std::string_view kKey = "tokenizer.ggml.model";
    LACUNA_TRY(const std::string_view model, needed(file.getText(kKey), kKey));
    for (const ModelName& known : kModels)
        if (known.name == model) return known.kind;
    return fail(ErrorCode::TokConfig,
                format("{} is \"{}\"; supported are \"gpt2\" (byte-level BPE), \"llama\" "
                       "(SentencePiece BPE), \"t5\" (SentencePiece unigram), \"bert\" (WordPiece) "
                       "and \"gemma4\" (BPE over characters)",
                       kKey, model));
}

bool hasMerges(TokenizerKind kind) {
    return kind == TokenizerKind::ByteLevelBpe || kind == TokenizerKind::CharacterBpe;
}
bool hasScores(TokenizerKind kind) {
    return kind == TokenizerKind::SentencePieceBpe || kind == TokenizerKind::Unigram;
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
    if (hasScores(data.kind)) {
        constexpr std::string_view kScores = "tokenizer.ggml.scores";
        LACUNA_TRY(const std::vector<float> scores, needed(file.getFloats(kScores), kScores));
        data.scores.assign(scores.begin(), scores.end());
    }
    if (hasMerges(data.kind)) {
        constexpr std::string_view kMerges = "tokenizer.ggml.merges";
        LACUNA_TRY(const std::vector<std::string_view> merges,
                   needed(file.getTexts(kMerges), kMerges));
        data.merges.assign(merges.begin(), merges.end());
    }
    return {};
}

/// Reads an array of bytes, signed or unsigned.
Result<std::string> bytesAt(const GgufFile& file, std::string_view key) {
    const GgufValue* value = file.findValue(key);
    if (value == nullptr) return std::string();
    const auto* array = std::get_if<GgufArray>(&value->value);
    if (array == nullptr ||
        (array->elementType != GgufType::U8 && array->elementType != GgufType::I8))
        return fail(ErrorCode::GgufMetaType,
                    format("the metadata key {} should be an array of bytes", key));
    return std::string(reinterpret_cast<const char*>(array->bytes.data()), array->bytes.size());
}

/// Reads the library's text preparation for this unigram vocabulary.
Status readUnigram(const GgufFile& file, TokenizerData& data) {
    SentencePieceRules& rules = data.sentencePiece;
    rules.used = true;
    LACUNA_TRY(rules.charsmap, bytesAt(file, "tokenizer.ggml.precompiled_charsmap"));
    LACUNA_TRY(const auto extra, file.getBool("tokenizer.ggml.remove_extra_whitespaces"));
    rules.removeExtraSpaces = extra.value_or(false);
    rules.freezeUserDefined = true;
    return {};
}

/// GGUF stores "##ly" as "ly" and "night" as U+2581 "night"; texts are prepared as for BERT.
Status readWordPiece(const GgufFile& file, TokenizerData& data) {
    NormalizeStep bert{.kind = NormalizeStep::Kind::Bert};
    LACUNA_TRY(const auto lowercase, file.getBool("tokenizer.ggml.normalizer.lowercase"));
    LACUNA_TRY(const auto accents, file.getBool("tokenizer.ggml.normalizer.strip_accents"));
    bert.lowercase = lowercase.value_or(true);
    bert.stripAccents = accents.value_or(bert.lowercase);
    data.normalizer = {bert};
    data.splits = {{.pattern = R"(\s)", .behaviour = SplitBehaviour::Removed},
                   {.pattern = R"([\p{P}$+<=>^`|~])"}};
    data.wordPiece = {.firstPrefix = "\xE2\x96\x81", .continuingPrefix = ""};
    data.byteFallback = false;
    return {};
}

/// Reads BERT's pairs of separators; ids that older writers omit are those of its first vocabulary.
Status readWordPieceIds(const GgufFile& file, TokenizerData& data) {
    LACUNA_TRY(auto first, idAt(file, "tokenizer.ggml.cls_token_id"));
    LACUNA_TRY(auto last, idAt(file, "tokenizer.ggml.seperator_token_id"));
    if (!data.unknown) data.unknown = 100;
    if (!first) first = data.bos.value_or(101);
    if (!last) last = data.eos.value_or(102);
    data.bos = first;
    data.eos = last;
    // The list of kinds marks this token as "control", which text never maps to, but unknown words
    // must.
    const auto index = static_cast<std::size_t>(*data.unknown);
    if (index < data.kinds.size()) data.kinds[index] = TokenKind::Unknown;
    data.unknownText = "";
    return {};
}

Status readIds(const GgufFile& file, TokenizerData& data) {
    LACUNA_TRY(data.bos, idAt(file, "tokenizer.ggml.bos_token_id"));
    LACUNA_TRY(data.eos, idAt(file, "tokenizer.ggml.eos_token_id"));
    LACUNA_TRY(data.unknown, idAt(file, "tokenizer.ggml.unknown_token_id"));
    // Files without padding write -1 here, which has no effect.
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
    const SplittingRule* rule = findSplittingRule(data.preTokenizer);
    LACUNA_TRY(const auto model, file.getText("tokenizer.ggml.model"));
    const bool ruled = model == "gpt2" && rule != nullptr;
    const bool wordPiece = data.kind == TokenizerKind::WordPiece;
    const bool unigram = data.kind == TokenizerKind::Unigram;
    const bool beginsWithBos = data.kind == TokenizerKind::SentencePieceBpe || wordPiece ||
                               model == "gemma4" || (ruled && rule->addBos);
    LACUNA_TRY(const auto addBos, file.getBool("tokenizer.ggml.add_bos_token"));
    LACUNA_TRY(const auto addEos, file.getBool("tokenizer.ggml.add_eos_token"));
    LACUNA_TRY(const auto addSpace, file.getBool("tokenizer.ggml.add_space_prefix"));
    data.addBos = addBos.value_or(beginsWithBos && data.bos.has_value());
    data.addEos = addEos.value_or((unigram || wordPiece) && data.eos.has_value());
    data.addSpacePrefix =
        addSpace.value_or(data.kind == TokenizerKind::SentencePieceBpe || unigram);
    data.ignoreMerges = ruled && rule->ignoreMerges;
    data.byteFallback =
        std::find(data.kinds.begin(), data.kinds.end(), TokenKind::Byte) != data.kinds.end();
    return {};
}

/// Applies what the name of a splitting rule implies about the pieces and the text before the
/// split.
Status applyRule(const GgufFile& file, TokenizerData& data) {
    const SplittingRule* rule = findSplittingRule(data.preTokenizer);
    if (rule == nullptr) return {};
    if (!rule->byteAlphabet) data.kind = TokenizerKind::CharacterBpe;
    if (rule->marksSpaces)
        data.normalizer.push_back(
            {.kind = NormalizeStep::Kind::Replace, .pattern = R"(\ )", .content = "\xE2\x96\x81"});
    if (rule->dropsMatches) {
        LACUNA_TRY(const auto lowercase, file.getBool("tokenizer.ggml.normalizer.lowercase"));
        if (lowercase.value_or(false))
            data.normalizer.push_back({.kind = NormalizeStep::Kind::Lowercase});
    }
    return {};
}

/// Tokens of these models include the white space after them, which has no GGUF key.
Status addSpaceRules(const GgufFile& file, TokenizerData& data) {
    LACUNA_TRY(const auto name, file.getText("general.name"));
    std::string lower(name.value_or(""));
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool phi3 =
        lower.find("phi-3") != std::string::npos || lower.find("phi3") != std::string::npos;
    if (!phi3 || data.kind != TokenizerKind::SentencePieceBpe) return {};
    constexpr std::array<std::string_view, 3> kWithout = {"<unk>", "<s>", "<|endoftext|>"};
    for (std::size_t i = 0; i < data.kinds.size() && i < data.pieces.size(); ++i) {
        const bool special = data.kinds[i] == TokenKind::Control ||
                             data.kinds[i] == TokenKind::UserDefined || data.pieces[i] == "</s>";
        const bool without =
            std::find(kWithout.begin(), kWithout.end(), data.pieces[i]) != kWithout.end();
        if (special && !without)
            data.added.push_back({.id = static_cast<TokenId>(i), .takesSpaceAfter = true});
    }
    return {};
}

}  // namespace

void addKnownEnds(TokenizerData& data) {
    std::unordered_set<TokenId> listed(data.endOfTurn.begin(), data.endOfTurn.end());
    if (data.eos) listed.insert(*data.eos);
    const auto isSpecial = [&](std::size_t i) {
        return data.kinds[i] == TokenKind::Control || data.kinds[i] == TokenKind::UserDefined;
    };
    const std::size_t count = std::min(data.kinds.size(), data.pieces.size());
    bool channels = false;
    for (std::size_t i = 0; i < count && !channels; ++i)
        channels = data.pieces[i] == "<|channel|>" && isSpecial(i);
    const std::span<const std::string_view> names =
        channels ? std::span<const std::string_view>(kChannelEndNames) : kEndNames;
    for (std::size_t i = 0; i < count; ++i) {
        if (!isSpecial(i)) continue;
        const auto id = static_cast<TokenId>(i);
        const bool named = std::ranges::find(names, data.pieces[i]) != names.end();
        if (named && listed.insert(id).second) data.endOfTurn.push_back(id);
    }
}

Result<TokenizerData> tokenizerFromGguf(const GgufFile& file) {
    TokenizerData data;
    LACUNA_TRY(data.kind, modelKind(file));
    if (data.kind == TokenizerKind::ByteLevelBpe) {
        LACUNA_TRY(const auto name, file.getText("tokenizer.ggml.pre"));
        data.preTokenizer = name.value_or("default");
    } else if (data.kind == TokenizerKind::CharacterBpe) {
        data.preTokenizer = "gemma4";
    }
    if (hasMerges(data.kind)) LACUNA_TRY_STATUS(applyRule(file, data));
    LACUNA_TRY_STATUS(readPieces(file, data));
    LACUNA_TRY_STATUS(readIds(file, data));
    if (data.kind == TokenizerKind::WordPiece) LACUNA_TRY_STATUS(readWordPieceIds(file, data));
    LACUNA_TRY_STATUS(readFlags(file, data));
    if (data.kind == TokenizerKind::Unigram) LACUNA_TRY_STATUS(readUnigram(file, data));
    if (data.kind == TokenizerKind::WordPiece) LACUNA_TRY_STATUS(readWordPiece(file, data));
    LACUNA_TRY_STATUS(addSpaceRules(file, data));
    addKnownEnds(data);
    return data;
}

}  // namespace lacuna
