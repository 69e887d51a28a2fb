#include "engine/linalg/bounded_least_squares.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/QR>
#include <cmath>

namespace lacuna {
namespace {

constexpr int kPowerIterations = 16;
// Added to the diagonal, of its mean: a matrix of columns that are nearly alike stays solvable.
constexpr double kJitter = 1e-13;

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Rows = Eigen::Map<const Matrix>;
using Floats =
    Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

/// Largest eigenvalue, nearly.
double largestEigenvalue(const Rows& gram) {
    Eigen::VectorXd v = Eigen::VectorXd::Ones(gram.rows());
    double value = 0;
    for (int i = 0; i < kPowerIterations; ++i) {
        v = gram * v;
        value = v.norm();
        if (!(value > 0)) return 0;
        v /= value;
    }
    return value;
}

}  // namespace

std::optional<std::vector<double>> solveBounded(const BoundedProblem& problem) {
    const Eigen::Index t = problem.gram.extent(0);
    if (t == 0) return std::vector<double>();
    const Rows gram(problem.gram.data(), t, t);
    const Eigen::Map<const Eigen::VectorXd> right(problem.right.data(), t);
    Matrix system = gram;
    system.diagonal().array() += kJitter * gram.trace() / static_cast<double>(t);
    Eigen::VectorXd w = Eigen::LDLT<Matrix>(system).solve(right);
    if (!w.allFinite()) return std::nullopt;
    w = w.cwiseMax(problem.least).cwiseMin(problem.most);
    const double steepest = problem.steps > 0 ? largestEigenvalue(gram) : 0;
    for (int i = 0; i < problem.steps && steepest > 0; ++i)
        w = (w - (gram * w - right) / steepest).cwiseMax(problem.least).cwiseMin(problem.most);
    return std::vector<double>(w.data(), w.data() + w.size());
}

std::optional<std::vector<float>> leastSquares(View<const float, 2> x, View<const float, 2> y) {
    const Floats left(x.data(), x.extent(0), x.extent(1));
    const Floats right(y.data(), y.extent(0), y.extent(1));
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factor(left.cast<double>());
    const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> answer =
        factor.solve(right.cast<double>()).cast<float>();
    if (!answer.allFinite()) return std::nullopt;
    return std::vector<float>(answer.data(), answer.data() + answer.size());
}

}  // namespace lacuna
