#include "engine/format/tokenizer_json.h"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/format/tokenizer_files.h"
#include "engine/text/pattern.h"
#include "engine/text/splitting_rules.h"

// Model, added tokens and post_processor, and one reader for each kind of step of the other parts.
// Punctuation, digits and white space are ordinary patterns with the classes of the reference.
// Unsupported features that would change tokens are refused by name.

namespace lacuna {
namespace {

const Json kNull;

}  // namespace

const Json& memberAt(const Json& object, const char* key) {
    if (!object.is_object()) return kNull;
    const auto found = object.find(key);
    return found == object.end() ? kNull : *found;
}

std::string textAt(const Json& object, const char* key) {
    const Json& value = memberAt(object, key);
    return value.is_string() ? value.get<std::string>() : std::string();
}

bool flagAt(const Json& object, const char* key, bool otherwise) {
    const Json& value = memberAt(object, key);
    return value.is_boolean() ? value.get<bool>() : otherwise;
}

namespace {

/// Returns the steps of a part that may be null, one step, or a Sequence of them under `listKey`.
std::vector<const Json*> stepsAt(const Json& part, const char* listKey) {
    std::vector<const Json*> out;
    std::vector<const Json*> open = {&part};
    while (!open.empty()) {
        const Json* step = open.back();
        open.pop_back();
        if (!step->is_object()) continue;
        if (textAt(*step, "type") != "Sequence") {
            out.push_back(step);
            continue;
        }
        const Json& list = memberAt(*step, listKey);
        if (!list.is_array()) continue;
        for (auto one = list.rbegin(); one != list.rend(); ++one) open.push_back(&*one);
    }
    return out;
}

// ASCII punctuation and the general category P.
constexpr std::string_view kPunctuation = R"([\p{P}$+<=>^`|~])";
constexpr std::string_view kWhiteSpace = R"(\s)";
// A word character of Rust's regex: Oniguruma's, plus join controls.
constexpr std::string_view kWordsAndSigns =
    R"([\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]+|[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}\s]+)";

auto refuse(std::string_view field, std::string_view found, std::string_view expected) {
    return fail(ErrorCode::TokConfig,
                format("tokenizer.json: {} is \"{}\"; {}", field, found, expected));
}

/// The bytes of a text in base64. Errors: TokConfig.
Result<std::string> fromBase64(std::string_view text) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    while (text.ends_with('=')) text.remove_suffix(1);
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3 + 3);
    std::uint32_t held = 0;
    int bits = 0;
    for (const char c : text) {
        const std::size_t digit = kDigits.find(c);
        if (digit == std::string_view::npos)
            return fail(ErrorCode::TokConfig,
                        "tokenizer.json: normalizer.precompiled_charsmap is not base64");
        held = ((held << 6) | static_cast<std::uint32_t>(digit)) & 0xFFFFFFU;
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes += static_cast<char>((held >> bits) & 0xFFU);
    }
    return bytes;
}

/// Returns {"String": text} or {"Regex": pattern} as a pattern; older files hold only the text.
Result<std::string> patternOf(const Json& step, std::string_view field) {
    const Json& pattern = memberAt(step, "pattern");
    if (pattern.is_string()) return escapedPattern(pattern.get<std::string>());
    if (memberAt(pattern, "Regex").is_string()) return textAt(pattern, "Regex");
    if (memberAt(pattern, "String").is_string()) return escapedPattern(textAt(pattern, "String"));
    return fail(ErrorCode::TokConfig,
                format("tokenizer.json: {} has no pattern (expected String or Regex)", field));
}

