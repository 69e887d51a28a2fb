#pragma once
/// \file
/// A regular expression from a tokenizer file: written in Oniguruma's syntax, translated to PCRE2
/// and run by it. Matching is not recursive; if a text overflows the JIT stack, the interpreter
/// matches it with heap memory. A Pattern is immutable; a PatternMatcher belongs to one thread.
/// Source: Oniguruma's doc/RE and pcre2pattern.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/text/text_work.h"
#include "engine/text/unicode.h"

namespace lacuna {

/// Relevant differences of Oniguruma: \s is the property White_Space, \w includes marks, \h is a
/// hexadecimal digit, \uHHHH a character, (?m) lets the dot match line ends, X{n,m}+ repeats X{n,m}
/// instead of being possessive, and classes may be nested and intersected (&&).
[[nodiscard]] std::string toPcreSyntax(std::string_view pattern);

class Pattern {
  public:
    /// Errors: TokRegex with the pattern and the position in it.
    [[nodiscard]] static Result<Pattern> compile(std::string_view text);
    Pattern(Pattern&&) noexcept;
    Pattern& operator=(Pattern&&) noexcept;
    ~Pattern();
    /// Returns whether matching charges the work budget. Patterns of the known families do not:
    /// they are linear, and counting costs time.
    [[nodiscard]] bool counted() const { return counted_; }
    /// Returns the pattern as written in the file.
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
    /// `work` must outlive this object; without it, only the limits of a single match apply.
    explicit PatternMatcher(TextWork* work = nullptr);
    PatternMatcher(const PatternMatcher&) = delete;
    PatternMatcher& operator=(const PatternMatcher&) = delete;
    ~PatternMatcher();
    /// Returns the first match at or after `from`. @pre `text` is valid UTF-8 and `from` is the
    /// start of a character. Errors: TokRegex if the pattern exceeds its step or memory limit;
    /// Cancelled.
    [[nodiscard]] Result<std::optional<ByteRange>> next(const Pattern& pattern,
                                                        std::string_view text, std::size_t from);

  private:
    struct State;
    [[nodiscard]] static Status patternStatus(const Pattern& pattern, const TextWork& work);
    std::unique_ptr<State> state_;
};

/// Returns a pattern that matches exactly `literal`.
[[nodiscard]] std::string escapedPattern(std::string_view literal);

}  // namespace lacuna
