// The blocked solver against that of linalg, on systems of various sizes.

#include "engine/compress/matching/ridge_blocks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engine/base/random.h"

namespace lacuna::test {
namespace {

struct System {
    std::int64_t size = 0, answers = 0;
    std::vector<float> gram, right;
    [[nodiscard]] RidgeProblem problem(float lambda, float largest = 0) const {
        return {.gram = {gram.data(), {size, size}},
                .right = {right.data(), {size, answers}},
                .lambda = lambda,
                .largest = largest};
    }
};

/// Returns X'X and X'Y of random X [rows, size] and Y.
System randomSystem(std::int64_t size, std::int64_t answers, std::int64_t rows) {
    RandomStream random(41, static_cast<std::uint64_t>(size));
    System out{.size = size, .answers = answers, .gram = {}, .right = {}};
    out.gram.assign(static_cast<std::size_t>(size * size), 0.0F);
    out.right.assign(static_cast<std::size_t>(size * answers), 0.0F);
    std::vector<float> row(static_cast<std::size_t>(size + answers));
    for (std::int64_t i = 0; i < rows; ++i) {
        for (float& x : row) x = static_cast<float>(random.normal());
        for (std::int64_t a = 0; a < size; ++a) {
            const float x = row[static_cast<std::size_t>(a)];
            for (std::int64_t b = 0; b < size; ++b)
                out.gram[static_cast<std::size_t>(a * size + b)] +=
                    x * row[static_cast<std::size_t>(b)];
            for (std::int64_t d = 0; d < answers; ++d)
                out.right[static_cast<std::size_t>(a * answers + d)] +=
                    x * row[static_cast<std::size_t>(size + d)];
        }
    }
    return out;
}

double relativeDifference(const std::vector<float>& a, const std::vector<float>& b) {
    EXPECT_EQ(a.size(), b.size());
    double error = 0;
    double whole = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        error += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
        whole += std::pow(static_cast<double>(b[i]), 2);
    }
    return std::sqrt(error / whole);
}

TEST(RidgeBlocks, everySize_matchesLinalg) {
    BufferPool buffers;
    for (const std::int64_t size : {1, 7, 128, 129, 160, 161, 257, 448})
        for (const std::int64_t rows : {size / 2 + 1, size + 40}) {
            const System system = randomSystem(size, size % 2 == 0 ? 32 : 13, rows);
            const auto expected = solveRidge(system.problem(0.05F));
            const auto found = solveRidgeBlocks(system.problem(0.05F), &buffers).value();
            ASSERT_TRUE(expected && found) << size;
            EXPECT_EQ(found->lambda, expected->lambda);
            EXPECT_LT(relativeDifference(found->values, expected->values), 2e-4)
                << size << " unknowns from " << rows << " rows";
        }
}

TEST(RidgeBlocks, indefiniteMatrix_isRetriedWithMoreRidge_likeLinalg) {
    System system = randomSystem(200, 8, 100);
    for (std::int64_t i = 0; i < 200; i += 50)
        system.gram[static_cast<std::size_t>(i * 201)] = -40.0F;
    const auto expected = solveRidge(system.problem(1e-3F));
    const auto found = solveRidgeBlocks(system.problem(1e-3F), nullptr).value();
    ASSERT_TRUE(expected && found);
    EXPECT_GT(found->escalations, 0);
    EXPECT_EQ(found->escalations, expected->escalations);
}

TEST(RidgeBlocks, solutionTooLarge_fails) {
    const System system = randomSystem(150, 4, 300);
    EXPECT_TRUE(solveRidgeBlocks(system.problem(1e-3F), nullptr).value());
    const auto bounded = solveRidgeBlocks(system.problem(1e-3F, 1e-9F), nullptr).value();
    EXPECT_FALSE(bounded);
}

TEST(RidgeBlocks, zeroOrNonFiniteMatrix_fails) {
    System system = randomSystem(150, 4, 300);
    system.gram.assign(system.gram.size(), 0.0F);
    EXPECT_FALSE(solveRidgeBlocks(system.problem(0.1F), nullptr).value());
    system.gram.assign(system.gram.size(), std::nanf(""));
    EXPECT_FALSE(solveRidgeBlocks(system.problem(0.1F), nullptr).value());
}

}  // namespace
}  // namespace lacuna::test
