// Automatic fitting of a surrogate: its start, its interruptions, the location of its result, the
// time from which it takes effect, and resuming it after a restart of the program.

#include "engine/session/jobs/surrogate_job.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/base/file.h"
#include "engine/generate/surrogate_file.h"
#include "engine/quality/surrogate_fit.h"
#include "tests/support/compaction_notes.h"
#include "tests/support/engine_runner.h"
#include "tests/support/random_model.h"
#include "tests/support/temporary_folder.h"

namespace lacuna::test {
namespace {

constexpr const char* kFingerprint = "random";

ModelMakers realMakers(int context = 512) {
    ModelMakers makers;
    makers.load = [context](const std::filesystem::path&, const LoadOptions&) {
        ModelSpec spec = smallSpec();
        spec.context = context;
        spec.fingerprint = kFingerprint;
        return makeRandomModel(spec, DType::F32);
    };
    return makers;
}

/// Returns running text, long enough for the fewest tokens of a fit.
std::string someText() {
    std::string text;
    for (int i = 0; text.size() < 2000; ++i)
        text += "Word" + std::to_string(i * 7919 % 1000) + " follows another";
    return text;
}

struct Fitter {
    explicit Fitter(const std::filesystem::path& folder, const EngineConfig& config = {})
        : runner(config) {
        runner.makers = realMakers();
        runner.options.profileFolder = folder;
        runner.options.calibrationText = [this]() -> Result<std::string> {
            ++texts;
            static const std::string text = someText();
            return text;
        };
    }
    /// Waits until a surrogate takes effect.
    [[nodiscard]] bool fits() {
        for (std::size_t seen = 1; runner.waitFor<HeadProfilesInEffect>(seen); ++seen)
            if (runner.all<HeadProfilesInEffect>()[seen - 1].profiles.surrogate != nullptr)
                return true;
        return false;
    }

