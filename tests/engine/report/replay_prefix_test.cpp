// Sessions with a prefix cache: reuse between conversations is repeated in a replay, whatever the
// session evicted meanwhile.

#include <gtest/gtest.h>

#include "engine/report/replay.h"
#include "engine/report/report.h"
#include "tests/support/engine_runner.h"

namespace lacuna {
namespace {

using test::EngineRunner;
using test::FakeModels;
using test::lettersOf;

EngineConfig sharing(double mebibytes) {
    EngineConfig config;
    config.maxTokens = 40;
    config.prefillChunk = 32;
    config.parallel = 2;
    config.kv.keepRecent = 8;
    config.kv.nSink = 2;
    config.prefixCacheMiB = mebibytes;
    return config;
}

/// Conversations with a common prefix, more than stay resident, and repeated questions.
Recording recorded(const EngineConfig& config) {
    EngineRunner run(config, test::roomyModel());
    run.options.residentConversations = 2;
    Recorder recorder(run.options.machine, config, 1'795'255'200'000);
    run.onEvent = [&](const Event& event) { recorder.add(event); };
    run.start();
    EXPECT_TRUE(run.load());
    std::size_t asked = 0;
    const auto ask = [&](std::int64_t conversation, const std::string& text, PrefixUse use = {}) {
        Submit question{ConversationId(conversation), {{"user", text}}, {}};
        question.prefix = std::move(use);
        run.queue.push(std::move(question));
        EXPECT_TRUE(run.waitFor<TurnFinished>(++asked));
    };
    ask(1, lettersOf(300, 1) + "one");
    ask(2, lettersOf(300, 1) + "two");
    ask(3, lettersOf(400, 5));
    ask(1, lettersOf(300, 1) + "one");
    ask(4, lettersOf(200, 1), {.shared = false});
    ask(5, lettersOf(300, 1) + "five", {.salt = "mine"});
    ask(6, lettersOf(300, 1) + "five", {.salt = "mine"});
    ask(3, lettersOf(400, 5) + "more");
    ask(3, lettersOf(400, 5) + "more");
    run.finish();
    return *recordingFromJson(*parseJson(reportJsonText(recorder.recording())));
}

TEST(ReplayPrefix, everyTurn_reusesTheRecordedPrefix) {
    for (const double mebibytes : {64.0, 0.12}) {  // all entries are kept, or most are evicted
        for (const bool compacts : {false, true}) {
            EngineConfig config = sharing(mebibytes);
            if (compacts) {
                config.kv.method = CompactionMethod::Eviction;
                config.kv.compactionFloor = 0;
                config.kv.lossLimit.level = LossLimit::Level::Off;
                config.kv.budget = 120;
            }
            const Recording recording = recorded(config);
            ASSERT_EQ(recording.turns.size(), 9U);
            std::int64_t stored = 0;
            for (const RecordedTurn& turn : recording.turns)
                stored += turn.started.match != PrefixMatch::None ? 1 : 0;
            EXPECT_GT(stored, mebibytes > 1 ? 3 : 0);
            EXPECT_FALSE(recording.turns[4].started.prefix.shared);
            EXPECT_EQ(recording.turns[5].started.prefix.salt, "mine");
            FakeModels models;
            models.options = test::roomyModel();
            ReplayOptions options;
            options.model = "fake";
            options.makers = models.makers();
            const auto outcome = replay(recording, options);
            ASSERT_TRUE(outcome) << outcome.error().what;
            EXPECT_TRUE(outcome->identical) << outcome->sentence << ", " << mebibytes << " MiB"
                                            << (compacts ? ", compacting" : "");
        }
    }
}

}  // namespace
}  // namespace lacuna
