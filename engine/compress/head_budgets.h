#pragma once
/// \file
/// How the slots of a compacted cache are divided among its heads (docs/attention-matching.md,
/// "Slots by head"). Every division gives exactly the total, never less than a head must keep and
/// never more than it has. Pure functions.

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/result.h"

namespace lacuna {

/// What may be given to one head.
struct HeadRoom {
    int least = 0;
    int most = 0;  ///< >= least
};

/// In proportion to `weights`, from 0; what a head cannot take goes to the others.
/// A total above what all can hold gives each its most. Errors: Range (less than all must keep).
[[nodiscard]] Result<std::vector<int>> shareByWeight(std::span<const HeadRoom> rooms,
                                                     std::span<const double> weights,
                                                     std::int64_t total);

/// What a head answers worse by, the fewer slots it has.
struct ErrorCurve {
    int step = 1;               ///< slots between two entries
    std::vector<float> errors;  ///< with 0, step, 2 step, ... slots alongside those it must keep
};

/// So that the summed error is smallest: slots go where the next ones take most off, by the lower
/// convex hulls of the curves. Past its last entry a curve falls to 0 in a line to
/// the head's most. Errors: Range (less than all must keep).
[[nodiscard]] Result<std::vector<int>> shareByCurves(std::span<const HeadRoom> rooms,
                                                     std::span<const ErrorCurve> curves,
                                                     std::int64_t total);

}  // namespace lacuna
