// Attention matching in the background of a conversation: when it starts, swaps the cache and is
// cancelled, and that it does not affect the conversation.

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <thread>

#include "compactor_fixture.h"
#include "engine/compress/driver/compaction_trigger.h"
#include "tests/support/compaction_notes.h"

namespace lacuna::test {
namespace {

constexpr std::chrono::milliseconds kPoll{2};
constexpr int kMaxPolls = 60'000;  // only a hanging compaction takes these two minutes

CompactorModel backgroundModel(int threads = 2) {
    CompactorModel model = kModel;
    model.backgroundThreads = threads;
    return model;
}

/// Appends tokens and polls until a compaction ends. At most `most` tokens are appended; after that
/// it only polls, so that the conversation cannot outgrow the savings of a slow compaction.
CompactionReport runToEnd(Bench& bench, const KvOptions& options, int most) {
    for (int i = 0; i < kMaxPolls; ++i) {
        if (i < most) bench.append(1, options);
        if (auto report = bench.compactor().afterStep(bench.cache(), options)) return *report;
        std::this_thread::sleep_for(kPoll);
    }
    ADD_FAILURE() << "the compaction came to no end";
    return {};
}

CompactionReport start(Bench& bench, const KvOptions& options, int tokens = 800) {
    bench.append(tokens, options);
    const auto report = bench.compactor().afterStep(bench.cache(), options);
    EXPECT_TRUE(report && report->result == CompactionResult::Started);
    return report.value_or(CompactionReport{});
}

/// Waits for the compaction at the next step, as a replay does.
std::optional<CompactionReport> waitForEnd(Bench& bench, const KvOptions& options) {
    return bench.compactor().afterStep(bench.cache(), options, {.policy = BackgroundPolicy::Wait});
}

TEST(BackgroundCompaction, compaction_startsContinuesAndIsAdopted) {
    Bench bench(kShape, 1, backgroundModel());
    const KvOptions options = matching(4);
    const CompactionReport begun = start(bench, options);
    EXPECT_TRUE(begun.background);
    EXPECT_EQ(begun.slotsAfter, begun.slotsBefore);
    EXPECT_EQ(bench.cache().stats().slotsTotal, 4 * 800) << "nothing has happened to the cache";
    const CompactionState state = bench.compactor().state(bench.cache(), options);
    EXPECT_TRUE(state.background);
    EXPECT_GE(state.progress, 0.0);
    EXPECT_LE(state.progress, 1.0);
    EXPECT_EQ(state.phase, CompactionPhase::Compacting);
    const CompactionReport done = runToEnd(bench, options, 200);
    ASSERT_EQ(done.result, CompactionResult::Done) << done.notes;
    EXPECT_TRUE(done.background);
    EXPECT_GT(begun.id, 0);
    EXPECT_EQ(done.id, begun.id);
    EXPECT_EQ(done.tokens, 800) << "of the snapshot";
    EXPECT_GT(done.backgroundMs, 0.0);
    EXPECT_GT(done.stallMs, 0.0);
    EXPECT_LT(done.stallMs, done.backgroundMs);
    EXPECT_LT(done.slotsAfter, done.slotsBefore);
    EXPECT_LT(done.liveBytesAfter, done.liveBytesBefore);
    const std::int64_t since = bench.cache().offset().value - 800;
    EXPECT_EQ(bench.cache().stats().slotsTotal, 4 * (200 + since));
    bench.cache().checkInvariants();
    for (int head = 0; head < 2; ++head) {
        const auto tokens = tokensOf(bench.cache(), 1, head);
        for (std::size_t j = tokens.size() - static_cast<std::size_t>(since) - 21;
             j < tokens.size(); ++j)
            EXPECT_TRUE(holds(bench.cache(), 1, head, static_cast<int>(j), tokens[j]))
                << "tokens since the snapshot and the newest before it stay verbatim";
    }
    EXPECT_FALSE(bench.compactor().state(bench.cache(), options).background);
}

TEST(BackgroundCompaction, result_equalsForegroundCompaction_forAnyThreadCount) {
    Bench plain;
    plain.append(800, matching(4));
    ASSERT_EQ(plain.compactor().afterStep(plain.cache(), matching(4))->result,
              CompactionResult::Done);
    for (const int threads : {1, 3}) {
        Bench beside(kShape, 1, backgroundModel(threads));
        start(beside, matching(4));
        const auto done = waitForEnd(beside, matching(4));
        ASSERT_TRUE(done);
        ASSERT_EQ(done->result, CompactionResult::Done) << done->notes;
        EXPECT_EQ(beside.cache().save().value(), plain.cache().save().value());
    }
}

TEST(BackgroundCompaction, backgroundOff_compactsImmediately) {
    Bench bench(kShape, 1, backgroundModel());
    KvOptions options = matching(4);
    options.background = false;
    bench.append(800, options);
    const auto report = bench.compactor().afterStep(bench.cache(), options);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->result, CompactionResult::Done);
    EXPECT_FALSE(report->background);
    EXPECT_EQ(report->stallMs, report->totalMs);
}

TEST(BackgroundCompaction, triggerBetweenPromptChunks_compactsImmediately) {
    Bench bench(kShape, 1, backgroundModel());
    const KvOptions options = matching(4);
    int compactions = 0;
    for (int chunk = 0; chunk < 12; ++chunk) {
        bench.append(100, options);
        const auto limits = compactionLimits(options, bench.cache().offset().value);
        const auto report = bench.compactor().afterStep(bench.cache(), options,
                                                        {.pace = CompactionPace::Immediate});
        EXPECT_FALSE(bench.compactor().state(bench.cache(), options).background);
        EXPECT_LE(bench.cache().stats().slotsTotal, 4 * limits->trigger) << "chunk " << chunk;
        if (!report) continue;
        EXPECT_EQ(report->result, CompactionResult::Done) << report->notes;
        EXPECT_FALSE(report->background);
        ++compactions;
    }
    EXPECT_GT(compactions, 3);
}

TEST(BackgroundCompaction, unfinishedAtPrefill_isAwaitedAfterTheFirstChunk) {
    Bench bench(kShape, 1, backgroundModel());
    const KvOptions options = matching(4);
    start(bench, options, 1600);
    bench.append(100, options);
    const auto report =
        bench.compactor().afterStep(bench.cache(), options, {.pace = CompactionPace::Immediate});
    ASSERT_TRUE(report);
    EXPECT_EQ(report->result, CompactionResult::Done) << report->notes;
    EXPECT_TRUE(report->background);
    EXPECT_EQ(bench.cache().stats().slotsTotal, 4 * (400 + 100));
}

TEST(BackgroundCompaction, deferredAdoption_waitsForItsPosition) {
    Bench bench(kShape, 1, backgroundModel());
    const KvOptions options = matching(4);
    start(bench, options);
    for (int i = 0; i < 200; ++i) {
        bench.append(1, options);
        ASSERT_FALSE(bench.compactor().afterStep(bench.cache(), options,
                                                 {.policy = BackgroundPolicy::Hold}));
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_TRUE(holdsItsTokens(bench.cache())) << "a fit that is not taken over changes nothing";
    EXPECT_EQ(bench.cache().stats().slotsTotal, 4 * 1000);
    const auto done = waitForEnd(bench, options);
    ASSERT_TRUE(done);
    EXPECT_EQ(done->result, CompactionResult::Done);
    EXPECT_EQ(bench.cache().stats().slotsTotal, 4 * 400);
}

TEST(BackgroundCompaction, adoptionAtTheSamePosition_givesTheSameCache) {
    std::string first;
    for (const bool patient : {false, true}) {
        Bench bench(kShape, 1, backgroundModel());
        const KvOptions options = matching(4);
        start(bench, options);
        bench.append(100, options);
        if (patient) std::this_thread::sleep_for(std::chrono::milliseconds(200));
        ASSERT_TRUE(waitForEnd(bench, options));
        const std::string state = bench.cache().save().value();
        if (first.empty()) first = state;
        EXPECT_EQ(state, first);
    }
}

// A budget with a ratio of 1 compacts a small cache repeatedly. Timing may affect only the step at
// which the cache is exchanged.
TEST(BackgroundCompaction, ratioOne_withBudget_adoptedAtSamePositions_givesTheSameCache) {
    const auto stateAfter = [](bool background, int threads) {
        KvOptions options = matching(1);
        options.budget = 60;
        options.background = background;
        Bench bench(kShape, threads, backgroundModel(threads));
        int done = 0;
        for (int i = 0; i < 240; ++i) {
            bench.append(1, options);
            const auto report = bench.compactor().afterStep(
                bench.cache(), options,
                {.policy = i % 5 == 4 ? BackgroundPolicy::Wait : BackgroundPolicy::Hold});
            if (report && report->result == CompactionResult::Done) ++done;
        }
        EXPECT_GT(done, 5);
        return bench.cache().save().value();
    };
    for (const bool background : {false, true})
        for (const int threads : {1, 3})
            EXPECT_EQ(stateAfter(background, threads), stateAfter(background, 1)) << threads;
}

TEST(BackgroundCompaction, rollbackIntoTheSpan_cancelsTheCompaction) {
    Bench bench(kShape, 1, backgroundModel());
    const KvOptions options = matching(4);
    start(bench, options);
    bench.append(10, options);
    ASSERT_TRUE(bench.cache().rollback(20));
    bench.compactor().dropFrom(bench.cache().offset());
    bench.append(5, options);
    const auto report = bench.compactor().afterStep(bench.cache(), options);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->result, CompactionResult::Aborted);
    EXPECT_TRUE(mentions(report->notes, CompactionReason::ConversationRolledBack)) << report->notes;
    EXPECT_TRUE(holdsItsTokens(bench.cache()));
    EXPECT_EQ(bench.cache().stats().compactions, 0);
    // It restarts with the current content of the cache.
    EXPECT_EQ(bench.compactor().afterStep(bench.cache(), options)->result,
              CompactionResult::Started);
    EXPECT_EQ(waitForEnd(bench, options)->result, CompactionResult::Done);
}

TEST(BackgroundCompaction, rollbackOfNewerTokens_keepsTheCompaction) {
    Bench bench(kShape, 1, backgroundModel());
    const KvOptions options = matching(4);
    start(bench, options);
    bench.append(40, options);
    ASSERT_TRUE(bench.cache().rollback(30));
    bench.compactor().dropFrom(bench.cache().offset());
    bench.append(7, options);
    const auto done = waitForEnd(bench, options);
    ASSERT_TRUE(done);
    EXPECT_EQ(done->result, CompactionResult::Done) << done->notes;
    EXPECT_EQ(bench.cache().offset(), Position(817));
    EXPECT_EQ(bench.cache().stats().slotsTotal, 4 * 217);
}

TEST(BackgroundCompaction, changedSettings_cancelTheCompaction) {
    Bench bench(kShape, 1, backgroundModel());
    start(bench, matching(4));
    bench.append(1, matching(4));
    const auto report = bench.compactor().afterStep(bench.cache(), matching(2));
    ASSERT_TRUE(report);
    EXPECT_EQ(report->result, CompactionResult::Aborted);
    EXPECT_TRUE(mentions(report->notes, CompactionReason::SettingsChanged));
    EXPECT_TRUE(holdsItsTokens(bench.cache()));
    EXPECT_EQ(bench.compactor().afterStep(bench.cache(), matching(2))->result,
              CompactionResult::Started);
}

TEST(BackgroundCompaction, abort_reportsWhy_andReleasesEverything) {
    Bench bench(kShape, 1, backgroundModel());
    EXPECT_FALSE(bench.compactor().abort(CompactionReason::Stopped));
    start(bench, matching(4));
    EXPECT_TRUE(bench.compactor().busy());
    const auto report = bench.compactor().abort(CompactionReason::AnswerStopped);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->result, CompactionResult::Aborted);
    EXPECT_EQ(report->notes, CompactionNotes{{CompactionReason::AnswerStopped}});
    EXPECT_TRUE(report->background);
    for (int i = 0; i < kMaxPolls && bench.compactor().busy(); ++i) {
        EXPECT_FALSE(bench.compactor().settle(bench.cache()));
        std::this_thread::sleep_for(kPoll);
    }
    EXPECT_FALSE(bench.compactor().busy()) << "its memory is given back";
}

