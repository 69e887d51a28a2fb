#pragma once
/// \file
/// The one door to formatting. `format` is fmt today and std::format once the compiler has it.

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lacuna {
using fmt::format;
}  // namespace lacuna
