// Compactions with a loss limit, in a session: they wait for the pause after the answer, in which
// the loss is measured in slices that any command interrupts.

#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>

#include "tests/support/compaction_notes.h"
#include "tests/support/engine_runner.h"

namespace lacuna {
namespace {

using test::DialogueRunner;
using test::FakeModelOptions;

EngineConfig with(const std::string& limit, std::vector<std::string> settings = {}) {
    std::vector<std::string> all{"temperature=0",     "max_tokens=10",      "prefill_chunk=32",
                                 "keep_recent=8",     "n_sink=2",           "margin=8",
                                 "method=l2",         "norm_policy=random", "budget=100",
                                 "compaction_floor=0"};
    all.push_back("loss_limit=" + limit);
    all.insert(all.end(), settings.begin(), settings.end());
    return *withSettings({}, all);
}

std::vector<CompactionReport> reportsOf(const DialogueRunner& dialogue) {
    std::vector<CompactionReport> found;
    for (const auto& one : dialogue.compactions()) found.push_back(one.report);
    return found;
}

TEST(LossLimitSession, compaction_waitsForThePause_andReportsKeptInformation) {
    for (const std::string method : {"l2", "am"}) {
        DialogueRunner dialogue(
            with("0", {"method=" + method, "am_ratio=3", "head_budgets=uniform"}));
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
        const auto happened = dialogue.compactions();
        ASSERT_EQ(happened.size(), 2U) << method;
        EXPECT_EQ(happened[0].report.result, CompactionResult::Started);
        EXPECT_EQ(happened[0].report.notes, CompactionNotes{{CompactionReason::MeasuredFirst}});
        EXPECT_GT(happened[0].report.id, 0);
        EXPECT_EQ(happened[1].report.id, happened[0].report.id);
        EXPECT_EQ(happened[0].at, dialogue.run.all<TurnFinished>()[0].at);
        const CompactionReport& done = happened[1].report;
        EXPECT_EQ(done.result, CompactionResult::Done) << done.notes;
        EXPECT_TRUE(done.background);
        EXPECT_FALSE(done.limited);
        ASSERT_TRUE(done.kept);
        EXPECT_LT(done.kept->all, 1);
        EXPECT_GT(done.kept->worstEnd, done.kept->worstFirst);
        EXPECT_GT(done.measureMs, 0);
        EXPECT_GE(done.backgroundMs, done.measureMs);
        EXPECT_LT(done.slotsAfter, done.slotsBefore);
    }
}

TEST(LossLimitSession, progress_isPublishedInTheEngineState) {
    DialogueRunner dialogue(with("0"));
    dialogue.start();
    dialogue.ask(300);
    dialogue.settle();
    dialogue.ask(40);
    dialogue.settle();
    dialogue.run.finish();
    bool waits = false;
    bool measures = false;
    for (const StepSample& sample : dialogue.run.all<StepSample>()) {
        const CompactionState& state = sample.compaction;
        waits = waits || state.phase == CompactionPhase::MeasuredAfterThisAnswer;
        if (state.phase != CompactionPhase::Measuring) continue;
        measures = true;
        EXPECT_TRUE(state.background);
        EXPECT_LE(state.progress, 1.0);
    }
    EXPECT_TRUE(waits) << "while the answer is written";
    EXPECT_TRUE(measures) << "after it";
    EXPECT_FALSE(dialogue.run.all<StepSample>().back().compaction.background);
}

TEST(LossLimitSession, unreachableLimit_skipsCompaction_andDelaysTheNextMeasurement) {
    DialogueRunner dialogue(with("1"));
    dialogue.start();
    dialogue.ask(300);
    dialogue.settle();
    dialogue.ask(40);
    dialogue.settle();
    ASSERT_EQ(dialogue.compactions().size(), 2U) << "a little more text";
    const CompactionReport skipped = reportsOf(dialogue)[1];
    EXPECT_EQ(skipped.result, CompactionResult::Skipped);
    EXPECT_TRUE(skipped.limited);
    EXPECT_EQ(skipped.slotsAfter, skipped.slotsBefore);
    EXPECT_TRUE(mentions(skipped.notes, CompactionReason::LimitNotReached)) << skipped.notes;
    dialogue.ask(300);
    dialogue.settle();
    dialogue.run.finish();
    EXPECT_EQ(dialogue.compactions().size(), 4U) << "much more text";
}

TEST(LossLimitSession, limitOff_compactsDuringTheAnswer) {
    DialogueRunner dialogue(with("off"));
    dialogue.start();
    dialogue.ask(300);
    dialogue.run.finish();
    ASSERT_GE(dialogue.compactions().size(), 1U);
    EXPECT_EQ(dialogue.compactions()[0].report.result, CompactionResult::Done);
    EXPECT_FALSE(dialogue.compactions()[0].report.background);
    EXPECT_FALSE(dialogue.compactions()[0].report.kept);
}

TEST(LossLimitSession, triAttentionInLongAnswer_compactsDuringIt_andIsMeasuredAfter) {
    DialogueRunner dialogue(
        with("0.5", {"norm_policy=tri_attention", "budget=64", "max_tokens=200"}));
    int inTheAnswer = 0;
    bool answered = false;
    dialogue.run.onEvent = [&](const Event& event) {
        answered = answered || std::holds_alternative<TurnFinished>(event);
        const auto* happened = std::get_if<CompactionHappened>(&event);
        if (answered || happened == nullptr || happened->report.kept) return;
        if (happened->report.result != CompactionResult::Done) return;
        EXPECT_LT(happened->report.slotsAfter, happened->report.slotsBefore);
        ++inTheAnswer;
    };
    dialogue.start();
    dialogue.ask(20);
    dialogue.settle();
    dialogue.run.finish();
    EXPECT_GE(inTheAnswer, 2);
    EXPECT_TRUE(reportsOf(dialogue).back().kept);
}

TEST(LossLimitSession, quantisedCache_isMeasuredAgainstFullCache_andExceedsTheLimit) {
    for (const bool strict : {false, true}) {
        FakeModelOptions wide = test::roomyModel();
        wide.headDim = 64;  // rotated codes do not support smaller heads
        DialogueRunner dialogue(with(strict ? "0.9999" : "0",
                                     {"method=none", "budget=off", "kv_type=t2", "exact_window=0"}),
                                wide);
        dialogue.start();
        dialogue.ask(300);
        ASSERT_TRUE(dialogue.run.waitFor<CompactionHappened>(1));
        const CompactionReport told = reportsOf(dialogue).back();
        EXPECT_EQ(told.result, CompactionResult::Skipped);
        EXPECT_EQ(told.slotsAfter, told.slotsBefore);
        ASSERT_TRUE(told.kept);
        EXPECT_LT(told.kept->all, 0.9999);
        EXPECT_EQ(mentions(told.notes, CompactionReason::CodesExceedLimit), strict) << told.notes;
        dialogue.ask(1);
        dialogue.settle();
        EXPECT_EQ(reportsOf(dialogue).size(), 1U) << "it is measured again when the text has grown";
    }
}

TEST(LossLimitSession, compactNowWhileIdle_isMeasuredToo) {
    DialogueRunner dialogue(with("0", {"budget=250", "margin=250"}));
    dialogue.start();
    dialogue.ask(300);
    EXPECT_TRUE(dialogue.compactions().empty());
    dialogue.run.queue.push(CompactNow{ConversationId(1)});
    ASSERT_TRUE(dialogue.run.waitFor<CompactionHappened>(2));
    const CompactionReport done = reportsOf(dialogue)[1];
    EXPECT_EQ(done.result, CompactionResult::Done) << done.notes;
    EXPECT_EQ(done.cause, CompactionCause::Manual);
    EXPECT_TRUE(done.kept);
}

// A compaction by the cache limit cannot wait. It is measured as soon as there is memory for that.
TEST(LossLimitSession, urgentCompaction_isMeasuredAfterwards) {
    DialogueRunner dialogue(with("0.5", {"budget=off", "cache_limit=0.03"}));
    dialogue.start();
    dialogue.ask(300);
    dialogue.ask(100);
    const auto limited = reportsOf(dialogue);
    ASSERT_FALSE(limited.empty());
    EXPECT_EQ(limited.back().result, CompactionResult::Done) << limited.back().notes;
    EXPECT_EQ(limited.back().cause, CompactionCause::MemoryLimit);
    EXPECT_FALSE(limited.back().kept);
    EXPECT_TRUE(mentions(limited.back().notes, CompactionReason::CacheLimitIgnoresLoss))
        << limited.back().notes;
    dialogue.run.queue.push(SetConfig{Revision(1), with("0.5", {"budget=250", "margin=250"})});
    dialogue.ask(20);
    ASSERT_TRUE(dialogue.run.waitFor<CompactionHappened>(limited.size() + 1));
    const CompactionReport told = reportsOf(dialogue).back();
    EXPECT_EQ(told.result, CompactionResult::Skipped);
    ASSERT_TRUE(told.kept);
    EXPECT_LT(told.kept->all, 1);
    EXPECT_EQ(told.slotsAfter, told.slotsBefore);
    EXPECT_EQ(told.notes, CompactionNotes{{CompactionReason::MeasuredAfterwards}});
}

/// A model whose answers are tokenised back to the same tokens, so that the next question continues
/// the cache.
FakeModelOptions steadyModel() {
    FakeModelOptions steady = test::roomyModel();
    steady.period = 7;
    return steady;
}

/// Counts the forward passes between the end of an answer and the next answer or the end of the
/// compaction. Used on the engine thread.
struct PauseForwards {
    void passed(std::int64_t number) { all = number + 1; }
    void take(const Event& event) {
        const auto* compaction = std::get_if<CompactionHappened>(&event);
        const bool ends =
            compaction != nullptr && compaction->report.result != CompactionResult::Started;
        if (begun && (ends || std::holds_alternative<TurnStarted>(event))) {
            inPauses += all - *begun;
            begun.reset();
        }
        if (std::holds_alternative<TurnFinished>(event)) begun = all;
    }
    std::int64_t all = 0, inPauses = 0;
    std::optional<std::int64_t> begun = std::nullopt;
};

/// A dialogue whose engine stops within a measurement until it is released.
struct HeldMeasuring {
    // Ten chunks of the prompt and ten tokens of the answer; then the text is repeated.
    static constexpr std::int64_t kHeldAt = 26;

