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

/// At most `limit` bytes of `text`, followed by "..." if there were more, with control characters,
/// direction marks, quotes and invalid UTF-8 as \xNN.
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 120);
/// All of `text` for a terminal: everything except visible characters, new lines and tabs is
/// escaped as \xNN.
[[nodiscard]] std::string forTerminal(std::string_view text);
/// `text` as one line for a terminal: new lines and tabs are escaped as \xNN too, and text of more
/// than 1,000 bytes is shortened in its middle.
[[nodiscard]] std::string lineForTerminal(std::string_view text);
/// Last part of a path, printable.
[[nodiscard]] std::string printableName(const std::filesystem::path& path);
/// Bytes of the well-formed UTF-8 character at `at`; 0 when there is none.
[[nodiscard]] std::size_t utf8Length(std::string_view text, std::size_t at);
/// Returns the character of `length` bytes at `at`. @pre length is that of utf8Length
[[nodiscard]] std::uint32_t utf8Character(std::string_view text, std::size_t at,
                                          std::size_t length);
/// True for characters that move the cursor, begin a command or change the reading order: C0, DEL,
/// C1, line and paragraph separators, marks and overrides of direction.
[[nodiscard]] bool isTerminalControl(std::uint32_t character);
/// True when all of `text` is well-formed UTF-8 (no surrogates, no overlong forms).
[[nodiscard]] bool isUtf8(std::string_view text);

}  // namespace lacuna
