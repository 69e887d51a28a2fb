// The setting precision in a running engine: what auto stands for, when it is measured, what is
// kept of it, and which arithmetic answers are then computed with.

#include "engine/session/automatic_precision.h"

#include <gtest/gtest.h>

#include <fstream>

#include "engine/kernels/cpu_features.h"
#include "tests/support/engine_runner.h"
#include "tests/support/rounded_model.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

using test::EngineRunner;

EngineConfig withPrecision(PrecisionChoice choice) {
    EngineConfig config;
    config.precision = choice;
    config.maxTokens = 4;
    return config;
}

/// An engine over a fake model that int8 throws far off, and two terms a little.
struct Session {
    explicit Session(const std::filesystem::path& folder,
                     PrecisionChoice choice = PrecisionChoice::Auto)
        : run(withPrecision(choice)) {
        run.precision = {.folder = folder};
        ModelMakers makers = run.models.makers();
        makers.transformer =
            [this, plain = makers.transformer](
                std::shared_ptr<const LoadedModel> model, ThreadPool& pool,
                Transformer::Options options) -> Result<std::unique_ptr<Transformer>> {
            LACUNA_TRY(auto exact, plain(std::move(model), pool, options));
            made.push_back(options.precision);
            const float error = options.precision == Precision::Fast       ? 0.4F
                                : options.precision == Precision::TwoTerms ? 0.002F
                                                                           : 0.0F;
            return std::make_unique<test::RoundedTransformer>(std::move(exact), error);
        };
        run.makers = std::move(makers);
    }
    [[nodiscard]] bool measured() const {
        for (const ModelLoading& loading : run.all<ModelLoading>())
            if (loading.measuring) return true;
        return false;
    }
    /// One more answer. @pre no other one is being written
    [[nodiscard]] bool answers() {
        run.submit(1, "hello");
        return run.waitFor<TurnFinished>(++asked);
    }
    /// Loads and ends; everything said can be read then.
    [[nodiscard]] ModelFacts load() {
        run.start();
        EXPECT_TRUE(run.load());
        const auto loaded = run.all<ModelLoaded>();
        return loaded.empty() ? ModelFacts{} : loaded.front().facts;
    }

    std::vector<Precision> made;  ///< of the engine thread
    EngineRunner run;
    std::size_t asked = 0;
};

TEST(AutomaticPrecision, aModelThatInt8ThrowsOff_isComputedInTwoTerms) {
    const test::TemporaryFolder folder;
    Session session(folder.path());
    const ModelFacts facts = session.load();
    EXPECT_TRUE(session.measured());
    EXPECT_EQ(facts.precision, Precision::TwoTerms);
    ASSERT_TRUE(facts.precisionKl);
    EXPECT_LT(*facts.precisionKl, kMostPrecisionKl);
    EXPECT_TRUE(facts.precisionNote.starts_with("auto is int8 in two terms"))
        << facts.precisionNote;
    session.run.finish();
    EXPECT_EQ(session.made.back(), Precision::TwoTerms);
    EXPECT_TRUE(session.run.all<Notice>().empty());
}

TEST(AutomaticPrecision, aSecondLoad_takesWhatWasMeasured) {
    const test::TemporaryFolder folder;
    const ModelFacts first = Session(folder.path()).load();
    Session second(folder.path());
    const ModelFacts facts = second.load();
    EXPECT_FALSE(second.measured());
    EXPECT_EQ(facts.precision, first.precision);
    EXPECT_EQ(facts.precisionNote, first.precisionNote);
    second.run.finish();
    EXPECT_EQ(second.made, std::vector<Precision>{Precision::TwoTerms});
}

TEST(AutomaticPrecision, aDamagedFile_isMeasuredAgainAndSaid) {
    const test::TemporaryFolder folder;
    {
        Session first(folder.path());
        EXPECT_EQ(first.load().precision, Precision::TwoTerms);
    }
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
        std::ofstream(entry.path()) << "{";
    Session again(folder.path());
    EXPECT_EQ(again.load().precision, Precision::TwoTerms);
    EXPECT_TRUE(again.measured());
    const auto notices = again.run.all<Notice>();
    ASSERT_EQ(notices.size(), 1U);
    EXPECT_NE(notices[0].sentence.find("measured again"), std::string::npos);
    Session third(folder.path());
    EXPECT_EQ(third.load().precision, Precision::TwoTerms);
    EXPECT_FALSE(third.measured()) << "what was measured again was kept";
}

