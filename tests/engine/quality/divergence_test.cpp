// Expected numbers were computed with NumPy in float64 from the float32 rows given here.

#include "engine/quality/divergence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace lacuna {
namespace {

const std::vector<float> kWhole{-1.604F, -2.649F, -0.497F, 0.841F, 2.272F, 0.219F, -1.105F, -1.57F};
const std::vector<float> kOther{-1.08F, -1.505F, -0.306F, -0.022F,
                                1.601F, 1.339F,  -0.963F, -2.782F};

TEST(RowDivergence, knownRows_matchNumPy) {
    const RowDivergence found = rowDivergence(kWhole, kOther);
    EXPECT_NEAR(found.kl, 0.23310979404519183, 1e-7);
    EXPECT_EQ(found.fullTop, 4);
    EXPECT_TRUE(found.sameTop());
}

TEST(RowDivergence, shiftOfAllLogits_changesNothing) {
    std::vector<float> shifted = kOther;
    for (float& x : shifted) x += 1000.0F;
    EXPECT_NEAR(rowDivergence(kWhole, shifted).kl, rowDivergence(kWhole, kOther).kl, 1e-3);
    EXPECT_EQ(rowDivergence(kWhole, kWhole).kl, 0.0);
}

TEST(RowDivergence, direction_isFromTheFullCache) {
    // p = (1/2, 1/2), p' = (3/4, 1/4): log 2 - log(3)/2 in one direction, 3/4 log 3 - log 2 in the
    // other.
    const std::vector<float> even{0, 0};
    const std::vector<float> odd{std::log(3.0F), 0};
    EXPECT_NEAR(rowDivergence(even, odd).kl, std::log(2.0) - std::log(3.0) / 2, 1e-6);
    EXPECT_NEAR(rowDivergence(odd, even).kl, 0.75 * std::log(3.0) - std::log(2.0), 1e-6);
}

TEST(RowDivergence, zeroProbabilityToken_givesAFiniteDivergence) {
    const std::vector<float> sure{500, 0};
    const std::vector<float> wrong{0, 500};
    const RowDivergence found = rowDivergence(sure, wrong);
    EXPECT_NEAR(found.kl, 500, 1e-6);
    EXPECT_FALSE(found.sameTop());
}

TEST(DivergenceFigures, quantiles_areNearestRanks) {
    std::vector<double> kl;
    for (int i = 200; i >= 1; --i) kl.push_back(i / 100.0);
    const DivergenceFigures figures = divergenceFigures(kl, 150);
    EXPECT_EQ(figures.positions, 200);
    EXPECT_NEAR(figures.klMean, 1.005, 1e-12);
    EXPECT_EQ(figures.klMedian, 1.0);
    EXPECT_EQ(figures.klP99, 1.98);
    EXPECT_EQ(figures.klLargest, 2.0);
    EXPECT_EQ(figures.top1, 0.75);
}

TEST(DivergenceFigures, emptyInput_givesZeros) {
    EXPECT_EQ(divergenceFigures({}, 0).positions, 0);
    EXPECT_EQ(divergenceFigures({0.5}, 1).klP99, 0.5);
}

}  // namespace
}  // namespace lacuna
