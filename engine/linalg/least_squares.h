#pragma once
/// \file
/// Small dense solves for the compressors. Pure functions, any thread; inputs and results are
/// float, decompositions in double where that costs little. Ridge toward a prior:
/// docs/attention-matching.md, "Values".

#include <optional>
#include <vector>

#include "engine/tensor/view.h"

namespace lacuna {

/// Minimise ||X D - R||^2 + lambda * trace(X'X) / t * ||D||^2, given X'X and X'R.
struct RidgeProblem {
    View<const float, 2> gram;   ///< X'X [t, t]; only the lower triangle is read
    View<const float, 2> right;  ///< X'R [t, m]
    float lambda = 0.1F;
    float largest = 0;  ///< an answer with a larger absolute number counts as failed; 0: any
};

struct RidgeSolution {
    std::vector<float> values;  ///< D [t, m]
    float lambda = 0;           ///< the one that worked
    int escalations = 0;        ///< times lambda was multiplied by ten
};

/// Cholesky; a decomposition that fails, or an answer that is not finite or too large, is tried
/// again with ten times the lambda, at most four times. Nothing when all fail.
[[nodiscard]] std::optional<RidgeSolution> solveRidge(const RidgeProblem& problem);

}  // namespace lacuna