Result<SplitBehaviour> behaviourOf(const Json& step, SplitBehaviour otherwise) {
    constexpr std::array<std::pair<std::string_view, SplitBehaviour>, 5> kNames = {{
        {"Removed", SplitBehaviour::Removed},
        {"Isolated", SplitBehaviour::Isolated},
        {"Contiguous", SplitBehaviour::Contiguous},
        {"MergedWithPrevious", SplitBehaviour::MergedWithPrevious},
        {"MergedWithNext", SplitBehaviour::MergedWithNext},
    }};
    if (memberAt(step, "behavior").is_null()) return otherwise;
    const std::string name = textAt(step, "behavior");
    for (const auto& [known, behaviour] : kNames)
        if (known == name) return behaviour;
    return refuse("pre_tokenizer.behavior", name,
                  "expected Removed, Isolated, Contiguous, MergedWithPrevious or MergedWithNext");
}

Result<NormalizeStep> normalizeStep(const Json& json) {
    using Kind = NormalizeStep::Kind;
    constexpr std::array<std::pair<std::string_view, Kind>, 8> kPlain = {{
        {"NFC", Kind::Nfc},
        {"NFD", Kind::Nfd},
        {"NFKC", Kind::Nfkc},
        {"NFKD", Kind::Nfkd},
        {"Lowercase", Kind::Lowercase},
        {"StripAccents", Kind::StripAccents},
        {"Nmt", Kind::Nmt},
        {"ByteLevel", Kind::ByteAlphabet},
    }};
    const std::string type = textAt(json, "type");
    NormalizeStep step;
    for (const auto& [name, kind] : kPlain)
        if (name == type) {
            step.kind = kind;
            return step;
        }
    if (type == "Strip") {
        step.kind = Kind::StripEdges;
        step.left = flagAt(json, "strip_left", true);
        step.right = flagAt(json, "strip_right", true);
    } else if (type == "Replace") {
        step.kind = Kind::Replace;
        LACUNA_TRY(step.pattern, patternOf(json, "normalizer Replace"));
        step.content = textAt(json, "content");
    } else if (type == "Prepend") {
        step.kind = Kind::Prepend;
        step.content = textAt(json, "prepend");
    } else if (type == "BertNormalizer") {
        step.kind = Kind::Bert;
        step.cleanText = flagAt(json, "clean_text", true);
        step.isolateChinese = flagAt(json, "handle_chinese_chars", true);
        step.lowercase = flagAt(json, "lowercase", true);
        step.stripAccents = flagAt(json, "strip_accents", step.lowercase);
    } else if (type == "Precompiled") {
        step.kind = Kind::Charsmap;
        LACUNA_TRY(step.content, fromBase64(textAt(json, "precompiled_charsmap")));
    } else {
        return refuse("normalizer", type,
                      "known are NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip, Replace, "
                      "Prepend, BertNormalizer, Precompiled, Nmt, ByteLevel and Sequence");
    }
    return step;
}

SplitStep isolated(std::string_view pattern) {
    return {.pattern = std::string(pattern)};
}
SplitStep removed(std::string_view pattern) {
    return {.pattern = std::string(pattern), .behaviour = SplitBehaviour::Removed};
}

/// Absent means true in the format.
std::vector<SplitStep> byteLevelSteps(const Json& json) {
    std::vector<SplitStep> steps;
    if (flagAt(json, "add_prefix_space", true))
        steps.push_back({.kind = SplitStep::Kind::PrefixSpace});
    if (flagAt(json, "use_regex", true)) steps.push_back(isolated(kGpt2Pattern));
    steps.push_back({.kind = SplitStep::Kind::ByteAlphabet});
    return steps;
}

Result<SplitStep> metaspaceStep(const Json& json) {
    SplitStep step{.kind = SplitStep::Kind::Metaspace};
    step.replacement = textAt(json, "replacement");
    if (step.replacement.empty())
        return refuse("pre_tokenizer Metaspace.replacement", "", "expected one character");
    const std::string scheme = textAt(json, "prepend_scheme");
    const bool prefix = flagAt(json, "add_prefix_space", true);
    if (scheme == "never" || (scheme.empty() && !prefix))
        step.prepend = SplitStep::Prepend::Never;
    else if (scheme == "first")
        step.prepend = SplitStep::Prepend::First;
    else if (scheme != "always" && !scheme.empty())
        return refuse("pre_tokenizer Metaspace.prepend_scheme", scheme,
                      "expected always, first or never");
    step.cutBefore = flagAt(json, "split", true);
    return step;
}

