// Compaction one turn late: its time, the tokens it protects and the queries it uses.

#include <gtest/gtest.h>

#include <set>

#include "compactor_fixture.h"
#include "tests/support/compaction_notes.h"

namespace lacuna {
namespace {

using test::Bench;
using test::kModel;
using test::kShape;
using test::l2;
using test::matching;

KvOptions late(KvOptions options) {
    options.compactWhen = CompactWhen::TurnLate;
    options.background = false;
    options.keepRecent = 8;
    options.margin = 16;
    options.headBudgets = HeadBudgets::Coverage;  // auto would request a repetition of the text
    return options;
}

/// Appends a turn of `tokens` tokens. No compaction may start before its end.
std::optional<CompactionReport> turn(Bench& bench, int tokens, const KvOptions& options) {
    bench.compactor().beginTurn(bench.cache().offset());
    for (int done = 0; done < tokens; done += 20) {
        bench.append(std::min(20, tokens - done), options);
        EXPECT_FALSE(bench.compactor().state(bench.cache(), options).due);
        EXPECT_FALSE(bench.compactor().afterStep(bench.cache(), options));
    }
    return bench.compactor().afterTurn(bench.cache(), options);
}

std::set<int> positionsOf(const KvCache& cache, int layer, int head) {
    const KvHeadView view = cache.head(LayerIndex(layer), HeadIndex(head));
    std::set<int> found;
    for (int slot = 0; slot < view.slots; ++slot)
        found.insert(view.positions == nullptr ? slot : view.positions[slot]);
    return found;
}

std::vector<KvOptions> bothMethods() {
    return {late(matching(4)), late(l2(120, 8))};
}

TEST(LateCompaction, firstTurn_compactsNothing) {
    for (const KvOptions& options : bothMethods()) {
        Bench bench;
        EXPECT_FALSE(turn(bench, 300, options));
        EXPECT_EQ(bench.cache().stats().compactions, 0);
        EXPECT_EQ(bench.cache().slots(LayerIndex(0), HeadIndex(0)), 300);
    }
}

TEST(LateCompaction, endOfTheSecondTurn_compactsTheTextBeforeIt) {
    for (const KvOptions& options : bothMethods()) {
        Bench bench;
        ASSERT_FALSE(turn(bench, 300, options));
        const auto report = turn(bench, 60, options);
        ASSERT_TRUE(report);
        EXPECT_EQ(report->result, CompactionResult::Done) << report->notes;
        EXPECT_EQ(report->tokens, 360);
        EXPECT_GT(report->slotsBefore, report->slotsAfter);
        std::int64_t slots = 0;
        for (int layer = 0; layer < kShape.layers; ++layer)
            for (int head = 0; head < kShape.kvHeads; ++head) {
                const std::set<int> kept = positionsOf(bench.cache(), layer, head);
                for (int position = 300; position < 360; ++position)
                    EXPECT_TRUE(kept.contains(position)) << position;
                EXPECT_TRUE(kept.contains(0)) << "sinks stay";
                slots += bench.cache().slots(LayerIndex(layer), HeadIndex(head));
            }
        // A quarter of 300 plus the turn, or the budget including the turn.
        EXPECT_EQ(slots, (options.method == CompactionMethod::Eviction ? 120 : 135) * 4);
        bench.cache().checkInvariants();
    }
}

TEST(LateCompaction, ratioLimitedByProtectedTokens_isReduced) {
    KvOptions options = late(matching(50));
    Bench bench;
    ASSERT_FALSE(turn(bench, 300, options));
    const auto report = turn(bench, 60, options);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->result, CompactionResult::Done);
    EXPECT_EQ(report->slotsAfter, 4 * (4 + 16 + 60));
    EXPECT_EQ(report->requestedRatio, 50);
    EXPECT_DOUBLE_EQ(report->achievedRatio, 360.0 / 80);
}

TEST(LateCompaction, everyLaterTurn_compactsThePreviousOne) {
    for (const KvOptions& options : bothMethods()) {
        Bench bench;
        ASSERT_FALSE(turn(bench, 300, options));
        for (int number = 0; number < 3; ++number) {
            const auto report = turn(bench, 60, options);
            ASSERT_TRUE(report) << number;
            EXPECT_EQ(report->result, CompactionResult::Done) << report->notes;
            EXPECT_GT(report->slotsBefore, report->slotsAfter);
        }
        EXPECT_EQ(bench.cache().stats().compactions, 3);
    }
}

TEST(LateCompaction, onlyQueriesOfTheNewestTurn_areUsed) {
    const auto stateAfter = [](std::uint64_t first, std::uint64_t second, CompactWhen when) {
        KvOptions options = late(matching(4));
        Bench bench;
        bench.askLike(first);
        EXPECT_FALSE(turn(bench, 300, options));
        bench.askLike(second);
        if (when == CompactWhen::TurnLate) {
            const auto report = turn(bench, 60, options);
            EXPECT_EQ(report->result, CompactionResult::Done);
            EXPECT_TRUE(mentions(report->notes, CompactionReason::QueriesFromNewestTurn));
        } else {
            bench.append(60, options);
            EXPECT_EQ(bench.compactor().compact(bench.cache(), options).result,
                      CompactionResult::Done);
        }
        return bench.cache().save().value();
    };
    EXPECT_EQ(stateAfter(1, 9, CompactWhen::TurnLate), stateAfter(2, 9, CompactWhen::TurnLate));
    EXPECT_NE(stateAfter(1, 9, CompactWhen::TurnLate), stateAfter(1, 8, CompactWhen::TurnLate));
    EXPECT_NE(stateAfter(1, 9, CompactWhen::AtBudget), stateAfter(2, 9, CompactWhen::AtBudget))
        << "the earlier turn's queries differ, and by hand they count";
}

TEST(LateCompaction, shortTurn_usesEarlierQueries_andReportsIt) {
    KvOptions options = late(matching(4));
    options.margin = 1;
    Bench bench;
    ASSERT_FALSE(turn(bench, 300, options));
    const auto report = turn(bench, 10, options);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->result, CompactionResult::Done);
    EXPECT_TRUE(mentions(report->notes, CompactionReason::NewestTurnTooShort)) << report->notes;
}

