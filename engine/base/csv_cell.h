#pragma once
/// \file
/// Text as a cell of a table for spreadsheets (RFC 4180). Pure function.

#include <string>
#include <string_view>

namespace lacuna {

/// Quoted where it must be. Text that a spreadsheet would take for a formula gets an apostrophe in
/// front.
[[nodiscard]] std::string csvCell(std::string_view text);

}  // namespace lacuna
