// A surrogate that was fitted while a session was recorded takes effect at the same point of its
// replay, if it was stored.

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/generate/surrogate_file.h"
#include "engine/report/replay.h"
#include "engine/report/report.h"
#include "tests/support/engine_runner.h"
#include "tests/support/random_model.h"
#include "tests/support/temporary_folder.h"

namespace lacuna::test {
namespace {

constexpr const char* kFingerprint = "random";

ModelMakers realMakers() {
    ModelMakers makers;
    makers.load = [](const std::filesystem::path&, const LoadOptions&) {
        ModelSpec spec = smallSpec();
        spec.context = 1024;
        spec.fingerprint = kFingerprint;
        return makeRandomModel(spec, DType::F32);
    };
    return makers;
}

EngineConfig evicting() {
    return *withSettings({}, std::vector<std::string>{
                                 "method=l2", "compaction_floor=0", "loss_limit=off", "budget=90",
                                 "max_tokens=12", "seed=5", "keep_recent=8", "n_sink=2",
                                 "margin=16", "temperature=0.7", "precision=exact"});
}

TEST(ReplaySurrogate, surrogateFittedBetweenTurns_takesEffectAtTheSamePoint) {
    const TemporaryFolder folder;
    const EngineConfig config = evicting();
    DialogueRunner dialogue(config);
    dialogue.run.makers = realMakers();
    dialogue.run.options.profileFolder = folder.path();
    dialogue.run.options.calibrationText = []() -> Result<std::string> {
        std::string text;
        for (int i = 0; text.size() < 2000; ++i)
            text += "Word" + std::to_string(i * 7919 % 1000) + " follows another";
        return text;
    };
    Recorder recorder(dialogue.run.options.machine, config, 0);
    dialogue.run.onEvent = [&](const Event& event) { recorder.add(event); };
    dialogue.start();
    dialogue.run.queue.push(SkipSurrogate{});  // not before the first answer
    dialogue.ask(200);
    dialogue.settle();
    dialogue.run.queue.push(FitSurrogate{});
    const auto fitted = [&] {
        const auto all = dialogue.run.all<HeadProfilesInEffect>();
        return std::ranges::any_of(
            all, [](const auto& one) { return one.profiles.surrogate != nullptr; });
    };
    for (std::size_t seen = 1; !fitted(); ++seen)
        ASSERT_TRUE(dialogue.run.waitFor<HeadProfilesInEffect>(seen));
    for (const int letters : {60, 60}) {
        dialogue.ask(letters);
        dialogue.settle();
    }
    dialogue.run.finish();
    const auto compactions = dialogue.compactions();
    EXPECT_TRUE(std::ranges::any_of(compactions, [](const CompactionHappened& one) {
        return mentions(one.report.notes, CompactionReason::ScoresPredicted) ||
               mentions(one.report.notes, CompactionReason::ScoresPredictedAgain);
    }));
    const auto recording = recordingFromJson(*parseJson(reportJsonText(recorder.recording())));
    ASSERT_TRUE(recording) << recording.error().what;
    ReplayOptions options;
    options.makers = realMakers();
    options.kept = folder.path();
    const auto outcome = replay(*recording, options);
    ASSERT_TRUE(outcome) << outcome.error().what;
    EXPECT_TRUE(outcome->identical) << outcome->sentence;
    EXPECT_EQ(outcome->compactionsReplayed, outcome->compactionsRecorded);
}

}  // namespace
}  // namespace lacuna::test