TEST(LateCompaction, threadCount_doesNotChangeTheResult) {
    const auto stateWith = [](int threads, const KvOptions& options) {
        Bench bench(kShape, threads);
        EXPECT_FALSE(turn(bench, 300, options));
        EXPECT_TRUE(turn(bench, 60, options));
        return bench.cache().save().value();
    };
    for (const KvOptions& options : bothMethods())
        EXPECT_EQ(stateWith(1, options), stateWith(3, options));
}

TEST(LateCompaction, backgroundCompaction_startsAtTheEndOfTheTurn) {
    CompactorModel model = kModel;
    model.backgroundThreads = 1;
    KvOptions options = late(matching(4));
    options.background = true;
    Bench bench(kShape, 1, model);
    ASSERT_FALSE(turn(bench, 300, options));
    const auto started = turn(bench, 60, options);
    ASSERT_TRUE(started);
    EXPECT_EQ(started->result, CompactionResult::Started) << started->notes;
    const auto done = bench.compactor().settle(bench.cache(), BackgroundPolicy::Wait);
    ASSERT_TRUE(done);
    EXPECT_EQ(done->result, CompactionResult::Done) << done->notes;
    Bench atOnce;
    ASSERT_FALSE(turn(atOnce, 300, late(matching(4))));
    ASSERT_TRUE(turn(atOnce, 60, late(matching(4))));
    EXPECT_EQ(bench.cache().save().value(), atOnce.cache().save().value());
}

