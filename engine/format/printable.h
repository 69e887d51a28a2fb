#pragma once
/// \file
/// Text from files made safe to print: control bytes and invalid UTF-8 escaped, long text
/// shortened. Pure functions.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace lacuna {

/// At most `limit` bytes of `text`, with control characters, quotes and invalid UTF-8 as \xNN.
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 120);
/// Last part of a path, printable.
[[nodiscard]] std::string printableName(const std::filesystem::path& path);
/// True when all of `text` is well-formed UTF-8 (no surrogates, no overlong forms).
[[nodiscard]] bool isUtf8(std::string_view text);

}  // namespace lacuna
