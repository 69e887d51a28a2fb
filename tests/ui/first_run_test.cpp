// First steps of a new user and the choices that persist: the short demo, the start page, layouts,
// theme and positions that survive a kill, text descriptions of charts, the event log, profiles.

#include <gtest/gtest.h>

#include <QComboBox>
#include <QDockWidget>
#include <QFile>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <algorithm>

#include "app/state/files/program_log.h"
#include "app/state/models/model_controller.h"
#include "app/state/settings/config_controller.h"
#include "app/state/settings/profile_controller.h"
#include "app/state/telemetry/session_feed.h"
#include "tests/ui/window_stage.h"
#include "ui/charts/retention_view.h"
#include "ui/chat/prompt_box.h"
#include "ui/pages/compare_window.h"
#include "ui/pages/log_window.h"
#include "ui/panels/chart_speech.h"
#include "ui/panels/preview_panel.h"
#include "ui/panels/profile_panel.h"
#include "ui/panels/setting_row.h"
#include "ui/panels/settings_panel.h"
#include "ui/panels/telemetry_panel.h"
#include "ui/window/demo_bar.h"
#include "ui/window/guided_demo.h"
#include "ui/window/panel_dock.h"
#include "ui/window/welcome_page.h"
#include "ui/window/window_layouts.h"
#include "ui/window/window_notices.h"
#include "ui/window/window_state_saver.h"

namespace lacuna::ui {
namespace {

class FirstRunTest : public WindowStage {
  protected:
    [[nodiscard]] QStringList panelsInSight() const {
        QStringList names;
        for (const MainWindow::Panel& panel : window->panels())
            if (!panel.dock->isHidden()) names << panel.id;
        return names;
    }
    /// The engine acknowledges all requested settings.
    void acknowledge() {
        for (const SetConfig& change : engine->sent<SetConfig>())
            if (change.revision.value > m_acknowledged) {
                m_acknowledged = change.revision.value;
                ConfigApplied applied;
                applied.revision = change.revision;
                applied.config = change.config;
                hear(applied);
            }
    }
    std::int64_t m_acknowledged = 0;
};

TEST_F(FirstRunTest, shortDemo_showsEachStep_canBeSkippedAndEnded) {
    load();
    window->offerDemo();
    QTest::mouseClick(button(*window, "Start the demo"), Qt::LeftButton);
    ASSERT_TRUE(QTest::qWaitFor([&] { return window->demoBar().isVisible(); }));
    EXPECT_TRUE(shows("Demo 1 of 6") || shows("Demo 1 of 5")) << "it says where it is";
    EXPECT_FALSE(window->demoBar().sentence().isEmpty());
    acknowledge();
    QTest::mouseClick(button(window->demoBar(), "Next"), Qt::LeftButton);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !engine->sent<Submit>().empty(); }))
        << "the text is read without the time to look";
    QTest::mouseClick(button(window->demoBar(), "End the demo"), Qt::LeftButton);
    EXPECT_FALSE(window->demoBar().isVisible());
    EXPECT_EQ(window->welcome(), nullptr) << "who ends it has something else in mind";
}

TEST_F(FirstRunTest, shortDemoEndedBeforeItsMessage_leavesThePromptEmpty) {
    load();
    window->startShortDemo();
    const auto written = [this] { return !window->prompt().draft().text.isEmpty(); };
    ASSERT_TRUE(QTest::qWaitFor([&] {
        acknowledge();
        return written() || !engine->sent<Submit>().empty();
    }));
    ASSERT_TRUE(written());
    QTest::mouseClick(button(window->demoBar(), "End the demo"), Qt::LeftButton);
    EXPECT_FALSE(written());
    EXPECT_TRUE(window->prompt().draft().attachmentText.isEmpty());
    EXPECT_TRUE(engine->sent<Submit>().empty());
}

