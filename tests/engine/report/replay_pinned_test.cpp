// Replays of sessions with words pinned with a question and between two questions.

#include <gtest/gtest.h>

#include "engine/report/replay.h"
#include "engine/report/report.h"
#include "tests/support/engine_runner.h"

namespace lacuna {
namespace {

using test::EngineRunner;
using test::FakeModels;
using test::lettersOf;

EngineConfig compacting() {
    return withSettings(
               {}, std::vector<std::string>{"method=l2", "compaction_floor=0", "loss_limit=off",
                                            "norm_policy=keydiff", "budget=200", "keep_recent=8",
                                            "n_sink=2", "margin=16", "max_tokens=60",
                                            "prefill_chunk=32", "background=off", "prefix_cache=64",
                                            "prefix_disk=0"})
        .value();
}

Result<ReplayOutcome> replayed(const Recording& recording) {
    FakeModels models;
    models.options = test::roomyModel();
    ReplayOptions options;
    options.makers = models.makers();
    return replay(recording, options);
}

/// Words pinned with the first question, and others between the two.
Recording recordPinned() {
    EngineRunner run(compacting(), test::roomyModel());
    Recorder recorder(run.options.machine, compacting(), 0);
    run.onEvent = [&](const Event& event) { recorder.add(event); };
    run.start();
    EXPECT_TRUE(run.load());
    Submit first{ConversationId(1), {{"user", lettersOf(180, 0)}}, {}};
    first.pins = {{0, 30, 60}};
    run.queue.push(first);
    EXPECT_TRUE(run.waitFor<TurnFinished>());
    const std::vector<ChatMessage> said{{"user", lettersOf(180, 0)},
                                        {"assistant", run.all<TurnFinished>().back().text}};
    run.queue.push(PinText{ConversationId(1), said, {{0, 0, 170}}});
    EXPECT_TRUE(run.waitFor<TextPinned>(2));
    EXPECT_TRUE(run.all<TextPinned>().back().error) << "too many";
    run.queue.push(PinText{ConversationId(1), said, {{0, 60, 120}}});
    EXPECT_TRUE(run.waitFor<TextPinned>(3));
    EXPECT_FALSE(run.all<TextPinned>().back().error);
    Submit second{ConversationId(1), said, {}};
    second.messages.push_back({"user", lettersOf(200, 3)});
    second.pins = {{0, 60, 120}};
    run.queue.push(second);
    EXPECT_TRUE(run.waitFor<TurnFinished>(2));
    run.finish();
    const auto read = recordingFromJson(*parseJson(reportJsonText(recorder.recording())));
    EXPECT_TRUE(read) << (read ? "" : read.error().what);
    return read ? *read : Recording{};
}

TEST(ReplayPinned, pinnedWords_areIdentical_andAffectTheAnswer) {
    const Recording recording = recordPinned();
    const auto pins = std::ranges::count_if(recording.commands, [](const RecordedCommand& one) {
        return std::holds_alternative<PinText>(one.command);
    });
    EXPECT_EQ(pins, 1) << "the one that was refused is no part of it";
    ASSERT_EQ(recording.turns.size(), 2U);
    EXPECT_EQ(recording.turns[0].started.pins, (std::vector<TextPin>{{0, 30, 60}}));
    const auto outcome = replayed(recording);
    ASSERT_TRUE(outcome) << outcome.error().what;
    EXPECT_TRUE(outcome->identical) << outcome->sentence;
    EXPECT_EQ(outcome->compactionsReplayed, outcome->compactionsRecorded);
    EXPECT_GT(outcome->compactionsRecorded, 0);
    Recording without = recording;
    for (RecordedTurn& turn : without.turns) turn.started.pins.clear();
    std::erase_if(without.commands, [](const RecordedCommand& one) {
        return std::holds_alternative<PinText>(one.command);
    });
    EXPECT_FALSE(replayed(without)->identical) << "what was pinned changes the answer";
}

}  // namespace
}  // namespace lacuna
