#include "engine/text/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <array>
#include <vector>

#include "engine/base/string_format.h"
#include "engine/text/splitting_rules.h"

// Translates in one pass. `atom_` is the output position of the last atom, so that a quantifier can
// wrap it in a group. A class without "&&" and without nested classes is copied; others become
// alternatives and look-aheads over single characters: [a[^b]] is (?:[a]|[^b]), [a&&b] is
// (?:(?=[a])[b]), and a negated one is (?!...) before any character.

namespace lacuna {
namespace {

constexpr std::string_view kSpace = R"(\p{White_Space})";
constexpr std::string_view kNoSpace = R"(\P{White_Space})";
constexpr std::string_view kWord = R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc})";
constexpr std::string_view kAnyCharacter = R"((?s:.))";
constexpr int kMaxNesting = 32;

/// Patterns of known families that take quadratic time on long runs, with linear equivalents. If
/// the first character of a run has no match, none of its characters has; and after one group of
/// digits the following groups are known to match.
struct Rewritten {
    std::string_view pattern;
    std::string_view pcre;
};
constexpr std::array<Rewritten, 2> kLinear = {{
    {R"(\s+$)", R"(\p{White_Space}+$|\p{White_Space}+(*SKIP)(*FAIL))"},
    {R"(\d{1,3}(?=(?:\d{3})*\b))", R"((?<=\d)\G\d{3}|\d{1,3}(?=(?:\d{3})*\b)|\d+(*SKIP)(*FAIL))"},
}};

