#pragma once
/// \file
/// Units used by settings and messages.

namespace lacuna {

inline constexpr double kMiB = 1024.0 * 1024.0;  ///< bytes

}  // namespace lacuna
