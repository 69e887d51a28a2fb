#pragma once
/// \file
/// One regular expression from a tokenizer file: Oniguruma's syntax, spelled for PCRE2 and run by
/// it. Matching needs no recursion; a text that overflows the just-in-time stack is matched by the
/// interpreter, whose memory is on the heap. A Pattern is immutable; a PatternMatcher belongs to
/// one thread. Source: Oniguruma's doc/RE and pcre2pattern.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/text/text_work.h"
#include "engine/text/unicode.h"

namespace lacuna {

/// Differences that matter here: \s is the property White_Space, \w takes marks, \h is a
/// hexadecimal digit, \uHHHH a character, (?m) lets the dot match line ends, X{n,m}+ repeats X{n,m}
/// instead of being possessive, and classes may nest and intersect (&&).
[[nodiscard]] std::string toPcreSyntax(std::string_view pattern);

class Pattern {
  public:
    /// Errors: TokRegex with the pattern and the place in it.
    [[nodiscard]] static Result<Pattern> compile(std::string_view text);
    Pattern(Pattern&&) noexcept;
    Pattern& operator=(Pattern&&) noexcept;
    ~Pattern();
    /// Whether its work is counted while it matches. Patterns of the known families are not: they
    /// walk every text once, and counting costs time.
    [[nodiscard]] bool counted() const { return counted_; }
    /// As the file spells it.
    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    friend class PatternMatcher;
    struct Code;
    Pattern(std::string text, std::unique_ptr<Code> code);
    std::string text_;
    std::unique_ptr<Code> code_;
    bool counted_ = true;
};

class PatternMatcher {
  public:
    /// `work` must outlive this; without it only the limits of a single match hold.
    explicit PatternMatcher(TextWork* work = nullptr);
    PatternMatcher(const PatternMatcher&) = delete;
    PatternMatcher& operator=(const PatternMatcher&) = delete;
    ~PatternMatcher();
    /// The first match at or after `from`. @pre `text` is valid UTF-8 and `from` begins a
    /// character. Errors: TokRegex when the pattern needs more than its step or memory limit;
    /// Cancelled.
    [[nodiscard]] Result<std::optional<ByteRange>> next(const Pattern& pattern,
                                                        std::string_view text, std::size_t from);

  private:
    struct State;
    [[nodiscard]] static Status patternStatus(const Pattern& pattern, const TextWork& work);
    std::unique_ptr<State> state_;
};

/// A pattern that matches `literal` and nothing else.
[[nodiscard]] std::string escapedPattern(std::string_view literal);

}  // namespace lacuna
