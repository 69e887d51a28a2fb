// How far a compacted head is from the whole one, on cases worked out by hand.

#include "engine/quality/head_fidelity.h"

#include <gtest/gtest.h>

#include <cmath>

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

TEST(HeadFidelity, sameHead_differsInNothing) {
    const std::vector<float> keys{1, 0, 0, 1, 1, 1};
    const std::vector<float> values{1, 2, 4};
    const HeadFidelity found =
        headFidelity(head(keys, values, {}), head(keys, values, {0, 0, 0}), kFlat, 0.5);
    EXPECT_EQ(found.outputError, 0.0);
    EXPECT_EQ(found.logMassError, 0.0);
    EXPECT_NEAR(found.cosine, 1.0, 1e-12);
}

TEST(HeadFidelity, lostKey_showsInOutputMassAndSign) {
    // Values 1 and 3 answer 2; the second alone answers 3, with half the mass.
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

}  // namespace
}  // namespace lacuna