Result<SplitStep> patternStep(const Json& json) {
    SplitStep step;
    LACUNA_TRY(step.pattern, patternOf(json, "pre_tokenizer Split"));
    LACUNA_TRY(step.behaviour, behaviourOf(json, SplitBehaviour::Isolated));
    step.invert = flagAt(json, "invert");
    return step;
}

Result<std::vector<SplitStep>> splitStep(const Json& json) {
    using Steps = std::vector<SplitStep>;
    const std::string type = textAt(json, "type");
    if (type == "ByteLevel") return byteLevelSteps(json);
    if (type == "Digits")
        return Steps{isolated(flagAt(json, "individual_digits") ? R"(\p{N})" : R"(\p{N}+)")};
    if (type == "WhitespaceSplit") return Steps{removed(kWhiteSpace)};
    if (type == "BertPreTokenizer") return Steps{removed(kWhiteSpace), isolated(kPunctuation)};
    if (type == "Whitespace") {
        SplitStep step = removed(kWordsAndSigns);
        step.invert = true;
        return Steps{step};
    }
    if (type == "Punctuation") {
        SplitStep step = isolated(kPunctuation);
        LACUNA_TRY(step.behaviour, behaviourOf(json, SplitBehaviour::Isolated));
        return Steps{step};
    }
    if (type == "CharDelimiterSplit")
        return Steps{removed(escapedPattern(textAt(json, "delimiter")))};
    if (type == "Split") {
        LACUNA_TRY(SplitStep step, patternStep(json));
        return Steps{std::move(step)};
    }
    if (type == "Metaspace") {
        LACUNA_TRY(SplitStep step, metaspaceStep(json));
        return Steps{std::move(step)};
    }
    return refuse("pre_tokenizer", type,
                  "known are Split, Digits, Punctuation, ByteLevel, Metaspace, Whitespace, "
                  "WhitespaceSplit, BertPreTokenizer, CharDelimiterSplit and Sequence");
}

Result<DecodeStep> stripStep(const Json& json) {
    const Json& start = memberAt(json, "start");
    const Json& stop = memberAt(json, "stop");
    if (stop.is_number_integer() && stop.get<std::int64_t>() != 0)
        return refuse("decoder Strip.stop", dumpJson(stop), "expected 0");
    DecodeStep step{.kind = DecodeStep::Kind::Strip, .content = textAt(json, "content")};
    if (start.is_number_unsigned()) step.count = start.get<std::size_t>();
    return step;
}

Result<DecodeStep> replaceStep(const Json& json) {
    const Json& pattern = memberAt(json, "pattern");
    if (!memberAt(pattern, "String").is_string())
        return refuse("decoder Replace.pattern", dumpJson(pattern), "expected {\"String\": ...}");
    return DecodeStep{.kind = DecodeStep::Kind::Replace,
                      .pattern = textAt(pattern, "String"),
                      .content = textAt(json, "content")};
}

Result<DecodeStep> decodeStep(const Json& json) {
    using Kind = DecodeStep::Kind;
    const std::string type = textAt(json, "type");
    if (type == "ByteLevel") return DecodeStep{.kind = Kind::ByteAlphabet};
    // Byte pieces are already bytes.
    if (type == "Fuse" || type == "ByteFallback") return DecodeStep{.kind = Kind::Fuse};
    if (type == "Strip") return stripStep(json);
    if (type == "Replace") return replaceStep(json);
    if (type == "Metaspace") {
        const std::string scheme = textAt(json, "prepend_scheme");
        const bool prefix = flagAt(json, "add_prefix_space", true);
        return DecodeStep{.kind = Kind::Metaspace,
                          .pattern = textAt(json, "replacement"),
                          .dropFirst = scheme.empty() ? prefix : scheme != "never"};
    }
    if (type == "WordPiece")
        return DecodeStep{.kind = Kind::WordPiece,
                          .pattern = textAt(json, "prefix"),
                          .cleanUp = flagAt(json, "cleanup", true)};
    if (type == "BPEDecoder")
        return DecodeStep{.kind = Kind::WordSuffix, .pattern = textAt(json, "suffix")};
    return refuse("decoder", type,
                  "known are ByteLevel, Replace, ByteFallback, Fuse, Strip, Metaspace, WordPiece, "
                  "BPEDecoder and Sequence");
}

