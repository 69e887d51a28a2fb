// The complete engine over a real forward pass: a tiny model with random weights, compacted by both
// methods while it answers, recorded, written, read and replayed.

#include <gtest/gtest.h>

#include <set>

#include "engine/base/string_format.h"
#include "engine/report/replay.h"
#include "engine/report/report.h"
#include "tests/support/bundled_models.h"
#include "tests/support/engine_runner.h"

namespace lacuna {
namespace {

using test::EngineRunner;

std::filesystem::path tinyModel() {
    return std::filesystem::path(LACUNA_GOLDEN_DIR) / "models" / "llama";
}

EngineConfig configFrom(std::vector<std::string> settings) {
    for (const char* common : {"compaction_floor=0", "loss_limit=off", "keep_recent=8", "n_sink=2",
                               "margin=8", "prefill_chunk=24", "max_tokens=40"})
        settings.emplace_back(common);
    return *withSettings({}, settings);
}

std::string question(int words) {
    std::string text;
    for (int i = 0; i < words; ++i) text += format("word{} ", (i * 37) % 101);
    return text;
}

/// Returns whether a compaction by attention matching ended within ten seconds; it runs in the
/// background.
bool waitForMatching(EngineRunner& run) {
    for (std::size_t count = 1; run.waitFor<CompactionHappened>(count); ++count) {
        const CompactionReport& report = run.all<CompactionHappened>()[count - 1].report;
        if (report.method == CompactionMethod::AttentionMatching &&
            report.result == CompactionResult::Done)
            return report.background;
    }
    return false;
}

/// Records two turns of one conversation and the second one again. The first text is evicted after
/// its answer; during the second answer the settings change from l2 to am.
Recording recordTinySession() {
    const EngineConfig start = configFrom({"budget=40", "norm_policy=keydiff", "seed=2"});
    EngineRunner run(start);
    run.makers = ModelMakers{};
    Recorder recorder(run.options.machine, start, 0);
    run.onEvent = [&](const Event& event) {
        recorder.add(event);
        const auto* text = std::get_if<TokenText>(&event);
        if (text != nullptr && text->turn == 2 && text->index == 10)
            run.queue.push(SetConfig{Revision(1), configFrom({"am_ratio=3", "seed=11"})});
    };
    run.start();
    EXPECT_TRUE(run.load(tinyModel()));
    std::vector<ChatMessage> messages{{"user", question(30)}};
    run.submit(1, messages);
    EXPECT_TRUE(run.waitFor<TurnFinished>());
    messages.push_back({"assistant", run.all<TurnFinished>()[0].text});
    messages.push_back({"user", "and then?"});
    run.submit(1, messages);
    EXPECT_TRUE(run.waitFor<TurnFinished>(2));
    run.queue.push(CompactNow{ConversationId(1)});
    run.submit(1, messages);
    EXPECT_TRUE(run.waitFor<TurnFinished>(3));
    EXPECT_TRUE(waitForMatching(run)) << "in the background";
    run.finish();
    return recorder.recording();
}

/// Returns whether a notice reports a changed cache format.
bool saysFormat(const Notice& notice) {
    return notice.sentence.find(" now: ") != std::string::npos;
}

/// Waits for `count` such notices and returns their number.
int formatsTaken(EngineRunner& run, int count) {
    int said = 0;
    for (std::size_t i = 0; said < count && run.waitFor<Notice>(i + 1); ++i)
        said += saysFormat(run.all<Notice>()[i]) ? 1 : 0;
    return said;
}

/// Records an answer during which the number format of the cache is lowered and raised again, then
/// two changes in a pause, the second one after the first took effect or, if `hasty`, before.
Recording recordChangedFormats(bool hasty) {
    const EngineConfig start = configFrom({"max_tokens=60", "seed=1"});
    EngineRunner run(start);
    run.makers = ModelMakers{};
    Recorder recorder(run.options.machine, start, 0);
    int tokens = 0, taken = 0;
    run.onEvent = [&](const Event& event) {
        recorder.add(event);
        if (std::holds_alternative<TokenText>(event) && ++tokens == 10)
            run.queue.push(SetConfig{Revision(1), configFrom({"kv_type=t4", "v_type=t3"})});
        const auto* notice = std::get_if<Notice>(&event);
        if (notice != nullptr && saysFormat(*notice) && ++taken == 1)
            run.queue.push(SetConfig{Revision(2), start});
    };
    run.start();
    EXPECT_TRUE(run.load(tinyModel()));
    std::vector<ChatMessage> messages{{"user", question(30)}};
    run.submit(1, messages);
    EXPECT_TRUE(run.waitFor<TurnFinished>());
    EXPECT_EQ(formatsTaken(run, 2), 2);
    run.queue.push(SetConfig{Revision(3), configFrom({"kv_type=t1", "exact_window=0"})});
    EXPECT_TRUE(run.waitFor<ConfigApplied>(3));
    if (!hasty) {
        EXPECT_EQ(formatsTaken(run, 3), 3);
    }
    run.queue.push(SetConfig{Revision(4), configFrom({"kv_type=q8_0"})});
    messages.push_back({"assistant", run.all<TurnFinished>()[0].text});
    messages.push_back({"user", "and then?"});
    run.submit(1, messages);
    EXPECT_TRUE(run.waitFor<TurnFinished>(2));
    run.finish();
    EXPECT_GT(run.all<TurnStarted>()[1].reusedTokens, 0);
    EXPECT_EQ(recorder.recording().generations.size(), 4U);
    return recorder.recording();
}

std::ptrdiff_t finishedRecodings(const Recording& recording) {
    return std::ranges::count_if(recording.commands, [](const RecordedCommand& one) {
        return std::holds_alternative<FinishRecoding>(one.command);
    });
}

TEST(Replay, cacheFormatChangedDuringTurnAndPause_isIdentical) {
    for (const bool hasty : {false, true}) {
        const auto recording =
            recordingFromJson(*parseJson(reportJsonText(recordChangedFormats(hasty))));
        ASSERT_TRUE(recording) << recording.error().what;
        if (!hasty) {
            EXPECT_GE(finishedRecodings(*recording), 1);
        }
        const auto outcome = replay(*recording, {});
        ASSERT_TRUE(outcome) << outcome.error().what;
        EXPECT_TRUE(outcome->identical) << outcome->sentence;
    }
}

/// Reports older than CacheRecoded's field for the end in a pause replay the command of the change.
TEST(Replay, olderReport_ofCacheFormatChangedInAPause_isIdentical) {
    Json report = *parseJson(reportJsonText(recordChangedFormats(false)));
    Json revision;
    for (Json& command : report["commands"]) {
        if (command["kind"] == "set_config") revision = command["revision"];
        if (command["kind"] != "finish_recoding") continue;
        command.erase("conversation");
        command["kind"] = "set_config";
        command["revision"] = revision;
    }
    const auto recording = recordingFromJson(report);
    ASSERT_TRUE(recording) << recording.error().what;
    EXPECT_GE(finishedRecodings(*recording), 1);
    const auto outcome = replay(*recording, {});
    ASSERT_TRUE(outcome) << outcome.error().what;
    EXPECT_TRUE(outcome->identical) << outcome->sentence;
}

/// Records an answer with a change of the number format that is cancelled, and a question after it.
Recording recordCancelledFormat() {
    EngineConfig start = configFrom({"seed=1", "temperature=0", "threads=1"});
    start.prefillChunk = 128;
    start.maxTokens = 30;
    EngineConfig changed = start;
    EXPECT_FALSE(changeSetting(changed, "kv_type", "t2"));
    EngineRunner run(start);
    run.makers = ModelMakers{};
    Recorder recorder(run.options.machine, start, 0);
    int tokens = 0;
    std::size_t heard = 0;
    run.onEvent = [&](const Event& event) {
        recorder.add(event);
        if (std::holds_alternative<TokenText>(event) && ++tokens == 5)
            run.queue.push(SetConfig{Revision(1), changed});
        if (std::holds_alternative<CacheRecoded>(event) && ++heard == 3)
            run.queue.push(SetConfig{Revision(2), start, ConversationId(1)});
    };
    run.start();
    EXPECT_TRUE(run.load(test::pilotModel()));
    // A text of several slices.
    std::vector<ChatMessage> messages{{"user", question(300)}};
    run.submit(1, messages);
    EXPECT_TRUE(run.waitFor<TurnFinished>());
    messages.push_back({"assistant", run.all<TurnFinished>()[0].text});
    messages.push_back({"user", "and then?"});
    run.submit(1, messages);
    EXPECT_TRUE(run.waitFor<TurnFinished>(2));
    run.finish();
    EXPECT_TRUE(run.all<ConfigRejected>().empty()) << "cancelled in time";
    return recorder.recording();
}

TEST(Replay, cancelledCacheFormatChange_isRecorded_andIdentical) {
    const Recording recorded = recordCancelledFormat();
    const auto recording = recordingFromJson(*parseJson(reportJsonText(recorded)));
    ASSERT_TRUE(recording) << recording.error().what;
    ASSERT_EQ(recording->generations.size(), 2U) << "there and back";
    EXPECT_EQ(settingValueText(recording->generations[0].config, "kv_type"), "t2");
    EXPECT_EQ(settingValueText(recording->generations[1].config, "kv_type"), "f16");
    EXPECT_EQ(std::ranges::count_if(recording->notices,
                                    [](const std::string& one) {
                                        return one.find("stays in f16") != std::string::npos &&
                                               one.find("was cancelled at") != std::string::npos;
                                    }),
              1);
    const auto outcome = replay(*recording, {});
    ASSERT_TRUE(outcome) << outcome.error().what;
    EXPECT_TRUE(outcome->identical) << outcome->sentence;
}

TEST(Replay, tinyModelCompactedByBothMethods_isIdentical) {
    const auto recording = recordingFromJson(*parseJson(reportJsonText(recordTinySession())));
    ASSERT_TRUE(recording) << recording.error().what;
    ASSERT_EQ(recording->turns.size(), 3U);
    std::set<CompactionMethod> methods;
    for (const CompactionHappened& happened : recording->compactions)
        if (happened.report.result == CompactionResult::Done)
            methods.insert(happened.report.method);
    EXPECT_TRUE(methods.contains(CompactionMethod::Eviction));
    EXPECT_TRUE(methods.contains(CompactionMethod::AttentionMatching));
    const auto outcome = replay(*recording, {});
    ASSERT_TRUE(outcome) << outcome.error().what;
    EXPECT_TRUE(outcome->identical) << outcome->sentence;
    EXPECT_EQ(outcome->compactionsReplayed, outcome->compactionsRecorded);
}

/// A conversation continues with another model and back; the settings of each model stay with it.
TEST(Replay, sessionOfSeveralModels_isIdentical) {
    const std::filesystem::path golden = std::filesystem::path(LACUNA_GOLDEN_DIR) / "models";
    const EngineConfig start = configFrom({"budget=40", "norm_policy=keydiff", "seed=3"});
    EngineRunner run(start);
    run.makers = ModelMakers{};
    Recorder recorder(run.options.machine, start, 0);
    run.onEvent = [&](const Event& event) { recorder.add(event); };
    run.start();
    std::vector<ChatMessage> messages{{"user", question(30)}};
    std::size_t turns = 0;
    const auto ask = [&](std::int64_t conversation) {
        run.submit(conversation, messages);
        EXPECT_TRUE(run.waitFor<TurnFinished>(++turns));
        messages.push_back({"assistant", run.all<TurnFinished>().back().text});
        messages.push_back({"user", "and then?"});
    };
    ASSERT_TRUE(run.load(golden / "llama"));
    ask(1);
    ASSERT_TRUE(run.load(golden / "qwen2"));
    run.queue.push(SetConfig{Revision(1), configFrom({"budget=36", "seed=4"})});
    ask(1);
    ask(2);
    ASSERT_TRUE(run.load(golden / "llama"));
    ask(1);
    run.finish();
    const auto recording = recordingFromJson(*parseJson(reportJsonText(recorder.recording())));
    ASSERT_TRUE(recording) << recording.error().what;
    ASSERT_EQ(modelsOf(*recording).size(), 2U);
    ASSERT_NE(recording->turns[0].fingerprint, recording->turns[1].fingerprint);
    ASSERT_EQ(recording->turns[0].fingerprint, recording->turns[3].fingerprint);
    ASSERT_FALSE(recording->compactions.empty());
    const auto outcome = replay(*recording, {});
    ASSERT_TRUE(outcome) << outcome.error().what;
    EXPECT_TRUE(outcome->identical) << outcome->sentence;
    EXPECT_EQ(outcome->turns, 4);
    ReplayOptions named;
    named.model = golden / "llama";
    EXPECT_FALSE(replay(*recording, named)) << "one file for two models";
    Recording unknown = *recording;
    unknown.earlierModels.clear();
    const auto refused = replay(unknown, {});
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().what.find("2 models"), std::string::npos) << refused.error().what;
}

/// The resolution of `auto` is part of the recording, whatever this machine would measure.
TEST(Replay, precision_isTakenFromTheRecording_evenIfChosenLater) {
    EngineConfig start = configFrom({"precision=fast"});
    EngineRunner run(start);
    run.options.precision = {.given = Precision::TwoTerms};  // as measured on the recording machine
    Recorder recorder(run.options.machine, start, 0);
    run.onEvent = [&](const Event& event) { recorder.add(event); };
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, question(5));
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    run.queue.push(SetConfig{Revision(1), configFrom({"precision=auto"})});
    run.submit(2, question(6));
    ASSERT_TRUE(run.waitFor<TurnFinished>(2));
    run.finish();
    const auto recording = recordingFromJson(*parseJson(reportJsonText(recorder.recording())));
    ASSERT_TRUE(recording) << recording.error().what;
    EXPECT_EQ(recording->model->precision, Precision::TwoTerms);

    test::FakeModels models;
    ReplayOptions options;
    options.makers = models.makers();
    std::vector<Precision> made;
    options.makers.transformer = [&made, plain = options.makers.transformer](
                                     std::shared_ptr<const LoadedModel> model, ThreadPool& pool,
                                     Transformer::Options how) {
        made.push_back(how.precision);
        return plain(std::move(model), pool, how);
    };
    const auto outcome = replay(*recording, options);
    ASSERT_TRUE(outcome) << outcome.error().what;
    EXPECT_TRUE(outcome->identical) << outcome->sentence;
    EXPECT_EQ(made, (std::vector{Precision::Fast, Precision::TwoTerms}));
}

}  // namespace
}  // namespace lacuna
