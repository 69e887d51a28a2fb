// Ridge solves: known answers, shrinking toward the prior, escalation.

#include "engine/linalg/least_squares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/base/random.h"

namespace lacuna {
namespace {

RidgeProblem problem(const std::vector<float>& gram, const std::vector<float>& right) {
    const auto t = static_cast<std::int64_t>(std::sqrt(static_cast<double>(gram.size())));
    return {.gram = {gram.data(), {t, t}},
            .right = {right.data(), {t, static_cast<std::int64_t>(right.size()) / t}}};
}

TEST(SolveRidge, noLambda_solvesTheSystem) {
    const std::vector<float> gram{4, 0, 1, 3};  // elements above the diagonal are not read:
                                                // [[4,1],[1,3]]
    const std::vector<float> right{1, 10, 2, 20};
    RidgeProblem p = problem(gram, right);
    p.lambda = 0;
    const auto solution = solveRidge(p);
    ASSERT_TRUE(solution);
    EXPECT_NEAR(solution->values[0], 1.0 / 11, 1e-6);
    EXPECT_NEAR(solution->values[1], 10.0 / 11, 1e-5);
    EXPECT_NEAR(solution->values[2], 7.0 / 11, 1e-6);
    EXPECT_EQ(solution->escalations, 0);
}

TEST(SolveRidge, lambda_isRelativeToTheMeanDiagonal) {
    const std::vector<float> gram{2, 0, 0, 2};
    const std::vector<float> right{4, 4};
    RidgeProblem p = problem(gram, right);
    p.lambda = 1;
    EXPECT_NEAR(solveRidge(p)->values[0], 1.0, 1e-6);
}

TEST(SolveRidge, indefiniteMatrix_isRetriedWithMoreRidge) {
    const std::vector<float> gram{1, 0, 1.05F, 1};  // eigenvalues 2.05 and -0.05
    const std::vector<float> right{1, 1};
    RidgeProblem p = problem(gram, right);
    p.lambda = 0.01F;
    const auto solution = solveRidge(p);
    ASSERT_TRUE(solution);
    EXPECT_EQ(solution->escalations, 1);
    EXPECT_NEAR(solution->lambda, 0.1F, 1e-6F);
}

TEST(SolveRidge, solutionTooLarge_isRetriedWithMoreRidge) {
    const std::vector<float> gram{1, 0, 0, 1};
    const std::vector<float> right{8, 0};
    RidgeProblem p = problem(gram, right);
    p.lambda = 0.1F;
    p.largest = 5;
    const auto solution = solveRidge(p);
    ASSERT_TRUE(solution);
    EXPECT_EQ(solution->escalations, 1);
    EXPECT_NEAR(solution->values[0], 4.0F, 1e-5F);
}

TEST(SolveRidge, unsolvableSystem_returnsNothing) {
    const std::vector<float> nan{std::nanf(""), 0, 0, 1};
    const std::vector<float> zero{0, 0, 0, 0};
    const std::vector<float> right{1, 1};
    EXPECT_FALSE(solveRidge(problem(nan, right)));
    EXPECT_FALSE(solveRidge(problem(zero, right)));
}

TEST(SolveRidge, largeSystem_staysAccurate) {
    // Above the size limit of the decomposition in double: identity plus a rank-one matrix.
    constexpr std::size_t t = 200;
    std::vector<float> gram(t * t, 0.01F);
    for (std::size_t i = 0; i < t; ++i) gram[i * t + i] += 1.0F;
    const std::vector<float> right(t, 1.0F);
    RidgeProblem p = problem(gram, right);
    p.lambda = 0;
    const auto solution = solveRidge(p);
    ASSERT_TRUE(solution);
    for (const float x : solution->values) EXPECT_NEAR(x, 1.0 / 3.0, 1e-4);
}

TEST(Eigenvectors, symmetricMatrix_givesOrthonormalVectors_largestFirst) {
    constexpr std::int64_t n = 24;
    std::vector<double> matrix(n * n);
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j <= i; ++j)  // elements above the diagonal are not read
            matrix[static_cast<std::size_t>(i * n + j)] =
                std::sin(static_cast<double>(3 * i + 7 * j)) * 1e-20 + (i == j ? 1e-20 : 0);
    const auto found = eigenvectors(View<const double, 2>(matrix.data(), {n, n}));
    ASSERT_TRUE(found);
    const auto at = [&](std::int64_t row, std::int64_t column) {
        return (*found)[static_cast<std::size_t>(row * n + column)];
    };
    double before = std::numeric_limits<double>::infinity();
    for (std::int64_t c = 0; c < n; ++c) {
        double value = 0;
        double largest = 0;
        for (std::int64_t i = 0; i < n; ++i) {
            if (std::fabs(at(i, c)) > std::fabs(largest)) largest = at(i, c);
            for (std::int64_t j = 0; j < n; ++j)
                value += at(i, c) * at(j, c) *
                         matrix[static_cast<std::size_t>(std::max(i, j) * n + std::min(i, j))];
        }
        EXPECT_GT(largest, 0);
        EXPECT_LE(value, before + 1e-32);
        before = value;
        for (std::int64_t i = 0; i < n; ++i) {
            double product = 0;
            for (std::int64_t j = 0; j < n; ++j)
                product += at(j, c) *
                           matrix[static_cast<std::size_t>(std::max(i, j) * n + std::min(i, j))];
            EXPECT_NEAR(product, value * at(i, c), 1e-33);
        }
        for (std::int64_t other = 0; other < n; ++other) {
            double together = 0;
            for (std::int64_t i = 0; i < n; ++i) together += at(i, c) * at(i, other);
            EXPECT_NEAR(together, c == other ? 1 : 0, 1e-12);
        }
    }
}

TEST(Eigenvectors, emptyOrZeroMatrix_isAccepted_nonFiniteRefused) {
    EXPECT_TRUE(eigenvectors(View<const double, 2>(nullptr, {0, 0})));
    const std::vector<double> zero(4);
    EXPECT_TRUE(eigenvectors(View<const double, 2>(zero.data(), {2, 2})));
    const std::vector<double> bad{1, 0, std::nan(""), 1};
    EXPECT_FALSE(eigenvectors(View<const double, 2>(bad.data(), {2, 2})));
}

/// Returns the golden covariance of 24 numbers, [24, 24].
Json transformCase() {
    return *parseJson(readFile(LACUNA_GOLDEN_DIR "/transform/case.json", 1 << 20).value());
}

TEST(LeadingEigenvectors, covariance_matchesNumPy) {
    const Json json = transformCase();
    const auto matrix = json["covariance"].get<std::vector<double>>();
    const auto values = json["eigenvalues"].get<std::vector<double>>();
    const auto basis = json["basis"].get<std::vector<double>>();
    const auto found = leadingEigenvectors({matrix.data(), {24, 24}}, {.count = 6});
    ASSERT_TRUE(found);
    ASSERT_EQ(found->values.size(), 6U);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(found->values[i], values[i], 1e-9 * values[0]);
    // The first five are distinct and the others are noise.
    for (std::size_t i = 0; i < std::size_t{5} * 24; ++i)
        EXPECT_NEAR(found->vectors[i], basis[i], 1e-6) << i;
    double trace = 0;
    for (std::size_t i = 0; i < 24; ++i) trace += matrix[i * 25];
    for (const double value : found->values) trace -= value;
    EXPECT_NEAR(trace, json["reconstruction_error"].get<double>(), 1e-9 * values[0]);
}

TEST(LeadingEigenvectors, iteration_matchesTheFullDecomposition) {
    // Large enough for the iterative method: falling eigenvalues in a random basis.
    constexpr std::int64_t n = 150;
    constexpr int kCount = 20;
    RandomStream random(9, 0);
    std::vector<double> factor(n * n);
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j)
            factor[static_cast<std::size_t>(i * n + j)] =
                random.normal() * std::pow(0.93, static_cast<double>(i));
    std::vector<double> matrix(n * n);
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j <= i; ++j)
            for (std::int64_t k = 0; k < n; ++k)
                matrix[static_cast<std::size_t>(i * n + j)] +=
                    factor[static_cast<std::size_t>(k * n + i)] *
                    factor[static_cast<std::size_t>(k * n + j)];
    const View<const double, 2> view(matrix.data(), {n, n});
    const auto found = leadingEigenvectors(view, {.count = kCount});
    const auto whole = leadingEigenvectors(view, {.count = n, .least = 0});
    ASSERT_TRUE(found && whole);
    ASSERT_EQ(found->values.size(), static_cast<std::size_t>(kCount));
    for (std::size_t i = 0; i < kCount; ++i) {
        EXPECT_NEAR(found->values[i], whole->values[i], 2e-3 * whole->values[i]) << i;
        for (std::size_t other = 0; other <= i; ++other) {
            double product = 0;
            for (std::size_t j = 0; j < n; ++j)
                product += found->vectors[i * n + j] * found->vectors[other * n + j];
            EXPECT_NEAR(product, i == other ? 1 : 0, 1e-9);
        }
    }
    // The result is reproducible.
    EXPECT_EQ(leadingEigenvectors(view, {.count = kCount})->vectors, found->vectors);
}

TEST(LeadingEigenvectors, fewRows_giveNoMoreVectorsThanRows) {
    // Two independent rows span a plane, so other eigenvalues are only rounding errors.
    const std::vector<double> a{1, 2, 3, 4};
    const std::vector<double> b{1, -1, 1, -1};
    std::vector<double> matrix(16);
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j) matrix[i * 4 + j] = a[i] * a[j] + b[i] * b[j];
    const auto found = leadingEigenvectors({matrix.data(), {4, 4}}, {.count = 4});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->values.size(), 2U);
    const std::vector<double> zero(16);
    EXPECT_TRUE(leadingEigenvectors({zero.data(), {4, 4}}, {.count = 2})->values.empty());
    matrix[4] = std::nan("");
    EXPECT_FALSE(leadingEigenvectors({matrix.data(), {4, 4}}, {.count = 2}));
}

}  // namespace
}  // namespace lacuna