Result<std::vector<NormalizeStep>> normalizeSteps(const Json& part) {
    std::vector<NormalizeStep> steps;
    for (const Json* json : stepsAt(part, "normalizers")) {
        LACUNA_TRY(NormalizeStep step, normalizeStep(*json));
        steps.push_back(std::move(step));
    }
    return steps;
}

Result<std::vector<DecodeStep>> decodeSteps(const Json& part) {
    std::vector<DecodeStep> steps;
    for (const Json* json : stepsAt(part, "decoders")) {
        LACUNA_TRY(DecodeStep step, decodeStep(*json));
        if (textAt(*json, "type") != "ByteFallback") steps.push_back(std::move(step));
    }
    return steps;
}

constexpr std::size_t kMaxPieces = 1U << 20;
constexpr std::string_view kSpaceMark = "\xE2\x96\x81";
// Score of a piece that no merge produces: every other piece takes precedence.
constexpr double kNoMergeScore = -1.0e9;
constexpr std::size_t kMaxWord = 1024;  // characters

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
        return fail(ErrorCode::TokConfig,
                    format("tokenizer.json: id {} represents \"{}\" and \"{}\"", id,
                           data.pieces[index], text));
    data.pieces[index] = text;
    data.kinds[index] = TokenKind::Normal;
    return {};
}

bool isBytePiece(std::string_view piece) {
    return piece.size() == 6 && piece.starts_with("<0x") && piece.ends_with(">");
}

/// Sets the kind of a piece of the model's own vocabulary by its spelling.
void setModelKind(const std::string& text, std::size_t index, TokenizerData& data) {
    if (data.byteFallback && isBytePiece(text)) data.kinds[index] = TokenKind::Byte;
}

/// Reads a list of pairs of piece and score, in the order of the ids.
Status readScoredPieces(const Json& model, TokenizerData& data) {
    const Json& vocab = memberAt(model, "vocab");
    if (!vocab.is_array())
        return fail(ErrorCode::TokConfig,
                    "tokenizer.json: model.vocab is missing or not a list of pieces with scores");
    for (const Json& pair : vocab) {
        if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_number())
            return fail(ErrorCode::TokConfig,
                        format("tokenizer.json: model.vocab[{}] is not a piece with a score",
                               data.pieces.size()));
        const std::string& text = pair[0].get_ref<const std::string&>();
        const std::size_t index = data.pieces.size();
        LACUNA_TRY_STATUS(setPiece(data, static_cast<std::int64_t>(index), text));
        data.scores.push_back(pair[1].get<double>());
        setModelKind(text, index, data);
    }
    const Json& unknown = memberAt(model, "unk_id");
    if (unknown.is_null()) return {};
    if (!unknown.is_number_unsigned() || unknown.get<std::uint64_t>() >= data.pieces.size())
        return fail(ErrorCode::TokSpecialId,
                    format("tokenizer.json: model.unk_id is {}; expected 0 to {}",
                           dumpJson(unknown), data.pieces.size() - 1));
    data.unknown = unknown.get<TokenId>();
    data.kinds[static_cast<std::size_t>(*data.unknown)] = TokenKind::Unknown;
    return {};
}

