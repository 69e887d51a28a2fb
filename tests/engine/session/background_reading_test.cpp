// Compactions that need another reading of their text, in a session: answers do not wait for the
// reading. It runs in the pauses between answers, is reported, and is cancelled by any other work.

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <semaphore>

#include "tests/support/compaction_notes.h"
#include "tests/support/engine_runner.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

using test::DialogueRunner;

EngineConfig with(std::vector<std::string> settings, const std::vector<std::string>& more = {}) {
    settings.insert(settings.end(), {"temperature=0", "max_tokens=10", "prefill_chunk=32",
                                     "keep_recent=8", "n_sink=2", "background=on"});
    settings.insert(settings.end(), more.begin(), more.end());
    return *withSettings({}, settings);
}

EngineConfig evicting(const std::vector<std::string>& more = {}) {
    return with({"method=l2", "compaction_floor=0", "loss_limit=off", "norm_policy=reconstruct",
                 "budget=100"},
                more);
}

/// Settings that need a repetition for the heads' shares and another reading for the queries.
EngineConfig matching(const std::vector<std::string>& more = {}) {
    return with({"method=am", "compaction_floor=0", "loss_limit=off", "head_budgets=reconstruction",
                 "query_source=context"},
                more);
}

/// A dialogue whose engine stops within a reading until it is released.
struct HeldReading {
    // Ten chunks of the prompt and ten tokens of the answer; the reading follows.
    static constexpr std::int64_t kHeldAt = 26;

    explicit HeldReading(const EngineConfig& config = evicting()) : dialogue(config) {
        dialogue.run.models.inside = [this](std::int64_t number) {
            if (number != kHeldAt || over.exchange(true)) return;
            reached.release();
            runSlice.acquire();
        };
        dialogue.start();
        dialogue.ask(300);
        EXPECT_TRUE(reached.try_acquire_for(std::chrono::seconds(10)));
        EXPECT_EQ(reports().size(), 1U);
        EXPECT_EQ(reports().back().result, CompactionResult::Started);
    }
    ~HeldReading() {
        over = true;
        runSlice.release();
        dialogue.run.finish();
    }
    /// Pushes a command during the reading and waits for its effect.
    void interrupt(Command command) {
        dialogue.run.queue.push(std::move(command));
        runSlice.release();
    }
    void expectCancelled(CompactionReason reason) {
        ASSERT_TRUE(dialogue.run.waitFor<CompactionHappened>(2));
        const CompactionReport broken = reports()[1];
        EXPECT_EQ(broken.result, CompactionResult::Aborted);
        EXPECT_EQ(broken.notes, CompactionNotes{{reason}});
        EXPECT_TRUE(broken.background);
        EXPECT_EQ(broken.slotsAfter, broken.slotsBefore);
    }
    [[nodiscard]] std::vector<CompactionReport> reports() const {
        std::vector<CompactionReport> found;
        for (const auto& one : dialogue.compactions()) found.push_back(one.report);
        return found;
    }

    DialogueRunner dialogue;
    std::binary_semaphore reached{0};
    std::binary_semaphore runSlice{0};
    std::atomic<bool> over{false};
};

TEST(BackgroundReading, answer_finishesBeforeRereadingStarts) {
    for (const EngineConfig& config : {evicting(), matching()}) {
        DialogueRunner dialogue(config);
        std::int64_t forwards = 0;
        std::int64_t atTheEnd = 0;
        dialogue.run.models.inside = [&](std::int64_t number) { forwards = number; };
        dialogue.run.onEvent = [&](const Event& event) {
            if (std::holds_alternative<TurnFinished>(event)) atTheEnd = forwards;
        };
        dialogue.start();
        dialogue.ask(300);
        dialogue.settle();
        dialogue.run.finish();
        EXPECT_EQ(atTheEnd, 19) << "ten chunks of the prompt and ten tokens, from 0";
        EXPECT_GT(forwards, atTheEnd + 10) << "then a repetition of the text in the cache";
        const auto happened = dialogue.compactions();
        ASSERT_EQ(happened.size(), 2U);
        EXPECT_EQ(happened[0].report.result, CompactionResult::Started);
        EXPECT_EQ(happened[0].at, dialogue.run.all<TurnFinished>()[0].at);
        const CompactionReport& done = happened[1].report;
        EXPECT_EQ(done.result, CompactionResult::Done) << done.notes;
        EXPECT_TRUE(mentions(done.notes, CompactionReason::ScoredByRepetition)) << done.notes;
        EXPECT_TRUE(done.background);
        EXPECT_GT(done.queriesMs, 0);
        EXPECT_GE(done.backgroundMs, done.queriesMs);
        EXPECT_LT(done.slotsAfter, done.slotsBefore);
    }
}

