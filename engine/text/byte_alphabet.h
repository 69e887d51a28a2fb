#pragma once
/// \file
/// The GPT-2 byte alphabet: maps each of the 256 bytes to a printable character, so that byte
/// vocabularies can be stored as text. Pure functions; may be called from many threads. Source:
/// openai/gpt-2, function bytes_to_unicode.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lacuna {

/// Returns the UTF-8 character that represents a byte.
[[nodiscard]] const std::string& alphabetChar(std::uint8_t byte);
/// Encodes bytes in the alphabet.
[[nodiscard]] std::string toByteAlphabet(std::string_view bytes);
/// Decodes a piece to bytes; nullopt if it contains a character outside the alphabet.
[[nodiscard]] std::optional<std::string> fromByteAlphabet(std::string_view piece);

}  // namespace lacuna