TEST(LateCompaction, newestTurn_canBeRolledBackAfterwards) {
    for (const bool background : {false, true}) {
        CompactorModel model = kModel;
        model.backgroundThreads = 1;
        KvOptions options = late(matching(4));
        options.background = background;
        Bench bench(kShape, 1, model);
        ASSERT_FALSE(turn(bench, 300, options));
        ASSERT_TRUE(turn(bench, 60, options));
        if (background) {
            // The end of the answer is replaced while the fit still runs.
            ASSERT_TRUE(bench.cache().rollback(5));
            bench.compactor().dropFrom(bench.cache().offset());
            bench.append(5, options);
            const auto done = bench.compactor().settle(bench.cache(), BackgroundPolicy::Wait);
            ASSERT_TRUE(done);
            EXPECT_EQ(done->result, CompactionResult::Done) << done->notes;
        }
        ASSERT_EQ(bench.cache().stats().compactions, 1);
        EXPECT_EQ(bench.cache().capabilities().rollbackLimit, 60);
        ASSERT_TRUE(bench.cache().rollback(60));
        EXPECT_FALSE(bench.cache().rollback(1)) << "what was merged stays";
        bench.cache().checkInvariants();
        EXPECT_EQ(bench.cache().offset(), Position(300));
        for (const int position : positionsOf(bench.cache(), 0, 0)) EXPECT_LT(position, 300);
        bench.append(20, options);
        bench.cache().checkInvariants();
    }
}

TEST(LateCompaction, manualRequestAndLimit_compactImmediately) {
    for (const CompactionCause cause : {CompactionCause::Manual, CompactionCause::MemoryLimit}) {
        for (const KvOptions& options : bothMethods()) {
            Bench bench;
            bench.compactor().beginTurn(Position(0));
            bench.append(300, options);
            const auto report = bench.compactor().compact(bench.cache(), options, {.cause = cause});
            EXPECT_EQ(report.result, CompactionResult::Done) << report.notes;
            EXPECT_GT(report.slotsBefore, report.slotsAfter);
            EXPECT_EQ(bench.cache().capabilities().rollbackLimit, 0);
        }
    }
}

TEST(LateCompaction, turnLongerThanTheBudget_staysUncompacted) {
    const KvOptions options = late(l2(120, 8));
    Bench bench;
    ASSERT_FALSE(turn(bench, 100, options));
    const auto report = turn(bench, 200, options);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->result, CompactionResult::Done) << report->notes;
    EXPECT_EQ(bench.cache().slots(LayerIndex(0), HeadIndex(0)), 205) << "sinks, one more, the turn";
}

TEST(LateCompaction, rollbackBeforeTheTurn_movesItsStart) {
    const KvOptions options = late(matching(4));
    Bench bench;
    ASSERT_FALSE(turn(bench, 300, options));
    bench.compactor().beginTurn(Position(300));
    bench.append(40, options);
    ASSERT_TRUE(bench.cache().rollback(140));
    bench.compactor().dropFrom(Position(200));
    bench.append(60, options);
    const auto report = bench.compactor().afterTurn(bench.cache(), options);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->result, CompactionResult::Done) << report->notes;
    const std::set<int> kept = positionsOf(bench.cache(), 0, 0);
    for (int position = 200; position < 260; ++position) EXPECT_TRUE(kept.contains(position));
}

TEST(LateCompaction, state_namesThePendingCondition) {
    const KvOptions options = late(matching(4));
    Bench bench;
    const auto state = [&] { return bench.compactor().state(bench.cache(), options); };
    bench.compactor().beginTurn(Position(0));
    bench.append(1200, options);
    EXPECT_EQ(state().phase, CompactionPhase::FirstTurnOpen);
    EXPECT_FALSE(bench.compactor().afterTurn(bench.cache(), options));
    EXPECT_EQ(state().phase, CompactionPhase::NextTurnDecides);
    bench.compactor().beginTurn(Position(1200));
    bench.append(100, options);
    EXPECT_EQ(state().phase, CompactionPhase::TurnOpen);
    EXPECT_EQ(state().slots, 1300);
    EXPECT_EQ(state().tokens, 1200) << "before the turn";
    EXPECT_FALSE(state().due);
    EXPECT_EQ(state().target, 400);
    KvOptions never = late(l2(120, 8));
    never.budget.reset();
    EXPECT_EQ(bench.compactor().state(bench.cache(), never).phase, CompactionPhase::NoBudget);
}

TEST(LateCompaction, changeToAtBudget_takesEffectWithTheNextStep) {
    KvOptions options = late(matching(4));
    Bench bench;
    ASSERT_FALSE(turn(bench, 300, options));
    options.compactWhen = CompactWhen::AtBudget;
    const auto report = bench.compactor().afterStep(bench.cache(), options);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->result, CompactionResult::Done) << report->notes;
}

}  // namespace
}  // namespace lacuna
