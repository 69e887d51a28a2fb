#pragma once
/// \file
/// Text from files made safe to print: control bytes and invalid UTF-8 escaped, long text
/// shortened. Pure functions.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace lacuna {

/// At most `limit` bytes of `text`, and "..." where there were more, with control characters, marks
/// of direction, quotes and invalid UTF-8 as \xNN.
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 120);
/// All of `text` for a terminal: what is neither a character to be seen, nor a new line, nor a tab,
/// as \xNN.
[[nodiscard]] std::string forTerminal(std::string_view text);
/// `text` as one line for a terminal: new lines and tabs as \xNN too, and what passes 1,000 bytes
/// without its middle.
[[nodiscard]] std::string lineForTerminal(std::string_view text);
/// Last part of a path, printable.
[[nodiscard]] std::string printableName(const std::filesystem::path& path);
/// Bytes of the well-formed UTF-8 character at `at`; 0 when there is none.
[[nodiscard]] std::size_t utf8Length(std::string_view text, std::size_t at);
/// The character of `length` bytes at `at`, as utf8Length gives them.
[[nodiscard]] std::uint32_t utf8Character(std::string_view text, std::size_t at,
                                          std::size_t length);
/// What moves the cursor, begins a command or changes the order in which text is read: C0, DEL, C1,
/// line and paragraph separators, marks and overrides of direction.
[[nodiscard]] bool obeyedByTerminal(std::uint32_t character);
/// True when all of `text` is well-formed UTF-8 (no surrogates, no overlong forms).
[[nodiscard]] bool isUtf8(std::string_view text);

}  // namespace lacuna