TEST_F(FirstRunTest, shortDemoFinished_showsNextStepsAndCanBeRepeated) {
    load();
    GuidedDemo* demo = window->startShortDemo();
    const auto pass = [&] {
        demo->skip();
        acknowledge();
        for (const Submit& question : engine->sent<Submit>()) {
            if (question.conversation != here() || !state->chat().answering()) continue;
            TurnFinished finished;
            finished.conversation = question.conversation;
            finished.turn = 1;
            finished.text = "The pass key is 482915. The parrot is called Bimo.";
            hear(finished);
        }
        if (!engine->sent<CompactNow>().empty() && state->feed().compactionsDone() == 0) {
            CompactionHappened happened;
            happened.conversation = here();
            happened.report.result = CompactionResult::Done;
            hear(happened);
        }
        return !demo->running() && window->demoBar().isVisible() &&
               window->demoBar().sentence().contains(QLatin1String("Demo finished"));
    };
    ASSERT_TRUE(QTest::qWaitFor(pass, 30'000));
    EXPECT_TRUE(std::ranges::any_of(engine->sent<SetConfig>(), [](const SetConfig& change) {
        return change.config.kv.method == CompactionMethod::AttentionMatching &&
               !change.config.kv.lossLimit.on();
    })) << "the size it names is not limited by what it loses";
    EXPECT_EQ(state->config().effective(QStringLiteral("loss_limit")), QLatin1String("balanced"))
        << "and is limited again afterwards";
    EXPECT_TRUE(window->demoBar().sentence().contains(QLatin1String("1 of 1")))
        << window->demoBar().sentence().toStdString();
    ASSERT_NE(window->welcome(), nullptr);
    EXPECT_TRUE(window->welcome()->isVisible());
    EXPECT_TRUE(shows(*window->welcome(), "speaks no other languages"));
    EXPECT_TRUE(shows(*window->welcome(), "Demo finished")) << "it covers what came of the demo";
    auto* strip = window->findChild<RetentionStrip*>();
    EXPECT_TRUE(strip->isVisible()) << "the last thing the demo shows";
    QTest::mouseClick(button(*window->welcome(), "What is a KV cache?"), Qt::LeftButton);
    EXPECT_EQ(window->prompt().draft().text, QLatin1String("What is a KV cache?"));
    EXPECT_FALSE(strip->isVisible()) << "another conversation is as it was before the demo";
    EXPECT_TRUE(window->demoBar().isVisible());
    trigger("chat.send");
    EXPECT_FALSE(window->demoBar().isVisible()) << "something else is asked by now";
    TurnFinished answered;
    answered.conversation = here();
    answered.turn = 2;
    answered.text = "It is a memory.";
    hear(answered);
    trigger("demo.short");
    ASSERT_TRUE(QTest::qWaitFor([&] { return shows("Demo 1 of"); }));
    QTest::mouseClick(button(window->demoBar(), "End the demo"), Qt::LeftButton);
}

TEST_F(FirstRunTest, shortDemoEndedBeforeSending_clearsItsDraft) {
    load();
    GuidedDemo* demo = window->startShortDemo();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !window->prompt().draft().isEmpty(); }, 10'000))
        << "its text, before it is sent";
    demo->cancel();
    EXPECT_TRUE(window->prompt().draft().isEmpty());
}

TEST_F(FirstRunTest, layouts_showTheirPanelsAndKeepMovedOnes) {
    trigger("layout.chat");
    EXPECT_EQ(panelsInSight(), QStringList{QStringLiteral("sessions")});
    trigger("layout.tune");
    EXPECT_EQ(panelsInSight().size(), 5);
    trigger("layout.compare");
    EXPECT_FALSE(panelsInSight().contains(QLatin1String("tuning")));
    EXPECT_TRUE(panelsInSight().contains(QLatin1String("telemetry")));
    EXPECT_TRUE(window->findChild<CompareWindow*>()->isVisible());
    trigger("layout.chat");
    window->panels().at(1).dock->show();  // shows the settings next to the chat from here on
    trigger("layout.tune");
    trigger("layout.chat");
    EXPECT_TRUE(panelsInSight().contains(QLatin1String("tuning"))) << "as it was left";
    trigger("view.reset");
    EXPECT_EQ(panelsInSight(), QStringList{QStringLiteral("sessions")});
    EXPECT_TRUE(window->actions().find(QStringLiteral("layout.chat"))->isChecked());
}

TEST_F(FirstRunTest, preferences_areWrittenImmediately) {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("window.ini"));
    QSettings settings(path, QSettings::IniFormat);
    const WindowStateSaver storage(settings, *themes, *window);
    const auto onDisk = [&] {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    trigger("theme.toggle");
    EXPECT_TRUE(onDisk().contains("theme=dark")) << "without any wait";
    trigger("layout.chat");
    ASSERT_TRUE(QTest::qWaitFor([&] { return onDisk().contains("layout=0"); }));
    // A second process finds everything, although this one never closed.
    const QSettings later(path, QSettings::IniFormat);
    EXPECT_EQ(storedTheme(later), ThemeChoice::Dark);
    MainWindow second(*state, *themes);
    QSettings again(path, QSettings::IniFormat);
    second.restoreLayout(again);
    EXPECT_EQ(second.layouts().current(), WindowLayout::Chat);
    EXPECT_TRUE(second.panels().at(2).dock->isHidden());
}

TEST_F(FirstRunTest, chartDescriptions_areAnnouncedOnDemand) {
    load();
    trigger("focus.telemetry");
    trigger("telemetry.say");
    EXPECT_FALSE(window->notice().sentence().isEmpty());
    auto* telemetry = window->findChild<TelemetryPanel*>();
    ASSERT_NE(telemetry, nullptr);
    const QString before = window->notice().sentence();
    StepSample sample;
    sample.conversation = here();
    sample.timeNs = 1'000'000'000;
    sample.phase = EngineState::Prefill;
    sample.tokens = 64;
    sample.stepMs = 10;
    sample.kv = {.tokens = 64, .slotsTotal = 64, .logicalBytes = 1 << 20, .liveBytes = 1 << 20};
    hear(sample);
    telemetry->refresh();
    trigger("telemetry.say");
    EXPECT_NE(window->notice().sentence(), before) << "what is said follows the chart";
}

TEST_F(FirstRunTest, eventLog_showsSessionAndProgramEvents) {
    load();
    trigger("help.log");
    auto* page = window->findChild<LogWindow*>();
    ASSERT_NE(page, nullptr);
    const QAbstractItemModel& rows = *page->findChild<QTableView*>()->model();
    const int before = rows.rowCount();
    TurnStarted started;
    started.conversation = here();
    started.turn = 1;
    started.promptTokens = 12;
    hear(started);
    EXPECT_EQ(rows.rowCount(), before + 1) << "an answer is no business of the program's log";
    EXPECT_TRUE(page->text().contains(QLatin1String("Answer 1 started")));
    EXPECT_TRUE(page->text().contains(QLatin1String("Model small loaded")));
    auto* origin = page->findChildren<QComboBox*>().front();
    origin->setCurrentIndex(1);
    EXPECT_TRUE(page->text().contains(QLatin1String("Answer 1 started")));
    EXPECT_FALSE(page->text().contains(QLatin1String("Model small loaded")));
    origin->setCurrentIndex(2);
    EXPECT_FALSE(page->text().contains(QLatin1String("Answer 1 started")));
    EXPECT_TRUE(page->text().contains(QLatin1String("Model small loaded")));
}

TEST_F(FirstRunTest, profiles_setAllCacheSettings_customOnesAreStored) {
    QComboBox& choice = window->profiles().choice();
    EXPECT_TRUE(window->profiles().sentence().contains(QLatin1String("Load a model")));
    load();
    acknowledge();
    const auto choose = [&](const char* label) {
        const int index = choice.findText(QString::fromLatin1(label));
        ASSERT_GE(index, 0) << label;
        choice.setCurrentIndex(index);
        Q_EMIT choice.activated(index);
        state->config().submitNow();
        acknowledge();
    };
    choose("Frugal");
    EXPECT_EQ(state->config().effective(QStringLiteral("method")), QLatin1String("am"));
    EXPECT_EQ(choice.currentText(), QLatin1String("Frugal"));
    EXPECT_TRUE(window->profiles().sentence().contains(QLatin1String("ot measured on this model")))
        << window->profiles().sentence().toStdString();
    state->config().edit(QStringLiteral("am_ratio"), QStringLiteral("6"), app::EditPace::Settled);
    acknowledge();
    EXPECT_EQ(choice.currentText(), QLatin1String("Custom settings"));
    EXPECT_TRUE(state->profiles().save(QStringLiteral("Mine")).isEmpty());
    EXPECT_EQ(choice.currentText(), QLatin1String("Mine"));
    EXPECT_TRUE(window->profiles().more().isEnabled());
    choose("Exact");
    EXPECT_EQ(state->config().effective(QStringLiteral("method")), QLatin1String("none"));
    EXPECT_FALSE(window->profiles().more().isEnabled()) << "those of the program stay";
    choose("Mine");
    EXPECT_EQ(state->config().effective(QStringLiteral("am_ratio")), QLatin1String("6"));
    EXPECT_FALSE(state->profiles().save(QStringLiteral("exact")).isEmpty());
    EXPECT_TRUE(state->profiles().rename(QStringLiteral("Mine"), QStringLiteral("Ours")).isEmpty());
    EXPECT_GE(choice.findText(QStringLiteral("Ours")), 0);
    EXPECT_TRUE(state->profiles().remove(QStringLiteral("Ours")).isEmpty());
    EXPECT_LT(choice.findText(QStringLiteral("Ours")), 0);
}

TEST_F(FirstRunTest, methodName_isReadableInEveryText) {
    load();
    state->config().edit(QStringLiteral("method"), QStringLiteral("am"), app::EditPace::Settled);
    acknowledge();
    const auto& events = state->feed().timeline();
    ASSERT_FALSE(events.isEmpty());
    EXPECT_TRUE(events.back().title.contains(QLatin1String("Attention matching")))
        << events.back().title.toStdString();
}

}  // namespace
}  // namespace lacuna::ui
