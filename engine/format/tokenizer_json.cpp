#include <algorithm>
#include <limits>
#include <unordered_map>

#include "engine/base/string_format.h"
#include "engine/format/tokenizer_files.h"

// One reader for each part of tokenizer.json: normalizer, pre_tokenizer, model, added_tokens,
// post_processor. Each refuses, by name, the kinds that would change tokens and are not built here.

namespace lacuna {
namespace {

constexpr std::size_t kMaxPieces = 1U << 20;
constexpr std::string_view kSpaceMark = "\xE2\x96\x81";
// Of a piece that no merge makes: every other piece goes first.
constexpr float kNoMergeScore = -1.0e9F;

const Json kNull;

/// A member, or null when it is absent or `object` is no object.
const Json& at(const Json& object, const char* key) {
    if (!object.is_object()) return kNull;
    const auto found = object.find(key);
    return found == object.end() ? kNull : *found;
}

std::string textAt(const Json& object, const char* key) {
    const Json& value = at(object, key);
    return value.is_string() ? value.get<std::string>() : std::string();
}

bool flagAt(const Json& object, const char* key) {
    const Json& value = at(object, key);
    return value.is_boolean() && value.get<bool>();
}

auto refuse(std::string_view field, std::string_view found, std::string_view expected) {
    return fail(ErrorCode::TokConfig,
                format("tokenizer.json: {} is \"{}\"; {}", field, found, expected));
}

/// The steps of a part that may be one step or a Sequence of them.
std::vector<const Json*> steps(const Json& part, const char* listKey) {
    std::vector<const Json*> out;
    if (!part.is_object()) return out;
    if (textAt(part, "type") != "Sequence") {
        out.push_back(&part);
        return out;
    }
    const Json& list = at(part, listKey);
    if (list.is_array())
        for (const Json& step : list) out.push_back(&step);
    return out;
}

bool hasStep(const Json& part, const char* listKey, std::string_view type) {
    for (const Json* step : steps(part, listKey))
        if (textAt(*step, "type") == type) return true;
    return false;
}

std::string escapedLiteral(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                          (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
        if (!word) out += '\\';
        out += c;
    }
    return out;
}

Status readByteLevelNormalizer(const Json& part, TokenizerData& data) {
    for (const Json* step : steps(part, "normalizers")) {
        const std::string type = textAt(*step, "type");
        if (type != "NFC")
            return refuse("normalizer", type, "a byte-level vocabulary may have none or NFC");
        data.normalizeNfc = true;
    }
    return {};
}

Result<std::string> splitPattern(const Json& step) {
    const Json& pattern = at(step, "pattern");
    const std::string behavior = textAt(step, "behavior");
    const bool invert = flagAt(step, "invert");
    // "Removed" with invert drops what lies between matches: the same, where matches cover the
    // text.
    if (!(behavior == "Isolated" || (behavior == "Removed" && invert)))
        return refuse("the behavior of a Split", behavior, "expected Isolated");
    if (at(pattern, "Regex").is_string()) return textAt(pattern, "Regex");
    if (at(pattern, "String").is_string()) return escapedLiteral(textAt(pattern, "String"));
    return refuse("the pattern of a Split", dumpJson(pattern), "expected Regex or String");
}

Status readSplitting(const Json& part, TokenizerData& data) {
    constexpr const char* kGpt2Pattern =
        R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
    for (const Json* step : steps(part, "pretokenizers")) {
        const std::string type = textAt(*step, "type");
        if (type == "Split") {
            LACUNA_TRY(std::string pattern, splitPattern(*step));
            data.splitPatterns.push_back(std::move(pattern));
        } else if (type == "Digits") {
            data.splitPatterns.push_back(flagAt(*step, "individual_digits") ? R"(\p{N})"
                                                                            : R"(\p{N}+)");
        } else if (type == "ByteLevel") {
            if (flagAt(*step, "add_prefix_space"))
                return refuse("pre_tokenizer.add_prefix_space", "true", "expected false");
            // Absent means true in the format.
            const Json& useRegex = at(*step, "use_regex");
            if (!useRegex.is_boolean() || useRegex.get<bool>())
                data.splitPatterns.push_back(kGpt2Pattern);
        } else {
            return refuse("pre_tokenizer", type, "expected Split, Digits or ByteLevel");
        }
    }
    return {};
}

/// The SentencePiece conventions: a space before the text, U+2581 for spaces.
Status readSpaceRules(const Json& document, TokenizerData& data) {
    data.addSpacePrefix = false;
    for (const Json* step : steps(at(document, "normalizer"), "normalizers")) {
        const std::string type = textAt(*step, "type");
        if (type == "Prepend" && textAt(*step, "prepend") == kSpaceMark)
            data.addSpacePrefix = true;
        else if (type == "Replace" && textAt(at(*step, "pattern"), "String") == " " &&
                 textAt(*step, "content") == kSpaceMark)
            continue;
        else
            return refuse("normalizer", type, "expected Prepend or Replace with U+2581");
    }
    for (const Json* step : steps(at(document, "pre_tokenizer"), "pretokenizers")) {
        const std::string type = textAt(*step, "type");
        const bool spaces = type == "Split" && textAt(at(*step, "pattern"), "String") == " ";
        if (spaces) continue;  // finds nothing: the normalizer has replaced every space
        if (type != "Metaspace" || textAt(*step, "replacement") != kSpaceMark)
            return refuse("pre_tokenizer", type, "expected Metaspace with U+2581");
        const std::string scheme = textAt(*step, "prepend_scheme");
        data.addSpacePrefix =
            scheme.empty() ? flagAt(*step, "add_prefix_space") : scheme != "never";
    }
    return {};
}

Status setPiece(TokenizerData& data, std::int64_t id, const std::string& text) {
    if (id < 0 || id >= static_cast<std::int64_t>(kMaxPieces))
        return fail(ErrorCode::TokConfig,
                    format("tokenizer.json: the token \"{}\" has id {}; expected 0 to {}", text, id,
                           kMaxPieces - 1));
    const auto index = static_cast<std::size_t>(id);
    if (index >= data.pieces.size()) {
        data.pieces.resize(index + 1);
        data.kinds.resize(index + 1, TokenKind::Unused);
    }
    if (!data.pieces[index].empty() && data.pieces[index] != text)
        return fail(ErrorCode::TokConfig, format("tokenizer.json: id {} stands for \"{}\" and for "
                                                 "\"{}\"",
                                                 id, data.pieces[index], text));
    data.pieces[index] = text;
    data.kinds[index] = TokenKind::Normal;
    return {};
}

bool isBytePiece(std::string_view piece) {
    return piece.size() == 6 && piece.starts_with("<0x") && piece.ends_with(">");
}

Status readPieces(const Json& model, TokenizerData& data) {
    const Json& vocab = at(model, "vocab");
    if (!vocab.is_object())
        return fail(ErrorCode::TokConfig,
                    "tokenizer.json: model.vocab is missing or no object of text to id");
    for (const auto& [text, id] : vocab.items()) {
        if (!id.is_number_integer())
            return fail(ErrorCode::TokConfig,
                        format("tokenizer.json: the id of \"{}\" is no integer", text));
        LACUNA_TRY_STATUS(setPiece(data, id.get<std::int64_t>(), text));
        const auto index = id.get<std::size_t>();
        if (data.kind == TokenizerKind::SentencePieceBpe && isBytePiece(text))
            data.kinds[index] = TokenKind::Byte;
        if (text == textAt(model, "unk_token")) {
            data.kinds[index] = TokenKind::Unknown;
            data.unknown = static_cast<TokenId>(index);
        }
    }
    return {};
}

Status readMerges(const Json& model, TokenizerData& data) {
    const Json& merges = at(model, "merges");
    if (!merges.is_array())
        return fail(ErrorCode::TokConfig, "tokenizer.json: model.merges is missing or no list");
    for (const Json& merge : merges) {
        if (merge.is_string()) {
            data.merges.push_back(merge.get<std::string>());
            continue;
        }
        const bool pair =
            merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string();
        if (!pair || merge[0].get_ref<const std::string&>().find(' ') != std::string::npos)
            return fail(ErrorCode::TokMerges,
                        format("tokenizer.json: model.merges[{}] is no pair of pieces",
                               data.merges.size()));
        data.merges.push_back(format("{} {}", merge[0].get_ref<const std::string&>(),
                                     merge[1].get_ref<const std::string&>()));
    }
    return {};
}

/// SentencePiece keeps a score for each piece; this format keeps the merges that the scores gave.
Status scoresFromMerges(TokenizerData& data) {
    std::unordered_map<std::string, std::size_t> ids;
    for (std::size_t i = 0; i < data.pieces.size(); ++i) ids.emplace(data.pieces[i], i);
    data.scores.assign(data.pieces.size(), kNoMergeScore);
    for (std::size_t rank = 0; rank < data.merges.size(); ++rank) {
        std::string joined = data.merges[rank];
        const std::size_t space = joined.find(' ');
        if (space != std::string::npos) joined.erase(space, 1);
        const auto found = ids.find(joined);
        if (space == std::string::npos || found == ids.end())
            return fail(ErrorCode::TokMerges,
                        format("tokenizer.json: merge {} is \"{}\", which makes no piece of the "
                               "vocabulary",
                               rank, data.merges[rank]));
        float& score = data.scores[found->second];
        if (score == kNoMergeScore) score = -static_cast<float>(rank);
    }
    data.merges.clear();
    return {};
}

Status readAdded(const Json& document, TokenizerData& data) {
    const Json& list = at(document, "added_tokens");
    if (!list.is_array()) return {};
    for (const Json& token : list) {
        const Json& id = at(token, "id");
        if (!id.is_number_integer() || !at(token, "content").is_string())
            return fail(ErrorCode::TokConfig,
                        "tokenizer.json: an added token has no integer id or no content");
        const auto number = id.get<std::int64_t>();
        LACUNA_TRY_STATUS(setPiece(data, number, textAt(token, "content")));
        const auto index = static_cast<std::size_t>(number);
        const bool unknown = data.unknown && *data.unknown == static_cast<TokenId>(number);
        const TokenKind added =
            flagAt(token, "special") ? TokenKind::Control : TokenKind::UserDefined;
        data.kinds[index] = unknown ? TokenKind::Unknown : added;
    }
    return {};
}

std::optional<TokenId> idOf(const TokenizerData& data, std::string_view text) {
    const auto found = std::find(data.pieces.begin(), data.pieces.end(), text);
    if (text.empty() || found == data.pieces.end()) return std::nullopt;
    return static_cast<TokenId>(found - data.pieces.begin());
}

/// TemplateProcessing: a special token before or after the text.
void readEdges(const Json& part, TokenizerData& data) {
    for (const Json* step : steps(part, "processors")) {
        const Json& single = at(*step, "single");
        if (textAt(*step, "type") != "TemplateProcessing" || !single.is_array() || single.empty())
            continue;
        const std::string first = textAt(at(single.front(), "SpecialToken"), "id");
        const std::string last = textAt(at(single.back(), "SpecialToken"), "id");
        if (const auto id = idOf(data, first)) {
            data.bos = id;
            data.addBos = true;
        }
        if (const auto id = idOf(data, last); id && single.size() > 1) {
            data.eos = id;
            data.addEos = true;
        }
    }
}

}  // namespace

Result<TokenizerData> tokenizerFromJson(const Json& document) {
    const Json& model = at(document, "model");
    if (textAt(model, "type") != "BPE")
        return refuse("model.type", textAt(model, "type"), "only BPE is built here");
    TokenizerData data;
    const bool byteLevel = hasStep(at(document, "pre_tokenizer"), "pretokenizers", "ByteLevel") ||
                           hasStep(at(document, "decoder"), "decoders", "ByteLevel");
    data.kind = byteLevel ? TokenizerKind::ByteLevelBpe : TokenizerKind::SentencePieceBpe;
    data.byteFallback = flagAt(model, "byte_fallback");
    data.ignoreMerges = flagAt(model, "ignore_merges");
    for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"})
        if (!textAt(model, key).empty())
            return refuse(format("model.{}", key), textAt(model, key), "expected none");
    LACUNA_TRY_STATUS(readPieces(model, data));
    LACUNA_TRY_STATUS(readMerges(model, data));
    LACUNA_TRY_STATUS(readAdded(document, data));
    if (byteLevel) {
        LACUNA_TRY_STATUS(readByteLevelNormalizer(at(document, "normalizer"), data));
        LACUNA_TRY_STATUS(readSplitting(at(document, "pre_tokenizer"), data));
    } else {
        LACUNA_TRY_STATUS(readSpaceRules(document, data));
        LACUNA_TRY_STATUS(scoresFromMerges(data));
    }
    readEdges(at(document, "post_processor"), data);
    return data;
}

}  // namespace lacuna
