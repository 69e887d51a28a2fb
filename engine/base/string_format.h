#pragma once
/// \file
/// Formats values as text. All formatting goes through `format`, which is fmt and will be
/// std::format once the compiler supports it. Pure functions, independent of the locale.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace lacuna {

using fmt::format;

/// Formats an integer with digit grouping: 1912 -> "1,912".
[[nodiscard]] std::string grouped(std::int64_t number);

/// Formats text as a spreadsheet cell (RFC 4180), quoted if necessary. Text that a spreadsheet
/// would interpret as a formula gets a leading apostrophe.
[[nodiscard]] std::string csvCell(std::string_view text);

}  // namespace lacuna
