// Sessions whose compactions wait for a loss measurement replay identically.

#include <gtest/gtest.h>

#include "engine/base/string_format.h"
#include "engine/report/replay.h"
#include "engine/report/report.h"
#include "tests/support/engine_runner.h"

namespace lacuna {
namespace {

using test::DialogueRunner;
using test::FakeModels;

EngineConfig with(const std::vector<std::string>& more) {
    std::vector<std::string> settings{"compaction_floor=0", "max_tokens=40",  "seed=5",
                                      "prefill_chunk=32",   "keep_recent=8",  "n_sink=2",
                                      "margin=16",          "temperature=0.7"};
    settings.insert(settings.end(), more.begin(), more.end());
    return *withSettings({}, settings);
}

Recording recorded(const EngineConfig& config) {
    DialogueRunner dialogue(config);
    Recorder recorder(dialogue.run.options.machine, config, 0);
    dialogue.run.onEvent = [&](const Event& event) { recorder.add(event); };
    dialogue.start();
    for (const int letters : {300, 60, 300}) {
        dialogue.ask(letters);
        dialogue.settle();
    }
    dialogue.run.finish();
    const auto read = recordingFromJson(*parseJson(reportJsonText(recorder.recording())));
    EXPECT_TRUE(read) << read.error().what;
    return *read;
}

TEST(ReplayLoss, measuredCompactions_areIdentical) {
    const std::vector<std::vector<std::string>> all{
        {"method=l2", "norm_policy=random", "budget=150", "loss_limit=0"},
        {"method=l2", "norm_policy=random", "budget=150", "loss_limit=0.4"},
        {"method=l2", "norm_policy=random", "budget=150", "loss_limit=1"},
        {"method=l2", "norm_policy=keydiff", "budget=150", "loss_limit=0",
         "compact_when=turn_late"},
        {"method=l2", "norm_policy=reconstruct", "budget=150", "loss_limit=0"},
        {"method=am", "am_ratio=4", "loss_limit=0"},
        {"method=am", "am_ratio=4", "loss_limit=0.4"},
        {"method=am", "am_ratio=4", "loss_limit=0", "query_source=repeat"},
        {"method=l2", "norm_policy=random", "budget=150", "loss_limit=0",
         "prefill_policy=per_chunk"}};
    for (const auto& settings : all) {
        const std::string name = format("{}", fmt::join(settings, " "));
        const Recording recording = recorded(with(settings));
        EXPECT_GT(recording.compactions.size(), 1U) << name;
        FakeModels models;
        models.options = test::roomyModel();
        ReplayOptions options;
        options.makers = models.makers();
        const auto outcome = replay(recording, options);
        ASSERT_TRUE(outcome) << name << ": " << outcome.error().what;
        EXPECT_TRUE(outcome->identical) << name << ": " << outcome->sentence;
        EXPECT_EQ(outcome->compactionsReplayed, outcome->compactionsRecorded) << name;
    }
}

/// Returns a session whose second question comes while the loss of a compaction is measured.
Recording interrupted(const EngineConfig& config, const test::FakeModelOptions& model) {
    DialogueRunner dialogue(config, model);
    Recorder recorder(dialogue.run.options.machine, config, 0);
    std::vector<ChatMessage> messages{{"user", test::lettersOf(300)}};
    bool answered = false;
    bool asked = false;
    int passes = 0;
    dialogue.run.onEvent = [&](const Event& event) {
        recorder.add(event);
        const auto* one = std::get_if<TurnFinished>(&event);
        if (one == nullptr || one->turn > 2) return;
        answered = true;
        messages.push_back({"assistant", one->text});
    };
    dialogue.run.models.inside = [&](std::int64_t) {
        if (!answered || asked || ++passes < 8) return;
        asked = true;
        messages.push_back({"user", test::lettersOf(60, 3)});
        dialogue.run.queue.push(Submit{ConversationId(1), messages, {}});
    };
    dialogue.start();
    dialogue.run.submit(1, messages);
    EXPECT_TRUE(dialogue.run.waitFor<TurnFinished>(2));
    EXPECT_TRUE(dialogue.run.waitFor<CompactionHappened>(2));
    dialogue.messages = messages;
    dialogue.answers = 2;
    dialogue.ask(60);
    dialogue.settle();
    dialogue.run.finish();
    return recorder.recording();
}

TEST(ReplayLoss, measurementInterruptedByAMessage_isIdentical) {
    // Its answers are tokenised back to the same tokens, so that the questions continue the cache.
    test::FakeModelOptions steady = test::roomyModel();
    steady.period = 7;
    const std::vector<std::vector<std::string>> all{
        {"method=l2", "norm_policy=random", "budget=150", "loss_limit=0"},
        {"method=l2", "norm_policy=keydiff", "budget=150", "loss_limit=0.4"},
        {"method=l2", "norm_policy=accumulated_attention", "budget=150", "loss_limit=0"},
        {"method=l2", "norm_policy=reconstruct", "budget=150", "loss_limit=0"},
        {"method=l2", "norm_policy=random", "budget=150", "loss_limit=1"},
        {"method=am", "am_ratio=4", "loss_limit=0"},
        {"method=am", "am_ratio=4", "loss_limit=0", "query_source=repeat"},
        {"method=am", "am_ratio=4", "loss_limit=0", "background=off"}};
    for (const auto& settings : all) {
        const std::string name = format("{}", fmt::join(settings, " "));
        const Recording recording = interrupted(with(settings), steady);
        ASSERT_GT(recording.compactions.size(), 1U) << name;
        EXPECT_EQ(recording.compactions[0].report.result, CompactionResult::Started) << name;
        const CompactionHappened& ended = recording.compactions[1];
        EXPECT_EQ(ended.report.id, recording.compactions[0].report.id) << name;
        EXPECT_NE(ended.report.result, CompactionResult::Aborted) << name;
        EXPECT_EQ(ended.at.turn, 2) << name;
        FakeModels models;
        models.options = steady;
        ReplayOptions options;
        options.makers = models.makers();
        const auto outcome = replay(recording, options);
        ASSERT_TRUE(outcome) << name << ": " << outcome.error().what;
        EXPECT_TRUE(outcome->identical) << name << ": " << outcome->sentence;
        EXPECT_EQ(outcome->compactionsReplayed, outcome->compactionsRecorded) << name;
    }
}

}  // namespace
}  // namespace lacuna
