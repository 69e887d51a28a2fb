// The precision setting in a running engine: the resolution of auto before and after its
// measurement, the time of that measurement, its stored result, and the arithmetic of answers.

#include "engine/session/jobs/automatic_precision.h"

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

/// An engine over a fake model with an error of `fastError` under int8 and a small one under two
/// terms.
struct Session {
    explicit Session(const std::filesystem::path& folder,
                     PrecisionChoice choice = PrecisionChoice::Auto, float fastError = 0.4F)
        : run(withPrecision(choice)) {
        run.options.precision = {.folder = folder};
        run.options.measuresPrecision = true;
        ModelMakers makers = run.models.makers();
        makers.transformer =
            [this, fastError, plain = makers.transformer](
                std::shared_ptr<const LoadedModel> model, ThreadPool& pool,
                Transformer::Options options) -> Result<std::unique_ptr<Transformer>> {
            LACUNA_TRY(auto exact, plain(std::move(model), pool, options));
            made.push_back(options.precision);
            const float error = options.precision == Precision::Fast       ? fastError
                                : options.precision == Precision::TwoTerms ? 0.002F
                                                                           : 0.0F;
            return std::make_unique<test::RoundedTransformer>(std::move(exact), error);
        };
        run.makers = std::move(makers);
    }
    /// Runs another answer. @pre no other answer is running
    [[nodiscard]] bool answers() {
        run.submit(1, "hello");
        return run.waitFor<TurnFinished>(++asked);
    }
    [[nodiscard]] ModelFacts load() {
        run.start();
        EXPECT_TRUE(run.load());
        const auto loaded = run.all<ModelLoaded>();
        return loaded.empty() ? ModelFacts{} : loaded.front().facts;
    }
    /// Waits for the choice after the measurement.
    [[nodiscard]] PrecisionChosen chosen(std::size_t count = 1) {
        EXPECT_TRUE(run.waitFor<PrecisionChosen>(count));
        const auto all = run.all<PrecisionChosen>();
        return all.empty() ? PrecisionChosen{} : all.back();
    }
    /// Returns the precision of the newest turn.
    [[nodiscard]] std::optional<Precision> answeredWith() const {
        return run.all<TurnStarted>().back().precision;
    }
    /// Returns the end of the newest measurement; nullopt if there is none.
    [[nodiscard]] std::optional<PrecisionMeasured> ended() const {
        const auto measured = run.all<PrecisionMeasured>();
        return measured.empty() || !measured.back().ended ? std::nullopt
                                                          : std::optional(measured.back());
    }

    std::vector<Precision> made;  ///< created by the engine thread
    EngineRunner run;
    std::size_t asked = 0;
};

TEST(AutomaticPrecision, unmeasuredModel_startsWithTwoTerms_andIsMeasuredWhileIdle) {
    const test::TemporaryFolder folder;
    Session session(folder.path());
    const ModelFacts facts = session.load();
    EXPECT_EQ(facts.precision, Precision::TwoTerms);
    EXPECT_FALSE(facts.precisionKl);
    EXPECT_NE(facts.precisionNote.find("until it is measured"), std::string::npos);
    const PrecisionChosen chosen = session.chosen();
    EXPECT_EQ(chosen.precision, Precision::TwoTerms);
    ASSERT_TRUE(chosen.klMean);
    EXPECT_LT(*chosen.klMean, kMaxPrecisionKl);
    EXPECT_TRUE(chosen.note.starts_with("auto is int8 in two terms: mean KL")) << chosen.note;
    session.run.finish();
    EXPECT_EQ(session.made.front(), Precision::TwoTerms) << "before anything was measured";
    EXPECT_TRUE(session.run.all<Notice>().empty());
    EXPECT_FALSE(std::filesystem::is_empty(folder.path()));
}

