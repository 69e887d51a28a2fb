#include "engine/linalg/least_squares.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "engine/base/random.h"

namespace lacuna {
namespace {

constexpr int kEscalations = 4;
// Up to this size the decomposition in double is cheap; above it, the ridge keeps float accurate
// enough.
constexpr Eigen::Index kDoubleUpTo = 128;

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMap = Eigen::Map<const Matrix<float>>;

/// Returns the solution; nullopt if the matrix is not positive definite.
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

namespace {

constexpr int kPowerIterations = 16;
// Share of the mean diagonal that is added to the diagonal, so that nearly dependent columns stay
// solvable.
constexpr double kJitter = 1e-13;

using Rows = Eigen::Map<const Matrix<double>>;

/// Approximates the largest eigenvalue.
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
    Matrix<double> system = gram;
    system.diagonal().array() += kJitter * gram.trace() / static_cast<double>(t);
    Eigen::VectorXd w = Eigen::LDLT<Matrix<double>>(system).solve(right);
    if (!w.allFinite()) return std::nullopt;
    w = w.cwiseMax(problem.least).cwiseMin(problem.most);
    const double steepest = problem.steps > 0 ? largestEigenvalue(gram) : 0;
    for (int i = 0; i < problem.steps && steepest > 0; ++i)
        w = (w - (gram * w - right) / steepest).cwiseMax(problem.least).cwiseMin(problem.most);
    return std::vector<double>(w.data(), w.data() + w.size());
}

std::optional<std::vector<float>> leastSquares(View<const float, 2> x, View<const float, 2> y) {
    const ConstMap left(x.data(), x.extent(0), x.extent(1));
    const ConstMap right(y.data(), y.extent(0), y.extent(1));
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factor(left.cast<double>());
    const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> answer =
        factor.solve(right.cast<double>()).cast<float>();
    if (!answer.allFinite()) return std::nullopt;
    return std::vector<float>(answer.data(), answer.data() + answer.size());
}

std::optional<std::vector<double>> eigenvectors(View<const double, 2> symmetric) {
    const Eigen::Index n = symmetric.extent(0);
    if (n == 0) return std::vector<double>();
    const Rows matrix(symmetric.data(), n, n);
    const Eigen::MatrixXd lower = matrix.triangularView<Eigen::Lower>();
    if (!lower.allFinite()) return std::nullopt;
    const double largest = lower.cwiseAbs().maxCoeff();
    // Scaled, so that neither very large nor very small numbers overflow or underflow.
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solved(
        largest > 0 ? Eigen::MatrixXd(lower / largest) : lower);
    if (solved.info() != Eigen::Success || !solved.eigenvectors().allFinite()) return std::nullopt;
    Matrix<double> basis = solved.eigenvectors().rowwise().reverse();  // ascending in Eigen
    for (Eigen::Index column = 0; column < n; ++column) {
        Eigen::Index at = 0;
        basis.col(column).cwiseAbs().maxCoeff(&at);
        if (basis(at, column) < 0) basis.col(column) *= -1;
    }
    return std::vector<double>(basis.data(), basis.data() + basis.size());
}

std::optional<LeadingEigenvectors> leadingEigenvectors(View<const double, 2> symmetric,
                                                       const EigenvectorOptions& request) {
    constexpr Eigen::Index kMore = 32;
    constexpr double kMostShare = 0.6;  // share of n above which one full decomposition is cheaper
    const Eigen::Index n = symmetric.extent(0);
    const Eigen::Index count = std::min<Eigen::Index>(request.count, n);
    if (count <= 0) return LeadingEigenvectors();
    const Rows given(symmetric.data(), n, n);
    Eigen::MatrixXd matrix = given.selfadjointView<Eigen::Lower>();
    if (!matrix.allFinite()) return std::nullopt;
    const double largest = matrix.cwiseAbs().maxCoeff();
    if (!(largest > 0)) return LeadingEigenvectors();
    matrix /= largest;

    Eigen::MatrixXd vectors;  // [n, at least count]
    Eigen::VectorXd values;   // ascending
    if (static_cast<double>(count + kMore) > kMostShare * static_cast<double>(n)) {
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solved(matrix);
        if (solved.info() != Eigen::Success) return std::nullopt;
        vectors = solved.eigenvectors();
        values = solved.eigenvalues();
    } else {
        RandomStream random(1, 0);
        Eigen::MatrixXd basis(n, count + kMore);
        for (Eigen::Index i = 0; i < basis.size(); ++i) basis.data()[i] = random.normal();
        // Cholesky of the products, applied twice: the second removes the rounding errors of
        // ill-conditioned products.
        const auto orthonormalise = [](Eigen::MatrixXd& q) {
            for (int i = 0; i < 2; ++i) {
                Eigen::MatrixXd gram = q.transpose() * q;
                gram.diagonal().array() += 1e-14 * gram.trace();
                const Eigen::LLT<Eigen::MatrixXd> factor(gram);
                if (factor.info() != Eigen::Success) {
                    q = Eigen::HouseholderQR<Eigen::MatrixXd>(q).householderQ() *
                        Eigen::MatrixXd::Identity(q.rows(), q.cols());
                    return;
                }
                q = factor.matrixU().solve<Eigen::OnTheRight>(q).eval();
            }
        };
        orthonormalise(basis);
        double before = 0;
        for (int round = 0; round < request.rounds; ++round) {
            Eigen::MatrixXd next = matrix * basis;
            const double sum = (basis.transpose() * next).trace();
            basis = std::move(next);
            orthonormalise(basis);
            if (std::fabs(sum - before) <= request.tolerance * std::fabs(sum)) break;
            before = sum;
        }
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solved(
            Eigen::MatrixXd(basis.transpose() * matrix * basis));
        if (solved.info() != Eigen::Success) return std::nullopt;
        vectors = basis * solved.eigenvectors();
        values = solved.eigenvalues();
    }
    LeadingEigenvectors out;
    const double first = values(values.size() - 1);
    for (Eigen::Index i = 0; i < count; ++i) {
        const Eigen::Index column = values.size() - 1 - i;
        if (!(values(column) > request.least * first)) break;
        Eigen::Index at = 0;
        vectors.col(column).cwiseAbs().maxCoeff(&at);
        const double sign = vectors(at, column) < 0 ? -1 : 1;
        out.values.push_back(values(column) * largest);
        for (Eigen::Index j = 0; j < n; ++j) out.vectors.push_back(sign * vectors(j, column));
    }
    if (!std::ranges::all_of(out.vectors, [](double x) { return std::isfinite(x); }))
        return std::nullopt;
    return out;
}

}  // namespace lacuna
