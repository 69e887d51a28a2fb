#include "engine/text/splitting_rules.h"

#include <algorithm>

// The patterns are copied from the families' tokenizer.json, including long lines.
// clang-format off

namespace lacuna {
namespace {

constexpr std::string_view kLlama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwen2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kGpt4o =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kTekken =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kDeepseek3 =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kBloom =
    R"( ?[^(\s|.,!?…。，、।۔،)]+)";
constexpr std::string_view kKimi =
    R"([\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kDigit =
    R"(\p{N})";
constexpr std::string_view kDeepseekLetters =
    R"(\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-ώᾀ-ᾴᾶ-ᾼιῂ-ῄῆ-ῌῐ-ΐῖ-Ίῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤΩℨK-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃]+)";
constexpr std::string_view kCjk =
    R"([一-龥ࠀ-一가-퟿]+)";
constexpr std::string_view kAsianScripts =
    R"([一-鿿㐀-䶿豈-﫿぀-ゟ゠-ヿ･-ﾟ⼀-⿟เ-๿຀-໿ក-៿က-႟ꩠ-ꩿꧠ-꧿가-힯ᄀ-ᇿ]+)";
// Groups the digits of a run in threes from its right end.
constexpr std::string_view kDigitGroups =
    R"((?<=\p{N})\G\p{N}{3}|\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N})))";
constexpr std::string_view kLines =
    R"([^\n]+|[\n]+)";
constexpr std::string_view kCjkAndKana =
    R"([一-龥぀-ゟ゠-ヿ]+)";

}  // namespace

const std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

namespace {

const std::vector<SplittingRule>& rules() {
    static const std::vector<SplittingRule> table = {
        {.names = {"gpt-2", "phi-2", "mpt", "olmo", "jais", "jina-es", "jina-de", "jina-v2-es",
                   "jina-v2-de", "jina-v1-en", "jina-v2-code", "roberta-bpe", "gigachat",
                   "a.x-4.0", "mellum", "modern-bert", "exaone4", "trillion", "granite-docling"},
         .patterns = {kGpt2Pattern}},
        {.names = {"llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral",
                   "midm-2.0", "lfm2", "jina-v5-nano"},
         .patterns = {kLlama3},
         .ignoreMerges = true,
         .addBos = true},
        {.names = {"smaug-bpe", "dbrx", "chatglm-bpe", "glm4"},
         .patterns = {kLlama3}},
        {.names = {"qwen2", "deepseek-r1-qwen", "stablelm2", "hunyuan", "megrez", "kormo",
                   "f2llmv2", "grok-2", "solar-open"},
         .patterns = {kQwen2}},
        {.names = {"qwen35"},
         .patterns = {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"}},
        {.names = {"smollm", "starcoder", "refact", "command-r", "codeshell", "exaone",
                   "minerva-7b", "mellum2"},
         .patterns = {kDigit, kGpt2Pattern}},
        {.names = {"deepseek-llm"},
         .patterns = {R"([\r\n])",
                      kDeepseekLetters,
                      R"(\s?[!-/:-~！-／：-～‘-‟　-。]+)",
                      R"(\s+$)",
                      kCjk,
                      kDigit}},
        {.names = {"deepseek-coder"},
         .patterns = {R"([\r\n])", R"(\s?\p{L}+)", R"(\s?\p{P}+)", kCjk, kDigit}},
        {.names = {"deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4"},
         .patterns = {R"(\p{N}{1,3})", kCjkAndKana, kDeepseek3}},
        {.names = {"falcon"},
         .patterns = {R"([\p{P}\$\+<=>\^~\|`]+)", kGpt2Pattern, R"([0-9][0-9][0-9])"}},
        {.names = {"tekken"},
         .patterns = {kTekken},
         .ignoreMerges = true,
         .addBos = true},
        {.names = {"gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2", "inkling"},
         .patterns = {kGpt4o}},
        {.names = {"granite-embed-multi-97m"},
         .patterns = {kGpt4o},
         .ignoreMerges = true},
        {.names = {"bloom", "poro-chat", "gpt3-finnish"},
         .patterns = {kBloom}},
        {.names = {"viking"},
         .patterns = {kBloom, kDigit}},
        {.names = {"chameleon"},
         .patterns = {R"(<sentinel:[0-9]+>)",
                      R"((IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z)",
                      R"(([\t\n]|    |  ))",
                      kDigit,
                      R"([\p{P}!-/:-@\[-`{-~])",
                      kGpt2Pattern},
         .addBos = true},
        // Groups digits in threes from the right; the family's own pattern takes quadratic time.
        {.names = {"superbpe"},
         .patterns = {R"(\p{N}+)", R"((?<=\d)\G\d{3}|\d{1,3}(?=(?:\d{3})*(?!\d)))"}},
        {.names = {"bailingmoe", "bailingmoe2", "llada-moe"},
         .patterns = {R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)"}},
        {.names = {"seed-coder"},
         .patterns = {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+)"}},
        {.names = {"kimi-k2"},
         .patterns = {kKimi}},
        {.names = {"youtu"},
         .patterns = {R"([가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|[一-龥぀-ゟ゠-ヿ]+)",
                      R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"},
         .ignoreMerges = true},
        {.names = {"jais-2"},
         .patterns = {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1})"}},
        {.names = {"exaone-moe"},
         .patterns = {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+)"}},
        {.names = {"minicpm5"},
         .patterns = {R"(\p{N}{1,3})",
                      R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}+| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"},
         .ignoreMerges = true},
        {.names = {"tiny_aya", "cohere2moe"},
         .patterns = {R"(\d{1,3}(?=(?:\d{3})*\b))", kGpt4o}},
        {.names = {"gemma4", "granite-embed-multi-311m", "sarvam-moe"},
         .patterns = {kLines},
         .byteAlphabet = false,
         .marksSpaces = true},
        {.names = {"laguna"},
         .patterns = {kLines, kQwen2}},
        {.names = {"afmoe"},
         .patterns = {R"(\p{N}+)", kDigitGroups, kAsianScripts, kDeepseek3}},
        {.names = {"whitespace"},
         .patterns = {R"(\s)"},
         .byteAlphabet = false,
         .dropsMatches = true},
        {.names = {"default"},
         .patterns = {R"([\p{P}\$\+<=>\^~\|]+)",
                      kGpt2Pattern,
                      R"(\p{N}+)",
                      R"([0-9][0-9][0-9])"}},
    };
    return table;
}

}  // namespace

// clang-format on

const SplittingRule* findSplittingRule(std::string_view name) {
    for (const SplittingRule& rule : rules())
        if (std::ranges::find(rule.names, name) != rule.names.end()) return &rule;
    return nullptr;
}

bool isSplittingPattern(std::string_view pattern) {
    return std::ranges::any_of(rules(), [&](const SplittingRule& rule) {
        return std::ranges::find(rule.patterns, pattern) != rule.patterns.end();
    });
}

std::string knownSplittingRules() {
    std::string known;
    for (const SplittingRule& rule : rules())
        for (const std::string_view name : rule.names) {
            if (!known.empty()) known += ", ";
            known += name;
        }
    return known;
}

std::vector<SplitStep> stepsOf(const SplittingRule& rule) {
    std::vector<SplitStep> steps;
    const SplitBehaviour behaviour =
        rule.dropsMatches ? SplitBehaviour::Removed : SplitBehaviour::Isolated;
    for (const std::string_view pattern : rule.patterns)
        steps.push_back({.pattern = std::string(pattern), .behaviour = behaviour});
    if (rule.byteAlphabet) steps.push_back({.kind = SplitStep::Kind::ByteAlphabet});
    return steps;
}

std::optional<std::string_view> splittingRuleName(std::span<const SplitStep> steps) {
    for (const SplittingRule& rule : rules())
        if (std::ranges::equal(stepsOf(rule), steps)) return rule.names.front();
    return std::nullopt;
}

}  // namespace lacuna
