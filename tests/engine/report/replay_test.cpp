#include "engine/report/replay.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "engine/report/report.h"
#include "tests/support/engine_runner.h"
#include "tests/support/rounded_model.h"

namespace lacuna {
namespace {

using test::EngineRunner;
using test::FakeModels;

EngineConfig baseConfig() {
    EngineConfig config;
    config.maxTokens = 60;
    config.prefillChunk = 16;
    config.parallel = 1;  // sequential answers; replay_overlap_test.cpp covers concurrent ones
    config.kv.method = CompactionMethod::Eviction;
    config.kv.compactionFloor = 0;
    config.kv.lossLimit.level = LossLimit::Level::Off;
    config.kv.evictionPolicy = EvictionPolicy::KeyDiff;
    config.kv.budget = 48;
    config.kv.keepRecent = 8;
    config.kv.nSink = 2;
    config.kv.margin = 8;
    return config;
}

EngineConfig with(std::vector<std::string> settings) {
    return *withSettings(baseConfig(), settings);
}

std::string longText(int length, int salt) {
    std::string text;
    for (int i = 0; i < length; ++i) text += static_cast<char>('a' + (i * 11 + salt) % 26);
    return text;
}

/// A session with everything that a replay must repeat: settings changed during an answer,
/// requested compactions within and between turns, a cancel inside a step, a queued message, a
/// released conversation, settings changed and refused while idle, random seeds.
Recording recordSession() {
    EngineRunner run(baseConfig());
    Recorder recorder(run.options.machine, baseConfig(), 1'795'255'200'000);
    run.onEvent = [&](const Event& event) { recorder.add(event); };
    run.options.residentConversations = 2;
    run.models.before = [&run](std::int64_t number) -> Status {
        if (number == 20)
            run.queue.push(SetConfig{Revision(1), with({"budget=32", "temperature=1.5"})});
        if (number == 38) run.queue.push(CompactNow{ConversationId(1)});
        if (number == 40) run.submit(2, longText(90, 5));
        if (number == 70)
            run.queue.push(SetConfig{Revision(2), with({"norm_policy=random", "threads=2"})});
        return {};
    };
    run.models.inside = [&run](std::int64_t number) {
        if (number == 90) run.queue.push(CancelTurn{});
    };
    run.start();
    EXPECT_TRUE(run.load());
    run.submit(1, longText(120, 1));
    EXPECT_TRUE(run.waitFor<TurnFinished>(2));
    run.queue.push(CompactNow{ConversationId(2)});
    EXPECT_TRUE(run.waitFor<CompactionHappened>());
    run.queue.push(SetConfig{Revision(3), with({"am_ratio=51"})});
    EXPECT_TRUE(run.waitFor<ConfigRejected>());
    run.queue.push(SetConfig{Revision(4), with({"seed=99", "budget=40"})});
    EXPECT_TRUE(run.waitFor<ConfigApplied>(3));
    run.queue.push(SetConfig{Revision(5), with({"max_tokens=25"})});
    EXPECT_TRUE(run.waitFor<ConfigApplied>(4));
    std::size_t turns = 2;
    for (const int conversation : {2, 3, 1, 3}) {
        run.submit(conversation, longText(100, conversation));
        EXPECT_TRUE(run.waitFor<TurnFinished>(++turns));
    }
    run.finish();
    return recorder.recording();
}

ReplayOptions optionsFor(FakeModels& models) {
    ReplayOptions options;
    options.makers = models.makers();
    return options;
}

/// One recording for all tests of this file, read back from its own report.
const Recording& session() {
    static const Recording recording = [] {
        const auto read = recordingFromJson(*parseJson(reportJsonText(recordSession())));
        EXPECT_TRUE(read) << read.error().what;
        return *read;
    }();
    return recording;
}

TEST(Replay, recordedSession_containsTheExpectedEvents) {
    const Recording& recording = session();
    ASSERT_EQ(recording.turns.size(), 6U);
    EXPECT_EQ(recording.generations.size(), 4U);
    EXPECT_EQ(recording.rejections.size(), 1U);
    EXPECT_EQ(recording.turns[1].finished->reason, FinishReason::Cancelled);
    EXPECT_FALSE(recording.turns[1].finished->tokens.empty());
    EXPECT_GT(recording.turns[0].finished->stats.compactions, 0);
    EXPECT_EQ(recording.compactions[0].report.cause, CompactionCause::Manual);
    EXPECT_EQ(recording.compactions[0].report.result, CompactionResult::Done);
    EXPECT_LT(recording.compactions[0].at, recording.turns[0].finished->at);
    EXPECT_EQ(recording.generations[0].at.turn, 1);
    EXPECT_EQ(recording.generations[1].at.turn, 2);
}

TEST(Replay, recordedSession_isIdentical) {
    FakeModels models;
    std::int64_t told = 0;
    ReplayOptions options = optionsFor(models);
    options.progress = [&](std::int64_t, std::int64_t turns) { told = turns; };
    const auto outcome = replay(session(), options);
    ASSERT_TRUE(outcome) << outcome.error().what;
    EXPECT_TRUE(outcome->identical) << outcome->sentence;
    EXPECT_EQ(outcome->turns, 6);
    EXPECT_EQ(told, 6);
    EXPECT_EQ(outcome->compactionsReplayed, outcome->compactionsRecorded);
    EXPECT_GT(outcome->compactionsRecorded, 3);
    EXPECT_EQ(outcome->sentence.substr(0, 9), "identical");
    std::int64_t tokens = 0;
    for (const RecordedTurn& turn : session().turns)
        tokens += static_cast<std::int64_t>(turn.finished->tokens.size());
    EXPECT_EQ(outcome->tokens, tokens);
}

TEST(Replay, otherThreadCount_isIdentical) {
    FakeModels models;
    ReplayOptions options = optionsFor(models);
    options.threads = 1;
    EXPECT_TRUE(replay(session(), options)->identical);
}

TEST(Replay, changedToken_isReportedAtItsPosition) {
    for (const auto& [turn, token] : {std::pair{0, 0}, {0, 17}, {3, 11}, {5, 24}}) {
        Recording changed = session();
        auto& tokens = changed.turns[static_cast<std::size_t>(turn)].finished->tokens;
        tokens[static_cast<std::size_t>(token)] ^= 1;
        FakeModels models;
        const auto outcome = replay(changed, optionsFor(models));
        ASSERT_TRUE(outcome);
        EXPECT_FALSE(outcome->identical);
        EXPECT_EQ(outcome->divergedTurn, turn + 1);
        EXPECT_EQ(outcome->divergedToken, token);
        EXPECT_NE(outcome->expected, outcome->found);
        EXPECT_EQ(outcome->turns, turn + 1);
    }
}

TEST(Replay, missingCommand_isReportedAsDivergence) {
    for (const std::size_t gone : {0U, 1U}) {  // the first settings change and the requested
                                               // compaction
        Recording changed = session();
        std::erase_if(changed.commands, [place = std::size_t{0}, gone](const auto& one) mutable {
            return !std::holds_alternative<UseHeadProfiles>(one.command) && place++ == gone;
        });
        ASSERT_EQ(changed.commands.size() + 1, session().commands.size());
        FakeModels models;
        const auto outcome = replay(changed, optionsFor(models));
        ASSERT_TRUE(outcome);
        EXPECT_FALSE(outcome->identical) << gone;
        EXPECT_EQ(outcome->divergedTurn, 1) << gone;
    }
}

TEST(Replay, truncatedAnswer_divergesAtItsEnd) {
    Recording changed = session();
    changed.turns[2].finished->tokens.pop_back();
    FakeModels models;
    const auto outcome = replay(changed, optionsFor(models));
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->divergedTurn, 3);
    EXPECT_EQ(outcome->expected, "the end of the answer");
}

TEST(Replay, differentModel_isRefused) {
    FakeModels models;
    ReplayOptions options = optionsFor(models);
    options.model = "another";
    const auto outcome = replay(session(), options);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, ErrorCode::Incompatible);
    EXPECT_NE(outcome.error().what.find("fingerprint of fake"), std::string::npos);
}