    EngineRunner runner;
    std::atomic<int> texts{0};
};

ReconstructionSurrogate kept(const std::filesystem::path& folder) {
    const auto bytes = readFile(storedSurrogatePath(folder, kFingerprint), 1 << 26);
    EXPECT_TRUE(bytes);
    return surrogateFromBytes(*bytes).value();
}

TEST(SurrogateJob, modelWithoutSurrogate_isFittedWhileIdle_storesAndUsesIt) {
    const TemporaryFolder folder;
    Fitter fitter(folder.path());
    EngineRunner& runner = fitter.runner;
    runner.start();
    ASSERT_TRUE(runner.load());
    ASSERT_TRUE(fitter.fits());
    const auto fitted = runner.all<SurrogateFitted>();
    ASSERT_GT(fitted.size(), 10U);
    EXPECT_TRUE(std::ranges::is_sorted(fitted, {}, &SurrogateFitted::share));
    EXPECT_TRUE(fitted.back().ended);
    EXPECT_FALSE(fitted.back().error);
    const auto inEffect = runner.all<HeadProfilesInEffect>();
    const auto now = std::ranges::find_if(
        inEffect, [](const auto& one) { return one.profiles.surrogate != nullptr; });
    EXPECT_GT(now->fitSeconds, 0);
    EXPECT_EQ(*now->profiles.surrogate, kept(folder.path()));
    EXPECT_EQ(now->profiles.surrogateHash, kept(folder.path()).hash());
    EXPECT_NE(now->profiles.copyScores, nullptr) << "they were there before it";
    // When the model is loaded again, the surrogate is read instead of fitted.
    const auto before = inEffect.size();
    runner.queue.push(LoadModel{"fake"});
    ASSERT_TRUE(runner.waitFor<ModelLoaded>(2));
    runner.finish();
    const auto after = runner.all<HeadProfilesInEffect>();
    ASSERT_GT(after.size(), before);
    EXPECT_EQ(after.back().profiles.surrogateHash, kept(folder.path()).hash());
    EXPECT_EQ(fitter.texts, 1);
}

TEST(SurrogateJob, fittedSurrogate_isUsedByTheNextCompaction) {
    const TemporaryFolder folder;
    EngineConfig config;
    config.kv.method = CompactionMethod::Eviction;
    config.kv.compactionFloor = 0;
    config.kv.budget = 60;
    config.kv.lossLimit.level = LossLimit::Level::Off;
    config.kv.keepRecent = 8;
    config.kv.nSink = 2;
    config.maxTokens = 4;
    Fitter fitter(folder.path(), config);
    EngineRunner& runner = fitter.runner;
    runner.start();
    ASSERT_TRUE(runner.load());
    ASSERT_TRUE(fitter.fits());
    runner.submit(1, std::string(200, 'a') + " and some more of it");
    ASSERT_TRUE(runner.waitFor<TurnFinished>());
    runner.queue.push(CompactNow{ConversationId(1)});
    const auto done = [&] {
        const auto all = runner.all<CompactionHappened>();
        return std::ranges::find_if(all, [](const CompactionHappened& one) {
                   return one.report.result == CompactionResult::Done;
               }) != all.end();
    };
    for (std::size_t seen = 1; !done() && runner.waitFor<CompactionHappened>(seen); ++seen) {
    }
    runner.finish();
    const auto all = runner.all<CompactionHappened>();
    const auto one = std::ranges::find_if(all, [](const CompactionHappened& happened) {
        return happened.report.result == CompactionResult::Done;
    });
    ASSERT_NE(one, all.end());
    EXPECT_TRUE(mentions(one->report.notes, CompactionReason::ScoresPredicted))
        << one->report.notes;
}

TEST(SurrogateJob, submit_isAnsweredFirst_andTheFitResumes) {
    const TemporaryFolder calm;
    const TemporaryFolder restless;
    for (const bool disturbed : {false, true}) {
        EngineConfig config;
        config.maxTokens = 3;
        Fitter fitter((disturbed ? restless : calm).path(), config);
        EngineRunner& runner = fitter.runner;
        std::atomic<int> slices{0};
        std::atomic<int> between{0};
        std::atomic<bool> asked{false};
        runner.onEvent = [&](const Event& event) {
            if (std::holds_alternative<SurrogateFitted>(event)) {
                if (asked) ++between;
                if (disturbed && ++slices == 4) {
                    asked = true;
                    runner.submit(1, "Hi");
                }
            }
            if (std::holds_alternative<TurnFinished>(event)) asked = false;
        };
        runner.start();
        ASSERT_TRUE(runner.load());
        ASSERT_TRUE(fitter.fits());
        runner.finish();
        EXPECT_EQ(runner.all<TurnFinished>().size(), disturbed ? 1U : 0U);
        EXPECT_EQ(between, 0) << "no slice between a question and the end of its answer";
    }
    EXPECT_EQ(kept(restless.path()), kept(calm.path()));
}

TEST(SurrogateJob, storedSums_areResumed_andDamagedOnesAreRebuilt) {
    const TemporaryFolder folder;
    ReconstructionSurrogate whole;
    {
        Fitter fitter(folder.path());
        fitter.runner.start();
        ASSERT_TRUE(fitter.runner.load());
        ASSERT_TRUE(fitter.fits());
        fitter.runner.finish();
        whole = kept(folder.path());
    }
    auto sums = storedSurrogatePath(folder.path(), kFingerprint);
    ASSERT_TRUE(std::filesystem::remove(sums));
    sums.replace_extension(".sums");
    ASSERT_FALSE(std::filesystem::exists(sums)) << "what is done leaves none";
    ASSERT_TRUE(writeFileAtomically(sums, "LACUNASF and then something else"));
    Fitter fitter(folder.path());
    fitter.runner.start();
    ASSERT_TRUE(fitter.runner.load());
    ASSERT_TRUE(fitter.fits());
    fitter.runner.finish();
    EXPECT_EQ(kept(folder.path()), whole);
    EXPECT_FALSE(std::filesystem::exists(sums));
}

TEST(SurrogateJob, skippedFit_runsOnlyOnRequest) {
    const TemporaryFolder folder;
    Fitter fitter(folder.path());
    EngineRunner& runner = fitter.runner;
    std::atomic<bool> skipped{false};
    runner.onEvent = [&](const Event& event) {
        if (std::holds_alternative<SurrogateFitted>(event) && !skipped.exchange(true))
            runner.queue.push(SkipSurrogate{});
    };
    runner.start();
    ASSERT_TRUE(runner.load());
    ASSERT_TRUE(runner.waitFor<SurrogateFitted>(2));
    runner.submit(1, "Hi");
    ASSERT_TRUE(runner.waitFor<TurnFinished>());
    const auto fitted = runner.all<SurrogateFitted>();
    EXPECT_TRUE(fitted.back().ended);
    ASSERT_TRUE(fitted.back().error);
    EXPECT_EQ(fitted.back().error->code, ErrorCode::Cancelled);
    EXPECT_FALSE(std::filesystem::exists(storedSurrogatePath(folder.path(), kFingerprint)));
    runner.queue.push(FitSurrogate{});
    ASSERT_TRUE(fitter.fits());
    runner.finish();
    EXPECT_TRUE(runner.all<Notice>().empty());
}

TEST(SurrogateJob, unsupportedModel_isReportedOnce) {
    const TemporaryFolder folder;
    Fitter fitter(folder.path());
    EngineRunner& runner = fitter.runner;
    runner.options.calibrationText = []() -> Result<std::string> {
        return std::string("too short");
    };
    runner.start();
    ASSERT_TRUE(runner.load());
    ASSERT_TRUE(runner.waitFor<Notice>());
    runner.submit(1, "Hi");
    ASSERT_TRUE(runner.waitFor<TurnFinished>());
    runner.finish();
    ASSERT_EQ(runner.all<Notice>().size(), 1U);
    EXPECT_NE(runner.all<Notice>()[0].sentence.find(std::to_string(kMinFitTokens)),
              std::string::npos)
        << runner.all<Notice>()[0].sentence;
    EXPECT_TRUE(runner.all<SurrogateFitted>().back().ended);
}

TEST(SurrogateJob, noTextOrFolder_fitsNothing) {
    const TemporaryFolder folder;
    for (const bool text : {false, true}) {
        Fitter fitter(text ? std::filesystem::path() : folder.path());
        if (!text) fitter.runner.options.calibrationText = {};
        fitter.runner.start();
        ASSERT_TRUE(fitter.runner.load());
        fitter.runner.submit(1, "Hi");
        ASSERT_TRUE(fitter.runner.waitFor<TurnFinished>());
        fitter.runner.finish();
        EXPECT_TRUE(fitter.runner.all<SurrogateFitted>().empty());
    }
}

}  // namespace
}  // namespace lacuna::test
