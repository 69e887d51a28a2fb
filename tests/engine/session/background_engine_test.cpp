// The engine with a compaction in the background of an answer: its events, its end, and that the
// text is not affected.

#include <gtest/gtest.h>

#include "tests/support/compaction_notes.h"
#include "tests/support/engine_runner.h"

namespace lacuna {
namespace {

using test::EngineRunner;
using test::HoldingSource;

EngineConfig matched(bool background = true) {
    EngineConfig config;
    config.maxTokens = 40;
    config.prefillChunk = 32;
    config.sampling.temperature = 0;
    config.kv.method = CompactionMethod::AttentionMatching;
    config.kv.compactionFloor = 0;
    config.kv.lossLimit.level = LossLimit::Level::Off;
    config.kv.amRatio = 3;
    config.kv.keepRecent = 8;
    config.kv.nSink = 2;
    config.kv.background = background;
    return config;
}

std::string longText(int length) {
    std::string text;
    for (int i = 0; i < length; ++i) text += static_cast<char>('a' + i * 11 % 26);
    return text;
}

std::vector<CompactionReport> reports(const EngineRunner& run) {
    std::vector<CompactionReport> found;
    for (const CompactionHappened& one : run.all<CompactionHappened>()) found.push_back(one.report);
    return found;
}

/// A session with a compaction that has started and is held back.
struct HeldSession {
    explicit HeldSession(const EngineConfig& config = matched()) : run(config), source(run.queue) {
        run.source = &source;
        run.start();
        EXPECT_TRUE(run.load());
        run.submit(1, longText(200));
        EXPECT_TRUE(run.waitFor<TurnFinished>());
        EXPECT_EQ(reports(run).size(), 1U);
        EXPECT_EQ(reports(run)[0].result, CompactionResult::Started);
    }
    void expectAborted(CompactionReason reason) {
        ASSERT_TRUE(run.waitFor<CompactionHappened>(2));
        run.finish();
        const CompactionReport last = reports(run).back();
        EXPECT_EQ(last.result, CompactionResult::Aborted);
        EXPECT_EQ(last.notes, CompactionNotes{{reason}});
        EXPECT_TRUE(last.background);
    }
    EngineRunner run;
    HoldingSource source;
};

TEST(BackgroundEngine, backgroundCompaction_beforeItsResultIsAdopted_leavesTheAnswerUnchanged) {
    EngineConfig none = matched();
    none.kv.method = CompactionMethod::None;
    EngineRunner plain(none);
    plain.start();
    ASSERT_TRUE(plain.load());
    plain.submit(1, longText(200));
    ASSERT_TRUE(plain.waitFor<TurnFinished>());
    plain.finish();
    HeldSession held;
    held.run.finish();
    ASSERT_EQ(plain.all<TurnFinished>()[0].tokens.size(), 40U);
    EXPECT_EQ(held.run.all<TurnFinished>()[0].tokens, plain.all<TurnFinished>()[0].tokens);
}

TEST(BackgroundEngine, compactionFinishedWhileIdle_isAdoptedAndPublished) {
    EngineRunner run(matched());
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, longText(200));
    ASSERT_TRUE(run.waitFor<CompactionHappened>(2)) << "without another command";
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    run.finish();
    const auto told = reports(run);
    EXPECT_EQ(told[0].result, CompactionResult::Started);
    EXPECT_EQ(told[1].result, CompactionResult::Done) << told[1].notes;
    EXPECT_LT(told[1].liveBytesAfter, told[1].liveBytesBefore);
    bool seen = false;
    for (const StepSample& sample : run.all<StepSample>())
        seen = seen || sample.compaction.background ||
               sample.compaction.phase == CompactionPhase::Compacting;
    EXPECT_TRUE(seen) << "samples tell that it runs";
}

TEST(BackgroundEngine, previewDuringBackgroundCompaction_doesNotDisturbIt) {
    for (const char* method : {"am", "l2"}) {
        HeldSession held;
        KvOptions tried = matched().kv;
        if (std::string_view(method) == "l2") {
            tried.method = CompactionMethod::Eviction;
            tried.compactionFloor = 0;
            tried.lossLimit.level = LossLimit::Level::Off;
            tried.budget = 60;
        }
        held.run.queue.push(RequestPreview{ConversationId(1), tried});
        ASSERT_TRUE(held.run.waitFor<CompactionPreviewed>()) << method;
        EXPECT_TRUE(held.run.all<CompactionPreviewed>()[0].preview.compacts) << method;
        EXPECT_EQ(reports(held.run).size(), 1U) << method << ": nothing ended meanwhile";
        held.source.holds = false;
        ASSERT_TRUE(held.run.waitFor<CompactionHappened>(2)) << method;
        held.run.finish();
        EXPECT_EQ(reports(held.run).back().result, CompactionResult::Done)
            << reports(held.run).back().notes;
    }
}

TEST(BackgroundEngine, uncompactableLayers_arePublishedOnceTheyMatter) {
    EngineConfig config = matched();
    EngineRunner run(config, {.window = 32});
    run.start();
    ASSERT_TRUE(run.load());
    ASSERT_TRUE(run.waitFor<Notice>());
    config.kv.amRatio = 2;  // unchanged, so that no event is due
    run.queue.push(SetConfig{Revision(1), config});
    ASSERT_TRUE(run.waitFor<ConfigApplied>(1));
    config.kv.method = CompactionMethod::None;
    run.queue.push(SetConfig{Revision(2), config});
    ASSERT_TRUE(run.waitFor<ConfigApplied>(2));
    config.kv.method = CompactionMethod::Eviction;
    config.kv.compactionFloor = 0;
    config.kv.lossLimit.level = LossLimit::Level::Off;
    config.kv.budget = 64;
    run.queue.push(SetConfig{Revision(3), config});
    ASSERT_TRUE(run.waitFor<Notice>(2));
    run.finish();
    const auto notices = run.all<Notice>();
    ASSERT_EQ(notices.size(), 2U);
    EXPECT_EQ(notices[0].sentence,
              "am leaves 1 of 2 layers of fake unchanged, because they have their own window.");
    EXPECT_EQ(notices[1].sentence,
              "l2 leaves 1 of 2 layers of fake unchanged, because they have their own window.");
}

TEST(BackgroundEngine, triggerBetweenPromptChunks_compactsImmediately) {
    EngineConfig config = matched();
    config.prefillPolicy = PrefillPolicy::PerChunk;
    EngineRunner run(config);
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, std::vector<ChatMessage>{
                      {"user", longText(400)}, {"assistant", "so it is"}, {"user", "and now?"}});
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    run.finish();
    int between = 0;
    for (const CompactionReport& report : reports(run)) {
        if (report.tokens >= 400) continue;
        EXPECT_EQ(report.result, CompactionResult::Done) << report.notes;
        EXPECT_FALSE(report.background);
        ++between;
    }
    EXPECT_GT(between, 2);
}

