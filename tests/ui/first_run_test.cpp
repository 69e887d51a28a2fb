// First steps of a new user and the choices that persist: the short demo, the start page, pages and
// panels, theme and positions that survive a kill, the verdict, the event log, profiles.

#include <gtest/gtest.h>

#include <QComboBox>
#include <QFile>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <algorithm>

#include "app/state/chat/conversation_list.h"
#include "app/state/files/program_log.h"
#include "app/state/models/model_controller.h"
#include "app/state/settings/config_controller.h"
#include "app/state/settings/profile_controller.h"
#include "app/state/telemetry/session_feed.h"
#include "tests/ui/find_child.h"
#include "tests/ui/window_stage.h"
#include "ui/charts/plot_cell.h"
#include "ui/charts/retention_view.h"
#include "ui/chat/prompt_box.h"
#include "ui/pages/compare_page.h"
#include "ui/panels/preview_panel.h"
#include "ui/panels/profile_panel.h"
#include "ui/panels/setting_row.h"
#include "ui/panels/settings_panel.h"
#include "ui/panels/telemetry_panel.h"
#include "ui/panels/verdict_strip.h"
#include "ui/window/demo_bar.h"
#include "ui/window/guided_demo.h"
#include "ui/window/page_stack.h"
#include "ui/window/welcome_page.h"
#include "ui/window/window_notices.h"
#include "ui/window/window_state_saver.h"