TEST(BackgroundCompaction, replacedCompactor_reportsAllPendingEnds) {
    const KvOptions options = matching(4);
    Bench bench(kShape, 1, backgroundModel());
    start(bench, options);
    bench.append(40, options);
    ASSERT_TRUE(bench.cache().rollback(60));
    bench.compactor().dropFrom(bench.cache().offset());
    EXPECT_EQ(bench.compactor()
                  .compact(bench.cache(), options, {.mode = CompactionCall::Mode::Background})
                  .result,
              CompactionResult::Started);
    Bench after(kShape, 1, backgroundModel());
    after.compactor().takeOver(bench.compactor(), CompactionReason::ThreadsReplaced);
    CompactionNotes reasons;
    while (const auto report = after.compactor().settle(bench.cache())) {
        EXPECT_EQ(report->result, CompactionResult::Aborted);
        reasons.insert(reasons.end(), report->notes.begin(), report->notes.end());
    }
    EXPECT_EQ(reasons, (CompactionNotes{{CompactionReason::ConversationRolledBack},
                                        {CompactionReason::ThreadsReplaced}}));
}

TEST(BackgroundCompaction, secondRequest_isSkippedWithTheReason) {
    Bench bench(kShape, 1, backgroundModel());
    start(bench, matching(4));
    const CompactionReport second = bench.compactor().compact(
        bench.cache(), matching(4), {.mode = CompactionCall::Mode::Background});
    EXPECT_EQ(second.result, CompactionResult::Skipped);
    EXPECT_TRUE(mentions(second.notes, CompactionReason::AlreadyRunning));
    EXPECT_EQ(waitForEnd(bench, matching(4))->result, CompactionResult::Done);
}

