// Replays of sessions with restored tokens, including tokens that are no longer stored.

#include <gtest/gtest.h>

#include <thread>

#include "engine/report/replay.h"
#include "engine/report/report.h"
#include "tests/support/engine_runner.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

using test::EngineRunner;
using test::FakeModels;
using test::lettersOf;

EngineConfig with(std::vector<std::string> more) {
    std::vector<std::string> settings{
        "method=l2",     "compaction_floor=0", "loss_limit=off", "norm_policy=keydiff",
        "budget=96",     "keep_recent=8",      "n_sink=2",       "margin=16",
        "max_tokens=60", "prefill_chunk=32",   "background=off", "prefix_cache=64",
        "prefix_disk=0"};
    settings.insert(settings.end(), more.begin(), more.end());
    return withSettings({}, settings).value();
}

/// Two questions with a restored span between them, and one refused request.
Recording record(const EngineConfig& config, const std::filesystem::path& folder = {}) {
    EngineRunner run(config, test::roomyModel());
    run.options.prefixFolder = folder;
    Recorder recorder(run.options.machine, config, 0);
    run.onEvent = [&](const Event& event) { recorder.add(event); };
    run.start();
    EXPECT_TRUE(run.load());
    run.submit(1, lettersOf(500, 0));
    EXPECT_TRUE(run.waitFor<TurnFinished>());
    for (int i = 0; i < 500 && !folder.empty(); ++i) {
        const auto said = run.all<PrefixCacheChanged>();
        if (!said.empty() && said.back().disk.queued == 0 && said.back().disk.bytes > 0) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    run.queue.push(BringBack{ConversationId(1), 100, 4000});
    EXPECT_TRUE(run.waitFor<SpanRestored>(1));
    run.queue.push(BringBack{ConversationId(1), 150, 20});
    EXPECT_TRUE(run.waitFor<SpanRestored>(3));
    EXPECT_FALSE(run.all<SpanRestored>().back().error);
    run.submit(1, {{"user", lettersOf(500, 0)},
                   {"assistant", run.all<TurnFinished>().back().text},
                   {"user", lettersOf(150, 3)}});
    EXPECT_TRUE(run.waitFor<TurnFinished>(2));
    EXPECT_EQ(run.all<TurnFinished>().back().reason, FinishReason::Length);
    run.finish();
    const auto read = recordingFromJson(*parseJson(reportJsonText(recorder.recording())));
    EXPECT_TRUE(read) << (read ? "" : read.error().what);
    return read ? *read : Recording{};
}

Result<ReplayOutcome> replayed(const Recording& recording) {
    FakeModels models;
    models.options = test::roomyModel();
    ReplayOptions options;
    options.makers = models.makers();
    return replay(recording, options);
}

std::int64_t restoresIn(const Recording& recording) {
    return std::ranges::count_if(recording.commands, [](const RecordedCommand& one) {
        return std::holds_alternative<BringBack>(one.command);
    });
}

TEST(ReplayRestored, restoreBetweenTurns_isIdentical) {
    const Recording recording = record(with({}));
    ASSERT_EQ(restoresIn(recording), 1) << "the one that was refused is no part of it";
    const auto outcome = replayed(recording);
    ASSERT_TRUE(outcome) << outcome.error().what;
    EXPECT_TRUE(outcome->identical) << outcome->sentence;
    EXPECT_EQ(outcome->compactionsReplayed, outcome->compactionsRecorded);
    Recording without = recording;
    std::erase_if(without.commands, [](const RecordedCommand& one) {
        return std::holds_alternative<BringBack>(one.command);
    });
    EXPECT_FALSE(replayed(without)->identical) << "what was brought back changes the answer";
}

TEST(ReplayRestored, restoreFromDisk_isReadAgain) {
    const test::TemporaryFolder folder;
    const Recording recording = record(with({"prefix_cache=0", "prefix_disk=64"}), folder.path());
    ASSERT_EQ(restoresIn(recording), 1);
    const auto outcome = replayed(recording);
    ASSERT_TRUE(outcome) << outcome.error().what;
    EXPECT_TRUE(outcome->identical) << outcome->sentence;
}

// A span that was restored automatically for a question is restored in the replay as recorded.
TEST(ReplayRestored, autoRestore_isIdentical) {
    const EngineConfig config = with({"bring_back=auto"});
    EngineRunner run(config, test::roomyModel());
    run.options.lookBack.needed = {.least = 1e-6F, .before = 3, .after = 8, .spans = 1};
    run.options.lookBack.seconds = 1e6;
    Recorder recorder(run.options.machine, config, 0);
    run.onEvent = [&](const Event& event) { recorder.add(event); };
    run.start();
    EXPECT_TRUE(run.load());
    std::vector<ChatMessage> messages{{"user", lettersOf(500, 0)}};
    for (std::size_t answers = 1; answers <= 4; ++answers) {
        run.submit(1, messages);
        ASSERT_TRUE(run.waitFor<TurnFinished>(answers));
        messages.push_back({"assistant", run.all<TurnFinished>().back().text});
        messages.push_back({"user", lettersOf(40, static_cast<int>(answers))});
    }
    run.finish();
    const auto read = recordingFromJson(*parseJson(reportJsonText(recorder.recording())));
    ASSERT_TRUE(read) << read.error().what;
    ASSERT_EQ(restoresIn(*read), 3) << "before the first question nothing was forgotten";
    ASSERT_EQ(read->restores.size(), 3U);
    EXPECT_TRUE(read->restores.back().forQuestion);
    EXPECT_EQ(read->restores.back().spans, recorder.recording().restores.back().spans);
    const auto outcome = replayed(*read);
    ASSERT_TRUE(outcome) << outcome.error().what;
    EXPECT_TRUE(outcome->identical) << outcome->sentence;
    EXPECT_EQ(outcome->compactionsReplayed, outcome->compactionsRecorded);
    Recording without = *read;
    std::erase_if(without.commands, [](const RecordedCommand& one) {
        return std::holds_alternative<BringBack>(one.command);
    });
    EXPECT_FALSE(replayed(without)->identical) << "nothing is looked for in a replay";
}

}  // namespace
}  // namespace lacuna