Status readPieces(const Json& model, TokenizerData& data) {
    const Json& vocab = memberAt(model, "vocab");
    if (!vocab.is_object())
        return fail(ErrorCode::TokConfig,
                    "tokenizer.json: model.vocab is missing or not an object of text to id");
    for (const auto& [text, id] : vocab.items()) {
        if (!id.is_number_integer())
            return fail(ErrorCode::TokConfig,
                        format("tokenizer.json: the id of \"{}\" is not an integer", text));
        LACUNA_TRY_STATUS(setPiece(data, id.get<std::int64_t>(), text));
        const auto index = id.get<std::size_t>();
        setModelKind(text, index, data);
        if (text == textAt(model, "unk_token")) {
            data.kinds[index] = TokenKind::Unknown;
            data.unknown = static_cast<TokenId>(index);
        }
    }
    return {};
}

Status readMerges(const Json& model, TokenizerData& data) {
    const Json& merges = memberAt(model, "merges");
    if (!merges.is_array())
        return fail(ErrorCode::TokConfig, "tokenizer.json: model.merges is missing or not a list");
    for (const Json& merge : merges) {
        if (merge.is_string()) {
            data.merges.push_back(merge.get<std::string>());
            continue;
        }
        const bool pair =
            merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string();
        if (!pair || merge[0].get_ref<const std::string&>().find(' ') != std::string::npos)
            return fail(ErrorCode::TokMerges,
                        format("tokenizer.json: model.merges[{}] is not a pair of pieces",
                               data.merges.size()));
        data.merges.push_back(format("{} {}", merge[0].get_ref<const std::string&>(),
                                     merge[1].get_ref<const std::string&>()));
    }
    return {};
}

/// SentencePiece stores a score for each piece; this format stores the merges derived from them.
/// Only writers of other formats need the scores.
std::vector<double> scoresFromMerges(const TokenizerData& data) {
    std::unordered_map<std::string, std::size_t> ids;
    for (std::size_t i = 0; i < data.pieces.size(); ++i) ids.emplace(data.pieces[i], i);
    std::vector<double> scores(data.pieces.size(), kNoMergeScore);
    for (std::size_t rank = 0; rank < data.merges.size(); ++rank) {
        std::string joined = data.merges[rank];
        const std::size_t space = joined.find(' ', 1);
        if (space != std::string::npos) joined.erase(space, 1);
        const auto found = ids.find(joined);
        if (found == ids.end()) continue;
        double& score = scores[found->second];
        if (score == kNoMergeScore) score = -static_cast<double>(rank);
    }
    return scores;
}

/// Returns whether SentencePiece adds a space before the text, if the steps are exactly its
/// conventions: U+2581 for spaces, perhaps one before the text. nullopt otherwise. Such a
/// vocabulary can be stored in that format.
std::optional<bool> prefixOfPlainSpaces(const TokenizerData& data) {
    bool prefix = false;
    bool marked = false;
    for (const NormalizeStep& step : data.normalizer) {
        const bool before = step.kind == NormalizeStep::Kind::Prepend && step.content == kSpaceMark;
        const bool spaces = step.kind == NormalizeStep::Kind::Replace && step.pattern == R"(\ )" &&
                            step.content == kSpaceMark;
        if (!before && !spaces) return std::nullopt;
        prefix = prefix || before;
        marked = marked || spaces;
    }
    for (const SplitStep& step : data.splits) {
        if (step.kind == SplitStep::Kind::Pattern && step.pattern == R"(\ )" && marked) continue;
        if (step.kind != SplitStep::Kind::Metaspace || step.replacement != kSpaceMark)
            return std::nullopt;
        prefix = prefix || step.prepend != SplitStep::Prepend::Never;
        marked = true;
    }
    if (!marked) return std::nullopt;
    return prefix;
}

void setAddedKind(const Json& token, TokenKind before, TokenId id, TokenizerData& data) {
    const bool special = flagAt(token, "special");
    TokenKind& kind = data.kinds[static_cast<std::size_t>(id)];
    if (data.unknown == id) {
        kind = TokenKind::Unknown;
        if (special) data.unknownText = "";
    } else if (before == TokenKind::Byte) {
        kind = before;  // text without a piece must still be able to use it
    } else {
        kind = special ? TokenKind::Control : TokenKind::UserDefined;
    }
    data.added.push_back({.id = id,
                          .takesSpaceBefore = flagAt(token, "lstrip"),
                          .takesSpaceAfter = flagAt(token, "rstrip"),
                          .wholeWordsOnly = flagAt(token, "single_word"),
                          .normalized = flagAt(token, "normalized")});
}

