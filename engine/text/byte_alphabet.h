#pragma once
/// \file
/// The GPT-2 byte alphabet: each of the 256 bytes has one printable character, so that vocabularies
/// of bytes can be stored as text. Pure functions; may be called from many threads.
/// Source: openai/gpt-2, function bytes_to_unicode.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lacuna {

/// The character that stands for a byte, as UTF-8.
[[nodiscard]] const std::string& alphabetChar(std::uint8_t byte);
/// Bytes spelled in the alphabet.
[[nodiscard]] std::string toByteAlphabet(std::string_view bytes);
/// The bytes a piece spells, or nothing when it holds a character outside the alphabet.
[[nodiscard]] std::optional<std::string> fromByteAlphabet(std::string_view piece);

}  // namespace lacuna
