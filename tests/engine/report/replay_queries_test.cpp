// Sessions with query passes and with compaction one turn late replay identically.

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "engine/report/replay.h"
#include "engine/report/report.h"
#include "tests/support/compaction_notes.h"
#include "tests/support/engine_runner.h"

namespace lacuna {
namespace {

using test::DialogueRunner;
using test::FakeModels;
using test::HoldingSource;

EngineConfig with(const std::vector<std::string>& more) {
    std::vector<std::string> settings{
        "method=am", "compaction_floor=0", "loss_limit=off", "max_tokens=40",
        "seed=5",    "prefill_chunk=32",   "keep_recent=8",  "n_sink=2",
        "margin=16", "background=off",     "temperature=0.7"};
    settings.insert(settings.end(), more.begin(), more.end());
    return *withSettings({}, settings);
}

/// Returns three questions, recorded and read back from the report.
Recording recorded(const EngineConfig& config,
                   const std::function<void(DialogueRunner&)>& hooks = {}) {
    DialogueRunner dialogue(config);
    Recorder recorder(dialogue.run.options.machine, config, 0);
    dialogue.run.onEvent = [&](const Event& event) { recorder.add(event); };
    if (hooks) hooks(dialogue);
    dialogue.start();
    for (const int letters : {300, 60, 60}) {
        dialogue.ask(letters);
        dialogue.settle();
    }
    dialogue.run.finish();
    const auto read = recordingFromJson(*parseJson(reportJsonText(recorder.recording())));
    EXPECT_TRUE(read) << read.error().what;
    return *read;
}

ReplayOutcome replayed(const Recording& recording, std::optional<int> threads = std::nullopt) {
    FakeModels models;
    models.options = test::roomyModel();
    ReplayOptions options;
    options.makers = models.makers();
    options.threads = threads;
    const auto outcome = replay(recording, options);
    EXPECT_TRUE(outcome) << outcome.error().what;
    return *outcome;
}

TEST(ReplayQueries, everySourceAndMoment_isIdentical) {
    for (const std::string source : {"captured", "context", "repeat", "random"}) {
        for (const std::string when : {"at_budget", "turn_late"}) {
            const Recording recording =
                recorded(with({"query_source=" + source, "compact_when=" + when}));
            const ReplayOutcome outcome = replayed(recording);
            EXPECT_TRUE(outcome.identical) << source << ' ' << when << ": " << outcome.sentence;
            EXPECT_EQ(outcome.turns, 3);
            EXPECT_GT(outcome.compactionsRecorded, 0) << source << ' ' << when;
            EXPECT_EQ(outcome.compactionsReplayed, outcome.compactionsRecorded);
            EXPECT_TRUE(replayed(recording, 3).identical) << source << ' ' << when;
        }
    }
}

TEST(ReplayQueries, lateEviction_isIdentical) {
    const Recording recording = recorded(with({"method=l2", "compaction_floor=0", "loss_limit=off",
                                               "budget=150", "compact_when=turn_late"}));
    const ReplayOutcome outcome = replayed(recording);
    EXPECT_TRUE(outcome.identical) << outcome.sentence;
    EXPECT_GT(outcome.compactionsRecorded, 0);
}

TEST(ReplayQueries, backgroundCompaction_isIdentical) {
    for (const std::string when : {"at_budget", "turn_late"}) {
        const Recording recording =
            recorded(with({"query_source=context", "background=on", "compact_when=" + when}));
        const ReplayOutcome outcome = replayed(recording);
        EXPECT_TRUE(outcome.identical) << when << ": " << outcome.sentence;
        EXPECT_GT(outcome.compactionsRecorded, 0) << when;
    }
}

/// Returns a hook for the pause after the first answer: within a reading, the engine's own thread
/// pushes `does` before the forward pass continues.
std::function<void(DialogueRunner&)> inTheReading(std::vector<Command> does) {
    return [does = std::move(does)](DialogueRunner& dialogue) {
        const auto finished = std::make_shared<std::atomic<int>>(0);
        const auto done = std::make_shared<std::atomic<bool>>(false);
        auto record = dialogue.run.onEvent;
        dialogue.run.onEvent = [record, finished](const Event& event) {
            record(event);
            if (std::holds_alternative<TurnFinished>(event)) finished->store(1);
        };
        dialogue.run.models.inside = [&dialogue, does, finished, done](std::int64_t) {
            // After some chunks.
            if (finished->load() == 0 || finished->fetch_add(1) < 12 || done->exchange(true))
                return;
            for (const Command& command : does) dialogue.run.queue.push(command);
        };
    };
}

std::vector<CompactionResult> resultsOf(const Recording& recording) {
    std::vector<CompactionResult> results;
    for (const auto& one : recording.compactions) results.push_back(one.report.result);
    return results;
}

EngineConfig readingBeside(const std::string& method) {
    if (method == "am")
        return with({"background=on", "head_budgets=reconstruction", "query_source=repeat"});
    return with({"background=on", "method=l2", "compaction_floor=0", "loss_limit=off",
                 "norm_policy=reconstruct", "budget=120"});
}

TEST(ReplayQueries, rereadInPauses_isIdentical) {
    for (const std::string method : {"am", "l2"}) {
        const Recording recording = recorded(readingBeside(method));
        const ReplayOutcome outcome = replayed(recording);
        EXPECT_TRUE(outcome.identical) << method << ": " << outcome.sentence;
        EXPECT_GT(outcome.compactionsRecorded, 0) << method;
        EXPECT_EQ(outcome.compactionsReplayed, outcome.compactionsRecorded) << method;
        EXPECT_TRUE(replayed(recording, 3).identical) << method;
    }
}

TEST(ReplayQueries, rereadCancelledInAPause_isCancelledThereAgain) {
    for (const std::string method : {"am", "l2"}) {
        const Recording recording =
            recorded(readingBeside(method), inTheReading({CancelTurn{ConversationId(1)}}));
        ASSERT_GT(recording.compactions.size(), 2U);
        EXPECT_EQ(recording.compactions[1].report.result, CompactionResult::Aborted) << method;
        const ReplayOutcome outcome = replayed(recording);
        EXPECT_TRUE(outcome.identical) << method << ": " << outcome.sentence;
        EXPECT_GT(outcome.compactionsRecorded, 0) << method;
        EXPECT_EQ(outcome.compactionsReplayed, outcome.compactionsRecorded) << method;
    }
}

// The stop and the request after it take effect at the same safe point.
TEST(ReplayQueries, rereadCancelled_thenRequestedManually_isIdentical) {
    for (const std::string method : {"am", "l2"}) {
        const EngineConfig config = readingBeside(method);
        DialogueRunner dialogue(config);
        Recorder recorder(dialogue.run.options.machine, config, 0);
        dialogue.run.onEvent = [&](const Event& event) { recorder.add(event); };
        inTheReading({CancelTurn{ConversationId(1)}, CompactNow{ConversationId(1)}})(dialogue);
        dialogue.start();
        dialogue.ask(300);
        ASSERT_TRUE(dialogue.run.waitFor<CompactionHappened>(4)) << method;
        dialogue.ask(60);
        dialogue.run.finish();
        const Recording recording = recorder.recording();
        const std::vector<CompactionResult> found = resultsOf(recording);
        EXPECT_EQ(found[0], CompactionResult::Started) << method;
        EXPECT_EQ(found[1], CompactionResult::Aborted) << method;
        EXPECT_EQ(found[2], CompactionResult::Started) << method;
        EXPECT_EQ(found[3], CompactionResult::Done) << method;
        const ReplayOutcome outcome = replayed(recording);
        EXPECT_TRUE(outcome.identical) << method << ": " << outcome.sentence;
        EXPECT_EQ(outcome.compactionsReplayed, outcome.compactionsRecorded) << method;
    }
}

// The question that cancels the reading also comes in another conversation's pause.
TEST(ReplayQueries, rereadCancelledBySubmit_isCancelledThereAgain) {
    for (const std::string method : {"am", "l2"}) {
        const EngineConfig config = readingBeside(method);
        DialogueRunner dialogue(config);
        Recorder recorder(dialogue.run.options.machine, config, 0);
        dialogue.run.onEvent = [&](const Event& event) { recorder.add(event); };
        inTheReading({Submit{ConversationId(1), {{"user", "something else"}}, {}}})(dialogue);
        dialogue.start();
        dialogue.ask(300);
        ASSERT_TRUE(dialogue.run.waitFor<TurnFinished>(2));
        dialogue.answers = 2;
        dialogue.messages = {{"user", std::string(300, 'q')}};
        dialogue.again();
        dialogue.settle();
        dialogue.ask(40);
        dialogue.settle();
        dialogue.run.finish();
        const Recording recording = recorder.recording();
        ASSERT_GT(recording.compactions.size(), 2U);
        EXPECT_EQ(recording.compactions[1].report.result, CompactionResult::Aborted) << method;
        const ReplayOutcome outcome = replayed(recording);
        EXPECT_TRUE(outcome.identical) << method << ": " << outcome.sentence;
        EXPECT_GT(outcome.compactionsRecorded, 0) << method;
        EXPECT_EQ(outcome.compactionsReplayed, outcome.compactionsRecorded) << method;
    }
}

// The text was read in the pause, and the fit was applied during the next answer.
TEST(ReplayQueries, rereadInAPause_adoptedInTheNextTurn_isIdentical) {
    const EngineConfig config = readingBeside("am");
    // Text that is tokenised back to the same tokens, so that the next question reuses the cache.
    test::FakeModelOptions steady = test::roomyModel();
    steady.period = 7;
    DialogueRunner dialogue(config, steady);
    HoldingSource source(dialogue.run.queue);
    source.holds = false;
    dialogue.run.source = &source;
    Recorder recorder(dialogue.run.options.machine, config, 0);
    std::atomic<bool> fits{false};
    dialogue.run.onEvent = [&](const Event& event) {
        recorder.add(event);
        const auto* sample = std::get_if<StepSample>(&event);
        if (sample != nullptr && !fits && sample->compaction.phase == CompactionPhase::Compacting)
            source.holds = fits = true;
        const auto* text = std::get_if<TokenText>(&event);
        if (text != nullptr && text->turn == 2 && text->index == 5) source.holds = false;
    };
    dialogue.start();
    dialogue.ask(300);
    while (!fits) std::this_thread::yield();
    dialogue.ask(60);
    dialogue.settle();
    dialogue.run.finish();
    const Recording recording = recorder.recording();
    ASSERT_GE(recording.compactions.size(), 2U);
    ASSERT_EQ(recording.compactions[1].report.result, CompactionResult::Done)
        << recording.compactions[1].report.notes;
    FakeModels models;
    models.options = steady;
    ReplayOptions options;
    options.makers = models.makers();
    const ReplayOutcome outcome = replay(recording, options).value();
    EXPECT_TRUE(outcome.identical) << outcome.sentence;
    EXPECT_GT(outcome.compactionsRecorded, 0);
    EXPECT_EQ(outcome.compactionsReplayed, outcome.compactionsRecorded);
}

// The cache of the second answer was not compacted at its start and is not part of the replay.
TEST(ReplayQueries, abortedPass_isAbortedAgain) {
    const Recording recording =
        recorded(with({"query_source=context"}), [](DialogueRunner& dialogue) {
            dialogue.run.models.inside = [&dialogue](std::int64_t number) {
                // In the pass at the end of the first answer.
                if (number == 60) dialogue.run.queue.push(CancelTurn{});
            };
        });
    ASSERT_FALSE(recording.compactions.empty());
    ASSERT_EQ(recording.compactions[0].report.result, CompactionResult::Aborted);
    const ReplayOutcome outcome = replayed(recording);
    EXPECT_TRUE(outcome.identical) << outcome.sentence;
    EXPECT_EQ(outcome.compactionsReplayed, outcome.compactionsRecorded);
    EXPECT_GT(outcome.compactionsRecorded, 0);
}

}  // namespace
}  // namespace lacuna