TEST(AutomaticPrecision, submitQueuedWithLoad_isAnsweredBeforeMeasuring) {
    Session session({});
    session.run.queue.push(LoadModel{"fake"});
    session.run.submit(1, "hello");
    session.run.start();
    static_cast<void>(session.chosen());
    session.run.finish();
    bool answered = false;
    for (const Event& event : session.run.events()) {
        answered = answered || std::holds_alternative<TurnFinished>(event);
        EXPECT_TRUE(answered || !std::holds_alternative<PrecisionMeasured>(event));
    }
    EXPECT_EQ(session.answeredWith(), Precision::TwoTerms);
}

TEST(AutomaticPrecision, measuredPrecision_takesEffectWithTheNextAnswer) {
    Session session({}, PrecisionChoice::Auto, 0);
    static_cast<void>(session.load());
    EXPECT_EQ(session.chosen().precision, Precision::Fast);
    ASSERT_TRUE(session.answers());
    EXPECT_EQ(session.answeredWith(), Precision::Fast);
    session.run.finish();
    EXPECT_EQ(session.made.back(), Precision::Fast);
}

TEST(AutomaticPrecision, secondLoad_usesStoredMeasurement) {
    const test::TemporaryFolder folder;
    PrecisionChosen first;
    {
        Session session(folder.path());
        static_cast<void>(session.load());
        first = session.chosen();
    }
    Session second(folder.path());
    const ModelFacts facts = second.load();
    EXPECT_EQ(facts.precision, first.precision);
    EXPECT_EQ(facts.precisionNote, first.note);
    ASSERT_TRUE(second.answers());
    second.run.finish();
    EXPECT_TRUE(second.run.all<PrecisionMeasured>().empty());
    EXPECT_EQ(second.made, std::vector<Precision>{Precision::TwoTerms});
}

TEST(AutomaticPrecision, damagedFile_isReported_andPrecisionIsMeasuredAgain) {
    const test::TemporaryFolder folder;
    {
        Session first(folder.path());
        static_cast<void>(first.load());
        static_cast<void>(first.chosen());
    }
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
        std::ofstream(entry.path()) << "{";
    Session again(folder.path());
    EXPECT_EQ(again.load().precision, Precision::TwoTerms);
    static_cast<void>(again.chosen());
    const auto notices = again.run.all<Notice>();
    ASSERT_EQ(notices.size(), 1U);
    EXPECT_NE(notices[0].sentence.find("cannot be used"), std::string::npos);
    Session third(folder.path());
    EXPECT_TRUE(third.load().precisionKl) << "what was measured again was kept";
}

TEST(AutomaticPrecision, explicitPrecision_isUsedWithoutMeasuring) {
    for (const auto& [choice, precision] : {std::pair{PrecisionChoice::Fast, Precision::Fast},
                                            std::pair{PrecisionChoice::Exact, Precision::Exact}}) {
        Session session({}, choice);
        const ModelFacts facts = session.load();
        EXPECT_EQ(facts.precision, precision);
        EXPECT_TRUE(facts.precisionNote.empty());
        ASSERT_TRUE(session.answers());
        session.run.finish();
        EXPECT_TRUE(session.run.all<PrecisionMeasured>().empty());
        EXPECT_EQ(session.made, std::vector<Precision>{precision});
    }
}

TEST(AutomaticPrecision, settingChangedToAuto_takesEffectWithNextAnswer_thenMeasures) {
    Session session({}, PrecisionChoice::Fast);
    static_cast<void>(session.load());
    ASSERT_TRUE(session.answers());
    session.run.queue.push(SetConfig{Revision(1), withPrecision(PrecisionChoice::Auto)});
    ASSERT_TRUE(session.run.waitFor<ConfigApplied>());
    EXPECT_TRUE(session.run.all<PrecisionMeasured>().empty()) << "it is not in force yet";
    ASSERT_TRUE(session.answers());
    EXPECT_EQ(session.answeredWith(), Precision::TwoTerms);
    EXPECT_EQ(session.chosen(2).precision, Precision::TwoTerms);
    session.run.queue.push(SetConfig{Revision(2), withPrecision(PrecisionChoice::Exact)});
    ASSERT_TRUE(session.answers());
    EXPECT_EQ(session.answeredWith(), Precision::Exact);
    session.run.queue.push(SetConfig{Revision(3), withPrecision(PrecisionChoice::Auto)});
    ASSERT_TRUE(session.answers());
    EXPECT_EQ(session.answeredWith(), Precision::TwoTerms);
    EXPECT_EQ(session.run.all<PrecisionChosen>().size(), 2U) << "it is known";
}

