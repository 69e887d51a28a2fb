// Error of a compacted head relative to the full one, on cases calculated by hand.

#include "engine/quality/head_fidelity.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/quality/head_divergence.h"

namespace lacuna {
namespace {

constexpr float kQuery[] = {0.0F, 0.0F};
const View<const float, 2> kFlat{kQuery, {1, 2}};  // scores every key 0

AttendedHead head(const std::vector<float>& keys, const std::vector<float>& values,
                  std::vector<float> bias) {
    const auto slots = static_cast<std::int64_t>(values.size());
    return {.keys = {keys.data(), {slots, 2}},
            .values = {values.data(), {slots, 1}},
            .bias = std::move(bias)};
}

TEST(HeadFidelity, sameHead_hasNoError) {
    const std::vector<float> keys{1, 0, 0, 1, 1, 1};
    const std::vector<float> values{1, 2, 4};
    const HeadFidelity found =
        headFidelity(head(keys, values, {}), head(keys, values, {0, 0, 0}), kFlat, 0.5);
    EXPECT_EQ(found.outputError, 0.0);
    EXPECT_EQ(found.logMassError, 0.0);
    EXPECT_NEAR(found.cosine, 1.0, 1e-12);
}

TEST(HeadFidelity, lostKey_changesOutputMassAndSign) {
    // Values 1 and 3 give output 2; the second alone gives 3 with half the mass.
    const std::vector<float> keys{1, 0, 0, 1};
    const std::vector<float> values{1, 3};
    const std::vector<float> one{3};
    const std::vector<float> other{-3};
    const HeadFidelity lost = headFidelity(head(keys, values, {}), head(keys, one, {}), kFlat, 0.5);
    EXPECT_NEAR(lost.outputError, 0.5, 1e-12);
    EXPECT_NEAR(lost.logMassError, std::log(2.0), 1e-12);
    EXPECT_NEAR(lost.cosine, 1.0, 1e-12);
    const HeadFidelity weighed =
        headFidelity(head(keys, values, {}), head(keys, one, {std::log(2.0F)}), kFlat, 0.5);
    EXPECT_NEAR(weighed.logMassError, 0.0, 1e-6);
    EXPECT_NEAR(headFidelity(head(keys, values, {}), head(keys, other, {}), kFlat, 0.5).cosine,
                -1.0, 1e-12);
}

// From NumPy in float64 on the float32 rows below: a softmax over scale q . k + bias; keys 0, 2 and
// 4 of five are kept with a bias.
TEST(HeadFidelity, knownHeads_matchNumPy) {
    const std::vector<float> keys{-0.08F, -1.16F, -0.63F, -0.49F, -0.71F, 0.55F,  -0.06F, -0.59F,
                                  0.41F,  0.83F,  -1.64F, -0.26F, -0.98F, -0.17F, -1.29F};
    const std::vector<float> values{0.02F,  -0.04F, -0.3F, -1.05F, -0.4F,
                                    -1.09F, -1.36F, 0.22F, -1.11F, 1.17F};
    const std::vector<float> fewKeys{-0.08F, -1.16F, -0.63F, -0.06F, -0.59F,
                                     0.41F,  -0.98F, -0.17F, -1.29F};
    const std::vector<float> fewValues{0.02F, -0.04F, -0.4F, -1.09F, -1.11F, 1.17F};
    const std::vector<float> asked{1.43F,  -4.0F,  0.54F,  -2.2F, 0.07F,  0.09F,
                                   -3.98F, -0.47F, -0.51F, 1.92F, -2.36F, 1.48F};
    const View<const float, 2> queries{asked.data(), {4, 3}};
    const AttendedHead whole{{keys.data(), {5, 3}}, {values.data(), {5, 2}}, {}};
    const AttendedHead few{
        {fewKeys.data(), {3, 3}}, {fewValues.data(), {3, 2}}, {0.3F, -0.2F, 0.5F}};
    const HeadFidelity plain = headFidelity(whole, few, queries, 0.7);
    EXPECT_NEAR(plain.outputError, 0.8064953921623527, 1e-6);
    EXPECT_NEAR(plain.logMassError, 1.0532283512862686, 1e-6);
    EXPECT_NEAR(plain.cosine, 0.6193506962811584, 1e-6);
    const HeadScoring capped{.scale = 0.7, .softCap = 1.5};
    const HeadFidelity bent =
        headFidelity(headAnswers(whole, queries, capped), headAnswers(few, queries, capped));
    EXPECT_NEAR(bent.outputError, 0.7969627583066498, 1e-6);
    EXPECT_NEAR(bent.logMassError, 0.3181178619983034, 1e-6);
    EXPECT_NEAR(bent.cosine, 0.856597015070111, 1e-6);
}

// Layer 0 has two heads of two numbers, layer 1 one head of four, and layer 2 reads the rows of
// layer 0.
TEST(QueryCapture, layersThatDiffer_gatherTheQueriesOfAllReadersOfAHead) {
    ModelSpec spec;
    spec.layers = 3;
    spec.heads = 4;
    spec.kvHeads = 2;
    spec.headDim = 4;
    spec.layerSpecs = {{.headDim = 2}, {.kvHeads = 1}, {.headDim = 2, .readsCacheOf = 0}};
    QueryCapture capture(spec, Position(0), 1, 1);
    EXPECT_FALSE(capture.observed());
    std::vector<float> queries(16);
    for (std::size_t i = 0; i < queries.size(); ++i) queries[i] = static_cast<float>(i);
    const LayerIndex first(0), second(1);
    capture.observeQueries(first, {queries.data(), {1, 4, 2}}, Position(0));
    capture.observeQueries(second, {queries.data(), {1, 4, 4}}, Position(0));
    capture.observeQueries(first, {queries.data() + 8, {1, 4, 2}}, Position(0));
    EXPECT_TRUE(capture.observed());
    EXPECT_EQ(capture.gather(first, HeadIndex(1)),
              (std::vector<float>{4, 5, 6, 7, 12, 13, 14, 15}));
    EXPECT_EQ(capture.gather(second, HeadIndex(0)), queries);
}

}  // namespace
}  // namespace lacuna
