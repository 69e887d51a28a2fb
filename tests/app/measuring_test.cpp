// Tests what-if, comparison and sweep without widgets: the requests to the engine, and the values
// made from its replies.

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "app/state/application_state.h"
#include "app/state/chat/chat_controller.h"
#include "app/state/experiments/measure_rows.h"
#include "app/state/experiments/measurement_controller.h"
#include "app/state/settings/config_controller.h"
#include "engine/session/measured_settings.h"
#include "engine/session/read_facts.h"
#include "tests/app/core_application.h"
#include "tests/support/fake_engine.h"

namespace lacuna::app {
namespace {

class MeasurementTest : public ::testing::Test {
  protected:
    MeasurementTest() {
        coreApplication();
        auto owned = std::make_unique<FakeEngine>();
        engine = owned.get();
        state = std::make_unique<ApplicationState>(ApplicationOptions{}, std::move(owned),
                                                   engine->events);
        engine->post(ModelLoaded{smallFacts(), 0.2});
        engine->post(StateChanged{EngineState::Idle});
        state->drain();
    }
    void talk(const char* question, const char* answer) {
        PromptDraft draft;
        draft.text = QString::fromLatin1(question);
        state->chat().submit(draft);
        TurnFinished finished;
        finished.conversation = here();
        finished.turn = 1;
        finished.text = answer;
        engine->post(finished);
        state->drain();
    }
    void edit(const char* key, const char* text, EditPace pace = EditPace::Settled) {
        state->config().edit(QString::fromLatin1(key), QString::fromLatin1(text), pace);
    }
    [[nodiscard]] ConversationId here() const { return ConversationId(state->chat().current()); }
    [[nodiscard]] const PreviewView& preview() const { return state->preview().view(); }
    [[nodiscard]] MeasurementController& measurement() const { return state->measurement(); }
    template <class T>
    [[nodiscard]] T last() const {
        const auto all = engine->sent<T>();
        EXPECT_FALSE(all.empty());
        return all.empty() ? T{} : all.back();
    }
    /// Replies to the newest request with an estimate.
    void estimate() {
        CompactionPreviewed event;
        event.conversation = here();
        event.kv = last<RequestPreview>().kv;
        event.preview.compacts = true;
        event.preview.headsFitted = 3;
        event.preview.heads = 8;
        event.preview.slotsNow = 4096;
        event.preview.slotsAfter = 1024;
        event.preview.liveBytesNow = 4 << 20;
        event.preview.liveBytesAfter = 1 << 20;
        event.preview.outputError = 0.12;
        engine->post(event);
        state->drain();
    }

    /// Replies to the newest request with the result of one tried ratio.
    void answerTrial(std::optional<double> error, CompactionNotes refusal) {
        CompactionPreviewed event;
        event.conversation = here();
        event.kv = last<RequestPreview>().kv;
        event.preview.compacts = error.has_value();
        event.preview.outputError = error;
        if (!error) event.preview.notes = std::move(refusal);
        engine->post(event);
        state->drain();
    }