TEST(Replay, missingModel_returnsTheLoaderError) {
    FakeModels models;
    ReplayOptions options = optionsFor(models);
    options.model = "missing";
    EXPECT_EQ(replay(session(), options).error().code, ErrorCode::NotFound);
}

TEST(Replay, unfinishedOrEmptyReports_areRefused) {
    FakeModels models;
    EXPECT_EQ(replay(Recording{}, optionsFor(models)).error().code, ErrorCode::InvalidArgument);
    Recording open = session();
    for (RecordedTurn& turn : open.turns) turn.finished.reset();
    EXPECT_EQ(replay(open, optionsFor(models)).error().code, ErrorCode::InvalidArgument);
    Recording twoModels = session();
    twoModels.turns[1].fingerprint = "other";
    EXPECT_EQ(replay(twoModels, optionsFor(models)).error().code, ErrorCode::Incompatible);
    EXPECT_EQ(models.loads, 0);
}

TEST(Replay, unfinishedLastTurn_isIgnored) {
    Recording open = session();
    open.turns.back().finished.reset();
    FakeModels models;
    const auto outcome = replay(open, optionsFor(models));
    ASSERT_TRUE(outcome);
    EXPECT_TRUE(outcome->identical) << outcome->sentence;
    EXPECT_EQ(outcome->turns, 5);
}

