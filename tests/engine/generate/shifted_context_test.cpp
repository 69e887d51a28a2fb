// A full context that continues without its older tokens: the tokens dropped, the answer from the
// rest, and that it is never reused as a prefix.

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/generate/prompt_cache.h"
#include "tests/support/generation_stage.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

using test::FakeModelOptions;
using test::prompt;
using test::Stage;

FakeModelOptions ofContext(int tokens) {
    FakeModelOptions options;
    options.context = tokens;
    return options;
}

/// A stage whose answers continue past the context and keep a given number of first tokens.
struct ShiftingStage : Stage {
    ShiftingStage(int context, int keep, int answer) : Stage(ofContext(context)) {
        settings.contextShift = keep;
        settings.maxTokens = answer;
    }
};

TEST(ContextShift, GL_12_fullContextOf4096_drops2046AfterTheFirstFour) {
    ShiftingStage stage(4096, 4, 60);
    stage.settings.prefillChunk = 512;
    auto generation = stage.start(prompt(4050));
    ASSERT_TRUE(generation);
    int shifts = 0;
    while (!(*generation)->finished()) {
        const auto step = (*generation)->step(stage.model, stage.settings, {}, stage.clock);
        ASSERT_TRUE(step) << step.error().what;
        if (step->shifted == 0) continue;
        ++shifts;
        EXPECT_EQ(step->shifted, 2046);
        EXPECT_EQ(stage.offset(), 2050);
        EXPECT_EQ(stage.sequence->cache().size(), 2050);
        EXPECT_EQ(stage.sequence->tokens().size(), 2050U);
    }
    EXPECT_EQ(shifts, 1);
    EXPECT_EQ((*generation)->shifted(), 2046);
    EXPECT_EQ((*generation)->answer().size(), 60U);
}

TEST(ContextShift, GL_12_shiftOff_endsTheAnswerAtTheContextLimit) {
    Stage stage(ofContext(64));
    stage.settings.maxTokens = 100;
    const auto answer = stage.answer(prompt(40));
    EXPECT_EQ(answer.reason, FinishReason::ContextFull);
    EXPECT_EQ(stage.offset(), 64);
    EXPECT_FALSE(stage.sequence->shifted());
}

// The fake model draws from the tokens and positions it sees, so each token must equal that of a
// fresh cache over the remaining tokens.
TEST(ContextShift, GL_12_shiftedContext_predictsFromRemainingTokensAtNewPositions) {
    constexpr int kContext = 48;
    constexpr int kKeep = 5;
    constexpr int kAnswer = 120;
    for (const int proposals : {0, 3}) {
        ShiftingStage stage(kContext, kKeep, kAnswer);
        stage.settings.draftTokens = proposals;
        const auto answer = stage.answer(prompt(20));
        ASSERT_EQ(answer.tokens.size(), static_cast<std::size_t>(kAnswer));
        std::vector<TokenId> left = prompt(20);
        for (const TokenId expected : answer.tokens) {
            Stage fresh(ofContext(512));
            fresh.settings.maxTokens = 1;
            ASSERT_EQ(fresh.answer(left).tokens, std::vector<TokenId>{expected});
            if (left.size() == kContext) {
                const auto first = left.begin() + kKeep;
                left.erase(first, first + (kContext - kKeep) / 2);
            }
            left.push_back(expected);
        }
    }
}

TEST(ContextShift, promptLongerThanTheContext_isReadWithShifts) {
    ShiftingStage stage(64, 4, 10);
    stage.settings.prefillChunk = 16;
    const auto answer = stage.answer(prompt(300));
    EXPECT_EQ(answer.tokens.size(), 10U);
    EXPECT_LE(stage.offset(), 64);
    const std::vector<TokenId> first(stage.sequence->tokens().begin(),
                                     stage.sequence->tokens().begin() + 4);
    EXPECT_EQ(first, prompt(4));
}

TEST(ContextShift, shiftedContext_cannotBeSavedAsAPrefix) {
    const test::TemporaryFolder folder;
    ShiftingStage stage(64, 6, 50);
    static_cast<void>(stage.answer(prompt(40)));
    ASSERT_TRUE(stage.sequence->shifted());
    const auto saved = savePromptCache(folder.path() / "x", *stage.sequence, "model");
    ASSERT_FALSE(saved);
    EXPECT_EQ(saved.error().code, ErrorCode::Unsupported);
    // The prompt consists of exactly the held tokens: only the kept first ones may be reused.
    const std::vector<TokenId> held(stage.sequence->tokens().begin(),
                                    stage.sequence->tokens().end());
    stage.settings.maxTokens = 4;
    EXPECT_EQ(stage.answer(held).reuse.tokens, 6);
    EXPECT_FALSE(stage.sequence->shifted());
    EXPECT_TRUE(savePromptCache(folder.path() / "x", *stage.sequence, "model"));
}

}  // namespace
}  // namespace lacuna