Status readAdded(const Json& document, TokenizerData& data) {
    const Json& list = memberAt(document, "added_tokens");
    if (!list.is_array()) return {};
    for (const Json& token : list) {
        const Json& id = memberAt(token, "id");
        if (!id.is_number_integer() || !memberAt(token, "content").is_string())
            return fail(ErrorCode::TokConfig,
                        "tokenizer.json: an added token has no integer id or no content");
        const auto number = id.get<std::int64_t>();
        const bool known = number >= 0 && number < static_cast<std::int64_t>(data.kinds.size());
        const TokenKind before =
            known ? data.kinds[static_cast<std::size_t>(number)] : TokenKind::Normal;
        LACUNA_TRY_STATUS(setPiece(data, number, textAt(token, "content")));
        setAddedKind(token, before, static_cast<TokenId>(number), data);
    }
    return {};
}

std::optional<TokenId> idOf(const TokenizerData& data, std::string_view text) {
    const auto found = std::find(data.pieces.begin(), data.pieces.end(), text);
    if (text.empty() || found == data.pieces.end()) return std::nullopt;
    return static_cast<TokenId>(found - data.pieces.begin());
}

/// Returns the ids of one special token of a template.
std::vector<TokenId> templateIds(const Json& step, const std::string& name,
                                 const TokenizerData& data) {
    std::vector<TokenId> ids;
    const Json& listed = memberAt(memberAt(memberAt(step, "special_tokens"), name.c_str()), "ids");
    if (listed.is_array())
        for (const Json& id : listed)
            if (id.is_number_unsigned() && id.get<std::uint64_t>() < data.pieces.size())
                ids.push_back(id.get<TokenId>());
    if (!ids.empty()) return ids;
    if (const auto id = idOf(data, name)) ids.push_back(*id);
    return ids;
}

void readTemplate(const Json& step, TokenizerData& data) {
    const Json& single = memberAt(step, "single");
    if (!single.is_array()) return;
    bool afterText = false;
    for (const Json& item : single) {
        if (!memberAt(item, "Sequence").is_null()) {
            afterText = true;
            continue;
        }
        const std::string name = textAt(memberAt(item, "SpecialToken"), "id");
        auto& edge = afterText ? data.suffixTokens : data.prefixTokens;
        for (const TokenId id : templateIds(step, name, data)) edge.push_back(id);
    }
}

/// Reads ["text", id] of BertProcessing and RobertaProcessing.
void readPair(const Json& pair, std::vector<TokenId>& edge, const TokenizerData& data) {
    if (!pair.is_array() || pair.size() != 2 || !pair[1].is_number_unsigned()) return;
    if (pair[1].get<std::uint64_t>() < data.pieces.size()) edge = {pair[1].get<TokenId>()};
}

/// Reads the tokens before and after every text.
Status readEdges(const Json& part, TokenizerData& data) {
    for (const Json* step : stepsAt(part, "processors")) {
        const std::string type = textAt(*step, "type");
        if (type == "TemplateProcessing") {
            readTemplate(*step, data);
        } else if (type == "BertProcessing" || type == "RobertaProcessing") {
            readPair(memberAt(*step, "cls"), data.prefixTokens, data);
            readPair(memberAt(*step, "sep"), data.suffixTokens, data);
        } else if (type != "ByteLevel") {
            return refuse("post_processor", type,
                          "known are TemplateProcessing, BertProcessing, RobertaProcessing, "
                          "ByteLevel and Sequence");
        }
    }
    data.addBos = !data.prefixTokens.empty();
    data.addEos = !data.suffixTokens.empty();
    if (data.addBos) data.bos = data.prefixTokens.front();
    if (data.addEos) data.eos = data.suffixTokens.back();
    return {};
}