TEST(AutomaticPrecision, skippedMeasurement_runsOnlyOnRequest) {
    const test::TemporaryFolder folder;
    Session session(folder.path());
    session.run.onEvent = [&, skipped = false](const Event& event) mutable {
        if (std::holds_alternative<PrecisionMeasured>(event) && !std::exchange(skipped, true))
            session.run.queue.push(SkipPrecision{});
    };
    static_cast<void>(session.load());
    ASSERT_TRUE(session.run.waitFor<PrecisionMeasured>(2));
    ASSERT_TRUE(session.answers());
    ASSERT_TRUE(session.ended() && session.ended()->error);
    EXPECT_EQ(session.ended()->error->code, ErrorCode::Cancelled);
    EXPECT_EQ(session.answeredWith(), Precision::TwoTerms);
    EXPECT_TRUE(session.run.all<PrecisionChosen>().empty());
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "half a measurement is none";
    session.run.queue.push(MeasurePrecision{});
    EXPECT_TRUE(session.chosen().klMean);
    EXPECT_FALSE(session.ended()->error);
    EXPECT_TRUE(session.run.all<Notice>().empty());
}

TEST(AutomaticPrecision, storedMeasurement_isRepeatedOnRequest) {
    const test::TemporaryFolder folder;
    {
        Session first(folder.path());
        static_cast<void>(first.load());
        static_cast<void>(first.chosen());
    }
    Session second(folder.path());
    static_cast<void>(second.load());
    second.run.queue.push(MeasurePrecision{});
    EXPECT_TRUE(second.chosen().klMean);
}

TEST(AutomaticPrecision, measuringDisabled_answersWithTwoTerms_andMeasuresNothing) {
    Session session({});
    session.run.options.measuresPrecision = false;
    EXPECT_EQ(session.load().precision, Precision::TwoTerms);
    ASSERT_TRUE(session.answers());
    session.run.finish();
    EXPECT_TRUE(session.run.all<PrecisionMeasured>().empty());
}

TEST(AutomaticPrecision, fileNextToTheModel_appliesToEveryKernelSet) {
    const test::TemporaryFolder folder;
    const auto model = test::fakeLoadedModel();
    auto moved = std::const_pointer_cast<LoadedModel>(model);
    moved->path = folder.path() / "small.gguf";
    const PrecisionMeasurement measurement{
        .model = "fake",
        .fingerprint = model->spec.fingerprint,
        .kernels = "another",
        .positions = 320,
        .measured = {{Precision::Fast, 0.1, 0.9}, {Precision::TwoTerms, 0.0001, 1}}};
    ASSERT_TRUE(writePrecision(folder.path() / "small.precision.json", measurement));
    const AutomaticPrecision found = automaticPrecision({}, *model);
    EXPECT_TRUE(found.known);
    EXPECT_EQ(found.precision, Precision::TwoTerms);
    moved->spec.fingerprint = "other";
    const AutomaticPrecision other = automaticPrecision({}, *model);
    EXPECT_FALSE(other.known);
    ASSERT_EQ(other.messages.size(), 1U);
    EXPECT_NE(other.messages[0].find("small.precision.json"), std::string::npos);
}

TEST(AutomaticPrecision, recordedPrecision_isUsedWithoutMeasuring) {
    Session session({});
    session.run.options.precision = {.given = Precision::Exact};
    const ModelFacts facts = session.load();
    EXPECT_EQ(facts.precision, Precision::Exact);
    ASSERT_TRUE(session.answers());
    session.run.finish();
    EXPECT_TRUE(session.run.all<PrecisionMeasured>().empty());
    EXPECT_EQ(session.made, std::vector<Precision>{Precision::Exact});
}

TEST(AutomaticPrecision, bothSidesOfAComparison_useTheSamePrecision) {
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
