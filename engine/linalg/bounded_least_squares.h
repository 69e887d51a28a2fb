#pragma once
/// \file
/// Least squares that the ridge solver does not cover: weights within bounds, and plain least
/// squares by orthogonal decomposition. In double. Pure functions, any thread.

#include <optional>
#include <vector>

#include "engine/tensor/view.h"

namespace lacuna {

/// Weights w in [least, most] with small ||A w - y||, given A'A and A'y, as the reference of
/// attention matching finds them (docs/attention-matching.md, "Mass"): the unbounded solution is
/// clamped, then goes `steps` projected gradient steps.
struct BoundedProblem {
    View<const double, 2> gram;   ///< A'A [t, t]
    View<const double, 1> right;  ///< A'y [t]
    double least = 1e-12;
    double most = 1e300;
    int steps = 0;
};
/// Nothing when the matrix has no finite solution.
[[nodiscard]] std::optional<std::vector<double>> solveBounded(const BoundedProblem& problem);

/// C [t, m] with the smallest ||X C - Y||, X [n, t] and Y [n, m], n >= t.
[[nodiscard]] std::optional<std::vector<float>> leastSquares(View<const float, 2> x,
                                                             View<const float, 2> y);

}  // namespace lacuna
