#pragma once
/// \file
/// Whole numbers as a person reads them. Pure function, independent of the locale.

#include <cstdint>
#include <string>

namespace lacuna {

/// 1912 -> "1,912".
[[nodiscard]] std::string grouped(std::int64_t number);

}  // namespace lacuna