/// Infers the type for files older than 2021, which do not state it.
std::string modelType(const Json& model) {
    if (memberAt(model, "type").is_string()) return textAt(model, "type");
    if (memberAt(model, "merges").is_array()) return "BPE";
    if (memberAt(model, "vocab").is_array()) return "Unigram";
    return memberAt(model, "max_input_chars_per_word").is_null() ? "" : "WordPiece";
}

bool isByteLevel(const Json& document) {
    const auto has = [&](const char* part, const char* list) {
        const auto steps = stepsAt(memberAt(document, part), list);
        return std::ranges::any_of(
            steps, [](const Json* step) { return textAt(*step, "type") == "ByteLevel"; });
    };
    return has("pre_tokenizer", "pretokenizers") || has("normalizer", "normalizers") ||
           has("decoder", "decoders");
}

Status readBpe(const Json& document, TokenizerData& data) {
    const Json& model = memberAt(document, "model");
    data.kind = isByteLevel(document) ? TokenizerKind::ByteLevelBpe : TokenizerKind::CharacterBpe;
    data.byteFallback = flagAt(model, "byte_fallback");
    data.ignoreMerges = flagAt(model, "ignore_merges");
    data.bpe.fuseUnknown = flagAt(model, "fuse_unk");
    data.bpe.continuingPrefix = textAt(model, "continuing_subword_prefix");
    data.bpe.wordSuffix = textAt(model, "end_of_word_suffix");
    LACUNA_TRY_STATUS(readPieces(model, data));
    return readMerges(model, data);
}

Status readWordPiece(const Json& model, TokenizerData& data) {
    data.kind = TokenizerKind::WordPiece;
    data.byteFallback = false;
    if (memberAt(model, "continuing_subword_prefix").is_string())
        data.wordPiece.continuingPrefix = textAt(model, "continuing_subword_prefix");
    const Json& longest = memberAt(model, "max_input_chars_per_word");
    if (longest.is_number_unsigned())
        data.wordPiece.longestWord = std::min<std::size_t>(longest.get<std::size_t>(), kMaxWord);
    return readPieces(model, data);
}

Status readModel(const Json& document, TokenizerData& data) {
    const Json& model = memberAt(document, "model");
    const std::string type = modelType(model);
    if (type == "BPE") return readBpe(document, data);
    if (type == "WordPiece") return readWordPiece(model, data);
    if (type != "Unigram")
        return refuse("model.type", type, "supported are BPE, Unigram and WordPiece");
    data.kind = TokenizerKind::Unigram;
    data.byteFallback = flagAt(model, "byte_fallback");
    return readScoredPieces(model, data);
}

}  // namespace

Result<std::vector<SplitStep>> splitSteps(const Json& part) {
    std::vector<SplitStep> steps;
    for (const Json* json : stepsAt(part, "pretokenizers")) {
        LACUNA_TRY(std::vector<SplitStep> made, splitStep(*json));
        std::ranges::move(made, std::back_inserter(steps));
    }
    return steps;
}

Result<TokenizerData> tokenizerFromJson(const Json& document) {
    TokenizerData data;
    LACUNA_TRY_STATUS(readModel(document, data));
    LACUNA_TRY_STATUS(readAdded(document, data));
    if (data.kind == TokenizerKind::Unigram) data.scores.resize(data.pieces.size());
    LACUNA_TRY(data.normalizer, normalizeSteps(memberAt(document, "normalizer")));
    LACUNA_TRY(data.splits, splitSteps(memberAt(document, "pre_tokenizer")));
    LACUNA_TRY(data.decoder, decodeSteps(memberAt(document, "decoder")));
    // Without a decoder the reference puts a space between tokens, which is undesirable.
    const auto prefix = prefixOfPlainSpaces(data);
    data.addSpacePrefix = prefix.value_or(false);
    if (data.kind == TokenizerKind::CharacterBpe && prefix) data.scores = scoresFromMerges(data);
    LACUNA_TRY_STATUS(readEdges(memberAt(document, "post_processor"), data));
    return data;
}

}  // namespace lacuna
