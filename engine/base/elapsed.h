#pragma once
/// \file
/// Time that has passed on a clock, in the units that figures are told in. Pure functions.

#include <cstdint>

#include "engine/base/clock.h"

namespace lacuna {

/// `startNs` is of the same clock.
[[nodiscard]] inline double millisecondsSince(const Clock& clock, std::int64_t startNs) {
    return static_cast<double>(clock.nowNs() - startNs) * 1e-6;
}
[[nodiscard]] inline double secondsSince(const Clock& clock, std::int64_t startNs) {
    return static_cast<double>(clock.nowNs() - startNs) * 1e-9;
}

}  // namespace lacuna
