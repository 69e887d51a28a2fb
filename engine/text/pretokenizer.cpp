#include "engine/text/pretokenizer.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <array>

#include "engine/base/string_format.h"

// Patterns are written for Oniguruma, whose \s is the Unicode property White_Space, so \s and \S
// are translated to that property: PCRE2's own \s differs at U+180E. Anchors match at every line,
// as Oniguruma's Ruby syntax has it. A pattern sees valid UTF-8 only: the text is cut at invalid
// bytes first, which keeps matching linear and free of validity checks.

namespace lacuna {

struct Pretokenizer::Pattern {
    struct Free {
        void operator()(pcre2_code* code) const { pcre2_code_free(code); }
    };
    std::string text;  // as the file spells it, for messages
    std::unique_ptr<pcre2_code, Free> code;
};

namespace {

constexpr std::size_t kMaxPatternBytes = 64 * 1024;
constexpr std::size_t kMaxPatterns = 64;
constexpr std::uint32_t kMatchLimit = 40'000'000;
constexpr std::uint32_t kHeapLimitKib = 64 * 1024;
constexpr std::size_t kJitStackStart = 32 * 1024;
constexpr std::size_t kJitStackLimit = 4 * 1024 * 1024;
constexpr std::size_t kShownPatternBytes = 80;

constexpr const char* kGpt2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr const char* kLlama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kQwen2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

struct Rule {
    std::string_view name;
    std::vector<std::string> patterns;
};

const std::vector<Rule>& rules() {
    static const std::vector<Rule> table = {
        {"gpt-2", {kGpt2}},
        {"llama-bpe", {kLlama3}},
        {"llama-v3", {kLlama3}},
        {"llama3", {kLlama3}},
        {"smaug-bpe", {kLlama3}},
        {"qwen2", {kQwen2}},
        {"deepseek-r1-qwen", {kQwen2}},
        {"smollm", {R"(\p{N})", kGpt2}},
        {"starcoder", {R"(\p{N})", kGpt2}},
        {"refact", {R"(\p{N})", kGpt2}},
        {"command-r", {R"(\p{N})", kGpt2}},
        {"olmo", {kGpt2}},
        {"default", {R"([\p{P}\$\+<=>\^~\|]+)", kGpt2, R"(\p{N}+)", R"([0-9][0-9][0-9])"}},
    };
    return table;
}

std::string shown(std::string_view pattern) {
    if (pattern.size() <= kShownPatternBytes) return std::string(pattern);
    return format("{}... ({} bytes)", pattern.substr(0, kShownPatternBytes), pattern.size());
}

std::string withUnicodeSpaces(std::string_view pattern) {
    std::string out;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '\\' || i + 1 == pattern.size()) {
            out += pattern[i];
            continue;
        }
        const char escaped = pattern[++i];
        if (escaped == 's')
            out += R"(\p{White_Space})";
        else if (escaped == 'S')
            out += R"(\P{White_Space})";
        else
            out.append({'\\', escaped});
    }
    return out;
}

std::string pcreMessage(int code) {
    std::array<PCRE2_UCHAR, 256> text{};
    pcre2_get_error_message(code, text.data(), text.size());
    return reinterpret_cast<const char*>(text.data());
}

/// What one call of `split` needs and must not share with another thread.
class Matcher {
  public:
    Matcher()
        : data_(pcre2_match_data_create(1, nullptr)),
          context_(pcre2_match_context_create(nullptr)),
          stack_(pcre2_jit_stack_create(kJitStackStart, kJitStackLimit, nullptr)) {
        if (!context_) return;
        pcre2_set_match_limit(context_, kMatchLimit);
        pcre2_set_heap_limit(context_, kHeapLimitKib);
        if (stack_) pcre2_jit_stack_assign(context_, nullptr, stack_);
    }
    Matcher(const Matcher&) = delete;
    Matcher& operator=(const Matcher&) = delete;
    ~Matcher() {
        pcre2_jit_stack_free(stack_);
        pcre2_match_context_free(context_);
        pcre2_match_data_free(data_);
    }

    struct Outcome {
        int code = 0;  // > 0: matched; PCRE2_ERROR_NOMATCH; another error
        ByteRange range;
    };
    [[nodiscard]] Outcome next(const pcre2_code* code, std::string_view text, std::size_t from) {
        if (!data_ || !context_) return {PCRE2_ERROR_NOMEMORY, {}};
        const int rc = pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                                   from, PCRE2_NO_UTF_CHECK, data_, context_);
        if (rc < 0) return {rc, {}};
        const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(data_);
        return {1, {ends[0], std::max(ends[0], ends[1])}};
    }

  private:
    pcre2_match_data* data_;
    pcre2_match_context* context_;
    pcre2_jit_stack* stack_;
};