TEST(Replay, stopRequest_endsTheReplay) {
    FakeModels models;
    std::stop_source stop;
    models.before = [&stop](std::int64_t number) -> Status {
        if (number == 30) stop.request_stop();
        return {};
    };
    ReplayOptions options = optionsFor(models);
    options.stop = stop.get_token();
    EXPECT_EQ(replay(session(), options).error().code, ErrorCode::Cancelled);
}

TEST(Replay, backgroundCompaction_isAdoptedAtTheRecordedPoint) {
    EngineConfig config;
    config.maxTokens = 200;
    config.kv.method = CompactionMethod::AttentionMatching;
    config.kv.compactionFloor = 0;
    config.kv.lossLimit.level = LossLimit::Level::Off;
    config.kv.amRatio = 3;
    config.kv.keepRecent = 8;
    config.kv.nSink = 2;
    EngineRunner run(config);
    Recorder recorder(run.options.machine, config, 0);
    bool beside = false;  // both hooks run on the engine's thread
    run.onEvent = [&](const Event& event) {
        recorder.add(event);
        if (const auto* happened = std::get_if<CompactionHappened>(&event))
            beside = happened->report.result == CompactionResult::Started;
    };
    // Slow steps during a background compaction, so that it ends within the answer even on a busy
    // machine.
    run.models.before = [&beside](std::int64_t) -> Status {
        std::this_thread::sleep_for(std::chrono::milliseconds(beside ? 20 : 1));
        return {};
    };
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, longText(250, 1));
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    run.finish();
    const auto recording = recordingFromJson(*parseJson(reportJsonText(recorder.recording())));
    ASSERT_TRUE(recording) << recording.error().what;
    bool within = false;
    for (const CompactionHappened& happened : recording->compactions)
        within = within || (happened.report.background && happened.at.turn == 1 &&
                            happened.report.result == CompactionResult::Done &&
                            happened.at < run.all<TurnFinished>()[0].at);
    ASSERT_TRUE(within) << "nothing to show otherwise";
    FakeModels quick;  // without delays, so that only the recorded waiting makes it identical
    const auto outcome = replay(*recording, optionsFor(quick));
    ASSERT_TRUE(outcome) << outcome.error().what;
    EXPECT_TRUE(outcome->identical) << outcome->sentence;
    EXPECT_EQ(outcome->compactionsReplayed, outcome->compactionsRecorded);
}

/// Makers of models whose answers depend on the arithmetic.
ModelMakers roundedMakers(FakeModels& models) {
    ModelMakers makers = models.makers();
    makers.transformer = [plain = makers.transformer](
                             std::shared_ptr<const LoadedModel> model, ThreadPool& pool,
                             Transformer::Options options) -> Result<std::unique_ptr<Transformer>> {
        LACUNA_TRY(auto exact, plain(std::move(model), pool, options));
        const float error = options.precision == Precision::TwoTerms ? 30.0F : 0.0F;
        return std::make_unique<test::RoundedTransformer>(std::move(exact), error);
    };
    return makers;
}

TEST(Replay, precisionMeasuredBetweenTurns_appliesFromTheSameTurn) {
    EngineConfig config = baseConfig();
    config.precision = PrecisionChoice::Auto;
    EngineRunner run(config);
    Recorder recorder(run.options.machine, config, 1'795'255'200'000);
    run.onEvent = [&](const Event& event) { recorder.add(event); };
    run.options.precision = {};
    run.options.measuresPrecision = true;
    run.makers = roundedMakers(run.models);
    run.start();
    run.queue.push(LoadModel{"fake"});
    run.submit(1, longText(60, 1));
    ASSERT_TRUE(run.waitFor<PrecisionChosen>());
    ASSERT_EQ(run.all<PrecisionChosen>()[0].precision, Precision::Fast);
    run.submit(1, longText(60, 1) + "again");
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    run.finish();
    const auto recording = recordingFromJson(*parseJson(reportJsonText(recorder.recording())));
    ASSERT_TRUE(recording) << recording.error().what;
    EXPECT_EQ(recording->turns[0].started.precision, Precision::TwoTerms);
    EXPECT_EQ(recording->turns[1].started.precision, Precision::Fast);
    FakeModels models;
    ReplayOptions options;
    options.makers = roundedMakers(models);
    const auto outcome = replay(*recording, options);
    ASSERT_TRUE(outcome) << outcome.error().what;
    EXPECT_TRUE(outcome->identical) << outcome->sentence;
    Recording changed = *recording;
    changed.turns[1].started.precision = Precision::TwoTerms;
    EXPECT_FALSE(replay(changed, options)->identical) << "the arithmetic makes a difference";
    changed = *recording;
    changed.turns[0].started.precision.reset();
    changed.turns[1].started.precision.reset();
    EXPECT_TRUE(recordingFromJson(*parseJson(reportJsonText(changed)))) << "as in older reports";
}

}  // namespace
}  // namespace lacuna