TEST(BackgroundReading, progress_isPublishedWhileIdle) {
    DialogueRunner dialogue(evicting({"margin=8"}));
    dialogue.start();
    dialogue.ask(300);
    dialogue.settle();
    dialogue.ask(40);
    dialogue.settle();
    dialogue.run.finish();
    bool waits = false;
    bool reads = false;
    for (const StepSample& sample : dialogue.run.all<StepSample>()) {
        const CompactionState& state = sample.compaction;
        waits = waits || state.phase == CompactionPhase::ReadAfterThisAnswer;
        if (state.phase != CompactionPhase::Reading) continue;
        reads = reads || state.progress > 0;
        EXPECT_TRUE(state.background);
        EXPECT_LE(state.progress, 1.0);
    }
    EXPECT_TRUE(waits) << "while the answer is written";
    EXPECT_TRUE(reads) << "after it";
    EXPECT_FALSE(dialogue.run.all<StepSample>().back().compaction.background);
}

std::string savedCache(const EngineConfig& config) {
    const test::TemporaryFolder folder;
    const auto path = folder.path() / "saved";
    DialogueRunner dialogue(config);
    dialogue.start();
    dialogue.ask(300);
    EXPECT_TRUE(dialogue.compactions().empty());
    dialogue.run.queue.push(CompactNow{ConversationId(1)});
    EXPECT_TRUE(dialogue.run.waitFor<CompactionHappened>());
    dialogue.settle();
    EXPECT_EQ(dialogue.compactions().back().report.result, CompactionResult::Done)
        << dialogue.compactions().back().report.notes;
    EXPECT_EQ(dialogue.compactions().back().report.cause, CompactionCause::Manual);
    EXPECT_EQ(dialogue.compactions().size(), config.kv.background ? 2U : 1U);
    dialogue.run.queue.push(SavePromptCache{ConversationId(1), path});
    EXPECT_TRUE(dialogue.run.waitFor<PromptCacheMoved>());
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(BackgroundReading, manualCompaction_givesSameCacheAsImmediateCompaction) {
    for (const bool matches : {false, true}) {
        const auto settings = [matches](const std::string& own) {
            return matches ? matching({"margin=4000", own})
                           : evicting({"budget=250", "margin=250", own});
        };
        const std::string atOnce = savedCache(settings("background=off"));
        ASSERT_FALSE(atOnce.empty());
        for (const std::string chunk : {"prefill_chunk=32", "prefill_chunk=9"})
            EXPECT_TRUE(savedCache(settings(chunk)) == atOnce) << chunk;
    }
}

TEST(BackgroundReading, submit_cancelsRereading_andItRestartsInTheNextPause) {
    for (const EngineConfig& config : {evicting(), matching()}) {
        HeldReading held(config);
        DialogueRunner& dialogue = held.dialogue;
        dialogue.messages.push_back({"user", "and then?"});
        held.interrupt(Submit{ConversationId(1), dialogue.messages, {}});
        held.expectCancelled(CompactionReason::ReadingAfterAnswer);
        ASSERT_TRUE(dialogue.run.waitFor<TurnFinished>(2));
        ASSERT_TRUE(dialogue.run.waitFor<CompactionHappened>(4));
        const auto told = held.reports();
        EXPECT_GT(dialogue.run.all<TurnStarted>()[1].reusedTokens, 300) << "nothing was lost";
        EXPECT_EQ(told[2].result, CompactionResult::Started);
        EXPECT_EQ(told[3].result, CompactionResult::Done) << told[3].notes;
        EXPECT_GT(told[3].tokens, told[1].tokens);
        EXPECT_LT(told[3].slotsAfter, told[3].slotsBefore);
    }
}

TEST(BackgroundReading, cancel_endsRereadingUntilTheNextAnswerEnds) {
    HeldReading held;
    held.interrupt(CancelTurn{ConversationId(1)});
    held.expectCancelled(CompactionReason::Stopped);
    held.dialogue.ask(40);
    ASSERT_TRUE(held.dialogue.run.waitFor<CompactionHappened>(4));
    EXPECT_EQ(held.reports()[3].result, CompactionResult::Done) << held.reports()[3].notes;
}

TEST(BackgroundReading, cancelInAnotherConversation_keepsRereading) {
    HeldReading held;
    held.interrupt(CancelTurn{ConversationId(2)});
    ASSERT_TRUE(held.dialogue.run.waitFor<CompactionHappened>(2));
    EXPECT_EQ(held.reports()[1].result, CompactionResult::Done) << held.reports()[1].notes;
}

TEST(BackgroundReading, changedSettings_cancelRereading) {
    HeldReading held;
    held.interrupt(SetConfig{Revision(1), evicting({"budget=90"})});
    held.expectCancelled(CompactionReason::SettingsChanged);
}

TEST(BackgroundReading, releasedConversation_cancelsRereading) {
    HeldReading held;
    held.interrupt(ReleaseConversation{ConversationId(1)});
    held.expectCancelled(CompactionReason::ConversationDropped);
}

TEST(BackgroundReading, unloadedModel_cancelsRereading) {
    HeldReading held;
    held.interrupt(UnloadModel{});
    held.expectCancelled(CompactionReason::ModelReleased);
}

TEST(BackgroundReading, submitInAnotherConversation_isAnsweredFirst_andRereadingResumes) {
    HeldReading held;
    held.interrupt(Submit{ConversationId(2), {{"user", "hello"}}, {}});
    ASSERT_TRUE(held.dialogue.run.waitFor<TurnFinished>(2));
    ASSERT_TRUE(held.dialogue.run.waitFor<CompactionHappened>(2));
    const auto events = held.dialogue.run.events();
    std::vector<std::string> order;
    for (const Event& event : events) {
        if (std::holds_alternative<TurnFinished>(event)) order.emplace_back("answer");
        if (const auto* one = std::get_if<CompactionHappened>(&event))
            order.emplace_back(keyOf(one->report.result));
    }
    EXPECT_EQ(order, (std::vector<std::string>{"started", "answer", "answer", "done"}));
}

TEST(BackgroundReading, secondManualRequest_duringRereading_isRefused) {
    HeldReading held;
    held.interrupt(CompactNow{ConversationId(1)});
    ASSERT_TRUE(held.dialogue.run.waitFor<CompactionHappened>(3));
    EXPECT_EQ(held.reports()[1].result, CompactionResult::Skipped);
    EXPECT_EQ(held.reports()[1].notes, CompactionNotes{{CompactionReason::AlreadyRunning}});
    EXPECT_EQ(held.reports()[2].result, CompactionResult::Done);
}

TEST(BackgroundReading, allocationFailure_fallsBackToNextQuerySource_andReportsIt) {
    for (const bool matches : {false, true}) {
        DialogueRunner dialogue(matches ? matching() : evicting());
        std::atomic<bool> refuses{false};
        dialogue.run.models.refuse = [&](const BatchRun&) { return refuses.load(); };
        dialogue.run.onEvent = [&](const Event& event) {
            if (std::holds_alternative<TurnFinished>(event)) refuses = true;
        };
        dialogue.start();
        dialogue.ask(300);
        dialogue.settle();
        dialogue.run.finish();
        ASSERT_EQ(dialogue.compactions().size(), 2U);
        const CompactionReport done = dialogue.compactions()[1].report;
        EXPECT_EQ(done.result, CompactionResult::Done) << done.notes;
        EXPECT_LT(done.slotsAfter, done.slotsBefore);
        EXPECT_TRUE(mentions(done.notes, CompactionReason::NoRepetitionScores)) << done.notes;
        EXPECT_TRUE(mentions(done.notes, matches ? CompactionReason::TooFewQueriesToMatch
                                                 : CompactionReason::KeyDiffInstead))
            << done.notes;
    }
}

// The answer far exceeds the budget; a limit on memory must not wait for a pause.
TEST(BackgroundReading, totalCacheLimit_compactsImmediately_withNextQuerySource) {
    // 128 bytes per token; 340 tokens are 42.5 KiB.
    DialogueRunner dialogue(evicting({"cache_limit=0.045", "max_tokens=60"}));
    dialogue.start();
    dialogue.ask(300);
    dialogue.run.finish();
    const auto happened = dialogue.compactions();
    ASSERT_FALSE(happened.empty());
    const CompactionReport& forced = happened[0].report;
    EXPECT_EQ(forced.cause, CompactionCause::MemoryLimit);
    EXPECT_EQ(forced.result, CompactionResult::Done) << forced.notes;
    EXPECT_LT(forced.slotsAfter, forced.slotsBefore);
    EXPECT_TRUE(tellsError(forced.notes, "no forward pass is possible now")) << forced.notes;
    EXPECT_EQ(dialogue.run.all<TurnFinished>()[0].reason, FinishReason::Length);
}

TEST(BackgroundReading, triggerBetweenPromptChunks_rereadsImmediately) {
    DialogueRunner dialogue(evicting({"prefill_policy=per_chunk", "margin=8"}));
    dialogue.start();
    dialogue.ask(60);
    ASSERT_TRUE(dialogue.compactions().empty());
    dialogue.ask(300);
    dialogue.run.finish();
    ASSERT_FALSE(dialogue.compactions().empty());
    const CompactionReport first = dialogue.compactions()[0].report;
    EXPECT_EQ(first.result, CompactionResult::Done) << first.notes;
    EXPECT_FALSE(first.background);
    EXPECT_LT(first.tokens, 300);
}

TEST(BackgroundReading, drafting_continuesWhileRereadingIsPending) {
    test::FakeModelOptions steady = test::roomyModel();
    steady.period = 7;
    DialogueRunner dialogue(evicting({"draft_tokens=4", "max_tokens=40"}), steady);
    dialogue.start();
    dialogue.ask(300);
    dialogue.settle();
    dialogue.run.finish();
    EXPECT_GT(dialogue.run.all<TurnFinished>()[0].stats.acceptedTokens, 0);
    EXPECT_EQ(dialogue.compactions().back().report.result, CompactionResult::Done);
}

}  // namespace
}  // namespace lacuna
