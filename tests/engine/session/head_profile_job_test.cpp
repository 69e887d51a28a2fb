// Automatic measurement of a model's heads: its start, its interruptions, the location of its
// result, and the time from which it takes effect.

#include "engine/session/jobs/head_profile_job.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "engine/base/file.h"
#include "tests/support/engine_runner.h"
#include "tests/support/random_model.h"
#include "tests/support/temporary_folder.h"

namespace lacuna::test {
namespace {

ModelMakers realMakers(int context = 512) {
    ModelMakers makers;
    makers.load = [context](const std::filesystem::path&, const LoadOptions&) {
        ModelSpec spec = smallSpec();
        spec.context = context;
        spec.fingerprint = "random";
        return makeRandomModel(spec, DType::F32);
    };
    return makers;
}

EngineConfig matching(HeadBudgets budgets = HeadBudgets::Auto) {
    EngineConfig config;
    config.kv.method = CompactionMethod::AttentionMatching;
    config.kv.compactionFloor = 0;
    config.kv.lossLimit.level = LossLimit::Level::Off;
    config.kv.headBudgets = budgets;
    return config;
}

/// A queue that occasionally claims waiting commands although there are none.
class RestlessQueue final : public CommandSource {
  public:
    CommandQueue queue;
    bool measuring = false;  ///< the sequence has been read
    [[nodiscard]] std::vector<Command> take(SafePoint at) override { return queue.take(at); }
    void wait(std::stop_token stop) override {
        queue.waitFor(std::move(stop), std::chrono::milliseconds(1));
    }
    [[nodiscard]] bool cancelWaiting(SafePoint at) const override {
        return queue.cancelWaiting(at);
    }
    [[nodiscard]] bool waiting() const override {
        ++asked_;
        const bool disturbs = asked_ == kWhileReading || (measuring && asked_ % kEvery == 0);
        disturbed_ += disturbs ? 1 : 0;
        return disturbs || queue.waiting();
    }
    [[nodiscard]] int disturbed() const { return disturbed_; }