namespace lacuna::ui {
namespace {

class FirstRunTest : public WindowStage {
  protected:
    [[nodiscard]] static QStringList panelsOf(const MainWindow& shown) {
        QStringList names;
        for (const MainWindow::Panel& panel : shown.panels())
            if (!panel.widget->isHidden()) names << panel.id;
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
            if (question.conversation != here() || !state->conversations().answering()) continue;
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

TEST_F(FirstRunTest, pages_areReachedByRailAndKeys) {
    load();
    PageStack& pages = window->pages();
    EXPECT_EQ(pages.current(), Page::Chat);
    int number = 0;
    for (const Page page : kPages) {
        QTest::keyClick(window.get(), Qt::Key(Qt::Key_1 + number++), Qt::ControlModifier);
        EXPECT_EQ(pages.current(), page) << pageKey(page).toStdString();
        EXPECT_NE(pages.shown(), nullptr) << pageKey(page).toStdString();
        EXPECT_NE(window->focusWidget(), nullptr);
    }
    auto* rail = window->findChild<NavigationRail*>();
    ASSERT_NE(rail, nullptr);
    const auto buttons = rail->findChildren<QToolButton*>();
    ASSERT_EQ(buttons.size(), 6);
    for (QToolButton* entry : buttons) {
        EXPECT_FALSE(entry->accessibleName().isEmpty());
        EXPECT_FALSE(entry->icon().isNull()) << entry->text().toStdString();
        QTest::mouseClick(entry, Qt::LeftButton);
        EXPECT_EQ(pageTitle(pages.current()), entry->text());
        EXPECT_TRUE(entry->isChecked());
    }
    EXPECT_EQ(pages.tabs(Page::Monitor).count(), 4);
    EXPECT_EQ(pages.tabs(Page::Experiments).count(), 4);
    EXPECT_EQ(pages.tabs(Page::Engines).count(), 2);
    for (const QWidget* top : QApplication::topLevelWidgets())
        EXPECT_TRUE(top == window.get() || !top->isVisible()) << "a page in a window of its own";
}

TEST_F(FirstRunTest, verdict_answersWhatMemoryCostsAndWhetherItHurt) {
    load();
    VerdictStrip& verdict = window->verdict();
    EXPECT_TRUE(verdict.text().contains(QLatin1String("Nothing is cached")));
    StepSample sample;
    sample.conversation = here();
    sample.timeNs = 1'000'000'000;
    sample.phase = EngineState::Decode;
    sample.tokens = 1;
    sample.stepMs = 10;
    sample.kv = {.tokens = 640, .slotsTotal = 64, .logicalBytes = 10 << 20, .liveBytes = 1 << 20};
    hear(sample);
    CompactionHappened happened;
    happened.conversation = here();
    happened.report.result = CompactionResult::Done;
    happened.report.totalMs = 0.5;
    hear(happened);
    EXPECT_TRUE(verdict.text().startsWith(
        QLatin1String("Memory 1.0 MiB instead of 10.0 MiB (10.0x smaller)")))
        << verdict.text().toStdString();
    EXPECT_TRUE(verdict.text().contains(QLatin1String("not measured")));
    EXPECT_TRUE(child<QToolButton>(verdict, "verdict.measure").isVisible());
    happened.report.kept = KeptInformation{.all = 0.9995};
    hear(happened);
    EXPECT_TRUE(verdict.text().contains(QLatin1String("likely unchanged")))
        << verdict.text().toStdString();
    EXPECT_FALSE(child<QToolButton>(verdict, "verdict.measure").isVisible());
    happened.report.kept = KeptInformation{.all = 0.8};
    hear(happened);
    EXPECT_TRUE(verdict.text().contains(QLatin1String("likely changed")));
    Q_EMIT verdict.answersClicked();
    EXPECT_EQ(window->pages().current(), Page::Monitor);
    const auto cells = window->telemetry().cells();
    const auto quality = std::ranges::find(cells, ChartId::Quality, &ChartCell::id);
    ASSERT_NE(quality, cells.end());
    EXPECT_TRUE((*quality)->isVisible()) << "the charts that explain it";
}

TEST_F(FirstRunTest, primaryCharts_areInSightWithoutScrolling_andFold) {
    load();
    for (const QSize size : {QSize(1280, 720), QSize(1920, 1080)}) {
        window->resize(size);
        deliverEvents();
        const auto cells = window->chartStrip().cells();
        ASSERT_EQ(cells.size(), kPrimaryCharts);
        for (ChartCell* cell : cells) {
            EXPECT_TRUE(cell->isVisible());
            EXPECT_TRUE(window->rect().contains(
                QRect(cell->mapTo(window.get(), QPoint(0, 0)), cell->size())));
            EXPECT_GE(cell->width(), 270);
        }
    }
    StepSample sample;
    sample.conversation = here();
    sample.timeNs = 1'000'000'000;
    sample.phase = EngineState::Decode;
    sample.tokens = 1;
    sample.stepMs = 10;
    sample.kv = {.tokens = 64, .slotsTotal = 64, .logicalBytes = 1 << 20, .liveBytes = 1 << 20};
    hear(sample);
    EXPECT_TRUE(QTest::qWaitFor(
        [this] {
            return window->chartStrip().cells().front()->view().content().headline ==
                   QLatin1String("1.0 MiB");
        },
        10'000))
        << "they follow the session";
    QTest::mouseClick(&child<QToolButton>(window->verdict(), "verdict.fold"), Qt::LeftButton);
    EXPECT_FALSE(window->chartStrip().isVisible());
    EXPECT_TRUE(window->verdict().isVisible()) << "the verdict stays";
    QTest::mouseClick(&child<QToolButton>(window->verdict(), "verdict.fold"), Qt::LeftButton);
    EXPECT_TRUE(window->chartStrip().isVisible());
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
    trigger("panel.charts");
    ASSERT_TRUE(QTest::qWaitFor([&] { return onDisk().contains("hiddenPanels=charts"); }));
    // A second process finds everything, although this one never closed.
    const QSettings later(path, QSettings::IniFormat);
    EXPECT_EQ(storedTheme(later), ThemeChoice::Dark);
    MainWindow second(*state, *themes);
    QSettings again(path, QSettings::IniFormat);
    second.restoreLayout(again);
    EXPECT_FALSE(panelsOf(second).contains(QLatin1String("charts")));
    EXPECT_TRUE(panelsOf(second).contains(QLatin1String("tuning")));
}

TEST_F(FirstRunTest, profiles_setAllCacheSettings_customOnesAreStored) {
    QComboBox& choice = child<QComboBox>(window->profiles(), "profiles.choice");
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
    EXPECT_EQ(choice.currentText(), QLatin1String("Custom"));
    EXPECT_TRUE(state->profiles().save(QStringLiteral("Mine")).isEmpty());
    EXPECT_EQ(choice.currentText(), QLatin1String("Mine"));
    EXPECT_TRUE(child<QToolButton>(window->profiles(), "profiles.more").isEnabled());
    choose("Full");
    EXPECT_EQ(state->config().effective(QStringLiteral("method")), QLatin1String("none"));
    choose("Balanced");
    EXPECT_EQ(state->config().effective(QStringLiteral("method")), QLatin1String("am"));
    EXPECT_EQ(state->config().effective(QStringLiteral("am_ratio")), QLatin1String("4"));
    EXPECT_EQ(state->config().effective(QStringLiteral("loss_limit")), QLatin1String("balanced"));
    EXPECT_FALSE(child<QToolButton>(window->profiles(), "profiles.more").isEnabled())
        << "those of the program stay";
    choose("Mine");
    EXPECT_EQ(state->config().effective(QStringLiteral("am_ratio")), QLatin1String("6"));
    EXPECT_FALSE(state->profiles().save(QStringLiteral("full")).isEmpty());
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
