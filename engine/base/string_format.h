#pragma once
/// \file
/// Values as text. The one door to formatting: `format` is fmt today and std::format once the
/// compiler has it. Pure functions, independent of the locale.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace lacuna {

using fmt::format;

/// A whole number as a person reads it: 1912 -> "1,912".
[[nodiscard]] std::string grouped(std::int64_t number);

/// Text as a cell of a table for spreadsheets (RFC 4180): quoted where it must be. Text that a
/// spreadsheet would take for a formula gets an apostrophe in front.
[[nodiscard]] std::string csvCell(std::string_view text);

}  // namespace lacuna
