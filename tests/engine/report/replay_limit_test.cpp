// Sessions under a cache limit: its compactions, releases and refusals are repeated in a replay.

#include <gtest/gtest.h>

#include "engine/report/replay.h"
#include "engine/report/report.h"
#include "tests/support/engine_runner.h"

namespace lacuna {
namespace {

using test::EngineRunner;
using test::FakeModels;
using test::lettersOf;

constexpr double kMiB = 1024.0 * 1024.0;
// Keys and values of one token of the fake model.
constexpr double kTokenBytes = 128;

EngineConfig limited(double tokens, CompactionMethod method) {
    EngineConfig config;
    config.maxTokens = 50;
    config.prefillChunk = 16;
    config.parallel = 2;
    config.kv.method = method;
    config.kv.evictionPolicy = EvictionPolicy::SnapKV;
    config.kv.keepRecent = 8;
    config.kv.nSink = 2;
    config.cacheLimitMiB = tokens * kTokenBytes / kMiB;
    return config;
}

Recording recorded(const EngineConfig& config) {
    EngineRunner run(config);
    Recorder recorder(run.options.machine, config, 1'795'255'200'000);
    run.onEvent = [&](const Event& event) { recorder.add(event); };
    run.start();
    EXPECT_TRUE(run.load());
    run.submit(1, lettersOf(90, 1));
    EXPECT_TRUE(run.waitFor<TurnFinished>(1));
    run.submit(2, lettersOf(60, 2));
    EXPECT_TRUE(run.waitFor<TurnFinished>(2));
    run.submit(1, lettersOf(90, 3));
    run.submit(3, lettersOf(70, 4));
    EXPECT_TRUE(run.waitFor<TurnFinished>(4));
    run.finish();
    return *recordingFromJson(*parseJson(reportJsonText(recorder.recording())));
}

TEST(ReplayLimit, limitCompactions_areReproduced) {
    const Recording recording = recorded(limited(150, CompactionMethod::Eviction));
    ASSERT_EQ(recording.turns.size(), 4U);
    std::int64_t byLimit = 0;
    for (const CompactionHappened& one : recording.compactions)
        byLimit += one.report.cause == CompactionCause::MemoryLimit ? 1 : 0;
    EXPECT_GT(byLimit, 2);
    FakeModels models;
    ReplayOptions options;
    options.makers = models.makers();
    const auto outcome = replay(recording, options);
    ASSERT_TRUE(outcome) << outcome.error().what;
    EXPECT_TRUE(outcome->identical) << outcome->sentence;
    EXPECT_EQ(outcome->compactionsReplayed, outcome->compactionsRecorded);
}

TEST(ReplayLimit, refusedTurns_areReproduced) {
    const Recording recording = recorded(limited(150, CompactionMethod::None));
    ASSERT_EQ(recording.turns.size(), 4U);
    int refused = 0;
    for (const RecordedTurn& turn : recording.turns)
        refused += turn.finished->reason == FinishReason::Error ? 1 : 0;
    EXPECT_GT(refused, 0);
    FakeModels models;
    ReplayOptions options;
    options.makers = models.makers();
    const auto outcome = replay(recording, options);
    ASSERT_TRUE(outcome) << outcome.error().what;
    EXPECT_TRUE(outcome->identical) << outcome->sentence;
}

}  // namespace
}  // namespace lacuna
