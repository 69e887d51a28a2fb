#include "engine/generate/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "engine/base/random.h"

namespace lacuna {
namespace {

std::vector<float> randomLogits(std::size_t count, std::uint64_t seed) {
    RandomStream random(seed, 1);
    std::vector<float> logits(count);
    for (float& logit : logits) logit = static_cast<float>(3.0 * random.normal());
    return logits;
}

SamplingOptions plain(double temperature) {
    SamplingOptions options;
    options.temperature = temperature;
    options.topK = 0;
    options.topP = 1;
    options.minP = 0;
    return options;
}

TEST(Argmax, ties_goToTheLowestId) {
    EXPECT_EQ(argmax(std::vector<float>{1, 3, 2, 3}), 1);
}

TEST(Largest, heapAndSort_agreeWithAFullSort) {
    const auto logits = randomLogits(3000, 7);
    const auto all = largest(logits, 3000);
    for (std::size_t i = 1; i < all.size(); ++i) EXPECT_GE(all[i - 1].logit, all[i].logit);
    for (const std::size_t count : {1U, 40U, 512U, 513U, 2999U}) {
        const auto some = largest(logits, count);
        ASSERT_EQ(some.size(), count);
        EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin())) << count;
    }
    EXPECT_EQ(largest(logits, 5000).size(), 3000U);
}

TEST(Largest, equalLogits_areOrderedById) {
    const auto some = largest(std::vector<float>{2, 5, 5, 5, 1}, 2);
    EXPECT_EQ(some, (std::vector<Candidate>{{1, 5}, {2, 5}}));
}

TEST(PenaliseRepeats, dividesPositiveAndMultipliesNegative_onceForEachToken) {
    std::vector<float> logits{2, -2, 4, 1};
    penaliseRepeats(logits, std::vector<TokenId>{0, 1, 1, 0, -5, 99}, 2.0);
    EXPECT_EQ(logits, (std::vector<float>{1, -4, 4, 1}));
}

TEST(Nucleus, keepsTheTokenThatCrossesTheThreshold) {
    const std::vector<double> chances{0.5, 0.3, 0.15, 0.05};
    EXPECT_EQ(nucleusSize(chances, 0.5), 1U);
    EXPECT_EQ(nucleusSize(chances, 0.51), 2U);
    EXPECT_EQ(nucleusSize(chances, 0.9), 3U);
    EXPECT_EQ(nucleusSize(chances, 1.0), 4U);
    EXPECT_EQ(nucleusSize(chances, 1e-9), 1U);
}

TEST(MinP, keepsTokensOfAtLeastTheShareOfTheBest) {
    const std::vector<double> chances{0.5, 0.3, 0.15, 0.05};
    EXPECT_EQ(minPSize(chances, 0.3), 3U);
    EXPECT_EQ(minPSize(chances, 1.0), 1U);
    EXPECT_EQ(minPSize(chances, 0.0), 4U);
}

TEST(Probabilities, sumToOne_alsoWithInfiniteAndHugeLogits) {
    const float none = -std::numeric_limits<float>::infinity();
    for (const auto& logits : std::vector<std::vector<Candidate>>{
             {{0, 1}, {1, 0}, {2, none}}, {{0, 3e38F}, {1, -3e38F}}, {{0, none}, {1, none}}}) {
        double sum = 0;
        for (const double p : probabilities(logits, 0.7)) {
            EXPECT_TRUE(std::isfinite(p));
            sum += p;
        }
        EXPECT_NEAR(sum, 1.0, 1e-12);
    }
}

TEST(Sampler, temperatureZero_isGreedyWhateverTruncates) {
    const auto logits = randomLogits(500, 3);
    SamplingOptions options;
    options.temperature = 0;
    options.topK = 1;
    options.topP = 0.01;
    EXPECT_EQ(Sampler(9).sample(logits, {}, 0, options), argmax(logits));
}

TEST(Sampler, sameSeedAndDraw_giveTheSameToken_whateverWasDrawnBefore) {
    const auto logits = randomLogits(500, 3);
    Sampler fresh(42);
    Sampler used(42);
    for (std::int64_t draw = 0; draw < 50; ++draw)
        static_cast<void>(
            used.sample(randomLogits(500, static_cast<std::uint64_t>(draw)), {}, draw, plain(1)));
    for (std::int64_t draw = 0; draw < 20; ++draw)
        EXPECT_EQ(fresh.sample(logits, {}, draw, plain(1)),
                  used.sample(logits, {}, draw, plain(1)));
}

TEST(Sampler, drawsFollowTheProbabilities) {
    const std::vector<float> logits{0, std::log(2.0F), std::log(5.0F)};  // 1/8, 2/8, 5/8
    std::map<TokenId, int> counts;
    Sampler sampler(1);
    constexpr int kDraws = 20'000;
    for (int i = 0; i < kDraws; ++i) ++counts[sampler.sample(logits, {}, i, plain(1))];
    EXPECT_NEAR(counts[0], kDraws * 0.125, 200);
    EXPECT_NEAR(counts[1], kDraws * 0.25, 250);
    EXPECT_NEAR(counts[2], kDraws * 0.625, 300);
}

TEST(Sampler, topK_limitsWhatCanBeDrawn) {
    const auto logits = randomLogits(200, 5);
    SamplingOptions options = plain(5);
    options.topK = 3;
    const auto allowed = largest(logits, 3);
    std::map<TokenId, int> counts;
    Sampler sampler(2);
    for (int i = 0; i < 500; ++i) ++counts[sampler.sample(logits, {}, i, options)];
    ASSERT_EQ(counts.size(), 3U);
    for (const Candidate& candidate : allowed) EXPECT_TRUE(counts.contains(candidate.id));
}

TEST(Sampler, truncation_isDoneBeforeTemperature) {
    // At temperature 1 the first token alone reaches top-p; a high temperature must not bring
    // others back.
    const std::vector<float> logits{10, 0, 0};
    SamplingOptions options = plain(5);
    options.topP = 0.9;
    Sampler sampler(2);
    for (int i = 0; i < 200; ++i) EXPECT_EQ(sampler.sample(logits, {}, i, options), 0);
}

TEST(Sampler, penalty_looksBackOnlyAsFarAsTold) {
    const std::vector<float> logits{3, 2.9F, 0};
    SamplingOptions options = plain(0);
    options.repeatPenalty = 2;
    const std::vector<TokenId> history{0, 2, 2};
    options.repeatLastN = 3;
    EXPECT_EQ(Sampler(0).sample(logits, history, 0, options), 1);
    options.repeatLastN = 2;
    EXPECT_EQ(Sampler(0).sample(logits, history, 0, options), 0);
    options.repeatLastN = 0;
    EXPECT_EQ(Sampler(0).sample(logits, history, 0, options), 0);
}

}  // namespace
}  // namespace lacuna
