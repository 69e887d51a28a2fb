#include "engine/format/tokenizer_json_steps.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/format/json_fields.h"
#include "engine/text/pattern.h"
#include "engine/text/splitting_rules.h"

// One reader for each kind of step. Punctuation, digits and white space are patterns like any
// other, with the classes that the reference gives them.

namespace lacuna {
namespace {

// ASCII punctuation and the general category P.
constexpr std::string_view kPunctuation = R"([\p{P}$+<=>^`|~])";
constexpr std::string_view kWhiteSpace = R"(\s)";
// A word character of Rust's regex: Oniguruma's, and what joins letters.
constexpr std::string_view kWordsAndSigns =
    R"([\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]+|[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}\s]+)";

auto refuse(std::string_view field, std::string_view found, std::string_view expected) {
    return fail(ErrorCode::TokConfig,
                format("tokenizer.json: {} is \"{}\"; {}", field, found, expected));
}

/// {"String": text} or {"Regex": pattern}, as a pattern; older files hold the text alone.
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
    // Byte pieces are bytes already.
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

}  // namespace

Result<std::vector<NormalizeStep>> normalizeSteps(const Json& part) {
    std::vector<NormalizeStep> steps;
    for (const Json* json : stepsAt(part, "normalizers")) {
        LACUNA_TRY(NormalizeStep step, normalizeStep(*json));
        steps.push_back(std::move(step));
    }
    return steps;
}

Result<std::vector<SplitStep>> splitSteps(const Json& part) {
    std::vector<SplitStep> steps;
    for (const Json* json : stepsAt(part, "pretokenizers")) {
        LACUNA_TRY(std::vector<SplitStep> made, splitStep(*json));
        std::ranges::move(made, std::back_inserter(steps));
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

}  // namespace lacuna
