#include "engine/text/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <array>

#include "engine/base/string_format.h"
#include "engine/text/pattern_syntax.h"
#include "engine/text/splitting_rules.h"

namespace lacuna {
namespace {

constexpr std::size_t kMaxPatternBytes = 64 * 1024;
constexpr std::uint32_t kMatchLimit = 40'000'000;
constexpr std::uint32_t kHeapLimitKib = 512 * 1024;
constexpr std::size_t kJitStackStart = 32 * 1024;
constexpr std::size_t kJitStackLimit = 4 * 1024 * 1024;
constexpr std::size_t kShownPatternBytes = 80;

std::string shown(std::string_view pattern) {
    if (pattern.size() <= kShownPatternBytes) return std::string(pattern);
    return format("{}... ({} bytes)", pattern.substr(0, kShownPatternBytes), pattern.size());
}

std::string pcreMessage(int code) {
    std::array<PCRE2_UCHAR, 256> text{};
    pcre2_get_error_message(code, text.data(), text.size());
    return reinterpret_cast<const char*>(text.data());
}

/// Where the matcher stood when it was last heard of.
struct Watch {
    TextWork* work = nullptr;
    PCRE2_SIZE at = 0;
};

/// Called before each item of a counted pattern: the only way to see what a match costs, because
/// a run of one character is walked in one go, and to end it in the middle.
int heard(pcre2_callout_block* block, void* data) {
    auto& watch = *static_cast<Watch*>(data);
    const PCRE2_SIZE at = block->current_position;
    const PCRE2_SIZE walked = at > watch.at ? at - watch.at : watch.at - at;
    watch.at = at;
    return watch.work->spendBytes(walked) ? 0 : PCRE2_ERROR_CALLOUT;
}

PCRE2_SPTR units(std::string_view text) {
    return reinterpret_cast<PCRE2_SPTR>(text.data());
}

}  // namespace

struct Pattern::Code {
    explicit Code(pcre2_code* made) : code(made) {}
    Code(const Code&) = delete;
    Code& operator=(const Code&) = delete;
    ~Code() { pcre2_code_free(code); }
    pcre2_code* code;
};

Pattern::Pattern(std::string text, std::unique_ptr<Code> code)
    : text_(std::move(text)), code_(std::move(code)) {}
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

Result<Pattern> Pattern::compile(std::string_view text) {
    if (text.size() > kMaxPatternBytes)
        return fail(ErrorCode::TokRegex,
                    format("a splitting pattern has {} bytes; at most {} are allowed", text.size(),
                           kMaxPatternBytes));
    const std::string translated = toPcreSyntax(text);
    int error = 0;
    PCRE2_SIZE at = 0;
    const bool counted = !isSplittingPattern(text);
    const std::uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE |
                                  PCRE2_NEVER_BACKSLASH_C | (counted ? PCRE2_AUTO_CALLOUT : 0U);
    pcre2_code* code =
        pcre2_compile(units(translated), translated.size(), options, &error, &at, nullptr);
    if (!code)
        return fail(ErrorCode::TokRegex,
                    format("the splitting pattern \"{}\" is not understood at character {}: {}",
                           shown(text), at + 1, pcreMessage(error)));
    // Without a just-in-time compiler the interpreter gives the same matches, slower.
    static_cast<void>(pcre2_jit_compile(code, PCRE2_JIT_COMPLETE));
    Pattern made(std::string(text), std::make_unique<Code>(code));
    made.counted_ = counted;
    return made;
}

struct PatternMatcher::State {
    explicit State(TextWork* work)
        : watch{work, 0},
          data(pcre2_match_data_create(1, nullptr)),
          context(pcre2_match_context_create(nullptr)),
          stack(pcre2_jit_stack_create(kJitStackStart, kJitStackLimit, nullptr)) {
        if (!context) return;
        pcre2_set_match_limit(context, kMatchLimit);
        pcre2_set_heap_limit(context, kHeapLimitKib);
        if (work != nullptr) pcre2_set_callout(context, heard, &watch);
        if (stack) pcre2_jit_stack_assign(context, nullptr, stack);
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() {
        pcre2_jit_stack_free(stack);
        pcre2_match_context_free(context);
        pcre2_match_data_free(data);
    }
    Watch watch;
    pcre2_match_data* data;
    pcre2_match_context* context;
    pcre2_jit_stack* stack;
};

PatternMatcher::PatternMatcher(TextWork* work) : state_(std::make_unique<State>(work)) {}
PatternMatcher::~PatternMatcher() = default;

Status PatternMatcher::patternStatus(const Pattern& pattern, const TextWork& work) {
    Status status = work.status();
    if (!status && status.error().code == ErrorCode::TokTooLong)
        return fail(ErrorCode::TokRegex,
                    format("the splitting pattern \"{}\" gave up on this text: {}",
                           shown(pattern.text()), status.error().what));
    return status;
}

Result<std::optional<ByteRange>> PatternMatcher::next(const Pattern& pattern, std::string_view text,
                                                      std::size_t from) {
    const auto match = [&](std::uint32_t options) {
        if (!state_->data || !state_->context) return PCRE2_ERROR_NOMEMORY;
        return pcre2_match(pattern.code_->code, units(text), text.size(), from,
                           PCRE2_NO_UTF_CHECK | options, state_->data, state_->context);
    };
    TextWork* work = state_->watch.work;
    state_->watch.at = from;
    int rc = match(0);
    if (rc == PCRE2_ERROR_JIT_STACKLIMIT) rc = match(PCRE2_NO_JIT);
    if (work != nullptr && rc == PCRE2_ERROR_NOMATCH) work->spendBytes(text.size() - from);
    if (work != nullptr && rc > 0)
        work->spendBytes(pcre2_get_ovector_pointer(state_->data)[1] - std::min(from, text.size()));
    if (work != nullptr && work->over()) {
        LACUNA_TRY_STATUS(patternStatus(pattern, *work));
    }
    if (rc == PCRE2_ERROR_NOMATCH) return std::optional<ByteRange>();
    if (rc < 0)
        return fail(ErrorCode::TokRegex,
                    format("the splitting pattern \"{}\" gave up on this text: {}",
                           shown(pattern.text()), pcreMessage(rc)));
    const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(state_->data);
    return std::optional<ByteRange>(ByteRange{ends[0], std::max(ends[0], ends[1])});
}

std::string escapedPattern(std::string_view literal) {
    std::string out;
    for (const char c : literal) {
        const bool word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                          (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
        const bool control = static_cast<unsigned char>(c) < 0x20;
        if (control)
            out += format("\\x{{{:X}}}", static_cast<unsigned char>(c));
        else if (word)
            out += c;
        else
            out.append({'\\', c});
    }
    return out;
}

}  // namespace lacuna
