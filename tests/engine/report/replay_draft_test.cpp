// A session with a draft model: its report names that model, and a replay loads it again.

#include <gtest/gtest.h>

#include "engine/report/replay.h"
#include "engine/report/report.h"
#include "tests/support/engine_runner.h"

namespace lacuna {
namespace {

using test::EngineRunner;
using test::FakeModels;

/// Returns a model that repeats itself, so that some drafts are accepted.
test::FakeModelOptions model() {
    test::FakeModelOptions options;
    options.context = 2048;
    options.period = 9;
    options.surpriseEvery = 11;
    return options;
}

Recording drafted() {
    EngineConfig config;
    config.maxTokens = 50;
    config.draftTokens = 4;
    EngineRunner run(config, model());
    Recorder recorder(run.options.machine, config, 0);
    run.onEvent = [&](const Event& event) { recorder.add(event); };
    run.start();
    run.queue.push(LoadModel{"fake", "twin"});
    EXPECT_TRUE(run.waitFor<ModelLoaded>());
    run.submit(1, "hello");
    EXPECT_TRUE(run.waitFor<TurnFinished>());
    run.finish();
    const auto read = recordingFromJson(*parseJson(reportJsonText(recorder.recording())));
    EXPECT_TRUE(read) << (read ? "" : read.error().what);
    return read.value_or(Recording{});
}

ReplayOptions optionsFor(FakeModels& models) {
    models.options = model();
    ReplayOptions options;
    options.makers = models.makers();
    return options;
}

TEST(ReplayDraft, draftModel_isRecordedByName_andLoadedAgain) {
    const Recording recording = drafted();
    ASSERT_TRUE(recording.model);
    EXPECT_EQ(recording.model->draftPath, "twin");
    EXPECT_FALSE(recording.model->draftFingerprint.empty());
    EXPECT_GT(recording.turns.front().finished->stats.acceptedTokens, 10);
    FakeModels models;
    const auto outcome = replay(recording, optionsFor(models));
    ASSERT_TRUE(outcome) << outcome.error().what;
    EXPECT_TRUE(outcome->identical) << outcome->sentence;
    EXPECT_EQ(models.loads, 2);
}

TEST(ReplayDraft, missingOrDifferentDraftModel_returnsATypedErrorWithItsName) {
    const Recording recording = drafted();
    FakeModels models;
    ReplayOptions options = optionsFor(models);
    options.draft = "missing";
    const auto missing = replay(recording, options);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::NotFound);
    EXPECT_NE(missing.error().what.find("missing"), std::string::npos) << missing.error().what;
    options.draft = "another";
    const auto another = replay(recording, options);
    ASSERT_FALSE(another);
    EXPECT_EQ(another.error().code, ErrorCode::Incompatible);
    EXPECT_NE(another.error().what.find("another"), std::string::npos) << another.error().what;
}

}  // namespace
}  // namespace lacuna
