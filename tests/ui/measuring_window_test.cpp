// User workflow for what-if, comparison and sweep with a scripted engine.

#include <gtest/gtest.h>

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTableView>
#include <QTest>
#include <QTextEdit>

#include "app/state/chat/chat_controller.h"
#include "app/state/experiments/measurement_controller.h"
#include "app/state/settings/config_controller.h"
#include "tests/ui/window_stage.h"
#include "ui/charts/pareto_plot.h"
#include "ui/charts/plot_cell.h"
#include "ui/chat/prompt_box.h"
#include "ui/pages/compare_page.h"
#include "ui/pages/progress_footer.h"
#include "ui/pages/sweep_page.h"
#include "ui/panels/predicted_loss_label.h"
#include "ui/panels/preview_panel.h"
#include "ui/panels/setting_row.h"
#include "ui/panels/settings_panel.h"
#include "ui/style/theme.h"

namespace lacuna::ui {
namespace {

class MeasurementWindowsTest : public WindowStage {
  protected:
    MeasurementWindowsTest() {
        load();
        app::PromptDraft draft;
        draft.text = QStringLiteral("Where is the key?");
        state->chat().submit(draft);
        TurnFinished finished;
        finished.conversation = here();
        finished.turn = 1;
        finished.text = "Under the mat.";
        hear(finished);
    }
    template <class W>
    [[nodiscard]] W& opened(const char* action) {
        trigger(action);
        QCoreApplication::processEvents();
        return *window->findChild<W*>();
    }
    void estimate(std::int64_t liveAfter) {
        CompactionPreviewed event;
        event.conversation = here();
        event.kv = engine->sent<RequestPreview>().back().kv;
        event.preview.compacts = true;
        event.preview.headsFitted = 3;
        event.preview.heads = 8;
        event.preview.slotsNow = 4096;
        event.preview.slotsAfter = 1024;
        event.preview.liveBytesNow = 4 << 20;
        event.preview.liveBytesAfter = liveAfter;
        event.preview.outputError = 0.12;
        event.preview.outputErrorSpread = 0.011;
        hear(event);
    }
    /// Rows of the requested sweep, the first `tried` of them with figures: `shares` of bytes and a
    /// decreasing loss.
    [[nodiscard]] std::vector<GridRow> sweptRows(std::size_t tried) const {
        std::vector<GridRow> rows;
        double share = 0.5, loss = 0.01;
        const SweepSettings asked = engine->sent<SweepSettings>().back();
        for (const GridSetting& one : asked.settings) {
            GridRow row;
            row.method = one.method;
            row.asked = one.asked;
            if (rows.size() < tried) {
                row.items = 1;
                row.liveShare = share;
                row.divergence.klMean = loss;
                row.divergence.top1 = 1 - loss;
                row.onFront = true;
            }
            rows.push_back(row);
            share *= 0.7;
            loss *= 1.9;
        }
        return rows;
    }
    void answerSweep() { hear(SettingsSwept{sweptRows(1000), {}}); }
};

TEST_F(MeasurementWindowsTest, ratioMoved_showsThePredictedLossBeforeItIsApplied) {
    auto& predictedLoss = *window->findChild<PredictedLossLabel*>();
    EXPECT_EQ(predictedLoss.sentence(),
              QStringLiteral("Move the slider to predict the loss for this text."));
    state->config().edit(QStringLiteral("method"), QStringLiteral("am"), app::EditPace::Settled);
    ASSERT_EQ(engine->sent<SetConfig>().size(), 1U);
    for (int i = 0; i < 6; ++i) {
        ASSERT_TRUE(QTest::qWaitFor(
            [&] {
                return engine->sent<RequestPreview>().size() == static_cast<std::size_t>(i + 1);
            },
            60'000));
        CompactionPreviewed event;
        event.conversation = here();
        event.kv = engine->sent<RequestPreview>().back().kv;
        event.preview.compacts = i > 0;
        if (i > 0) event.preview.outputError = 0.1 * (i + 1);
        if (i == 2) event.preview.outputErrorSpread = 0.02;  // there are too many heads to try all
        if (i == 0) event.preview.notes = {noteOf(CompactionReason::NothingToGain, 8, 8)};
        hear(event);
    }
    EXPECT_EQ(predictedLoss.sentence(), QStringLiteral("Predicted at 4x: output error 0.20."));
    state->config().edit(QStringLiteral("am_ratio"), QStringLiteral("6"), app::EditPace::Moving);
    EXPECT_EQ(predictedLoss.sentence(),
              QStringLiteral("Predicted at 6x: output error about 0.26, interpolated between 4x "
                             "and 8x."))
        << "the method is not in force yet, so no ratio is";
    ConfigApplied applied;
    applied.revision = engine->sent<SetConfig>().back().revision;
    applied.config = engine->sent<SetConfig>().back().config;
    hear(applied);
    state->config().edit(QStringLiteral("am_ratio"), QStringLiteral("4"), app::EditPace::Moving);
    auto* slider = window->tuning().row(QStringLiteral("am_ratio"))->findChild<SettingSlider*>();
    slider->setFocus();
    QTest::keyClick(slider, Qt::Key_PageUp);
    EXPECT_EQ(
        predictedLoss.sentence(),
        QStringLiteral("Predicted at 8x: output error 0.30 \u00b1 0.02; at the current 4x: 0.20."));
    QTest::keyClick(slider, Qt::Key_PageUp);
    QTest::keyClick(slider, Qt::Key_PageUp);
    EXPECT_DOUBLE_EQ(slider->settingValueFrom(), 32);
    EXPECT_EQ(predictedLoss.sentence(),
              QStringLiteral("Predicted at 32x: output error 0.50; at the current 4x: 0.20."));
    QTest::keyClick(slider, Qt::Key_PageUp);
    EXPECT_DOUBLE_EQ(slider->settingValueFrom(), 50) << "the end of the slider";
    state->config().edit(QStringLiteral("am_ratio"), QStringLiteral("2"), app::EditPace::Moving);
    EXPECT_EQ(predictedLoss.sentence(),
              QStringLiteral("2x: nothing to gain: 8 slots, the target is 8."));
    state->config().edit(QStringLiteral("am_ratio"), QStringLiteral("1.5"), app::EditPace::Moving);
    EXPECT_EQ(predictedLoss.sentence(),
              QStringLiteral("1.5x, same as 2x: nothing to gain: 8 slots, the target is 8."))
        << "the reason names the ratio it was given for";
    EXPECT_EQ(engine->sent<SetConfig>().size(), 1U) << "nothing of it is applied yet";
    state->config().edit(QStringLiteral("am_ratio"), QStringLiteral("8"), app::EditPace::Moving);
    ASSERT_TRUE(QTest::qWaitFor([&] { return engine->sent<RequestPreview>().back().measuresLoss; },
                                60'000));
    CompactionPreviewed kept;
    kept.conversation = here();
    kept.kv = engine->sent<RequestPreview>().back().kv;
    EXPECT_DOUBLE_EQ(kept.kv.amRatio, 8);
    kept.preview.compacts = true;
    kept.preview.keptFollows = true;
    hear(kept);
    kept.preview.keptFollows = false;
    kept.preview.kept = KeptInformation{.all = 0.97, .worst = 0.81};
    hear(kept);
    EXPECT_EQ(
        predictedLoss.sentence(),
        QStringLiteral("Predicted at 8x: 97 % of the text's information kept, weakest passage "
                       "81 %; output error 0.30 \u00b1 0.02; at the current 4x: 0.20."));
}

TEST_F(MeasurementWindowsTest, heldRatio_isPreviewedOnceThenAppliedAndCompared) {
    PreviewPanel& box = window->whatIf();
    box.findChild<QCheckBox*>()->setChecked(true);
    auto* slider = window->tuning().row(QStringLiteral("am_ratio"))->findChild<SettingSlider*>();
    slider->setFocus();
    for (int i = 0; i < 5; ++i) QTest::keyClick(slider, Qt::Key_Right);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !engine->sent<RequestPreview>().empty(); }, 60'000));
    EXPECT_EQ(engine->sent<RequestPreview>().size(), 1U) << "one estimate when the slider rests";
    EXPECT_TRUE(engine->sent<SetConfig>().empty()) << "nothing is applied yet";
    estimate(1 << 20);
    EXPECT_EQ(box.figure(0, 0), QStringLiteral("4.0 MiB"));
    EXPECT_EQ(box.figure(0, 1), QStringLiteral("1.0 MiB"));
    EXPECT_EQ(box.figure(2, 1), QStringLiteral("0.120 \u00b1 0.011")) << "of some heads";
    EXPECT_TRUE(box.sentence().startsWith(QStringLiteral("Tried on 3 of 8 heads")));
    button(box, "Apply")->setFocus();
    button(box, "Apply")->click();
    EXPECT_EQ(window->focusWidget(), &box) << "the next Enter presses no other button";
    ASSERT_EQ(engine->sent<SetConfig>().size(), 1U);
    EXPECT_NEAR(engine->sent<SetConfig>()[0].config.kv.amRatio, 6, 1e-9);
    EXPECT_EQ(engine->sent<CompactNow>().size(), 1U) << "what was estimated is done";
    EXPECT_TRUE(box.sentence().contains(QStringLiteral("being compacted")));
    PreviewOutcome outcome;
    outcome.conversation = here();
    outcome.report.slotsAfter = 1030;
    outcome.report.liveBytesAfter = (1 << 20) * 11 / 10;
    outcome.report.heldOutError = 0.126;
    outcome.report.totalMs = 120;
    hear(outcome);
    EXPECT_EQ(box.figure(0, 2), QStringLiteral("1.1 MiB"));
    EXPECT_EQ(box.figure(2, 2), QStringLiteral("0.126"));
    EXPECT_TRUE(box.sentence().contains(QStringLiteral("10.0 % above the estimate")));
    EXPECT_TRUE(box.sentence().contains(QStringLiteral("5.0 % above the estimate")));
}

TEST_F(MeasurementWindowsTest, heldDrafts_canBeReverted) {
    PreviewPanel& box = window->whatIf();
    box.findChild<QCheckBox*>()->setChecked(true);
    EXPECT_FALSE(button(box, "Revert")->isEnabled());
    state->config().edit(QStringLiteral("am_ratio"), QStringLiteral("6"), app::EditPace::Settled);
    ASSERT_TRUE(button(box, "Revert")->isEnabled());
    button(box, "Revert")->click();
    EXPECT_FALSE(button(box, "Apply")->isEnabled());
    EXPECT_TRUE(engine->sent<SetConfig>().empty());
}

TEST_F(MeasurementWindowsTest, previewWithoutEviction_reportsTheReason) {
    button(window->whatIf(), "Estimate")->click();
    CompactionPreviewed event;
    event.conversation = here();
    event.kv = engine->sent<RequestPreview>().back().kv;
    event.preview.notes = {{CompactionReason::NoMethod}};
    event.preview.liveBytesNow = 1 << 20;
    hear(event);
    EXPECT_TRUE(window->whatIf().sentence().contains(QStringLiteral("no method is chosen")));
    EXPECT_EQ(window->whatIf().figure(0, 1), QString(QChar(0x2013)));
}

TEST_F(MeasurementWindowsTest, comparison_showsProgressBothAnswersAndTheirDivergence) {
    auto& compare = opened<ComparePage>("measure.compare");
    ASSERT_TRUE(compare.isVisible());
    compare.bar().beginButton().click();
    const auto asked = engine->sent<CompareSettings>();
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(asked[0].sides[0].kv.method, CompactionMethod::None);
    EXPECT_EQ(asked[0].sides[1].kv.method, CompactionMethod::AttentionMatching);
    EXPECT_FALSE(compare.bar().beginButton().isEnabled());
    hear(QualityJobProgress{.done = 50, .total = 400});
    EXPECT_TRUE(compare.bar().sentence().contains(QStringLiteral("50 of at most 400 tokens")));
    SettingsCompared answer;
    answer.sides = asked[0].sides;
    answer.comparison.runs[0].text = "Under the mat.";
    answer.comparison.runs[0].kv = {.logicalBytes = 4 << 20, .liveBytes = 4 << 20};
    answer.comparison.runs[0].divergenceBlocker = "nothing was evicted";
    answer.comparison.runs[1].text = "Under the old hat.";
    answer.comparison.runs[1].kv = {.logicalBytes = 4 << 20, .liveBytes = 1 << 20};
    answer.comparison.runs[1].divergence =
        DivergenceFigures{.positions = 9, .klMean = 0.02, .klP99 = 0.1, .top1 = 0.9};
    answer.comparison.divergence = FirstDivergence{2, {" mat", " old"}};
    hear(answer);
    EXPECT_TRUE(compare.bar().beginButton().isEnabled());
    EXPECT_TRUE(compare.sentence().contains(QStringLiteral("token 3")));
    // The text is unchanged apart from the divergence symbol.
    EXPECT_EQ(compare.answer(0).toPlainText().remove(QChar(0x25C6)),
              QStringLiteral("Under the mat."));
    QTextCursor cursor(compare.answer(1).document());
    cursor.movePosition(QTextCursor::End);
    EXPECT_TRUE(cursor.charFormat().fontUnderline());
    cursor.setPosition(3);
    EXPECT_FALSE(cursor.charFormat().fontUnderline());
    const QAbstractItemModel& table = *compare.table().view().model();
    EXPECT_EQ(table.index(1, 0).data().toString(), QStringLiteral("Live bytes"));
    EXPECT_EQ(table.index(1, 2).data().toString(), QStringLiteral("1.0 MiB"));
    EXPECT_EQ(table.index(1, 3).data().toString(), QChar(0x2212) + QStringLiteral("3.0 MiB"));
    EXPECT_EQ(table.index(8, 1).data().toString(), QString(QChar(0x2013)));
    EXPECT_TRUE(
        table.index(8, 4).data().toString().contains(QStringLiteral("nothing was evicted")));
}

TEST_F(MeasurementWindowsTest, bothAnswers_streamAndShowTheirDivergence) {
    auto& compare = opened<ComparePage>("measure.compare");
    compare.bar().beginButton().click();
    hear(QualityJobProgress{.done = 50, .total = 400});
    EXPECT_TRUE(compare.bar().sentence().startsWith(QStringLiteral("Answering under A")));
    hear(ComparedText{.side = 0, .text = "Under"});
    hear(ComparedText{.side = 0, .text = " the mat."});
    EXPECT_EQ(compare.answer(0).toPlainText(), QStringLiteral("Under the mat."));
    EXPECT_TRUE(compare.answer(1).toPlainText().isEmpty());
    hear(QualityJobProgress{.done = 250, .total = 400});
    EXPECT_TRUE(compare.bar().sentence().startsWith(QStringLiteral("Answering under B")));
    hear(ComparedText{.side = 1, .text = "Under"});
    EXPECT_EQ(compare.answer(1).toPlainText(), QStringLiteral("Under"));
    const auto underlined = [&](int side) {
        QTextCursor end(compare.answer(side).document());
        end.movePosition(QTextCursor::End);
        return end.charFormat().fontUnderline();
    };
    EXPECT_FALSE(underlined(1));
    hear(ComparedText{.side = 1, .text = " the old"});
    hear(ComparedText{.side = 1, .text = " hat."});
    EXPECT_TRUE(underlined(0)) << "the parting is marked in both as soon as it is there";
    EXPECT_TRUE(underlined(1));
    EXPECT_EQ(compare.answer(1).toPlainText().remove(QChar(0x25C6)),
              QStringLiteral("Under the old hat."));
    SettingsCompared stopped;
    stopped.error = Error{ErrorCode::Cancelled, "the comparison was stopped", {}};
    hear(stopped);
    EXPECT_FALSE(compare.answer(0).toPlainText().isEmpty()) << "what was written stays";
    compare.bar().beginButton().click();
    EXPECT_TRUE(compare.answer(0).toPlainText().isEmpty()) << "a new comparison begins anew";
    hear(ComparedText{.side = 0, .text = "Again"});
    EXPECT_FALSE(underlined(0));
}

TEST_F(MeasurementWindowsTest, selectedSide_isAppliedToTheSettings) {
    auto& compare = opened<ComparePage>("measure.compare");
    auto* field =
        compare.settings(1).row(QStringLiteral("am_ratio"))->findChild<SettingNumberField*>();
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("6"));
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_TRUE(engine->sent<SetConfig>().empty()) << "a side is none of the window's settings";
    compare.bar().beginButton().click();
    SettingsCompared answer;
    answer.sides = engine->sent<CompareSettings>()[0].sides;
    hear(answer);
    QTest::mouseClick(button(compare, "Use B's settings"), Qt::LeftButton);
    ASSERT_EQ(engine->sent<SetConfig>().size(), 1U) << "all at once";
    EXPECT_EQ(engine->sent<SetConfig>()[0].config.kv.method, CompactionMethod::AttentionMatching);
    EXPECT_DOUBLE_EQ(engine->sent<SetConfig>()[0].config.kv.amRatio, 6);
    EXPECT_TRUE(
        compare.bar().sentence().startsWith(QStringLiteral("Current settings of the window")))
        << compare.bar().sentence().toStdString();
    EXPECT_TRUE(compare.bar().sentence().contains(QStringLiteral("Method Attention matching")));
    ConfigApplied applied;
    applied.revision = engine->sent<SetConfig>()[0].revision;
    applied.config = engine->sent<SetConfig>()[0].config;
    hear(applied);
    EXPECT_EQ(state->config().effective(QStringLiteral("am_ratio")), QLatin1String("6"));
    QTest::mouseClick(button(compare, "Use A's settings"), Qt::LeftButton);
    ASSERT_EQ(engine->sent<SetConfig>().size(), 2U);
    EXPECT_EQ(engine->sent<SetConfig>()[1].config.kv.method, CompactionMethod::None);
}

TEST_F(MeasurementWindowsTest, rejectedSide_isNotAppliedAndReportsTheReason) {
    auto& compare = opened<ComparePage>("measure.compare");
    auto* field =
        compare.settings(1).row(QStringLiteral("budget"))->findChild<SettingNumberField*>();
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("3"));
    QTest::keyClick(field, Qt::Key_Return);
    QTest::mouseClick(button(compare, "Use B's settings"), Qt::LeftButton);
    for (const SetConfig& sent : engine->sent<SetConfig>())
        EXPECT_NE(sent.config.kv.budget, 3) << "nothing of what was refused";
    EXPECT_TRUE(compare.bar().sentence().contains(QStringLiteral("udget")))
        << compare.bar().sentence().toStdString();
}

TEST_F(MeasurementWindowsTest, ctrlEnterInTheMessage_startsTheComparison) {
    auto& compare = opened<ComparePage>("measure.compare");
    ASSERT_TRUE(QTest::qWaitForWindowActive(&compare));
    compare.question().setFocus();
    QTest::keyClicks(&compare.question(), QStringLiteral("And the door?"));
    QTest::keyClick(&compare.question(), Qt::Key_F5);
    // A key holds a button down for a moment before it acts.
    ASSERT_TRUE(
        QTest::qWaitFor([this] { return !engine->sent<CompareSettings>().empty(); }, 60'000));
    EXPECT_EQ(engine->sent<CompareSettings>()[0].messages.back().content, "And the door?");
    EXPECT_EQ(engine->sent<Submit>().size(), 1U) << "the prompt of the window behind sends nothing";
}

TEST_F(MeasurementWindowsTest, stoppedComparison_isReportedAndCanBeRestarted) {
    auto& compare = opened<ComparePage>("measure.compare");
    compare.bar().beginButton().click();
    ASSERT_TRUE(compare.bar().stopButton().isVisible());
    compare.bar().stopButton().click();
    EXPECT_EQ(engine->sent<CancelTurn>().size(), 1U);
    SettingsCompared answer;
    answer.error = Error{ErrorCode::Cancelled, "the comparison was stopped", {}};
    hear(answer);
    EXPECT_EQ(compare.bar().sentence(), QStringLiteral("Stopped."));
    EXPECT_TRUE(compare.bar().beginButton().isEnabled());
}

TEST_F(MeasurementWindowsTest, sideSettings_areValidatedByTheEngineRules) {
    auto& compare = opened<ComparePage>("measure.compare");
    auto* field =
        compare.settings(1).row(QStringLiteral("am_ratio"))->findChild<SettingNumberField*>();
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("50.1"));
    QTest::keyClick(field, Qt::Key_Return);
    bool said = false;
    for (const QLabel* label : compare.settings(1).findChildren<QLabel*>())
        said = said || label->text().contains(QStringLiteral("allowed is"));
    EXPECT_TRUE(said);
    compare.bar().beginButton().click();
    EXPECT_TRUE(engine->sent<CompareSettings>().empty());
    EXPECT_TRUE(engine->sent<SetConfig>().empty()) << "the conversation's settings stay";
}

TEST_F(MeasurementWindowsTest, sweepPoint_isSelectedByClickOrKeysAndApplied) {
    auto& sweep = opened<SweepPage>("measure.sweep");
    sweep.ratios().setText(QStringLiteral("2, 4"));
    sweep.budgets().setText(QStringLiteral("512"));
    sweep.bar().beginButton().click();
    ASSERT_EQ(engine->sent<SweepSettings>().size(), 1U);
    EXPECT_EQ(engine->sent<SweepSettings>()[0].settings.size(), 9U) << "three methods, three sizes";
    hear(QualityJobProgress{.done = 2, .total = 9});
    EXPECT_TRUE(sweep.bar().sentence().contains(QStringLiteral("2 of 9")));
    EXPECT_FALSE(sweep.applyButton().isEnabled());
    answerSweep();
    const QAbstractItemModel& table = *sweep.table().view().model();
    ASSERT_EQ(table.rowCount(), 9);
    const auto place = sweep.plot().place(1);
    ASSERT_TRUE(place.has_value());
    QTest::mouseClick(&sweep.plot(), Qt::LeftButton, {}, place->toPoint());
    EXPECT_EQ(sweep.plot().chosen(), 1);
    EXPECT_EQ(sweep.table().view().currentIndex().row(), 1) << "the table follows the plot";
    sweep.plot().setFocus();
    QTest::keyClick(&sweep.plot(), Qt::Key_Left);
    EXPECT_EQ(sweep.plot().chosen(), 2) << "the next in the order of bytes";
    sweep.table().view().selectRow(1);
    EXPECT_EQ(sweep.plot().chosen(), 1) << "the plot follows the table";
    ASSERT_TRUE(sweep.applyButton().isEnabled());
    sweep.applyButton().click();
    ASSERT_EQ(engine->sent<SetConfig>().size(), 1U);
    EXPECT_EQ(engine->sent<SetConfig>()[0].config.kv.method, CompactionMethod::AttentionMatching);
    EXPECT_DOUBLE_EQ(engine->sent<SetConfig>()[0].config.kv.amRatio, 4);
}

TEST_F(MeasurementWindowsTest, runningSweep_showsEachPoint_keepsThemWhenStopped) {
    auto& sweep = opened<SweepPage>("measure.sweep");
    sweep.bar().beginButton().click();
    hear(QualityJobProgress{.done = 2, .total = 9, .rows = sweptRows(2)});
    EXPECT_TRUE(sweep.bar().sentence().contains(QStringLiteral("2 of 9")));
    const QAbstractItemModel& table = *sweep.table().view().model();
    ASSERT_EQ(table.rowCount(), 9) << "what is to come is listed";
    EXPECT_EQ(table.index(2, 10).data().toString(), QStringLiteral("pending"));
    EXPECT_EQ(table.index(1, 10).data().toString(), QStringLiteral("1"));
    EXPECT_TRUE(sweep.plot().place(1).has_value());
    EXPECT_FALSE(sweep.plot().place(2).has_value());
    sweep.plot().choose(1);
    hear(QualityJobProgress{.done = 3, .total = 9, .rows = sweptRows(3)});
    EXPECT_TRUE(sweep.plot().place(2).has_value());
    EXPECT_EQ(sweep.plot().chosen(), 1) << "what was chosen stays chosen";
    EXPECT_TRUE(sweep.applyButton().isEnabled());
    sweep.bar().stopButton().click();
    hear(SettingsSwept{{}, Error{ErrorCode::Cancelled, "the measurement was stopped", {}}});
    EXPECT_EQ(sweep.bar().sentence(), QStringLiteral("Stopped: 3 of 9 settings tried."));
    EXPECT_TRUE(sweep.plot().place(2).has_value()) << "what was measured is not lost";
    sweep.bar().beginButton().click();
    EXPECT_EQ(table.rowCount(), 0) << "another sweep begins anew";
    EXPECT_EQ(sweep.plot().chosen(), -1);
}

TEST_F(MeasurementWindowsTest, unusableSweepPoint_reportsTheReason) {
    auto& sweep = opened<SweepPage>("measure.sweep");
    sweep.ratios().setText(QStringLiteral("60"));
    sweep.bar().beginButton().click();
    answerSweep();
    sweep.plot().choose(0);
    EXPECT_FALSE(sweep.applyButton().isEnabled()) << "a ratio beyond the slider, length not known";
    EXPECT_FALSE(sweep.applyButton().toolTip().isEmpty());
}

TEST_F(MeasurementWindowsTest, sweepWithoutEviction_isReported) {
    auto& sweep = opened<SweepPage>("measure.sweep");
    sweep.bar().beginButton().click();
    SettingsSwept answer;
    const SweepSettings asked = engine->sent<SweepSettings>().back();
    for (const GridSetting& one : asked.settings) {
        GridRow row;
        row.method = one.method;
        row.asked = one.asked;
        row.refused = 1;
        answer.rows.push_back(row);
    }
    hear(answer);
    EXPECT_TRUE(sweep.bar().sentence().startsWith(
        QStringLiteral("Settings without results: %1.").arg(answer.rows.size())))
        << sweep.bar().sentence().toStdString();
}

TEST_F(MeasurementWindowsTest, sweepOfInvalidSizes_isRejectedInTheBar) {
    auto& sweep = opened<SweepPage>("measure.sweep");
    sweep.ratios().setText(QStringLiteral("two"));
    sweep.bar().beginButton().click();
    EXPECT_TRUE(engine->sent<SweepSettings>().empty());
    EXPECT_TRUE(sweep.bar().sentence().contains(QStringLiteral("two")));
}

TEST_F(MeasurementWindowsTest, hangingMeasurement_keepsTheWindowUsable) {
    auto& compare = opened<ComparePage>("measure.compare");
    compare.bar().beginButton().click();
    hear(QualityJobProgress{.done = 5, .total = 400});
    window->prompt().edit()->setFocus();
    QTest::keyClicks(window->prompt().edit(), QStringLiteral("Next"));
    EXPECT_EQ(window->prompt().draft().text, QStringLiteral("Next"));
    QTest::keyClick(window->prompt().edit(), Qt::Key_Return);
    EXPECT_EQ(engine->sent<Submit>().size(), 1U) << "a question waits for the end";
    EXPECT_FALSE(window->prompt().draft().isEmpty()) << "and nothing of it is lost";
    EXPECT_TRUE(compare.bar().stopButton().isEnabled());
}

TEST_F(MeasurementWindowsTest, everyFocusableWidget_ofBothWindows_hasAnAccessibleName) {
    QList<QWidget*> windows{&opened<ComparePage>("measure.compare"),
                            &opened<SweepPage>("measure.sweep"), &window->whatIf()};
    for (const QWidget* each : windows) {
        for (const QWidget* widget : each->findChildren<QWidget*>()) {
            if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisibleTo(each)) continue;
            if (widget->parentWidget()->inherits("QAbstractSpinBox")) continue;
            if (qobject_cast<const QLabel*>(widget) != nullptr) continue;
            if (widget->objectName().startsWith(QLatin1String("qt_"))) continue;
            EXPECT_FALSE(widget->accessibleName().isEmpty())
                << widget->metaObject()->className() << " in "
                << widget->parentWidget()->metaObject()->className();
        }
    }
}

TEST(ComparisonTable, equalAnswers_haveNoDivergence) {
    app::ComparisonView view;
    view.sides[0].tokens = view.sides[1].tokens = 12;
    EXPECT_TRUE(divergenceSentence(view).startsWith(
        QStringLiteral("Both answers have the same 12 tokens.")));
    EXPECT_TRUE(divergenceSentence(view).contains(QStringLiteral("Neither cache was compacted")));
    view.sides[1].evictions = 3;
    EXPECT_EQ(divergenceSentence(view), QStringLiteral("Both answers have the same 12 tokens."));
    EXPECT_EQ(commonLength(QStringLiteral("abc"), QStringLiteral("abcd")), 3);
    EXPECT_EQ(comparisonTable(view).rows[0][3], QStringLiteral("0"));
}

TEST(ParetoPlot, settingsWithoutEvictions_haveNoPoint) {
    offscreenApplication();
    const ThemeSource themes(ThemeChoice::Light);
    ParetoPlot plot(themes);
    plot.resize(400, 300);
    app::SweptSetting measured, refused;
    measured.answers = 1;
    measured.liveShare = 0.4;
    measured.klMean = 0.02;
    refused.refused = 1;
    plot.setRows({measured, refused});
    EXPECT_TRUE(plot.place(0).has_value());
    EXPECT_FALSE(plot.place(1).has_value());
    plot.setLoss(SweepLoss::OutputError);
    EXPECT_FALSE(plot.place(0).has_value()) << "that was not measured of it";
    QTest::keyClick(&plot, Qt::Key_Right);
    EXPECT_EQ(plot.chosen(), -1);
}

}  // namespace
}  // namespace lacuna::ui
