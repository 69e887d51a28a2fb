#include "engine/model/rope.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

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

// Llama 3.1: wavelengths above context / low are stretched by the factor, those below context /
// high are kept.
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

TEST(Rope, frequencies_linearScalingWithFactors_isAppliedOnTop) {
    RopeSpec rope = spec(4, RopeSpec::Scaling::Linear);
    rope.factor = 2.0F;
    rope.frequencyFactors = {1.0F, 5.0F};
    const auto f = ropeFrequencies(rope);
    EXPECT_DOUBLE_EQ(f[0], 1.0 / 2.0);
    EXPECT_NEAR(f[1], 0.01 / 5.0 / 2.0, 1e-15);
}

/// Results of an independent program (NumPy in float64, a reimplementation of transformers'
/// modeling_rope_utils) for the settings of published models.
struct Published {
    const char* name;
    RopeSpec rope;
    std::int64_t length;
    std::vector<std::pair<std::size_t, double>> frequencies;  ///< pair, radians per token
};

RopeSpec published(RopeSpec::Scaling scaling, float base, int dim, float factor, int context) {
    RopeSpec rope = spec(dim, scaling);
    rope.base = base;
    rope.factor = factor;
    rope.originalContext = context;
    return rope;
}

// Returns the factors of Phi-3-vision-128k.
RopeSpec phi3LongRope() {
    RopeSpec rope = published(RopeSpec::Scaling::LongRope, 1e4F, 96, 32.0F, 4096);
    rope.shortFactors = {1.05F, 1.05F, 1.05F, 1.1F, 1.1F,  1.1F,  1.25F, 1.25F, 1.4F,  1.45F,
                         1.55F, 1.85F, 1.9F,  2.0F, 2.0F,  2.0F,  2.0F,  2.0F,  2.0F,  2.0F,
                         2.0F,  2.0F,  2.0F,  2.0F, 2.0F,  2.0F,  2.0F,  2.0F,  2.0F,  2.0F,
                         2.0F,  2.0F,  2.1F,  2.1F, 2.2F,  2.35F, 2.35F, 2.35F, 2.35F, 2.4F,
                         2.4F,  2.65F, 2.7F,  2.9F, 2.95F, 3.05F, 3.05F, 3.05F};
    rope.longFactors = {1.03F,  1.05F,  1.05F,  1.08F,  1.23F,  1.23F,  1.3F,   1.45F,
                        1.6F,   1.65F,  1.9F,   2.86F,  3.69F,  5.42F,  5.49F,  5.49F,
                        9.09F,  11.58F, 15.66F, 15.77F, 15.79F, 18.36F, 21.99F, 23.08F,
                        30.01F, 32.35F, 32.59F, 35.56F, 39.95F, 53.84F, 56.2F,  57.95F,
                        59.29F, 59.77F, 59.92F, 61.19F, 61.96F, 62.5F,  63.37F, 63.48F,
                        63.48F, 63.66F, 63.85F, 64.08F, 64.76F, 64.8F,  64.81F, 64.81F};
    return rope;
}

