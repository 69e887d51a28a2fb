#pragma once
/// \file
/// Units that settings and messages speak in.

namespace lacuna {

inline constexpr double kMiB = 1024.0 * 1024.0;  ///< bytes

}  // namespace lacuna
