// Structural tokens of a text, and their treatment by evictions by attention.

#include "engine/kv/eviction/structural_tokens.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "engine/kv/eviction/eviction_plan.h"
#include "engine/kv/eviction/reconstruction_scores.h"
#include "kv_fixture.h"

namespace lacuna::test {
namespace {

constexpr TokenForm kWord{.word = true};
constexpr TokenForm kNextWord{.word = true, .blankBefore = true};
constexpr TokenForm kMark{.word = false};
constexpr TokenForm kBlank{.word = false, .blankBefore = true, .blankAfter = true};

TEST(StructuralTokens, punctuationAndBlanks_areStructural_wordsAreNot) {
    const std::vector<TokenForm> text{kWord, kMark, kNextWord, kBlank, kMark, kWord, kMark};
    EXPECT_EQ(structuralPositions(text),
              (std::vector<bool>{false, true, false, true, true, false, true}));
    EXPECT_TRUE(structuralPositions({}).empty());
}

TEST(StructuralTokens, punctuationJoiningTwoWords_isNotStructural) {
    EXPECT_EQ(structuralPositions(std::vector<TokenForm>{kWord, kMark, kWord}),
              (std::vector<bool>{false, false, false}));
    // Blanks between two words separate them, whichever token holds them.
    const TokenForm endsBlank{.word = true, .blankAfter = true};
    const TokenForm markAfterBlank{.word = false, .blankBefore = true};
    const TokenForm markBeforeBlank{.word = false, .blankAfter = true};
    for (const std::vector<TokenForm>& text : {std::vector<TokenForm>{endsBlank, kMark, kWord},
                                               {kWord, markAfterBlank, kWord},
                                               {kWord, markBeforeBlank, kWord},
                                               {kWord, kMark, kNextWord},
                                               {kWord, kMark, kMark, kWord}})
        EXPECT_TRUE(structuralPositions(text)[1]) << text.size();
    // The text has no neighbours before its first and after its last token.
    EXPECT_TRUE(structuralPositions(std::vector<TokenForm>{kMark, kWord})[0]);
    EXPECT_TRUE(structuralPositions(std::vector<TokenForm>{kWord, kMark})[1]);
}

TEST(StructuralTokens, demote_scalesOnlyStructuralPositions) {
    const std::vector<bool> structural{false, true, true, false};
    std::vector<float> scores{1.0F, 1.0F, 1.0F, 1.0F, 1.0F};
    demote(scores, nullptr, structural);
    EXPECT_EQ(scores, (std::vector<float>{1.0F, 0.2F, 0.2F, 1.0F, 1.0F}));
    const float none = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> few{none, 2.0F, 3.0F};
    const std::vector<std::int32_t> positions{1, 2, 900};
    demote(few, positions.data(), structural);
    EXPECT_TRUE(std::isnan(few[0]));
    EXPECT_EQ(few[1], 0.4F);
    EXPECT_EQ(few[2], 3.0F);
}

/// Returns shares that rise with the position, equal for all heads.
std::shared_ptr<const ReconstructionScores> rising(const KvShape& shape, int tokens) {
    auto scores = std::make_shared<ReconstructionScores>();
    scores->layers = shape.layers;
    scores->kvHeads = shape.kvHeads;
    scores->tokens = tokens;
    for (int head = 0; head < shape.layers * shape.kvHeads; ++head)
        for (int token = 0; token < tokens; ++token)
            scores->shares.push_back(0.5F + 0.001F * static_cast<float>(token));
    return scores;
}

TEST(StructuralTokens, evictionByAttention_prefersWordsToPunctuation) {
    const KvShape shape{.layers = 2, .kvHeads = 2, .keyDim = 8, .valueDim = 8, .type = DType::F16};
    const auto cache = makeSlotCache(shape).value();
    constexpr int kTokens = 60;
    ASSERT_TRUE(append(*cache, kTokens));
    ThreadPool pool(2);
    EvictionOptions options;
    options.rule = {.budget = 20, .keepRecent = 4, .nSink = 2};
    options.policy = EvictionPolicy::Reconstruct;
    options.reconstruction = rising(shape, kTokens);
    std::vector<bool> everyThird(kTokens);
    for (std::size_t at = 0; at < everyThird.size(); ++at) everyThird[at] = at % 3 == 0;
    for (const bool demoted : {false, true}) {
        if (demoted) options.structural = std::make_shared<const std::vector<bool>>(everyThird);
        const auto plan = planEviction(*cache, options, pool);
        ASSERT_TRUE(plan) << plan.error().what;
        // Sinks and newest tokens, then from the newest backwards, skipping demoted marks.
        std::set<int> expected{0, 1};
        for (int token = kTokens - 1; expected.size() < 20; --token)
            if (token >= kTokens - 4 || !demoted || token % 3 != 0) expected.insert(token);
        for (const HeadCompaction& head : plan->plan.heads) {
            ASSERT_EQ(head.keep.count(), 20);
            for (int token = 0; token < kTokens; ++token)
                EXPECT_EQ(head.keep.has(token), expected.contains(token)) << token;
        }
    }
    // A key policy does not use token forms, so its choice is unchanged.
    options.policy = EvictionPolicy::KeyDiff;
    const auto with = planEviction(*cache, options, pool);
    options.structural = nullptr;
    const auto without = planEviction(*cache, options, pool);
    ASSERT_TRUE(with && without);
    for (std::size_t i = 0; i < with->plan.heads.size(); ++i)
        for (int token = 0; token < kTokens; ++token)
            EXPECT_EQ(with->plan.heads[i].keep.has(token), without->plan.heads[i].keep.has(token));
}

}  // namespace
}  // namespace lacuna::test