std::vector<Published> publishedCases() {
    using Scaling = RopeSpec::Scaling;
    RopeSpec unrounded = published(Scaling::Yarn, 150000.0F, 64, 32.0F, 4096);
    unrounded.truncate = false;
    const RopeSpec dynamic = published(Scaling::Dynamic, 1e6F, 128, 2.0F, 32768);
    return {
        {"gemma-3 global",
         published(Scaling::Linear, 1e6F, 128, 8.0F, 0),
         0,
         {{0, 0.125}, {1, 0.10073027347}, {16, 0.00395284707521}, {63, 1.55117220094e-07}}},
        {"llama-3.1",
         published(Scaling::Llama3, 5e5F, 128, 8.0F, 8192),
         0,
         {{1, 0.814617233857},
          {16, 0.0376060309309},
          {32, 0.000524846160993},
          {40, 3.42810219595e-05},
          {63, 3.06892598891e-07}}},
        {"llama-3.2",
         published(Scaling::Llama3, 5e5F, 64, 32.0F, 8192),
         0,
         {{1, 0.663601237696},
          {16, 0.000429556796559},
          {20, 8.57025548988e-06},
          {31, 9.41830672543e-08}}},
        {"qwen-2.5 yarn",
         published(Scaling::Yarn, 1e6F, 128, 4.0F, 32768),
         0,
         {{1, 0.805842187761},
          {16, 0.0316227766017},
          {32, 0.000602941176471},
          {40, 4.4456985251e-05},
          {63, 3.10234440188e-07}}},
        {"yarn, bounds not rounded",
         unrounded,
         0,
         {{1, 0.689044305888},
          {8, 0.0508132748155},
          {16, 0.000456483919223},
          {20, 1.81883366817e-05},
          {31, 3.02351142812e-07}}},
        {"phi-3 longrope, short",
         phi3LongRope(),
         4096,
         {{0, 0.952380952381}, {12, 0.0526315789474}, {24, 0.005}, {47, 3.97222183157e-05}}},
        {"phi-3 longrope, long",
         phi3LongRope(),
         4097,
         {{0, 0.970873786408},
          {12, 0.0271002710027},
          {24, 0.000333222259247},
          {47, 1.8693529681e-06}}},
        {"internlm-2.5 dynamic, short",
         dynamic,
         20000,
         {{1, 0.805842187761}, {32, 0.001}, {63, 1.24093776075e-06}}},
        {"internlm-2.5 dynamic, grown",
         dynamic,
         100000,
         {{1, 0.785260906444}, {32, 0.000436965615623}, {63, 2.43153514545e-07}}},
    };
}

TEST(Rope, frequencies_publishedSettings_matchIndependentValues) {
    for (const Published& known : publishedCases()) {
        const auto f = ropeFrequencies(known.rope, known.length);
        for (const auto& [pair, expected] : known.frequencies)
            EXPECT_NEAR(f.at(pair), expected, 1e-7 * expected) << known.name << " " << pair;
    }
}

TEST(Rope, rows_lengthBeyondTheOriginal_switchesScalingThereAndBack) {
    RopeRows rows(phi3LongRope(), 2);
    const auto angleOf = [&](std::int64_t length) {
        rows.beginSequence(length);
        rows.set(0, Position(1));
        return std::asin(double{rows.row(0).sine[24]});
    };
    EXPECT_NEAR(angleOf(4096), 0.005, 1e-8);
    EXPECT_NEAR(angleOf(4097), 0.000333222259247, 1e-9);
    EXPECT_NEAR(angleOf(100), 0.005, 1e-8);
}

TEST(Rope, rows_magnitude_scalesCosineAndSine) {
    RopeSpec rope = published(RopeSpec::Scaling::Yarn, 1e6F, 128, 4.0F, 32768);
    rope.magnitude = 1.138629436F;
    RopeRows rows(rope, 1);
    rows.set(0, Position(7));
    const RotaryStep r = rows.row(0);
    for (int i = 0; i < r.pairs; ++i)
        EXPECT_NEAR(std::hypot(double{r.cosine[i]}, double{r.sine[i]}), 1.138629436, 1e-6);
}

TEST(Rope, rows_anyPosition_holdCosineAndSineOfTheAngle) {
    RopeRows rows(spec(8, RopeSpec::Scaling::None), 2);
    rows.set(1, Position(100000));
    const RotaryStep r = rows.row(1);
    ASSERT_EQ(r.pairs, 4);
    for (int i = 0; i < 4; ++i) {
        const double angle = 100000.0 * std::pow(10.0, -i);
        EXPECT_NEAR(double{r.cosine[i]}, std::cos(angle), 1e-6);
        EXPECT_NEAR(double{r.sine[i]}, std::sin(angle), 1e-6);
    }
}

}  // namespace
}  // namespace lacuna::test
