#pragma once
/// \file
/// Regular expressions of tokenizer files are written for Oniguruma with Ruby's syntax; this spells
/// them for PCRE2, so that the matches stay the same. Pure function; may be called from many
/// threads. Source: Oniguruma's doc/RE and pcre2pattern.

#include <string>
#include <string_view>

namespace lacuna {

/// Differences that matter here: \s is the property White_Space, \w takes marks, \h is a
/// hexadecimal digit, \uHHHH a character, (?m) lets the dot match line ends, X{n,m}+ repeats X{n,m}
/// instead of being possessive, and classes may nest and intersect (&&).
[[nodiscard]] std::string toPcreSyntax(std::string_view pattern);

}  // namespace lacuna