TEST(AutomaticPrecision, noFolder_measuresEveryTime) {
    for (int i = 0; i < 2; ++i) {
        Session session({});
        EXPECT_EQ(session.load().precision, Precision::TwoTerms);
        EXPECT_TRUE(session.measured());
    }
}

TEST(AutomaticPrecision, anotherSetting_isUsedWithoutMeasuring) {
    for (const auto& [choice, precision] : {std::pair{PrecisionChoice::Fast, Precision::Fast},
                                            std::pair{PrecisionChoice::Exact, Precision::Exact}}) {
        Session session({}, choice);
        const ModelFacts facts = session.load();
        EXPECT_FALSE(session.measured());
        EXPECT_EQ(facts.precision, precision);
        EXPECT_TRUE(facts.precisionNote.empty());
        session.run.finish();
        EXPECT_EQ(session.made, std::vector<Precision>{precision});
    }
}

TEST(AutomaticPrecision, aChange_countsFromTheNextAnswerOn) {
    Session session({}, PrecisionChoice::Fast);
    static_cast<void>(session.load());
    ASSERT_TRUE(session.answers());
    session.run.queue.push(SetConfig{Revision(1), withPrecision(PrecisionChoice::Auto)});
    ASSERT_TRUE(session.run.waitFor<ConfigApplied>());
    EXPECT_FALSE(session.measured()) << "nobody has asked anything yet";
    ASSERT_TRUE(session.answers());
    const auto chosen = session.run.all<PrecisionChosen>();
    ASSERT_EQ(chosen.size(), 1U);
    EXPECT_EQ(chosen[0].precision, Precision::TwoTerms);
    EXPECT_TRUE(session.measured());
    session.run.queue.push(SetConfig{Revision(2), withPrecision(PrecisionChoice::Exact)});
    ASSERT_TRUE(session.answers());
    session.run.queue.push(SetConfig{Revision(3), withPrecision(PrecisionChoice::Auto)});
    ASSERT_TRUE(session.answers());
    EXPECT_EQ(session.run.all<PrecisionChosen>().size(), 1U) << "it is known";
    session.run.finish();
    ASSERT_GE(session.made.size(), 4U);
    EXPECT_EQ(session.made.front(), Precision::Fast);
    const std::vector<Precision> last(session.made.end() - 3, session.made.end());
    EXPECT_EQ(last, (std::vector{Precision::TwoTerms, Precision::Exact, Precision::TwoTerms}));
}

TEST(AutomaticPrecision, aCancel_leavesTheModelLoaded_inTwoTerms) {
    const test::TemporaryFolder folder;
    Session session(folder.path());
    session.run.onEvent = [&](const Event& event) {
        const auto* loading = std::get_if<ModelLoading>(&event);
        if (loading != nullptr && loading->measuring) session.run.queue.push(CancelTurn{});
    };
    const ModelFacts facts = session.load();
    EXPECT_EQ(facts.precision, Precision::TwoTerms);
    EXPECT_FALSE(facts.precisionKl);
    ASSERT_EQ(session.run.all<Notice>().size(), 1U);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "half a measurement is none";
    EXPECT_TRUE(session.answers());
}

TEST(AutomaticPrecision, whatARecordingSays_isTaken) {
    Session session({});
    session.run.precision = {.given = Precision::Exact};
    const ModelFacts facts = session.load();
    EXPECT_EQ(facts.precision, Precision::Exact);
    EXPECT_FALSE(session.measured());
    session.run.finish();
    EXPECT_EQ(session.made, std::vector<Precision>{Precision::Exact});
}

TEST(AutomaticPrecision, twoSidesOfAComparison_haveOnePrecision) {
    Session session({}, PrecisionChoice::Fast);
    static_cast<void>(session.load());
    session.run.queue.push(CompareSettings{
        .messages = {{"user", "hello"}},
        .sides = {withPrecision(PrecisionChoice::Fast), withPrecision(PrecisionChoice::Exact)}});
    ASSERT_TRUE(session.run.waitFor<SettingsCompared>());
    const auto compared = session.run.all<SettingsCompared>();
    ASSERT_TRUE(compared[0].error);
    EXPECT_EQ(compared[0].error->code, ErrorCode::Conflict);
}

}  // namespace
}  // namespace lacuna
