#include "engine/linalg/least_squares.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>

namespace lacuna {
namespace {

constexpr int kEscalations = 4;
// Up to here the decomposition in double costs little; above, the ridge keeps float accurate
// enough.
constexpr Eigen::Index kDoubleUpTo = 128;

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMap = Eigen::Map<const Matrix<float>>;

/// The answer, or nothing when the matrix is not positive definite.
template <class T>
std::optional<Matrix<float>> solveOnce(const ConstMap& gram, const ConstMap& right, double ridge) {
    Matrix<T> system = gram.template cast<T>();
    system.diagonal().array() += static_cast<T>(ridge);
    const Eigen::LLT<Eigen::Ref<Matrix<T>>, Eigen::Lower> factor(system);
    if (factor.info() != Eigen::Success) return std::nullopt;
    return Matrix<float>(factor.solve(right.template cast<T>()).template cast<float>());
}

bool acceptable(const Matrix<float>& answer, float largest) {
    const float top = answer.cwiseAbs().maxCoeff();
    return answer.allFinite() && (largest <= 0 || top <= largest);
}

}  // namespace

std::optional<RidgeSolution> solveRidge(const RidgeProblem& problem) {
    const Eigen::Index t = problem.gram.extent(0);
    const Eigen::Index m = problem.right.extent(1);
    if (t == 0 || m == 0) return std::nullopt;
    const ConstMap gram(problem.gram.data(), t, t);
    const ConstMap right(problem.right.data(), t, m);
    const double scale = gram.diagonal().cast<double>().sum() / static_cast<double>(t);
    if (!std::isfinite(scale) || scale <= 0) return std::nullopt;
    float lambda = problem.lambda;
    for (int attempt = 0; attempt <= kEscalations; ++attempt, lambda *= 10) {
        const double ridge = static_cast<double>(lambda) * scale;
        const auto answer = t <= kDoubleUpTo ? solveOnce<double>(gram, right, ridge)
                                             : solveOnce<float>(gram, right, ridge);
        if (!answer || !acceptable(*answer, problem.largest)) continue;
        return RidgeSolution{{answer->data(), answer->data() + answer->size()}, lambda, attempt};
    }
    return std::nullopt;
}

}  // namespace lacuna