void appendRange(std::vector<ByteRange>& out, ByteRange range) {
    if (range.begin < range.end) out.push_back(range);
}

/// Cuts one valid piece at the matches of one pattern. `patternText` is for messages only.
Status cut(Matcher& matcher, const pcre2_code* code, std::string_view patternText,
           std::string_view whole, ByteRange piece, std::vector<ByteRange>& out) {
    const std::string_view text = whole.substr(piece.begin, piece.end - piece.begin);
    std::size_t done = 0;
    for (std::size_t from = 0; from < text.size();) {
        const Matcher::Outcome found = matcher.next(code, text, from);
        if (found.code == PCRE2_ERROR_NOMATCH) break;
        if (found.code < 0)
            return fail(ErrorCode::TokRegex,
                        format("the splitting pattern \"{}\" gave up on this text: {}",
                               shown(patternText), pcreMessage(found.code)));
        if (found.range.begin == found.range.end) {  // an empty match cuts nothing
            from = found.range.end;
            if (from >= text.size()) break;
            from += utf8CharAt(text, from).bytes;
            continue;
        }
        appendRange(out, {piece.begin + done, piece.begin + found.range.begin});
        appendRange(out, {piece.begin + found.range.begin, piece.begin + found.range.end});
        done = from = found.range.end;
    }
    appendRange(out, {piece.begin + done, piece.end});
    return {};
}

}  // namespace

Pretokenizer::Pretokenizer(std::vector<Pattern> patterns) : patterns_(std::move(patterns)) {}
Pretokenizer::Pretokenizer(Pretokenizer&&) noexcept = default;
Pretokenizer& Pretokenizer::operator=(Pretokenizer&&) noexcept = default;
Pretokenizer::~Pretokenizer() = default;

Result<Pretokenizer> Pretokenizer::named(std::string_view rule) {
    std::string known;
    for (const Rule& candidate : rules()) {
        if (candidate.name == rule) return fromPatterns(candidate.patterns);
        known += format("{}{}", known.empty() ? "" : ", ", candidate.name);
    }
    return fail(ErrorCode::TokPreUnknown,
                format("the splitting rule \"{}\" is not known; known are: {}. Guessing would "
                       "silently give wrong tokens",
                       rule, known));
}

Result<Pretokenizer> Pretokenizer::fromPatterns(std::span<const std::string> patterns) {
    if (patterns.size() > kMaxPatterns)
        return fail(ErrorCode::TokRegex, format("{} splitting patterns; at most {} are allowed",
                                                patterns.size(), kMaxPatterns));
    std::vector<Pattern> compiled;
    for (const std::string& pattern : patterns) {
        if (pattern.size() > kMaxPatternBytes)
            return fail(ErrorCode::TokRegex,
                        format("a splitting pattern has {} bytes; at most {} are allowed",
                               pattern.size(), kMaxPatternBytes));
        const std::string translated = withUnicodeSpaces(pattern);
        int error = 0;
        PCRE2_SIZE at = 0;
        const std::uint32_t options =
            PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C;
        pcre2_code* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()),
                                         translated.size(), options, &error, &at, nullptr);
        if (!code)
            return fail(ErrorCode::TokRegex,
                        format("the splitting pattern \"{}\" is not understood at character {}: {}",
                               shown(pattern), at + 1, pcreMessage(error)));
        compiled.push_back(Pattern{pattern, std::unique_ptr<pcre2_code, Pattern::Free>(code)});
        // Without a just-in-time compiler the interpreter gives the same matches, slower.
        static_cast<void>(pcre2_jit_compile(code, PCRE2_JIT_COMPLETE));
    }
    return Pretokenizer(std::move(compiled));
}

Result<std::vector<ByteRange>> Pretokenizer::split(std::string_view text) const {
    Matcher matcher;
    std::vector<ByteRange> out;
    std::vector<ByteRange> pieces;
    std::vector<ByteRange> finer;
    for (const Utf8Run& run : utf8Runs(text)) {
        if (!run.valid) {
            out.push_back(run.range);
            continue;
        }
        pieces.assign(1, run.range);
        for (const Pattern& pattern : patterns_) {
            finer.clear();
            for (const ByteRange piece : pieces)
                LACUNA_TRY_STATUS(
                    cut(matcher, pattern.code.get(), pattern.text, text, piece, finer));
            std::swap(pieces, finer);
        }
        out.insert(out.end(), pieces.begin(), pieces.end());
    }
    return out;
}

}  // namespace lacuna