    explicit HeldMeasuring(const EngineConfig& config = with("0"))
        : dialogue(config, steadyModel()) {
        dialogue.run.onEvent = [this](const Event& event) { forwards.take(event); };
        dialogue.run.models.inside = [this](std::int64_t number) {
            forwards.passed(number);
            if (number != kHeldAt || over.exchange(true)) return;
            reached.release();
            runSlice.acquire();
        };
        dialogue.start();
        dialogue.ask(300);
        EXPECT_TRUE(reached.try_acquire_for(std::chrono::seconds(10)));
        EXPECT_EQ(reportsOf(dialogue).size(), 1U);
    }
    ~HeldMeasuring() {
        over = true;
        runSlice.release();
        dialogue.run.finish();
    }
    void interrupt(Command command) {
        dialogue.run.queue.push(std::move(command));
        runSlice.release();
    }
    void expectAborted(CompactionReason reason) {
        ASSERT_TRUE(dialogue.run.waitFor<CompactionHappened>(2));
        const CompactionReport aborted = reportsOf(dialogue)[1];
        EXPECT_EQ(aborted.result, CompactionResult::Aborted);
        EXPECT_EQ(aborted.notes, CompactionNotes{{reason}});
        EXPECT_EQ(aborted.slotsAfter, aborted.slotsBefore);
    }

