#include "engine/generate/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <map>

#include "engine/base/json.h"
#include "engine/base/random.h"

namespace lacuna {
namespace {

std::vector<float> randomLogits(std::size_t count, std::uint64_t seed) {
    RandomStream random(seed, 1);
    std::vector<float> logits(count);
    for (float& logit : logits) logit = static_cast<float>(3.0 * random.normal());
    return logits;
}

/// Returns the token of a draw without constraints.
TokenId sampled(Sampler& sampler, std::span<const float> logits, std::vector<TokenId> history,
                std::int64_t draw, const SamplingOptions& options) {
    const auto drawn =
        sampler.draw(logits, SamplingState{.history = history, .answered = draw}, options);
    EXPECT_TRUE(drawn);
    return drawn ? drawn->token : -1;
}

SamplingOptions plain(double temperature) {
    SamplingOptions options;
    options.temperature = temperature;
    options.topK = 0;
    options.topP = 1;
    options.minP = 0;
    return options;
}

TEST(Argmax, ties_giveTheLowestId) {
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

TEST(PenaliseRepeats, repeatedTokens_dividePositiveAndMultiplyNegativeLogitsOnce) {
    std::vector<float> logits{2, -2, 4, 1};
    penaliseRepeats(logits, std::vector<TokenId>{0, 1, 1, 0, -5, 99}, 2.0);
    EXPECT_EQ(logits, (std::vector<float>{1, -4, 4, 1}));
}

TEST(Nucleus, tokenCrossingTheThreshold_isKept) {
    const std::vector<double> chances{0.5, 0.3, 0.15, 0.05};
    EXPECT_EQ(nucleusSize(chances, 0.5), 1U);
    EXPECT_EQ(nucleusSize(chances, 0.51), 2U);
    EXPECT_EQ(nucleusSize(chances, 0.9), 3U);
    EXPECT_EQ(nucleusSize(chances, 1.0), 4U);
    EXPECT_EQ(nucleusSize(chances, 1e-9), 1U);
}

TEST(MinP, tokensWithEnoughShareOfTheBest_areKept) {
    const std::vector<double> chances{0.5, 0.3, 0.15, 0.05};
    EXPECT_EQ(minPSize(chances, 0.3), 3U);
    EXPECT_EQ(minPSize(chances, 1.0), 1U);
    EXPECT_EQ(minPSize(chances, 0.0), 4U);
}

TEST(Probabilities, infiniteAndHugeLogits_stillSumToOne) {
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

TEST(Sampler, temperatureZero_isGreedy_withAnyTruncation) {
    const auto logits = randomLogits(500, 3);
    SamplingOptions options;
    options.temperature = 0;
    options.topK = 1;
    options.topP = 0.01;
    Sampler sampler(9);
    EXPECT_EQ(sampled(sampler, logits, {}, 0, options), argmax(logits));
}

TEST(Sampler, sameSeedAndStep_giveTheSameToken_afterAnyHistory) {
    const auto logits = randomLogits(500, 3);
    Sampler fresh(42);
    Sampler used(42);
    for (std::int64_t draw = 0; draw < 50; ++draw)
        static_cast<void>(
            sampled(used, randomLogits(500, static_cast<std::uint64_t>(draw)), {}, draw, plain(1)));
    for (std::int64_t draw = 0; draw < 20; ++draw)
        EXPECT_EQ(sampled(fresh, logits, {}, draw, plain(1)),
                  sampled(used, logits, {}, draw, plain(1)));
}

TEST(Sampler, samples_followTheProbabilities) {
    const std::vector<float> logits{0, std::log(2.0F), std::log(5.0F)};  // 1/8, 2/8, 5/8
    std::map<TokenId, int> counts;
    Sampler sampler(1);
    constexpr int kDraws = 20'000;
    for (int i = 0; i < kDraws; ++i) ++counts[sampled(sampler, logits, {}, i, plain(1))];
    EXPECT_NEAR(counts[0], kDraws * 0.125, 200);
    EXPECT_NEAR(counts[1], kDraws * 0.25, 250);
    EXPECT_NEAR(counts[2], kDraws * 0.625, 300);
}

TEST(Sampler, topK_limitsTheCandidates) {
    const auto logits = randomLogits(200, 5);
    SamplingOptions options = plain(5);
    options.topK = 3;
    const auto allowed = largest(logits, 3);
    std::map<TokenId, int> counts;
    Sampler sampler(2);
    for (int i = 0; i < 500; ++i) ++counts[sampled(sampler, logits, {}, i, options)];
    ASSERT_EQ(counts.size(), 3U);
    for (const Candidate& candidate : allowed) EXPECT_TRUE(counts.contains(candidate.id));
}

TEST(Sampler, truncation_isAppliedBeforeTemperature) {
    // At temperature 1 the first token alone reaches top-p. A high temperature must not bring
    // others back.
    const std::vector<float> logits{10, 0, 0};
    SamplingOptions options = plain(5);
    options.topP = 0.9;
    Sampler sampler(2);
    for (int i = 0; i < 200; ++i) EXPECT_EQ(sampled(sampler, logits, {}, i, options), 0);
}

TEST(Sampler, penalty_appliesToTheConfiguredHistoryOnly) {
    const std::vector<float> logits{3, 2.9F, 0};
    SamplingOptions options = plain(0);
    options.repeatPenalty = 2;
    const std::vector<TokenId> history{0, 2, 2};
    Sampler sampler(0);
    options.repeatLastN = 3;
    EXPECT_EQ(sampled(sampler, logits, history, 0, options), 1);
    options.repeatLastN = 2;
    EXPECT_EQ(sampled(sampler, logits, history, 0, options), 0);
    options.repeatLastN = 0;
    EXPECT_EQ(sampled(sampler, logits, history, 0, options), 0);
}

TEST(LogitBiases, biases_areAdded_andMinusHundredForbids) {
    std::vector<float> logits{1, 2, 3};
    addBiases(logits, std::vector<LogitBias>{{0, 2.5}, {2, -100}});
    EXPECT_EQ(logits[0], 3.5F);
    EXPECT_EQ(logits[1], 2);
    EXPECT_TRUE(std::isinf(logits[2]) && logits[2] < 0);
}

TEST(AnswerPenalties, presencePenalty_appliesOnce_frequencyPenaltyEachTime) {
    std::vector<float> logits{1, 1, 1};
    penaliseAnswer(logits, std::vector<TokenId>{0, 2, 2, -1, 7}, 0.5, 0.25);
    EXPECT_EQ(logits, (std::vector<float>{0.25F, 1, 0}));
}

TEST(Sampler, presencePenalty_appliesToTheAnswerOnly) {
    const std::vector<float> logits{3, 2.9F, 0};
    SamplingOptions options = plain(0);
    options.presencePenalty = 1;
    Sampler sampler(0);
    const std::vector<TokenId> history{0, 0, 2};
    const auto token = [&](std::int64_t answered) {
        return sampler
            .draw(logits, SamplingState{.history = history, .answered = answered}, options)
            ->token;
    };
    EXPECT_EQ(token(1), 0) << "token 0 stands in the prompt";
    EXPECT_EQ(token(2), 1) << "token 0 stands in the answer";
}

TEST(Sampler, forbiddenTokens_areNeverSampled) {
    const auto logits = randomLogits(20, 5);
    std::vector<LogitBias> bias;
    for (TokenId id = 0; id < 18; ++id) bias.push_back({id, -100});
    Sampler sampler(3, bias);
    std::map<TokenId, int> counts;
    for (int i = 0; i < 400; ++i) ++counts[sampled(sampler, logits, {}, i, plain(2))];
    EXPECT_EQ(counts.size(), 2U);
    EXPECT_TRUE(counts.contains(18) && counts.contains(19));
}

TEST(Sampler, allTokensForbidden_isRefused) {
    Sampler sampler(3, {{0, -100}, {1, -100}});
    for (const double temperature : {0.0, 1.0}) {
        const auto drawn = sampler.draw(std::vector<float>{1, 2}, {}, plain(temperature));
        ASSERT_FALSE(drawn);
        EXPECT_EQ(drawn.error().code, ErrorCode::Unsupported);
    }
}

TEST(Logprobs, fullVocabulary_sumsToOne_withAnyTruncation) {
    const auto logits = randomLogits(50, 11);
    SamplingOptions options = plain(0.3);
    options.topK = 1;
    options.repeatPenalty = 5;
    Sampler sampler(1, {}, 20);
    const auto drawn = sampler.draw(logits, {}, options);
    ASSERT_TRUE(drawn && drawn->logprobs);
    ASSERT_EQ(drawn->logprobs->top.size(), 20U);
    EXPECT_EQ(drawn->logprobs->top.front().token, argmax(logits));
    EXPECT_EQ(drawn->logprobs->logprob, drawn->logprobs->top.front().logprob);
    double sum = 0;
    for (TokenId id = 0; id < 50; ++id) sum += std::exp(modelLogprobs(logits, id, 0).logprob);
    EXPECT_NEAR(sum, 1, 1e-12);
}

/// Vectors of tests/golden/sampling, computed with NumPy in float64.
TEST(Sampler, samples_matchNumPyVectors) {
    std::ifstream file(LACUNA_GOLDEN_DIR "/sampling/vectors.json");
    const Json cases = Json::parse(file);
    int checked = 0;
    for (const Json& one : cases) {
        SCOPED_TRACE(one["name"].get<std::string>());
        const auto logits = one["logits"].get<std::vector<float>>();
        const auto history = one["history"].get<std::vector<TokenId>>();
        std::vector<LogitBias> bias;
        for (const Json& pair : one["bias"]) bias.push_back({pair[0], pair[1]});
        SamplingOptions options;
        options.temperature = one["temperature"];
        options.topK = one["top_k"];
        options.topP = one["top_p"];
        options.minP = one["min_p"];
        options.repeatPenalty = one["repeat_penalty"];
        options.repeatLastN = one["repeat_last_n"];
        options.presencePenalty = one["presence_penalty"];
        options.frequencyPenalty = one["frequency_penalty"];
        Sampler sampler(1, bias, 5);
        const SamplingState place{.history = history, .answered = one["answered"]};
        const auto kept = sampler.candidates(logits, place, options);
        ASSERT_TRUE(kept);
        const auto& expected = one["candidates"];
        ASSERT_EQ(kept->size(), expected.size());
        const auto chances =
            probabilities(*kept, options.temperature == 0 ? 1 : options.temperature);
        for (std::size_t i = 0; i < kept->size(); ++i) {
            EXPECT_EQ((*kept)[i].id, expected[i][0].get<TokenId>()) << i;
            EXPECT_NEAR(chances[i], expected[i][1].get<double>(), 1e-6) << i;
        }
        const auto drawn = sampler.draw(logits, place, options);
        ASSERT_TRUE(drawn);
        EXPECT_NEAR(drawn->logprobs->logprob,
                    one["logprobs"][static_cast<std::size_t>(drawn->token)].get<double>(), 1e-5);
        ASSERT_EQ(drawn->logprobs->top.size(), one["top"].size());
        for (std::size_t i = 0; i < one["top"].size(); ++i) {
            EXPECT_EQ(drawn->logprobs->top[i].token, one["top"][i][0].get<TokenId>());
            EXPECT_NEAR(drawn->logprobs->top[i].logprob, one["top"][i][1].get<double>(), 1e-5);
        }
        const auto ofDraw = Sampler(1, bias, 5, true).draw(logits, place, options);
        ASSERT_TRUE(ofDraw);
        EXPECT_EQ(ofDraw->token, drawn->token) << "what is told changes nothing of the draw";
        ASSERT_EQ(ofDraw->logprobs->top.size(), std::min<std::size_t>(5, expected.size()));
        for (std::size_t i = 0; i < ofDraw->logprobs->top.size(); ++i) {
            EXPECT_EQ(ofDraw->logprobs->top[i].token, expected[i][0].get<TokenId>());
            EXPECT_NEAR(std::exp(ofDraw->logprobs->top[i].logprob), expected[i][1].get<double>(),
                        1e-6);
        }
        ++checked;
    }
    EXPECT_EQ(checked, 8);
}

TEST(AnswerRules, valuesOutOfRange_areRefusedByName) {
    const auto sentence = [](AnswerRules rules) {
        const auto status = checkRules(rules, 10);
        return status ? std::string() : status.error().what;
    };
    EXPECT_EQ(sentence({.bias = {{0, -100}, {9, 100}}, .logprobs = 20}), "");
    EXPECT_NE(sentence({.bias = {{10, 1}}}).find("token 10"), std::string::npos);
    EXPECT_NE(sentence({.bias = {{-1, 1}}}).find("token -1"), std::string::npos);
    EXPECT_NE(sentence({.bias = {{1, 100.5}}}).find("100.5"), std::string::npos);
    EXPECT_NE(sentence({.bias = {{1, std::nan("")}}}).find("nan"), std::string::npos);
    EXPECT_NE(sentence({.bias = {{1, 1}, {1, 2}}}).find("twice"), std::string::npos);
    EXPECT_NE(sentence({.logprobs = 21}).find("0 to 20"), std::string::npos);
}

}  // namespace
}  // namespace lacuna
