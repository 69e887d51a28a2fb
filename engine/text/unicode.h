#pragma once
/// \file
/// UTF-8 decoding character by character, normalisation forms, character classes. All functions
/// accept invalid bytes: they are reported as such, never dropped and never an error. Pure
/// functions; may be called from many threads. Sources: RFC 3629 (UTF-8), Unicode Standard Annex 15
/// (normalisation forms).

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

class TextWork;

/// A byte range [begin, end) of a text.
struct ByteRange {
    std::size_t begin = 0;
    std::size_t end = 0;
    friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

/// Result of decoding at one position of a text.
struct Utf8Char {
    enum class Form {
        Whole,    ///< a complete character
        Invalid,  ///< a byte that cannot start a character
        Partial,  ///< the text ends within a character that is valid so far
    };
    Form form = Form::Invalid;
    char32_t codePoint = 0;  ///< for Whole only
    std::size_t bytes = 1;  ///< length of the character or partial character; 1 for an invalid byte
};

/// Decodes the character at `at`. Surrogates, overlong forms and numbers over U+10FFFF are invalid.
/// @pre at < text.size()
[[nodiscard]] Utf8Char utf8CharAt(std::string_view text, std::size_t at);
/// Returns the UTF-8 bytes of a code point. @pre codePoint <= U+10FFFF
[[nodiscard]] std::string utf8Encode(char32_t codePoint);

/// A run of text that is either all valid UTF-8 or all invalid bytes.
struct Utf8Run {
    ByteRange range;
    bool valid = false;
};
/// Splits a text into such runs, in order, covering all of it.
[[nodiscard]] std::vector<Utf8Run> utf8Runs(std::string_view text);

enum class NormalForm { Nfc, Nfd, Nfkc, Nfkd };
/// Normalises a text; invalid bytes are unchanged. Runs of more than 256 combining marks are
/// processed in parts, because ordering them takes quadratic time. Returns an incomplete text if
/// `work` is exhausted.
[[nodiscard]] std::string toNormalForm(std::string_view text, NormalForm form,
                                       TextWork* work = nullptr);
[[nodiscard]] std::string toNfc(std::string_view text);

/// Returns the lower case of a character, which is one character except for U+0130.
[[nodiscard]] std::string lowerCase(char32_t codePoint);
[[nodiscard]] bool isWhiteSpace(char32_t codePoint);      ///< property White_Space
[[nodiscard]] bool isMark(char32_t codePoint);            ///< general category M
[[nodiscard]] bool isNonspacingMark(char32_t codePoint);  ///< general category Mn
[[nodiscard]] bool isOtherCharacter(char32_t codePoint);  ///< Cc, Cf, Co, Cs
/// True for letters, marks, digits and connectors, the word characters of regular expressions.
[[nodiscard]] bool isWordCharacter(char32_t codePoint);
/// Returns the length in bytes of the grapheme cluster at `at`. @pre at < text.size(), valid UTF-8
/// there
[[nodiscard]] std::size_t graphemeBytes(std::string_view text, std::size_t at);

}  // namespace lacuna
