// Time and target size of compactions: limits of the contract, decisions, one turn late, and the
// delay after a failure; as tables and on complete caches.

#include "engine/compress/driver/compaction_trigger.h"

#include <gtest/gtest.h>

#include <cmath>

#include "compactor_fixture.h"
#include "engine/kv/cache_list.h"
#include "tests/support/compaction_notes.h"

namespace lacuna::test {
namespace {

/// The vectors of the contract use a margin of max(keep_recent, 64); the default here is an eighth
/// of the budget.
KvOptions contract(int budget, int keepRecent) {
    return l2(budget, keepRecent, std::max(keepRecent, 64));
}

TEST(CompactionTrigger, contractTriggers_areMet) {
    const std::tuple<int, int, int> vectors[] = {
        {64, 8, 128},     {128, 32, 192},    {256, 32, 320}, {512, 32, 576},
        {2048, 32, 2112}, {2048, 100, 2148}, {16, 4, 80}};
    for (const auto& [budget, keepRecent, trigger] : vectors)
        EXPECT_EQ(compactionLimits(contract(budget, keepRecent), 9999)->trigger, trigger);
}

TEST(CompactionTrigger, defaultMargin_isAnEighthWithinBounds) {
    EXPECT_EQ(compactionLimits(l2(64, 8), 9999)->trigger, 80);
    EXPECT_EQ(compactionLimits(l2(1024, 8), 9999)->trigger, 1152);
    EXPECT_EQ(compactionLimits(l2(8192, 8), 9999)->trigger, 8448);
}

TEST(CompactionTrigger, matchingTargets_followRatioAndBudget) {
    EXPECT_EQ(compactionLimits(matching(4), 1000)->target, 250);
    EXPECT_EQ(compactionLimits(matching(4), 501)->target, 126);
    EXPECT_EQ(compactionLimits(matching(32), 2000)->target, 63);
    EXPECT_EQ(compactionLimits(matching(50), 2000)->target, 4 + 32 + 16) << "40 leave too few";
    EXPECT_EQ(compactionLimits(matching(50), 8192)->target, 164);
    KvOptions capped = matching(2);
    capped.budget = 300;
    EXPECT_EQ(compactionLimits(capped, 1000)->target, 300);
    EXPECT_FALSE(compactionLimits(matching(1), 100000));
    capped.amRatio = 1;
    EXPECT_EQ(compactionLimits(capped, 100000)->target, 300);
}

TEST(CompactionTrigger, firstAndNewestTokens_areProtectedInFullAtEveryRatio) {
    for (const double ratio : {1.5, 4.0, 8.0, 16.0, 32.0, 50.0})
        for (const auto& [sinks, recent] : {std::pair(4, 32), {0, 32}, {64, 0}, {64, 4096}, {0, 0}})
            for (std::int64_t tokens = 1; tokens < 3000; tokens += 7) {
                KvOptions options = matching(ratio);
                options.nSink = sinks;
                options.keepRecent = recent;
                const auto limits = compactionLimits(options, tokens);
                ASSERT_EQ(limits->nSink, sinks);
                ASSERT_EQ(limits->keepRecent, recent);
                const std::int64_t kept = std::min<std::int64_t>(tokens, sinks + recent);
                ASSERT_EQ(limits->protectedTokens, kept);
                const auto wanted = static_cast<std::int64_t>(
                    std::ceil(static_cast<double>(tokens) / ratio - 1e-9));
                ASSERT_EQ(limits->target, std::max(wanted, kept + kMinOwnSlots)) << tokens;
            }
}

TEST(CompactionTrigger, ratioLimitedByProtectedTokens_isReducedAndReported) {
    EXPECT_EQ(limitedRatio(*compactionLimits(matching(50), 2000), 2000),
              (ProtectedLimit{.possible = 2000.0 / 52, .asked = 50, .protectedTokens = 36}));
    EXPECT_EQ(limitedRatio(*compactionLimits(matching(32), 2000), 2000), std::nullopt);
    KvOptions evicting = l2(37, 32);
    EXPECT_EQ(limitedRatio(*compactionLimits(evicting, 2000), 2000), std::nullopt);
    const TurnPosition asked{.before = 1500, .answer = 1600, .question = {1500, 1600}};
    const auto limit = limitedRatio(*compactionLimits(evicting, 2000, asked), 2000);
    ASSERT_TRUE(limit);
    EXPECT_EQ(limit->protectedTokens, 136);
    EXPECT_DOUBLE_EQ(limit->asked, 2000.0 / 37);
}

TEST(CompactionTrigger, budget_includesFirstAndNewestTokens) {
    KvOptions capped = matching(4);
    capped.budget = 37;
    const auto limits = compactionLimits(capped, 2000);
    EXPECT_EQ(limits->target, 44);
    EXPECT_EQ(limits->nSink, 4);
    EXPECT_EQ(limits->keepRecent, 32);
}

// The text before a question of 100 tokens is compacted to the requested ratio and no further.
TEST(CompactionTrigger, unansweredQuestion_isAddedToRatioAndBudget) {
    const TurnPosition asked{.before = 1000, .answer = 1100, .question = {1000, 1100}};
    const auto at = [&](const KvOptions& options, std::int64_t tokens) {
        return *compactionLimits(options, tokens, asked);
    };
    EXPECT_EQ(at(matching(8), 1100).target, 125 + 100);
    EXPECT_EQ(at(matching(8), 1100).question, (TokenSpan{1000, 1100}));
    EXPECT_EQ(at(matching(8), 1050).target, 125 + 50) << "while it is read";
    EXPECT_EQ(at(matching(8), 1300).target, 150 + 100) << "the answer counts in the ratio";
    EXPECT_EQ(at(l2(64, 32), 1300).target, 4 + 100 + 32 + 21 + 1) << "three quarters of 64 - 36";
    EXPECT_EQ(at(l2(500, 32), 1300).target, 500);
    KvOptions capped = matching(8);
    capped.budget = 64;
    EXPECT_EQ(at(capped, 1300).target, 4 + 100 + 32 + 21 + 1);
    TurnPosition answered = asked;
    answered.over = true;
    EXPECT_EQ(compactionLimits(matching(8), 1300, answered)->target, 163);
    EXPECT_EQ(compactionLimits(matching(8), 1300, answered)->question, TokenSpan{});
}

TEST(CompactionTrigger, shareOfAText_givesEveryMethodTheSameSlots) {
    const KvOptions kept = keepingShare(l2(1000, 32), 1.0 / 32, 2000);
    EXPECT_EQ(kept.budget, 63);
    EXPECT_EQ(kept.keepRecent, 32);
    for (int tokens = 1; tokens < 3000; tokens += 7)
        for (const double ratio : {1.5, 3.0, 7.0, 10.0, 50.0})
            EXPECT_EQ(
                keepingShare(l2(1000, 32), 1 / ratio, tokens).budget,
                compactionLimits(keepingShare(matching(4), 1 / ratio, tokens), tokens)->target);
}

TEST(CompactionTrigger, state_namesThePendingCondition) {
    Bench bench;
    const auto phase = [&bench](const KvOptions& options) {
        return bench.compactor().state(bench.cache(), options).phase;
    };
    EXPECT_EQ(phase(KvOptions{}), CompactionPhase::NoMethod);
    KvOptions noBudget;
    noBudget.method = CompactionMethod::Eviction;
    EXPECT_EQ(phase(noBudget), CompactionPhase::NoBudget);
    bench.append(1912, KvOptions{});
    CompactionState state = bench.compactor().state(bench.cache(), contract(2048, 32));
    EXPECT_EQ(state.phase, CompactionPhase::Waiting);
    EXPECT_EQ(state.slots, 1912);
    EXPECT_EQ(state.trigger, 2113);
    EXPECT_FALSE(state.limit);
    EXPECT_TRUE(state.enabled);
    EXPECT_FALSE(state.due);
    bench.append(201, KvOptions{});
    state = bench.compactor().state(bench.cache(), contract(2048, 32));
    EXPECT_TRUE(state.due);
    EXPECT_EQ(state.phase, CompactionPhase::Due);
    EXPECT_EQ(state.target, 2048);
    EXPECT_EQ(phase(matching(1)), CompactionPhase::RatioOne);
    KvOptions skipAll = l2(64, 8);
    skipAll.skipLayers = {0, 1};
    EXPECT_EQ(phase(skipAll), CompactionPhase::LayersSkipped);
}

// A sliding-window layer always holds few slots. Including it would hide how full the others are.
TEST(CompactionTrigger, windowedLayers_areNotCounted) {
    std::vector<LayerPlan> plans(2);
    plans[0].window = WindowRule{64, 0};
    const KvShape shape{.layers = 2, .kvHeads = 1, .keyDim = 2, .valueDim = 2, .type = DType::F16};
    const auto cache = makeCacheList(shape, plans).value();
    const std::vector<float> rows(200 * 2, 0.5F);
    ASSERT_TRUE(cache->beginAppend(200));
    for (int layer = 0; layer < 2; ++layer)
        cache->writeLayer(LayerIndex(layer), {rows.data(), {200, 1, 2}},
                          {rows.data(), {200, 1, 2}});
    cache->commitAppend();
    EXPECT_EQ(compactableSlots(*cache, matching(4)), 200);
    KvOptions rest = matching(4);
    rest.skipLayers = {1};
    EXPECT_TRUE(skipsEveryLayer(*cache, rest));
    EXPECT_FALSE(skipsEveryLayer(*cache, matching(4)));
}

// Otherwise a head with more slots than the budget would exceed the trigger immediately and
// permanently.
TEST(CompactionTrigger, unequalHeads_triggerByTheirMean) {
    Bench bench;
    KvOptions options = l2(60, 8, 16);
    bench.append(100, options);
    CompactionPlan plan = keepEverywhere(bench.cache(), range(0, 100));
    plan.heads[0].keep = {100, range(0, 21)};
    ASSERT_TRUE(bench.cache().compactable()->apply(plan));
    EXPECT_EQ(compactableSlots(bench.cache(), options), 100);
    for (const EvictionBudgets budgets : {EvictionBudgets::Adaptive, EvictionBudgets::WholeModel}) {
        options.evictionBudgets = budgets;
        EXPECT_EQ(compactableSlots(bench.cache(), options), 81) << "80.25, rounded up";
    }
    options.evictionBudgets = EvictionBudgets::Equal;
    EXPECT_EQ(compactableSlots(bench.cache(), options), 100);
}

// Under a ratio the target grows with the text, a floor may exceed the trigger, and a question adds
// to both. Current slots, slots at the start and remaining tokens must agree in every case.
TEST(CompactionTrigger, forecast_isConsistent_andMatchesTheActualCompaction) {
    KvOptions withMargin = matching(4);
    withMargin.margin = 100;
    KvOptions withFloor = matching(8);
    withFloor.compactionFloor = 300;
    KvOptions evictingFloor = l2(64, 8);
    evictingFloor.compactionFloor = 200;
    for (const KvOptions& options :
         {matching(1.5), matching(2), matching(4), matching(8), withMargin, withFloor,
          evictingFloor, l2(100, 8), l2(100, 8, 40)})
        for (const bool asked : {false, true}) {
            Bench bench;
            if (asked) bench.compactor().beginTurn(Position(20), Position(80));
            bench.append(50, options);
            const CompactionState state = bench.compactor().state(bench.cache(), options);
            const std::string text = exclusionText(state);
            ASSERT_EQ(state.phase, CompactionPhase::Waiting) << text;
            EXPECT_EQ(state.slots, 50) << text;
            for (int i = 1; i < state.trigger - state.slots; ++i) {
                bench.append(1, options);
                ASSERT_FALSE(bench.compactor().state(bench.cache(), options).due) << text << i;
            }
            bench.append(1, options);
            EXPECT_TRUE(bench.compactor().state(bench.cache(), options).due) << text;
            EXPECT_EQ(bench.compactor().state(bench.cache(), options).slots, state.trigger) << text;
        }
}

TEST(CompactionTrigger, conversationBelowTheFloor_isNotCompactedUnlessMemoryIsShort) {
    for (KvOptions options : {matching(8), l2(100, 8)}) {
        options.compactionFloor = 1024;
        options.background = false;
        Bench bench;
        bench.append(1023, options);
        EXPECT_EQ(decideAfterStep(bench.cache(), options, {}, std::nullopt).trigger,
                  Trigger::Waits);
        EXPECT_FALSE(bench.compactor().afterStep(bench.cache(), options)) << "and without a report";
        EXPECT_FALSE(bench.compactor().afterTurn(bench.cache(), options));
        const CompactionReport skipped = bench.compactor().compact(bench.cache(), options);
        EXPECT_EQ(skipped.result, CompactionResult::Skipped);
        EXPECT_EQ(skipped.notes, CompactionNotes{noteOf(CompactionReason::ShortText, 1023, 1024)});
        KvOptions limited = options;
        limited.budget = 200;
        EXPECT_EQ(bench.compactor()
                      .compact(bench.cache(), limited, {.cause = CompactionCause::MemoryLimit})
                      .result,
                  CompactionResult::Done);
    }
    KvOptions options = l2(100, 8);
    options.compactionFloor = 1024;
    Bench bench;
    bench.append(1024, options);
    EXPECT_EQ(decideAfterStep(bench.cache(), options, {}, std::nullopt).trigger, Trigger::Due);
}

KvOptions lateOf(KvOptions options) {
    options.compactWhen = CompactWhen::TurnLate;
    return options;
}

TEST(CompactionTrigger, decisions_matchTheTable) {
    KvOptions ratioOfOne = matching(1);
    const KvOptions idle = ratioOfOne;
    ratioOfOne.budget = 60;
    KvOptions floored = matching(2);
    floored.compactionFloor = 101;
    struct Row {
        const char* what;
        KvOptions options;
        int tokens;
        Trigger step;
        Trigger asked;
    };
    const Row rows[] = {
        {"no method", KvOptions{}, 500, Trigger::Off, Trigger::Off},
        {"a ratio of 1", idle, 500, Trigger::Off, Trigger::Off},
        {"nothing read yet", l2(100, 8, 16), 0, Trigger::Below, Trigger::Below},
        {"at the target", l2(100, 8, 16), 100, Trigger::Below, Trigger::Below},
        {"within the margin", l2(100, 8, 16), 101, Trigger::Below, Trigger::Due},
        {"at the trigger", l2(100, 8, 16), 116, Trigger::Below, Trigger::Due},
        {"over the trigger", l2(100, 8, 16), 117, Trigger::Due, Trigger::Due},
        {"a ratio of 1 with a budget", ratioOfOne, 77, Trigger::Due, Trigger::Due},
        {"too few slots to fit", matching(2), 63, Trigger::Below, Trigger::Due},
        {"protected tokens and few others", matching(50), 52, Trigger::Below, Trigger::Below},
        {"more than those", matching(50), 69, Trigger::Due, Trigger::Due},
        {"below the floor", floored, 100, Trigger::Waits, Trigger::Waits},
        {"at the floor", floored, 101, Trigger::Due, Trigger::Due},
        {"one turn late", lateOf(matching(4)), 500, Trigger::Waits, Trigger::Due},
        {"one turn late, never", lateOf(idle), 500, Trigger::Off, Trigger::Off},
    };
    for (const Row& row : rows) {
        Bench bench;
        if (row.tokens > 0) bench.append(row.tokens, KvOptions{});
        EXPECT_EQ(decideAfterStep(bench.cache(), row.options, {}, std::nullopt).trigger, row.step)
            << row.what;
        const TriggerDecision asked = decideRequested(bench.cache(), row.options, {});
        EXPECT_EQ(asked.trigger, row.asked) << row.what;
        EXPECT_EQ(asked.reason == CompactionNote{}, row.asked == Trigger::Due) << row.what;
        if (row.step == Trigger::Off) continue;
        EXPECT_EQ(asked.limits.target, compactionLimits(row.options, row.tokens)->target);
    }
}

TEST(CompactionTrigger, failure_isRetriedAfter64TokensUnderTheSameSettings) {
    const FailedCompaction failed = failedAt(500, l2(36, 8));
    const std::tuple<KvOptions, int, Trigger> rows[] = {{l2(36, 8), 500, Trigger::TooEarly},
                                                        {l2(36, 8), 563, Trigger::TooEarly},
                                                        {l2(36, 8), 564, Trigger::Due},
                                                        {l2(40, 8), 500, Trigger::Due},
                                                        {l2(600, 8), 563, Trigger::Below}};
    for (const auto& [settings, tokens, expected] : rows) {
        Bench bench;
        bench.append(tokens, KvOptions{});
        EXPECT_EQ(decideAfterStep(bench.cache(), settings, {}, failed).trigger, expected) << tokens;
        EXPECT_EQ(decideAfterTurn(bench.cache(), lateOf(settings), {.before = 400},
                                  failedAt(500, lateOf(l2(36, 8))))
                      .trigger,
                  expected)
            << tokens << ", one turn late";
    }
}

// A turn that starts after 300 tokens and its answer after 340. The target is 240, of which first
// and open tokens may take 90.
TEST(CompactionTrigger, openTokens_coverTheTurnItsAnswerOrNothing) {
    struct Row {
        const char* what;
        TurnPosition turn;
        std::int64_t tokens;
        int open;
    };
    const TurnPosition turn{.before = 300, .answer = 340};
    const Row rows[] = {
        {"no turn is known", {}, 400, 0},
        {"the first turn, of which the answer fits", {.answer = 340}, 400, 61},
        {"the answer has not begun", {.answer = 340}, 340, 8},
        {"less than stays anyway", turn, 305, 8},
        {"the whole turn", turn, 350, 50},
        {"the most that fits", turn, 386, 86},
        {"one more: the answer and the token before it", turn, 387, 48},
        {"the most of these", turn, 425, 86},
        {"one more: nothing would be gained", turn, 426, 0},
    };
    const CompactionLimits limits{.target = 240, .trigger = 270, .nSink = 4, .keepRecent = 8};
    for (const Row& row : rows)
        EXPECT_EQ(openTokens(limits, row.tokens, row.turn), row.open) << row.what;
    const CompactionLimits asking{
        .target = 240, .nSink = 4, .keepRecent = 8, .question = {300, 340}, .protectedTokens = 52};
    EXPECT_EQ(openTokens(asking, 400, turn), 100) << "the question stays anyway, 71 fit besides";
    EXPECT_EQ(openTokens(asking, 411, turn), 111);
    EXPECT_EQ(openTokens(asking, 412, turn), 0);
    const CompactionLimits guarded{.target = 40, .trigger = 56, .nSink = 4, .keepRecent = 20};
    EXPECT_EQ(openTokens(guarded, 320, turn), 20) << "what stays anyway is open";
    EXPECT_EQ(openTokens(guarded, 321, turn), 20) << "of an answer that has not begun";
}

TEST(CompactionTrigger, turnEnd_decidesOnTokensBeforeTheTurn) {
    Bench bench;
    bench.append(360, KvOptions{});
    const auto decided = [&](const KvOptions& settings, std::int64_t before) {
        return decideAfterTurn(bench.cache(), settings, {.before = before}, std::nullopt);
    };
    EXPECT_EQ(decided(matching(4), 300).trigger, Trigger::Off) << "at the budget";
    EXPECT_EQ(decided(lateOf(matching(1)), 300).trigger, Trigger::Off);
    EXPECT_EQ(decided(lateOf(matching(4)), 0).trigger, Trigger::Off) << "the first turn";
    EXPECT_EQ(decided(lateOf(matching(4)), 20).trigger, Trigger::Below)
        << "too little stood before";
    const TriggerDecision due = decided(lateOf(matching(4)), 300);
    EXPECT_EQ(due.trigger, Trigger::Due);
    EXPECT_EQ(due.limits.target, 75 + 60);
    ASSERT_TRUE(due.late);
    EXPECT_EQ(due.late->keepRecent, 60);
}

// `before` of the `tokens` tokens precede the turn. Checks the target that the trigger computes.
TEST(CompactionTrigger, lateOptions_protectTheTurn) {
    KvOptions capped = matching(4);
    capped.budget = 100;
    struct Row {
        KvOptions options;
        int tokens;
        int before;
        int keepRecent;
        int budget;
    };
    const Row rows[] = {
        {matching(4), 360, 300, 60, 75 + 60},  // a quarter of the slots before the turn, plus the
                                               // turn
        {matching(4), 310, 300, 32, 75 + 10},  // the protected newest slots, plus the turn
        {matching(8), 302, 300, 32, 4 + 30 + 16 + 2},  // the minimum they leave
        {capped, 360, 300, 60, 100},
        {l2(120, 8), 360, 300, 60, 120},
        {l2(50, 8), 360, 300, 60, 4 + 60 + 1},  // never too small for the turn
        {l2(120, 8), 300, 300, 8, 120},
    };
    for (const Row& row : rows) {
        const KvOptions late = lateOptions(lateOf(row.options), row.tokens, row.before);
        EXPECT_EQ(late.compactWhen, CompactWhen::AtBudget);
        EXPECT_EQ(late.keepRecent, row.keepRecent) << row.tokens;
        EXPECT_EQ(late.budget, row.budget) << row.tokens;
    }
}

}  // namespace
}  // namespace lacuna::test
