// Sessions with several concurrent answers, and older sessions in which answers were sequential.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "engine/report/replay.h"
#include "engine/report/report.h"
#include "tests/support/engine_runner.h"
#include "tests/support/sample_recording.h"

namespace lacuna {
namespace {

using test::EngineRunner;
using test::FakeModels;

EngineConfig with(std::vector<std::string> settings) {
    std::vector<std::string> all{"max_tokens=60",  "prefill_chunk=16", "compaction_floor=0",
                                 "loss_limit=off", "budget=48",        "keep_recent=8",
                                 "n_sink=2",       "margin=8",         "norm_policy=keydiff",
                                 "draft_tokens=3"};
    all.insert(all.end(), settings.begin(), settings.end());
    return *withSettings({}, all);
}

std::string longText(int length, int salt) {
    std::string text;
    for (int i = 0; i < length; ++i) text += static_cast<char>('a' + (i * 11 + salt) % 26);
    return text;
}

/// Three concurrent answers and more waiting; settings changed in between, twice at one safe point;
/// one answer cancelled within a step, a waiting question withdrawn, a requested compaction while
/// others run, one conversation released, one answer still running at the end.
Recording recordSession() {
    const EngineConfig start = with({"parallel=3"});
    EngineRunner run(start);
    run.models.options.context = 4096;
    run.models.options.period = 7;
    run.models.options.surpriseEvery = 5;
    Recorder recorder(run.options.machine, start, 0);
    Recording open;
    run.onEvent = [&, begun = 0](const Event& event) mutable {
        recorder.add(event);
        // Called on the recorder's thread while the last answer is still running.
        if (std::holds_alternative<TurnStarted>(event) && ++begun == 7) open = recorder.recording();
    };
    run.options.residentConversations = 8;
    // Counted over all transformers, because a changed capacity creates a new one.
    auto steps = std::make_shared<std::int64_t>(0);
    run.models.before = [&run, steps](std::int64_t) -> Status {
        switch (++*steps) {
            case 12:
                run.submit(2, longText(90, 2));
                break;
            case 15:
                run.submit(3, longText(200, 3));
                run.submit(4, longText(20, 4));
                run.submit(5, longText(20, 5));
                break;
            case 16:
                run.queue.push(
                    SetCacheSettings{Revision(11), ConversationId(3),
                                     cacheSettingsOf(with({"budget=36", "norm_policy=keep_low"}))});
                run.queue.push(SetCacheSettings{Revision(12), ConversationId(6),
                                                cacheSettingsOf(with({"kv_type=f32"}))});
                break;
            case 18:
                run.queue.push(SetConfig{Revision(1), with({"parallel=2", "temperature=1.5"})});
                break;
            case 22:
                run.queue.push(CompactNow{ConversationId(1)});
                run.queue.push(CancelTurn{ConversationId(5)});  // has not started
                break;
            case 60:
                run.submit(6, longText(120, 6));
                run.queue.push(
                    SetConfig{Revision(4), with({"parallel=4", "threads=2", "prefill_chunk=8"})});
                break;
            case 75:
                run.queue.push(ReleaseConversation{ConversationId(6)});
                break;
            case 80:
                run.queue.push(SetCacheSettings{Revision(13), ConversationId(3), std::nullopt});
                break;
            default:
                break;
        }
        return {};
    };
    run.models.inside = [&run, steps, told = false](std::int64_t) mutable {
        if (*steps != 30 || std::exchange(told, true)) return;
        run.queue.push(SetConfig{Revision(2), with({"parallel=2", "budget=32"})});
        run.queue.push(CancelTurn{ConversationId(2)});
    };
    run.start();
    EXPECT_TRUE(run.load());
    run.submit(1, longText(120, 1));
    EXPECT_TRUE(run.waitFor<TurnFinished>(6));
    run.queue.push(SetConfig{Revision(7), with({"max_tokens=3000", "budget=40"})});
    run.submit(7, longText(50, 7));
    EXPECT_TRUE(run.waitFor<TurnStarted>(6));
    run.queue.push(SetConfig{Revision(8), with({"max_tokens=25", "budget=40"})});
    EXPECT_TRUE(run.waitFor<TurnFinished>(7));
    run.queue.push(SetConfig{Revision(9), with({"max_tokens=100000", "budget=40"})});
    EXPECT_TRUE(run.waitFor<ConfigApplied>(9));
    run.submit(1, longText(140, 1));
    EXPECT_TRUE(run.waitFor<TurnStarted>(7));
    run.finish();
    return open;
}

const Recording& session() {
    static const Recording recording = [] {
        const auto read = recordingFromJson(*parseJson(reportJsonText(recordSession())));
        EXPECT_TRUE(read) << read.error().what;
        return *read;
    }();
    return recording;
}

ReplayOptions optionsFor(FakeModels& models) {
    models.options.context = 4096;
    models.options.period = 7;
    models.options.surpriseEvery = 5;
    ReplayOptions options;
    options.makers = models.makers();
    return options;
}

TEST(ReplayOverlap, recordedSession_containsTheExpectedEvents) {
    const Recording& recording = session();
    ASSERT_EQ(recording.turns.size(), 7U);
    EXPECT_FALSE(recording.turns[6].finished);
    int overlaps = 0;
    int cancelled = 0;
    for (std::size_t i = 0; i + 1 < recording.turns.size(); ++i) {
        ASSERT_TRUE(recording.turns[i].finished);
        overlaps += recording.turns[i + 1].started.at < recording.turns[i].finished->at ? 1 : 0;
        cancelled += recording.turns[i].finished->reason == FinishReason::Cancelled ? 1 : 0;
    }
    EXPECT_GE(overlaps, 3);
    EXPECT_EQ(cancelled, 2);
    EXPECT_FALSE(recording.compactions.empty());
    std::vector<std::pair<std::int64_t, bool>> own;
    for (const ConfigApplied& one : recording.generations)
        if (one.conversation) own.emplace_back(one.conversation->value, one.own);
    EXPECT_EQ(own, (std::vector<std::pair<std::int64_t, bool>>{{3, true}, {6, true}, {3, false}}));
    const SafePoint givenBack = std::ranges::find_if(recording.generations, [](const auto& one) {
                                    return one.conversation && !one.own;
                                })->at;
    EXPECT_TRUE(std::ranges::any_of(recording.compactions, [&](const CompactionHappened& one) {
        return one.conversation.value == 3 && one.at < givenBack;
    })) << "settings of its own that compacted nothing would change no answer";
}

TEST(ReplayOverlap, missingCacheSettings_areReportedAsDivergence) {
    Recording changed = session();
    std::erase_if(changed.commands, [](const RecordedCommand& one) {
        return std::holds_alternative<SetCacheSettings>(one.command);
    });
    FakeModels models;
    const auto outcome = replay(changed, optionsFor(models));
    ASSERT_TRUE(outcome);
    EXPECT_FALSE(outcome->identical);
}

TEST(ReplayOverlap, recordedSession_isIdentical) {
    FakeModels models;
    const auto outcome = replay(session(), optionsFor(models));
    ASSERT_TRUE(outcome) << outcome.error().what;
    EXPECT_TRUE(outcome->identical) << outcome->sentence;
    EXPECT_EQ(outcome->turns, 6);
    EXPECT_EQ(outcome->compactionsReplayed, outcome->compactionsRecorded);
    EXPECT_GT(outcome->compactionsRecorded, 3);
}

TEST(ReplayOverlap, turnStartedAtAnotherStep_isReportedAsDivergence) {
    Recording changed = session();
    changed.turns[2].started.at.index += 3;
    FakeModels models;
    const auto outcome = replay(changed, optionsFor(models));
    ASSERT_TRUE(outcome);
    // Drafts and texts do not depend on other answers, but the settings changed at a safe point do.
    EXPECT_FALSE(outcome->identical);
}

TEST(ReplayOverlap, changedToken_isReportedInItsTurn) {
    Recording changed = session();
    changed.turns[3].finished->tokens[2] ^= 1;
    FakeModels models;
    const auto outcome = replay(changed, optionsFor(models));
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->divergedTurn, 4);
    EXPECT_EQ(outcome->divergedToken, 2);
}

/// Returns the report of the first version: no safe point of a turn's start, no conversation of a
/// cancel, and only the settings of that time.
Json firstVersion(const Recording& recording) {
    Json report = *parseJson(reportJsonText(recording));
    test::listAllMessages(report);
    test::dropSplit(report);
    report["version"] = 1;
    report.erase("quality");
    const auto strip = [](Json& config) {
        config.erase("parallel");
        config.erase("passes");
        config.erase("presence_penalty");
        config.erase("frequency_penalty");
    };
    strip(report["initial_config"]);
    for (Json& turn : report["turns"]) {
        turn.erase("began");
        turn.erase("rules");
        for (const char* key : {"decode_steps", "drafted_tokens", "accepted_tokens"})
            if (turn["finished"].is_object()) turn["finished"].erase(key);
        strip(turn["config"]);
    }
    for (Json& generation : report["generations"]) {
        strip(generation["config"]);
        generation.erase("conversation");
        generation.erase("own");
    }
    for (Json& command : report["commands"])
        if (command["kind"] == "cancel") command.erase("conversation");
    return report;
}

TEST(ReplayOverlap, firstVersionReport_isReadAndReplayed) {
    const EngineConfig start = with({"parallel=1"});
    EngineRunner run(start);
    run.models.options.context = 4096;
    run.models.options.period = 7;
    run.models.options.surpriseEvery = 5;
    Recorder recorder(run.options.machine, start, 0);
    run.onEvent = [&](const Event& event) { recorder.add(event); };
    run.models.before = [&run](std::int64_t number) -> Status {
        if (number == 9) run.submit(2, longText(90, 2));
        if (number == 14) run.queue.push(SetConfig{Revision(1), with({"parallel=1", "budget=32"})});
        return {};
    };
    run.models.inside = [&run](std::int64_t number) {
        if (number == 30) run.queue.push(CancelTurn{ConversationId(1)});
    };
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, longText(120, 1));
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    run.queue.push(CompactNow{ConversationId(1)});
    run.submit(1, longText(130, 1));
    ASSERT_TRUE(run.waitFor<TurnFinished>(3));
    run.finish();
    const auto recording = recordingFromJson(firstVersion(recorder.recording()));
    ASSERT_TRUE(recording) << recording.error().what;
    EXPECT_EQ(recording->initialConfig.parallel, 1);
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(recording->turns[i].started.at, recorder.recording().turns[i].started.at) << i;
    FakeModels models;
    const auto outcome = replay(*recording, optionsFor(models));
    ASSERT_TRUE(outcome) << outcome.error().what;
    EXPECT_TRUE(outcome->identical) << outcome->sentence;
    EXPECT_EQ(outcome->turns, 3);
}

}  // namespace
}  // namespace lacuna