bool isHex(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

class Translation {
  public:
    explicit Translation(std::string_view pattern) : in_(pattern) {}

    std::string run() {
        for (const Rewritten& one : kLinear)
            if (in_ == one.pattern) return std::string(one.pcre);
        while (at_ < in_.size()) step();
        return std::move(out_);
    }

  private:
    void step() {
        const char c = in_[at_];
        if (c == '\\') {
            atom_ = out_.size();
            out_ += escape(false);
        } else if (c == '[') {
            atom_ = out_.size();
            out_ += characterClass();
        } else if (c == '(') {
            openGroup();
        } else if (c == ')') {
            closeGroup();
        } else if (c == '{') {
            interval();
        } else {
            if (c != '*' && c != '+' && c != '?' && (static_cast<unsigned char>(c) & 0xC0) != 0x80)
                atom_ = out_.size();
            out_ += c;
            ++at_;
        }
    }

    /// Translates an escape, as an item of a class or as an atom.
    std::string escape(bool inClass) {
        if (at_ + 1 >= in_.size()) {
            ++at_;
            return "\\";
        }
        const char kind = in_[at_ + 1];
        at_ += 2;
        switch (kind) {
            case 's':
                return std::string(kSpace);
            case 'S':
                return std::string(kNoSpace);
            case 'w':
                return inClass ? std::string(kWord) : '[' + std::string(kWord) + ']';
            case 'W':
                return inClass ? R"(\W)" : "[^" + std::string(kWord) + ']';
            case 'h':
                return inClass ? "0-9a-fA-F" : "[0-9a-fA-F]";
            case 'H':
                return inClass ? R"(\H)" : "[^0-9a-fA-F]";
            case 'u':
                return codeUnit();
            default:
                return {'\\', kind};
        }
    }

    std::string codeUnit() {
        std::size_t digits = 0;
        while (digits < 4 && at_ + digits < in_.size() && isHex(in_[at_ + digits])) ++digits;
        if (digits < 4) return R"(\u)";
        const std::string hex(in_.substr(at_, 4));
        at_ += 4;
        return R"(\x{)" + hex + '}';
    }

    void openGroup() {
        groups_.push_back(out_.size());
        out_ += in_[at_++];
        if (at_ + 1 >= in_.size() || in_[at_] != '?') return;
        std::size_t end = at_ + 1;
        while (end < in_.size() && (in_[end] == 'i' || in_[end] == 'm' || in_[end] == 'x' ||
                                    in_[end] == 's' || in_[end] == '-'))
            ++end;
        if (end >= in_.size() || (in_[end] != ')' && in_[end] != ':')) return;
        for (; at_ < end; ++at_) out_ += in_[at_] == 'm' ? 's' : in_[at_];
    }

    void closeGroup() {
        if (!groups_.empty()) {
            atom_ = groups_.back();
            groups_.pop_back();
        }
        out_ += in_[at_++];
    }

    void interval() {
        std::size_t end = at_ + 1;
        while (end < in_.size() && ((in_[end] >= '0' && in_[end] <= '9') || in_[end] == ',')) ++end;
        if (end >= in_.size() || in_[end] != '}' || end == at_ + 1) {
            atom_ = out_.size();
            out_ += in_[at_++];
            return;
        }
        out_ += in_.substr(at_, end + 1 - at_);
        at_ = end + 1;
        if (at_ >= in_.size() || in_[at_] != '+') return;
        out_.insert(atom_, "(?:");
        out_ += ')';
    }

    /// Translates [...] starting at its bracket. An unterminated class is left open, so that PCRE2
    /// rejects it.
    std::string characterClass() {
        ++at_;
        const bool negated = at_ < in_.size() && in_[at_] == '^';
        if (negated) ++at_;
        ClassSides sides;
        for (bool first = true; at_ >= in_.size() || in_[at_] != ']' || first; first = false) {
            if (at_ >= in_.size()) return "[";
            addToClass(sides);
        }
        ++at_;
        return sides.joined(negated);
    }

    /// Parsed parts of a class: operands of "&&", the last of them still open.
    struct ClassSides {
        std::vector<std::string> closed;
        std::string items;
        std::vector<std::string> nested;

        void close() {
            std::string side = items.empty() ? "" : '[' + items + ']';
            for (const std::string& one : nested) side += (side.empty() ? "" : "|") + one;
            closed.push_back(side.empty() ? "(?!)" : "(?:" + side + ')');
            items.clear();
            nested.clear();
        }
        std::string joined(bool negated) {
            if (closed.empty() && nested.empty()) return (negated ? "[^" : "[") + items + ']';
            close();
            std::string all = "(?:";
            for (std::size_t i = 0; i + 1 < closed.size(); ++i) all += "(?=" + closed[i] + ')';
            all += closed.back() + ')';
            if (!negated) return all;
            return "(?:(?!" + all + ')' + std::string(kAnyCharacter) + ')';
        }
        /// Adds the items of a plain nested class.
        void addNested(const std::string& one) {
            if (one.size() > 2 && one[0] == '[' && one[1] != '^')
                items += one.substr(1, one.size() - 2);
            else
                nested.push_back(one);
        }
    };

    /// Parses the next item of a class. @pre at_ < in_.size()
    void addToClass(ClassSides& sides) {
        const char c = in_[at_];
        if (c == '\\') {
            sides.items += escape(true);
        } else if (in_.substr(at_, 2) == "[:") {
            const std::size_t end = in_.find(":]", at_ + 2);
            const std::size_t stop = end == std::string_view::npos ? at_ + 1 : end + 2;
            sides.items += in_.substr(at_, stop - at_);
            at_ = stop;
        } else if (c == '[') {
            if (++nesting_ > kMaxNesting) at_ = in_.size();  // PCRE2 reports it as unterminated
            sides.addNested(at_ < in_.size() ? characterClass() : std::string("["));
            --nesting_;
        } else if (in_.substr(at_, 2) == "&&") {
            sides.close();
            at_ += 2;
        } else {
            sides.items += c == ']' ? std::string("\\]") : std::string(1, c);
            ++at_;
        }
    }

    std::string_view in_;
    std::string out_;
    std::size_t at_ = 0;
    std::size_t atom_ = 0;
    int nesting_ = 0;
    std::vector<std::size_t> groups_;
};

}  // namespace

std::string toPcreSyntax(std::string_view pattern) {
    return Translation(pattern).run();
}

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

/// Position of the matcher at the last callout.
struct Watch {
    TextWork* work = nullptr;
    PCRE2_SIZE at = 0;
};

/// Callout before each item of a counted pattern. It is the only way to measure the cost of a
/// match, because a run of one character is consumed at once, and to abort it.
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
                    format("the splitting pattern \"{}\" is invalid at character {}: {}",
                           shown(text), at + 1, pcreMessage(error)));
    // Without a JIT compiler, the interpreter gives the same matches more slowly.
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
                    format("the splitting pattern \"{}\" failed on this text: {}",
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
                    format("the splitting pattern \"{}\" failed on this text: {}",
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
