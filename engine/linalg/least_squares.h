#pragma once
/// \file
/// Small dense solves and bases for the compressors. Pure functions, any thread; inputs and results
/// are float, decompositions in double where that costs little. Ridge toward a prior:
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

/// Orthonormal eigenvectors of a symmetric matrix [n, n] (only the lower triangle is read), those
/// of the largest eigenvalues first: [n, n], one in each column, with its largest entry positive
/// (the first of several). Nothing for a number that is not finite.
[[nodiscard]] std::optional<std::vector<double>> eigenvectors(View<const double, 2> symmetric);

/// The largest eigenvalues of a positive semidefinite matrix and their vectors.
struct LeadingEigenvectors {
    std::vector<double> values;   ///< [count] falling, none below `least` of the first
    std::vector<double> vectors;  ///< [count, n] orthonormal, each with its largest entry positive
};
struct LeadingWish {
    int count = 0;
    double least = 1e-7;      ///< share of the largest value below which none is given
    double tolerance = 1e-4;  ///< change of the sum of values that ends the rounds
    int rounds = 8;
};
/// Subspace iteration from a fixed start with 32 vectors more than are wanted (Halko, Martinsson
/// and Tropp 2011, arXiv 0909.4061), all of them at once where that is most of the matrix. Only the
/// lower triangle is read. Nothing for a number that is not finite.
[[nodiscard]] std::optional<LeadingEigenvectors> leadingEigenvectors(
    View<const double, 2> symmetric, const LeadingWish& wish);

}  // namespace lacuna