TEST(BackgroundEngine, manualCompaction_startsWhileIdle_andIsAdopted) {
    EngineConfig config = matched();
    config.kv.margin = 400;  // prevents automatic compactions
    EngineRunner run(config);
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, longText(200));
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    ASSERT_TRUE(reports(run).empty());
    run.queue.push(CompactNow{ConversationId(1)});
    ASSERT_TRUE(run.waitFor<CompactionHappened>(2));
    run.finish();
    EXPECT_EQ(reports(run)[0].cause, CompactionCause::Manual);
    EXPECT_EQ(reports(run)[0].result, CompactionResult::Started);
    EXPECT_EQ(reports(run)[1].cause, CompactionCause::Manual);
    EXPECT_EQ(reports(run)[1].result, CompactionResult::Done);
}

TEST(BackgroundEngine, releasedConversation_cancelsBackgroundCompaction) {
    HeldSession held;
    held.run.queue.push(ReleaseConversation{ConversationId(1)});
    held.expectAborted(CompactionReason::ConversationDropped);
}

TEST(BackgroundEngine, unloadedModel_cancelsBackgroundCompaction) {
    HeldSession held;
    held.run.queue.push(UnloadModel{});
    held.expectAborted(CompactionReason::ModelReleased);
}

TEST(BackgroundEngine, changedCompressionSettings_cancelBackgroundCompaction) {
    HeldSession held;
    EngineConfig other = matched();
    other.kv.method = CompactionMethod::None;
    held.run.queue.push(SetConfig{Revision(1), other});
    held.expectAborted(CompactionReason::SettingsChanged);
}

TEST(BackgroundEngine, changedSamplingSettings_keepBackgroundCompaction) {
    HeldSession held;
    EngineConfig other = matched();
    other.sampling.temperature = 0.5;
    held.run.queue.push(SetConfig{Revision(1), other});
    ASSERT_TRUE(held.run.waitFor<ConfigApplied>());
    held.run.finish();
    EXPECT_EQ(reports(held.run).size(), 1U);
}

TEST(BackgroundEngine, cancelledTurn_cancelsBackgroundCompaction) {
    EngineRunner run(matched());
    HoldingSource source(run.queue);
    run.source = &source;
    run.models.inside = [&run](std::int64_t number) {
        if (number == 20) run.queue.push(CancelTurn{});
    };
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(
        1, std::vector<ChatMessage>{{"user", longText(200)}, {"assistant", "so"}, {"user", "on"}});
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    run.finish();
    ASSERT_EQ(reports(run).size(), 2U);
    EXPECT_EQ(reports(run)[1].result, CompactionResult::Aborted);
    EXPECT_EQ(reports(run)[1].notes, CompactionNotes{{CompactionReason::AnswerStopped}});
    EXPECT_EQ(reports(run)[1].id, reports(run)[0].id);
}

TEST(BackgroundEngine, promptReadFromTheStart_reportsCancelledCompaction) {
    HeldSession held;
    held.run.submit(1, "something else " + longText(150));
    ASSERT_TRUE(held.run.waitFor<TurnFinished>(2));
    held.run.finish();
    const auto told = reports(held.run);
    ASSERT_GE(told.size(), 2U);
    EXPECT_EQ(told[1].result, CompactionResult::Aborted) << told[1].notes;
}

TEST(BackgroundEngine, backgroundOff_compactsWithinTheStep) {
    EngineRunner run(matched(false));
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, longText(200));
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    run.finish();
    ASSERT_FALSE(reports(run).empty());
    for (const CompactionReport& report : reports(run)) {
        EXPECT_EQ(report.result, CompactionResult::Done) << report.notes;
        EXPECT_FALSE(report.background);
    }
}

}  // namespace
}  // namespace lacuna