    PauseForwards forwards;
    DialogueRunner dialogue;
    std::binary_semaphore reached{0};
    std::binary_semaphore runSlice{0};
    std::atomic<bool> over{false};
};

TEST(LossLimitSession, submit_isAnsweredFirst_andTheMeasurementResumesInTheNextPause) {
    const std::vector<std::vector<std::string>> all{
        {"method=l2"},
        {"method=l2", "norm_policy=accumulated_attention"},
        {"method=l2", "norm_policy=reconstruct"},  // reads the text again first
        {"method=am", "am_ratio=3", "background=off", "head_budgets=uniform"}};
    for (const auto& settings : all) {
        SCOPED_TRACE(settings.back());
        const EngineConfig config = with("0", settings);
        PauseForwards without;
        DialogueRunner whole(config, steadyModel());
        whole.run.onEvent = [&](const Event& event) { without.take(event); };
        whole.run.models.inside = [&](std::int64_t number) { without.passed(number); };
        whole.start();
        whole.ask(300);
        ASSERT_TRUE(whole.run.waitFor<CompactionHappened>(2));
        whole.run.finish();
        const CompactionReport wanted = reportsOf(whole)[1];
        ASSERT_EQ(wanted.result, CompactionResult::Done) << wanted.notes;
        ASSERT_GT(without.inPauses, 7);

        HeldMeasuring held(config);
        DialogueRunner& dialogue = held.dialogue;
        dialogue.messages.push_back({"user", "and then?"});
        held.interrupt(Submit{ConversationId(1), dialogue.messages, {}});
        ASSERT_TRUE(dialogue.run.waitFor<TurnFinished>(2));
        ASSERT_TRUE(dialogue.run.waitFor<CompactionHappened>(2));
        EXPECT_GT(dialogue.run.all<TurnStarted>()[1].reusedTokens, 300) << "nothing was lost";
        const auto told = reportsOf(dialogue);
        EXPECT_EQ(told[1].result, CompactionResult::Done) << told[1].notes;
        EXPECT_EQ(told[1].id, told[0].id);
        EXPECT_EQ(told[1].tokens, wanted.tokens) << "of the text that was measured";
        EXPECT_EQ(told[1].kept, wanted.kept);
        EXPECT_LT(told[1].slotsAfter, told[1].slotsBefore);
        EXPECT_EQ(dialogue.compactions()[1].at.turn, 2) << "after the second answer";
        EXPECT_EQ(held.forwards.inPauses, without.inPauses + 1)
            << "only the interrupted pass is repeated";
        bool waits = false;
        for (const StepSample& sample : dialogue.run.all<StepSample>())
            waits = waits || (sample.compaction.background &&
                              sample.compaction.phase == CompactionPhase::MeasuredAfterThisAnswer);
        EXPECT_TRUE(waits) << "while the second answer is written";
    }
}

TEST(LossLimitSession, editedQuestion_cancelsTheMeasurement) {
    HeldMeasuring held;
    const std::string other = test::lettersOf(150) + test::lettersOf(150, 5);
    held.interrupt(Submit{ConversationId(1), {{"user", other}}, {}});
    held.expectAborted(CompactionReason::ConversationRolledBack);
}

TEST(LossLimitSession, cacheLimit_cancelsAPausedMeasurementBeforeAnythingElse) {
    // The limit has room for both turns, but not for another copy of the first one.
    HeldMeasuring held(with("0", {"cache_limit=0.12", "prefix_cache=0"}));
    DialogueRunner& dialogue = held.dialogue;
    dialogue.messages.push_back({"user", test::lettersOf(400, 3)});
    held.interrupt(Submit{ConversationId(1), dialogue.messages, {}});
    held.expectAborted(CompactionReason::MemoryRanOut);
}

TEST(LossLimitSession, otherCommand_interruptsASlice_andTheMeasurementResumes) {
    HeldMeasuring held;
    held.interrupt(Submit{ConversationId(2), {{"user", "hello"}}, {}});
    ASSERT_TRUE(held.dialogue.run.waitFor<TurnFinished>(2));
    ASSERT_TRUE(held.dialogue.run.waitFor<CompactionHappened>(2));
    const CompactionReport done = reportsOf(held.dialogue)[1];
    EXPECT_EQ(done.result, CompactionResult::Done) << done.notes;
    DialogueRunner whole(with("0"), steadyModel());
    whole.start();
    whole.ask(300);
    whole.settle();
    EXPECT_EQ(done.kept, reportsOf(whole)[1].kept) << "as without the interruption";
}

TEST(LossLimitSession, cancelAndChangedSettings_abortTheMeasurement) {
    {
        HeldMeasuring held;
        held.interrupt(CancelTurn{ConversationId(1)});
        held.expectAborted(CompactionReason::Stopped);
    }
    HeldMeasuring held;
    held.interrupt(SetConfig{Revision(1), with("0", {"budget=90"})});
    held.expectAborted(CompactionReason::SettingsChanged);
}

}  // namespace
}  // namespace lacuna