  private:
    static constexpr int kWhileReading = 5;
    static constexpr int kEvery = 17;  // polls between two claims; more than the trial of a head
                                       // makes
    mutable int asked_ = 0;
    mutable int disturbed_ = 0;
};

HeadProfile kept(const std::filesystem::path& folder) {
    const auto text = readFile(storedProfilePath(folder, "random"), 1 << 20);
    return headProfileFromJson(*parseJson(*text)).value();
}

TEST(HeadProfileJob, matchingEnabled_measuresWhileIdle_storesAndUsesTheProfile) {
    const TemporaryFolder folder;
    EngineRunner runner(matching());
    runner.makers = realMakers();
    runner.options.profileFolder = folder.path();
    runner.start();
    ASSERT_TRUE(runner.load());
    ASSERT_TRUE(runner.waitFor<HeadProfilesInEffect>(3));
    const auto inEffect = runner.all<HeadProfilesInEffect>();
    EXPECT_EQ(inEffect[0].profiles.taskFree, nullptr);
    EXPECT_EQ(inEffect[0].profiles.copyScores, nullptr);
    EXPECT_EQ(inEffect[1].profiles.taskFree, nullptr);
    ASSERT_NE(inEffect[1].profiles.copyScores, nullptr) << "they stand in after the first reading";
    EXPECT_EQ(inEffect[1].profiles.of(HeadBudgets::Auto), inEffect[1].profiles.copyScores);
    ASSERT_NE(inEffect[2].profiles.taskFree, nullptr);
    EXPECT_EQ(inEffect[2].fingerprint, "random");
    EXPECT_EQ(*inEffect[2].profiles.taskFree, kept(folder.path()));
    const auto measured = runner.all<HeadsMeasured>();
    const int heads = smallSpec().layers * smallSpec().kvHeads;
    ASSERT_EQ(measured.back().done, heads);
    EXPECT_EQ(measured.back().share, 1);
    runner.queue.push(LoadModel{"fake"});
    ASSERT_TRUE(runner.waitFor<HeadProfilesInEffect>(4));
    ASSERT_NE(runner.all<HeadProfilesInEffect>()[3].profiles.taskFree, nullptr);
    EXPECT_EQ(runner.all<HeadProfilesInEffect>()[3].seconds, 0) << "read, not measured again";
    runner.finish();
    EXPECT_EQ(runner.all<HeadsMeasured>().size(), measured.size());
}

TEST(HeadProfileJob, repeatedInterruption_losesNoProgress) {
    const TemporaryFolder calm;
    const TemporaryFolder restless;
    RestlessQueue source;
    for (const bool disturbed : {false, true}) {
        EngineRunner runner(matching(HeadBudgets::TaskFree));
        runner.makers = realMakers();
        runner.options.profileFolder = (disturbed ? restless : calm).path();
        if (disturbed) runner.source = &source;
        runner.onEvent = [&source, disturbed](const Event& event) {
            if (disturbed && std::holds_alternative<HeadsMeasured>(event)) source.measuring = true;
        };
        runner.start();
        (disturbed ? source.queue : runner.queue).push(LoadModel{"fake"});
        ASSERT_TRUE(runner.waitFor<HeadProfilesInEffect>(3));
        runner.finish();
        const auto measured = runner.all<HeadsMeasured>();
        EXPECT_TRUE(std::ranges::is_sorted(measured, std::less_equal<>(), &HeadsMeasured::done));
    }
    EXPECT_GT(source.disturbed(), 2);
    EXPECT_EQ(kept(restless.path()), kept(calm.path()));
}

TEST(HeadProfileJob, defaultSettings_measureProfiles) {
    const TemporaryFolder folder;
    EngineRunner runner;
    runner.makers = realMakers();
    runner.options.profileFolder = folder.path();
    runner.start();
    ASSERT_TRUE(runner.load());
    ASSERT_TRUE(runner.waitFor<HeadProfilesInEffect>(3));
    runner.finish();
    EXPECT_NE(runner.all<HeadProfilesInEffect>()[2].profiles.taskFree, nullptr);
}

TEST(HeadProfileJob, modelThatCannotBeMeasured_isReportedOnce) {
    const TemporaryFolder folder;
    EngineRunner runner(matching());
    runner.makers = realMakers(200);
    runner.options.profileFolder = folder.path();
    runner.start();
    ASSERT_TRUE(runner.load());
    ASSERT_TRUE(runner.waitFor<Notice>());
    runner.submit(1, "Hi");
    ASSERT_TRUE(runner.waitFor<TurnFinished>());
    runner.finish();
    ASSERT_EQ(runner.all<Notice>().size(), 1U);
    EXPECT_NE(runner.all<Notice>()[0].sentence.find("200"), std::string::npos);
    EXPECT_EQ(runner.all<HeadsMeasured>().back().total, 0);
}

TEST(HeadProfileJob, recordedProfiles_replaceStoredFiles) {
    const TemporaryFolder folder;
    HeadProfile file{
        .fingerprint = "random", .layers = smallSpec().layers, .kvHeads = smallSpec().kvHeads};
    file.loss.assign(static_cast<std::size_t>(file.layers * file.kvHeads), 1.0F);
    const auto path = storedProfilePath(folder.path(), "random");
    std::filesystem::create_directories(path.parent_path());
    ASSERT_TRUE(writeFileAtomically(path, dumpJson(headProfileJson(file))));
    UseHeadProfiles recorded{.fingerprint = "random", .profiles = {}};
    HeadProfile other = file;
    other.loss[0] = 5;
    recorded.profiles.add(other);
    EngineRunner runner(matching());
    runner.makers = realMakers();
    runner.options.profileFolder = folder.path();
    runner.start();
    ASSERT_TRUE(runner.load());
    runner.queue.push(recorded);
    ASSERT_TRUE(runner.waitFor<HeadProfilesInEffect>(2));
    runner.queue.push(LoadModel{"fake"});
    ASSERT_TRUE(runner.waitFor<HeadProfilesInEffect>(3));
    runner.finish();
    const auto inEffect = runner.all<HeadProfilesInEffect>();
    EXPECT_EQ(*inEffect[0].profiles.taskFree, file);
    EXPECT_EQ(*inEffect[1].profiles.taskFree, other);
    EXPECT_EQ(*inEffect[2].profiles.taskFree, other);
}

}  // namespace
}  // namespace lacuna::test
