#pragma once
/// \file
/// Divides the slots of a compacted cache among its heads (docs/attention-matching.md, "Slots per
/// head"). Every division gives exactly the total, and each head no less than its minimum and no
/// more than it has. Pure functions.

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/result.h"

namespace lacuna {

/// Minimum and maximum number of slots of one head.
struct HeadRoom {
    int least = 0;
    int most = 0;  ///< >= least
};

/// Divides the total in proportion to `weights`, starting from 0; what a head cannot take goes to
/// the others. A total above the sum of the maxima gives each head its maximum. Errors: Range
/// (total below the sum of the minima).
[[nodiscard]] Result<std::vector<int>> shareByWeight(std::span<const HeadRoom> rooms,
                                                     std::span<const double> weights,
                                                     std::int64_t total);

/// Error of a head as a function of its number of slots.
struct ErrorCurve {
    int step = 1;               ///< slots between two entries
    std::vector<float> errors;  ///< errors with 0, step, 2 step, ... slots beyond the minimum
};

/// Divides the total so that the summed error is smallest: slots go to the steepest segments of the
/// lower convex hulls of the curves. Past its last entry a curve falls linearly to 0 at the head's
/// maximum. Errors: Range (total below the sum of the minima).
[[nodiscard]] Result<std::vector<int>> shareByCurves(std::span<const HeadRoom> rooms,
                                                     std::span<const ErrorCurve> curves,
                                                     std::int64_t total);

}  // namespace lacuna