    FakeEngine* engine = nullptr;
    std::unique_ptr<ApplicationState> state;
};

TEST_F(MeasurementTest, heldDrafts_arePreviewedBeforeTheyAreSent) {
    talk("Where is the key?", "Under the mat.");
    state->config().setSending(SendPolicy::OnSubmit);
    edit("am_ratio", "6");
    EXPECT_TRUE(engine->sent<SetConfig>().empty());
    EXPECT_TRUE(state->config().hasDrafts());
    state->preview().estimate();
    EXPECT_EQ(preview().stage, PreviewStage::Asked);
    EXPECT_EQ(last<RequestPreview>().conversation, here());
    EXPECT_DOUBLE_EQ(last<RequestPreview>().kv.amRatio, 6);
    EXPECT_EQ(last<RequestPreview>().kv.method, CompactionMethod::AttentionMatching);
    estimate();
    EXPECT_EQ(preview().stage, PreviewStage::Estimated);
    EXPECT_EQ(preview().slotsEstimated, 1024);
    EXPECT_FALSE(preview().stale);
    state->config().submitNow();
    EXPECT_DOUBLE_EQ(last<SetConfig>().config.kv.amRatio, 6);
    EXPECT_FALSE(preview().stale) << "what is applied is what was estimated";
}

TEST_F(MeasurementTest, sliderRatios_arePreviewedOneByOneWhileIdle) {
    edit("method", "am");
    EXPECT_EQ(state->preview().predictedLoss().total, 0);
    talk("Where is the key?", "Under the mat.");
    const double ratios[] = {2, 4, 8, 16, 32, 50};
    ASSERT_TRUE(QTest::qWaitFor([&] { return !engine->sent<RequestPreview>().empty(); }, 5'000));
    for (int i = 0; i < 6; ++i) {
        ASSERT_EQ(engine->sent<RequestPreview>().size(), static_cast<std::size_t>(i + 1))
            << "the next one when this one is answered";
        const RequestPreview asked = last<RequestPreview>();
        EXPECT_EQ(asked.conversation, here());
        EXPECT_DOUBLE_EQ(asked.kv.amRatio, ratios[i]);
        EXPECT_EQ(asked.kv.method, CompactionMethod::AttentionMatching);
        EXPECT_TRUE(state->preview().predictedLoss().running());
        answerTrial(i > 0 ? std::optional(0.1 * (i + 1)) : std::nullopt,
                    {noteOf(CompactionReason::NothingToGain, 88, 93)});
    }
    EXPECT_EQ(engine->sent<RequestPreview>().size(), 6U);
    EXPECT_EQ(preview().stage, PreviewStage::None) << "the box shows what a person asked for";
    const PredictedLossView& predictedLoss = state->preview().predictedLoss();
    EXPECT_FALSE(predictedLoss.running());
    EXPECT_EQ(predictedLoss.figureAt(8)->error, 0.1 * 3);
    EXPECT_TRUE(predictedLoss.figureAt(8)->tried());
    EXPECT_NEAR(predictedLoss.figureAt(std::sqrt(32.0))->error, 0.25, 1e-12)
        << "half way from 4 to 8";
    EXPECT_EQ(predictedLoss.figureAt(5)->below, 4);
    EXPECT_EQ(predictedLoss.figureAt(5)->above, 8);
    EXPECT_NEAR(predictedLoss.figureAt(1)->error, 0, 1e-12);
    EXPECT_EQ(predictedLoss.figureAt(50)->error, 0.1 * 6);
    EXPECT_EQ(predictedLoss.refusedAt(4), nullptr);
    EXPECT_EQ(predictedLoss.refusedAt(2)->refusal,
              QStringLiteral("nothing to gain: 88 slots, the target is 93"));
    EXPECT_EQ(predictedLoss.refusedAt(1.5), predictedLoss.refusedAt(2))
        << "a smaller ratio gains no more";
}

TEST(PredictedLossView, ratioWithoutAUsablePoint_isInterpolated) {
    PredictedLossView view;
    view.points = {{.ratio = 2, .error = 0.1, .refusal = {}},
                   {.ratio = 4, .error = std::nullopt, .refusal = {}},
                   {.ratio = 8, .error = 0.3, .spread = 0.5, .refusal = {}}};
    const PredictedLossView& same = view;
    ASSERT_NE(view.at(8), nullptr);
    EXPECT_EQ(view.at(8), same.at(8));
    EXPECT_EQ(view.at(8)->error, 0.3);
    EXPECT_EQ(same.at(5), nullptr);
    EXPECT_EQ(same.figureAt(8)->spread, 0.5);
    EXPECT_TRUE(same.figureAt(8)->tried());
    ASSERT_NE(same.at(4), nullptr) << "it was tried";
    EXPECT_FALSE(same.figureAt(4)->tried()) << "but its error is unknown";
    EXPECT_NEAR(same.figureAt(4)->error, 0.2, 1e-12) << "between its neighbours";
    EXPECT_EQ(same.figureAt(16)->above, 0);
}

TEST_F(MeasurementTest, intermediateRatio_isPreviewedWhenTheSliderRests) {
    edit("method", "am");
    talk("Where is the key?", "Under the mat.");
    ASSERT_TRUE(QTest::qWaitFor([&] { return !engine->sent<RequestPreview>().empty(); }, 5'000));
    for (int i = 0; i < 6; ++i) answerTrial(0.1 * (i + 1), {});
    ASSERT_EQ(engine->sent<RequestPreview>().size(), 6U);
    edit("am_ratio", "6");
    EXPECT_FALSE(state->preview().predictedLoss().figureAt(6)->tried());
    ASSERT_TRUE(QTest::qWaitFor([&] { return engine->sent<RequestPreview>().size() == 7; }, 5'000));
    EXPECT_DOUBLE_EQ(last<RequestPreview>().kv.amRatio, 6);
    answerTrial(0.27, {});
    const PredictedLossView& predictedLoss = state->preview().predictedLoss();
    EXPECT_TRUE(predictedLoss.figureAt(6)->tried());
    EXPECT_EQ(predictedLoss.figureAt(6)->error, 0.27);
    EXPECT_EQ(predictedLoss.figureAt(8)->error, 0.1 * 3) << "the others stay in their order";
    EXPECT_EQ(engine->sent<RequestPreview>().size(), 7U) << "once";
    // For other settings there is no figure, and none is shown.
    edit("keep_recent", "7");
    EXPECT_FALSE(state->preview().predictedLoss().figureAt(8));
}

TEST_F(MeasurementTest, newHeadProfiles_repeatTheRatioPreviews) {
    edit("method", "am");
    talk("Where is the key?", "Under the mat.");
    ASSERT_TRUE(QTest::qWaitFor([&] { return !engine->sent<RequestPreview>().empty(); }, 5'000));
    for (int i = 0; i < 6; ++i) answerTrial(0.1 * (i + 1), {});
    ASSERT_TRUE(state->preview().predictedLoss().figureAt(8));
    engine->post(HeadProfilesInEffect{});
    state->drain();
    EXPECT_FALSE(state->preview().predictedLoss().figureAt(8));
    ASSERT_TRUE(QTest::qWaitFor([&] { return engine->sent<RequestPreview>().size() == 7; }, 5'000));
    EXPECT_DOUBLE_EQ(last<RequestPreview>().kv.amRatio, 2);
}

TEST_F(MeasurementTest, ratiosAlreadyReached_gainNothingAndAddNoLoss) {
    edit("method", "am");
    talk("Where is the key?", "Under the mat.");
    ASSERT_TRUE(QTest::qWaitFor([&] { return !engine->sent<RequestPreview>().empty(); }, 5'000));
    answerTrial(std::nullopt, {noteOf(CompactionReason::NothingToGain, 88, 186)});
    answerTrial(std::nullopt, {noteOf(CompactionReason::NothingToGain, 88, 93)});
    answerTrial(0.2, {});
    const PredictedLossView& predictedLoss = state->preview().predictedLoss();
    EXPECT_EQ(predictedLoss.refusedAt(4)->refusal,
              QStringLiteral("nothing to gain: 88 slots, the target is 93"));
    EXPECT_NE(predictedLoss.refusedAt(3), nullptr);
    EXPECT_EQ(predictedLoss.refusedAt(8), nullptr) << "a larger ratio does gain";
    EXPECT_EQ(predictedLoss.figureAt(8)->error, 0.2);
}

TEST_F(MeasurementTest, newTurn_cancelsTheRatioPreviews_restartedAfterIt) {
    edit("method", "am");
    talk("Where is the key?", "Under the mat.");
    ASSERT_TRUE(QTest::qWaitFor([&] { return !engine->sent<RequestPreview>().empty(); }, 5'000));
    PromptDraft draft;
    draft.text = QStringLiteral("And the box?");
    state->chat().submit(draft);
    answerTrial(0.1, {});
    EXPECT_EQ(engine->sent<RequestPreview>().size(), 1U) << "an answer comes first";
    TurnFinished finished;
    finished.conversation = here();
    finished.turn = 2;
    engine->post(finished);
    state->drain();
    EXPECT_EQ(state->preview().predictedLoss().total, 0) << "of a shorter text";
    EXPECT_FALSE(state->preview().predictedLoss().figureAt(2));
    ASSERT_TRUE(QTest::qWaitFor([&] { return engine->sent<RequestPreview>().size() == 2; }, 5'000));
    EXPECT_DOUBLE_EQ(last<RequestPreview>().kv.amRatio, 2);
}

TEST_F(MeasurementTest, ratioPreviews_withoutAMethod_startWhenTheSliderMoves) {
    talk("Where is the key?", "Under the mat.");
    EXPECT_FALSE(QTest::qWaitFor([&] { return !engine->sent<RequestPreview>().empty(); }, 1'000));
    state->preview().predictLoss();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !engine->sent<RequestPreview>().empty(); }, 5'000));
    CompactionPreviewed refused;
    refused.conversation = here();
    refused.kv = last<RequestPreview>().kv;
    refused.error = fail(ErrorCode::InvalidArgument, "this conversation has no cache").value();
    engine->post(refused);
    state->drain();
    EXPECT_EQ(state->preview().predictedLoss().problem,
              QStringLiteral("this conversation has no cache"));
    EXPECT_EQ(engine->sent<RequestPreview>().size(), 1U) << "one reason is enough";
}

TEST_F(MeasurementTest, revertedDrafts_keepTheEffectiveValuesAndSendNothing) {
    state->config().setSending(SendPolicy::OnSubmit);
    edit("am_ratio", "6");
    edit("budget", "512");
    state->config().revert();
    EXPECT_FALSE(state->config().hasDrafts());
    EXPECT_TRUE(engine->sent<SetConfig>().empty());
    EXPECT_EQ(state->config().spec(QStringLiteral("am_ratio")).requestedText(),
              QStringLiteral("4"));
    EXPECT_EQ(state->config().asked(), state->config().inEffect());
    state->config().setSending(SendPolicy::AfterRest);
    EXPECT_TRUE(engine->sent<SetConfig>().empty());
}

TEST_F(MeasurementTest, heldDraft_survivesTheReplyToAnotherChange) {
    edit("temperature", "0.5");
    const SetConfig first = last<SetConfig>();
    state->config().setSending(SendPolicy::OnSubmit);
    edit("am_ratio", "6");
    ConfigApplied applied;
    applied.revision = first.revision;
    applied.config = first.config;
    engine->post(applied);
    state->drain();
    EXPECT_TRUE(state->config().hasDrafts());
    state->config().submitNow();
    EXPECT_DOUBLE_EQ(last<SetConfig>().config.kv.amRatio, 6);
    EXPECT_NEAR(last<SetConfig>().config.sampling.temperature, 0.5, 1e-6);
}

TEST_F(MeasurementTest, previewForOtherSettings_isMarkedStale) {
    talk("Where is the key?", "Under the mat.");
    state->config().setSending(SendPolicy::OnSubmit);
    edit("am_ratio", "6");
    state->preview().estimate();
    estimate();
    edit("am_ratio", "3");
    EXPECT_TRUE(preview().stale);
    edit("am_ratio", "6");
    EXPECT_FALSE(preview().stale);
}

TEST_F(MeasurementTest, previewedCompaction_isShownNextToItsPreview) {
    talk("Where is the key?", "Under the mat.");
    state->preview().estimate();
    estimate();
    PreviewOutcome outcome;
    outcome.conversation = here();
    outcome.report.result = CompactionResult::Done;
    outcome.report.slotsAfter = 1100;
    outcome.report.liveBytesAfter = 1'100'000;
    outcome.report.heldOutError = 0.13;
    engine->post(outcome);
    state->drain();
    EXPECT_EQ(preview().stage, PreviewStage::Carried);
    ASSERT_TRUE(preview().result.has_value());
    EXPECT_EQ(preview().result->liveBytes, 1'100'000);
    EXPECT_EQ(preview().slotsEstimated, 1024) << "the estimate stays as it was";
    state->chat().newConversation();
    EXPECT_EQ(preview().stage, PreviewStage::None) << "another conversation has none";
}

TEST_F(MeasurementTest, failedPreview_reportsTheReason) {
    state->preview().estimate();
    CompactionPreviewed event;
    event.conversation = here();
    event.kv = last<RequestPreview>().kv;
    event.error = Error{ErrorCode::InvalidArgument, "this conversation has no cache", {}};
    engine->post(event);
    state->drain();
    EXPECT_EQ(preview().problem, QStringLiteral("this conversation has no cache"));
}

TEST_F(MeasurementTest, comparison_repeatsTheLastMessageUnderBothSides) {
    talk("Where is the key?", "Under the mat.");
    measurement().resetSidesToSettings();
    QSignalSpy compared(&measurement(), &MeasurementController::compared);
    measurement().compare({});
    const auto asked = last<CompareSettings>();
    ASSERT_EQ(asked.messages.size(), 1U);
    EXPECT_EQ(asked.messages[0].content, "Where is the key?");
    EXPECT_EQ(asked.sides[0].kv.method, CompactionMethod::None);
    EXPECT_EQ(asked.sides[1].kv.method, CompactionMethod::AttentionMatching);
    EXPECT_FALSE(measurement().disabledReason().isEmpty());
    EXPECT_FALSE(state->chat().submitBlocker().isEmpty()) << "questions wait for the measurement";
    engine->post(QualityJobProgress{.done = 10, .total = 200});
    QSignalSpy wrote(&measurement(), &MeasurementController::wrote);
    engine->post(ComparedText{.side = 0, .text = "Unter der T\xc3\xbcr."});
    state->drain();
    ASSERT_EQ(wrote.count(), 1);
    EXPECT_EQ(wrote[0][1].toString(), QString::fromUtf8("Unter der T\xc3\xbcr."));
    SettingsCompared answer;
    answer.sides = asked.sides;
    answer.comparison.promptTokens = 42;
    answer.comparison.runs[0].text = "Under the mat.";
    answer.comparison.runs[1].text = "Under the hat.";
    answer.comparison.divergence = FirstDivergence{2, {" mat", " hat"}};
    engine->post(answer);
    state->drain();
    ASSERT_EQ(compared.count(), 1);
    const auto view = compared[0][0].value<ComparisonView>();
    EXPECT_TRUE(view.problem.isEmpty());
    EXPECT_EQ(view.promptTokens, 42);
    ASSERT_TRUE(view.divergence.has_value());
    EXPECT_EQ(view.divergence->pieces[1], QStringLiteral(" hat"));
    EXPECT_TRUE(view.sides[1].settings.contains(QStringLiteral("Attention matching")));
    EXPECT_TRUE(measurement().disabledReason().isEmpty());
    EXPECT_TRUE(state->chat().submitBlocker().isEmpty());
}

TEST_F(MeasurementTest, customMessage_isAppendedToTheConversation) {
    talk("Where is the key?", "Under the mat.");
    measurement().compare(QStringLiteral("And the door?"));
    const auto asked = last<CompareSettings>();
    ASSERT_EQ(asked.messages.size(), 3U);
    EXPECT_EQ(asked.messages[1].role, "assistant");
    EXPECT_EQ(asked.messages[2].content, "And the door?");
}

TEST_F(MeasurementTest, comparison_withoutAMessage_isRejectedWithAReason) {
    QSignalSpy compared(&measurement(), &MeasurementController::compared);
    measurement().compare(QStringLiteral("  "));
    EXPECT_TRUE(engine->sent<CompareSettings>().empty());
    ASSERT_EQ(compared.count(), 1);
    EXPECT_FALSE(compared[0][0].value<ComparisonView>().problem.isEmpty());
}

TEST_F(MeasurementTest, comparison_withARejectedSetting_doesNotStart) {
    talk("Where is the key?", "Under the mat.");
    measurement().side(1).edit(QStringLiteral("am_ratio"), QStringLiteral("51"), EditPace::Settled);
    measurement().compare({});
    EXPECT_TRUE(engine->sent<CompareSettings>().empty());
}

TEST_F(MeasurementTest, cancel_endsTheMeasurementOnly) {
    talk("Where is the key?", "Under the mat.");
    measurement().compare({});
    measurement().cancel();
    ASSERT_EQ(engine->sent<CancelTurn>().size(), 1U);
    ASSERT_TRUE(last<CancelTurn>().conversation.has_value());
    EXPECT_NE(*last<CancelTurn>().conversation, here());
    engine->post(QualityJobProgress{.done = 1, .total = 100});
    state->drain();
    EXPECT_TRUE(measurement().view().cancelling);
    EXPECT_EQ(engine->sent<CancelTurn>().size(), 1U) << "the engine keeps a cancel that came early";
    QSignalSpy compared(&measurement(), &MeasurementController::compared);
    SettingsCompared answer;
    answer.error = Error{ErrorCode::Cancelled, "the comparison was stopped", {}};
    engine->post(answer);
    state->drain();
    EXPECT_TRUE(compared[0][0].value<ComparisonView>().cancelled);
    EXPECT_EQ(measurement().view().what, Measuring::Nothing);
}

TEST_F(MeasurementTest, measurement_duringATurn_isRejected) {
    PromptDraft draft;
    draft.text = QStringLiteral("Go on.");
    state->chat().submit(draft);
    EXPECT_FALSE(measurement().disabledReason().isEmpty());
    QSignalSpy swept(&measurement(), &MeasurementController::swept);
    measurement().sweep({{QStringLiteral("am")}, QStringLiteral("2"), {}});
    EXPECT_TRUE(engine->sent<SweepSettings>().empty());
    EXPECT_FALSE(swept[0][0].value<SweepView>().problem.isEmpty());
}

TEST_F(MeasurementTest, sweep_runsEveryMethodAtEverySizeAndNamesTheSettings) {
    talk("Where is the key?", "Under the mat.");
    measurement().sweep({{QStringLiteral("am"), QStringLiteral("keydiff")},
                         QStringLiteral("2, 4"),
                         QStringLiteral("512")});
    const auto asked = last<SweepSettings>();
    EXPECT_EQ(asked.messages.size(), 2U);
    ASSERT_EQ(asked.settings.size(), 6U);
    QSignalSpy swept(&measurement(), &MeasurementController::swept);
    SettingsSwept answer;
    for (const GridSetting& one : asked.settings) {
        GridRow row;
        row.method = one.method;
        row.asked = one.asked;
        row.items = 1;
        row.liveShare = 0.3;
        answer.rows.push_back(row);
    }
    engine->post(answer);
    state->drain();
    const auto view = swept[0][0].value<SweepView>();
    ASSERT_EQ(view.rows.size(), 6);
    using Value = std::pair<QString, QString>;
    EXPECT_TRUE(
        view.rows[1].values.contains(Value(QStringLiteral("am_ratio"), QStringLiteral("4"))));
    EXPECT_TRUE(
        view.rows[1].values.contains(Value(QStringLiteral("budget"), QStringLiteral("off"))));
    EXPECT_TRUE(view.rows[5].values.contains(
        Value(QStringLiteral("norm_policy"), QStringLiteral("keydiff"))));
    EXPECT_TRUE(
        view.rows[5].values.contains(Value(QStringLiteral("budget"), QStringLiteral("512"))));
    EXPECT_TRUE(view.rows[3].values.isEmpty()) << "needs the length of the conversation";
    EXPECT_FALSE(view.rows[3].valuesBlocker.isEmpty());
    state->config().editAll(view.rows[5].values);
    EXPECT_EQ(last<SetConfig>().config.kv.method, CompactionMethod::Eviction);
    EXPECT_EQ(last<SetConfig>().config.kv.budget, 512);
}

TEST_F(MeasurementTest, sweepSizes_notNumeric_areRejectedWithAReason) {
    talk("Where is the key?", "Under the mat.");
    QSignalSpy swept(&measurement(), &MeasurementController::swept);
    for (const char* wrong : {"2, x", "1", "0.5", "nan"}) {
        swept.clear();
        measurement().sweep({{QStringLiteral("am")}, QString::fromLatin1(wrong), {}});
        ASSERT_EQ(swept.count(), 1) << wrong;
        EXPECT_FALSE(swept[0][0].value<SweepView>().problem.isEmpty()) << wrong;
    }
    swept.clear();
    measurement().sweep({{QStringLiteral("am")}, {}, QStringLiteral("0.5")});
    ASSERT_EQ(swept.count(), 1);
    EXPECT_TRUE(swept[0][0].value<SweepView>().problem.contains(QStringLiteral("budgets")));
    EXPECT_TRUE(engine->sent<SweepSettings>().empty());
}

TEST_F(MeasurementTest, offeredMethods_areKnownToTheEngine) {
    for (const auto& [name, help] : MeasurementController::methods()) {
        const std::string known = name.toStdString();
        EXPECT_TRUE(methodsNamed({&known, 1})) << known;
        EXPECT_FALSE(help.isEmpty());
    }
}

TEST(SweepPlan, ratioOfAnEvictionMethod_atAKnownLength_becomesABudget) {
    coreApplication();
    const auto plan = sweepPlan({{QStringLiteral("recent")}, QStringLiteral("4"), {}},
                                EngineConfig{}, smallFacts(), machineFacts(), 1001);
    ASSERT_TRUE(plan) << plan.error().what;
    ASSERT_EQ(plan->rows.size(), 1);
    using Value = std::pair<QString, QString>;
    EXPECT_TRUE(
        plan->rows[0].values.contains(Value(QStringLiteral("budget"), QStringLiteral("251"))));
}

}  // namespace
}  // namespace lacuna::app
