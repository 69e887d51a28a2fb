#include "engine/model/rope.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lacuna::test {
namespace {

RopeSpec spec(int dim, RopeSpec::Scaling scaling) {
    RopeSpec rope;
    rope.dim = dim;
    rope.scaling = scaling;
    return rope;
}

TEST(Rope, frequencies_plain_fallGeometrically) {
    const auto f = ropeFrequencies(spec(8, RopeSpec::Scaling::None));
    ASSERT_EQ(f.size(), 4U);
    EXPECT_DOUBLE_EQ(f[0], 1.0);
    EXPECT_NEAR(f[1], 0.1, 1e-15);
    EXPECT_NEAR(f[3], 0.001, 1e-15);
}

TEST(Rope, frequencies_linear_areDivided) {
    RopeSpec rope = spec(8, RopeSpec::Scaling::Linear);
    rope.factor = 4.0F;
    EXPECT_DOUBLE_EQ(ropeFrequencies(rope)[0], 0.25);
}

// Llama 3.1: waves longer than context / low are stretched by the factor, shorter than context /
// high kept.
TEST(Rope, frequencies_llama3_keepShortAndStretchLongWaves) {
    RopeSpec rope = spec(64, RopeSpec::Scaling::Llama3);
    rope.base = 500000.0F;
    rope.factor = 8.0F;
    rope.originalContext = 8192;
    const auto scaled = ropeFrequencies(rope);
    const auto plain = ropeFrequencies([&] {
        RopeSpec other = rope;
        other.scaling = RopeSpec::Scaling::None;
        return other;
    }());
    EXPECT_DOUBLE_EQ(scaled.front(), plain.front());
    EXPECT_DOUBLE_EQ(scaled.back(), plain.back() / 8.0);
    for (std::size_t i = 0; i < plain.size(); ++i) {
        EXPECT_LE(scaled[i], plain[i]);
        EXPECT_GE(scaled[i], plain[i] / 8.0);
    }
}

TEST(Rope, frequencies_factorsOfTheFile_replaceTheRule) {
    RopeSpec rope = spec(4, RopeSpec::Scaling::Llama3);
    rope.factor = 8.0F;
    rope.originalContext = 64;
    rope.frequencyFactors = {1.0F, 5.0F};
    const auto f = ropeFrequencies(rope);
    EXPECT_DOUBLE_EQ(f[0], 1.0);
    EXPECT_NEAR(f[1], 0.01 / 5.0, 1e-15);
}

TEST(Rope, rows_anyPosition_holdCosineAndSineOfTheAngle) {
    RopeRows rows(spec(8, RopeSpec::Scaling::None), 2);
    rows.set(1, Position(100000));
    const Rotation r = rows.row(1);
    ASSERT_EQ(r.pairs, 4);
    for (int i = 0; i < 4; ++i) {
        const double angle = 100000.0 * std::pow(10.0, -i);
        EXPECT_NEAR(double{r.cosine[i]}, std::cos(angle), 1e-6);
        EXPECT_NEAR(double{r.sine[i]}, std::sin(angle), 1e-6);
    }
}

}  // namespace
}  // namespace lacuna::test
