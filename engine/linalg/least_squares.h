#pragma once
/// \file
/// Small dense solvers and bases for the compressors. Pure functions, any thread; inputs and
/// results are float, decompositions are double if that is cheap. Ridge towards a prior:
/// docs/attention-matching.md, "Values".

#include <optional>
#include <vector>

#include "engine/tensor/view.h"

namespace lacuna {

/// Minimises ||X D - R||^2 + lambda * trace(X'X) / t * ||D||^2, given X'X and X'R.
struct RidgeProblem {
    View<const float, 2> gram;   ///< X'X [t, t]; only the lower triangle is read
    View<const float, 2> right;  ///< X'R [t, m]
    float lambda = 0.1F;
    float largest = 0;  ///< a solution with a larger absolute number counts as failed; 0: no limit
};

struct RidgeSolution {
    std::vector<float> values;  ///< D [t, m]
    float lambda = 0;           ///< lambda of the successful attempt
    int escalations = 0;        ///< number of times lambda was multiplied by ten
};

/// Solves by Cholesky decomposition. If it fails, or the solution is not finite or too large,
/// retries with ten times the lambda, at most four times. Returns nullopt if all attempts fail.
[[nodiscard]] std::optional<RidgeSolution> solveRidge(const RidgeProblem& problem);

/// Weights w in [least, most] with small ||A w - y||, given A'A and A'y, as in the reference
/// implementation of attention matching (docs/attention-matching.md, "Mass"): the unbounded
/// solution is clamped and refined by `steps` projected gradient steps.
struct BoundedProblem {
    View<const double, 2> gram;   ///< A'A [t, t]
    View<const double, 1> right;  ///< A'y [t]
    double least = 1e-12;
    double most = 1e300;
    int steps = 0;
};
/// Returns nullopt if the matrix has no finite solution.
[[nodiscard]] std::optional<std::vector<double>> solveBounded(const BoundedProblem& problem);

/// Returns C [t, m] with the smallest ||X C - Y||, X [n, t] and Y [n, m], n >= t.
[[nodiscard]] std::optional<std::vector<float>> leastSquares(View<const float, 2> x,
                                                             View<const float, 2> y);

/// Orthonormal eigenvectors of a symmetric matrix [n, n] (only the lower triangle is read), by
/// decreasing eigenvalue: [n, n], one in each column, with its largest entry positive (the first on
/// a tie). Returns nullopt if an input is not finite.
[[nodiscard]] std::optional<std::vector<double>> eigenvectors(View<const double, 2> symmetric);

/// Largest eigenvalues of a positive semidefinite matrix and their eigenvectors.
struct LeadingEigenvectors {
    std::vector<double> values;   ///< [count] decreasing, at least `least` times the first
    std::vector<double> vectors;  ///< [count, n] orthonormal, each with its largest entry positive
};
struct EigenvectorOptions {
    int count = 0;
    double least = 1e-7;      ///< share of the largest value below which values are omitted
    double tolerance = 1e-4;  ///< change of the sum of values at which the iteration stops
    int rounds = 8;
};
/// Subspace iteration from a fixed start with 32 more vectors than requested (Halko, Martinsson and
/// Tropp 2011, arXiv:0909.4061), or a full decomposition if that is most of the matrix. Only the
/// lower triangle is read. Returns nullopt if an input is not finite.
[[nodiscard]] std::optional<LeadingEigenvectors> leadingEigenvectors(
    View<const double, 2> symmetric, const EigenvectorOptions& request);

}  // namespace lacuna
