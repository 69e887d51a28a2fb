#include "engine/generate/batch_step.h"

#include <gtest/gtest.h>

#include <map>

namespace lacuna {
namespace {

int tokensOf(std::span<const StepShare> shares) {
    int tokens = 0;
    for (const StepShare& share : shares) tokens += share.tokens + share.proposals;
    return tokens;
}

TEST(PlanStep, decodingAnswers_getARowEach_withAPromptInTheStep) {
    const std::vector<StepRequest> requests{{}, {.reading = true, .tokens = 16}, {}};
    const auto shares = planStep(requests, 18);
    ASSERT_EQ(shares.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(shares[i].member, i);
    EXPECT_EQ(shares[1].tokens, 16);
    EXPECT_EQ(tokensOf(shares), 18);
}

TEST(PlanStep, chunks_runInFullOrWait_longestWaitingFirst) {
    const std::vector<StepRequest> requests{{.reading = true, .tokens = 16, .lastServed = 9},
                                            {.reading = true, .tokens = 12, .lastServed = 7},
                                            {.reading = true, .tokens = 3, .lastServed = 8}};
    const auto shares = planStep(requests, 16);
    ASSERT_EQ(shares.size(), 2U);
    EXPECT_EQ(shares[0].member, 1U);
    EXPECT_EQ(shares[0].tokens, 12);
    EXPECT_EQ(shares[1].member, 2U);
    EXPECT_EQ(shares[1].tokens, 3);
}

TEST(PlanStep, chunkLargerThanTheStep_isSplit) {
    const std::vector<StepRequest> requests{{.reading = true, .tokens = 40}};
    const auto shares = planStep(requests, 10);
    ASSERT_EQ(shares.size(), 1U);
    EXPECT_EQ(shares[0].tokens, 10);
}

TEST(PlanStep, draftTokens_shareTheRemainderEvenly) {
    const std::vector<StepRequest> requests{
        {.proposals = 8}, {.proposals = 1}, {}, {.proposals = 8}, {.reading = true, .tokens = 4}};
    const auto shares = planStep(requests, 4 + 4 + 9);
    ASSERT_EQ(shares.size(), 5U);
    EXPECT_EQ(shares[0].proposals, 3);
    EXPECT_EQ(shares[1].proposals, 1);
    EXPECT_EQ(shares[2].proposals, 0);
    EXPECT_EQ(shares[3].proposals, 5);
    EXPECT_EQ(shares[4].proposals, 0);
}

TEST(PlanStep, moreAnswersThanTheStepHolds_alternate) {
    std::vector<StepRequest> requests(5);
    std::map<std::size_t, int> served;
    for (std::int64_t step = 1; step <= 100; ++step)
        for (const StepShare& share : planStep(requests, 2)) {
            EXPECT_LE(step - requests[share.member].lastServed, 3);
            requests[share.member].lastServed = step;
            ++served[share.member];
        }
    EXPECT_EQ(served.size(), 5U);
    for (const auto& [member, count] : served) EXPECT_GE(count, 33) << member;
}

/// Random prompts at random times: none waits for more steps than there are prompts.
TEST(PlanStep, noPromptStarves_andNoStepExceedsItsLimit) {
    struct Prompt {
        std::int64_t left = 0;
        std::int64_t lastServed = 0;
    };
    std::vector<Prompt> prompts;
    std::uint64_t state = 20261121;
    const auto below = [&](std::uint64_t n) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        return (state >> 33U) % n;
    };
    std::int64_t longest = 0;
    for (std::int64_t step = 1; step <= 5000; ++step) {
        if (prompts.size() < 6 && below(4) == 0)
            prompts.push_back(
                {static_cast<std::int64_t>(1 + below(below(3) == 0 ? 2000 : 40)), step - 1});
        if (prompts.empty()) continue;
        std::vector<StepRequest> requests;
        for (const Prompt& prompt : prompts)
            requests.push_back({.reading = true,
                                .tokens = static_cast<int>(std::min<std::int64_t>(32, prompt.left)),
                                .lastServed = prompt.lastServed});
        const auto shares = planStep(requests, 32);
        ASSERT_FALSE(shares.empty());
        ASSERT_LE(tokensOf(shares), 32);
        for (const StepShare& share : shares) {
            Prompt& prompt = prompts[share.member];
            longest = std::max(longest, step - prompt.lastServed);
            prompt.lastServed = step;
            prompt.left -= share.tokens;
        }
        std::erase_if(prompts, [](const Prompt& prompt) { return prompt.left == 0; });
    }
    EXPECT_LE(longest, 6);
    EXPECT_GT(longest, 3) << "the test must make them wait";
}

}  // namespace
}  // namespace lacuna
