// Sessions with passes for queries and with compaction one turn late come out the same again.

#include <gtest/gtest.h>

#include "engine/report/replay.h"
#include "engine/report/report.h"
#include "tests/support/engine_runner.h"

namespace lacuna {
namespace {

using test::DialogueRunner;
using test::FakeModels;

EngineConfig with(const std::vector<std::string>& more) {
    std::vector<std::string> settings{"method=am",        "max_tokens=40",  "seed=5",
                                      "prefill_chunk=32", "keep_recent=8",  "n_sink=2",
                                      "margin=16",        "background=off", "temperature=0.7"};
    settings.insert(settings.end(), more.begin(), more.end());
    return *withSettings({}, settings);
}

/// Three questions, recorded and read back from the report.
Recording recorded(const EngineConfig& config,
                   const std::function<void(DialogueRunner&)>& hooks = {}) {
    DialogueRunner dialogue(config);
    Recorder recorder(dialogue.run.machine, config, 0);
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
    models.options = DialogueRunner::roomy();
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

TEST(ReplayQueries, evictionOneTurnLate_isIdentical) {
    const Recording recording =
        recorded(with({"method=l2", "budget=150", "compact_when=turn_late"}));
    const ReplayOutcome outcome = replayed(recording);
    EXPECT_TRUE(outcome.identical) << outcome.sentence;
    EXPECT_GT(outcome.compactionsRecorded, 0);
}

TEST(ReplayQueries, besideTheAnswer_isIdentical) {
    for (const std::string when : {"at_budget", "turn_late"}) {
        const Recording recording =
            recorded(with({"query_source=context", "background=on", "compact_when=" + when}));
        const ReplayOutcome outcome = replayed(recording);
        EXPECT_TRUE(outcome.identical) << when << ": " << outcome.sentence;
        EXPECT_GT(outcome.compactionsRecorded, 0) << when;
    }
}

// The cache of the second answer was not compacted when it began, and is not in the replay.
TEST(ReplayQueries, passBrokenOff_isBrokenOffAgain) {
    const Recording recording =
        recorded(with({"query_source=context"}), [](DialogueRunner& dialogue) {
            dialogue.run.models.inside = [&dialogue](std::int64_t number) {
                if (number == 13) dialogue.run.queue.push(CancelTurn{});
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