TEST(BackgroundCompaction, nonFiniteSlots_failAndChangeNothing) {
    Bench bench(kShape, 1, backgroundModel());
    const KvOptions options = matching(4);
    bench.append(800, options);
    ASSERT_TRUE(bench.cache().beginAppend(1));
    const std::vector<float> keys(16, 1.0F);
    const std::vector<float> values(16, std::numeric_limits<float>::quiet_NaN());
    for (int layer = 0; layer < 2; ++layer)
        bench.cache().writeLayer(LayerIndex(layer), {keys.data(), {1, 2, 8}},
                                 {values.data(), {1, 2, 8}});
    bench.cache().commitAppend();
    const std::string before = bench.cache().save().value();
    ASSERT_EQ(bench.compactor().afterStep(bench.cache(), options)->result,
              CompactionResult::Started);
    const auto report = waitForEnd(bench, options);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->result, CompactionResult::Failed);
    EXPECT_TRUE(tellsError(report->notes, "layer 0 head 0")) << report->notes;
    EXPECT_EQ(bench.cache().save().value(), before);
    EXPECT_FALSE(bench.compactor().afterStep(bench.cache(), options)) << "not with every token";
}

TEST(BackgroundCompaction, destroyedWhileRunning_endsCleanly) {
    Bench bench(kShape, 1, backgroundModel());
    start(bench, matching(4), 2000);
}

}  // namespace
}  // namespace lacuna::test
