#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDesktopServices>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSet>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>
#include <QUrl>
#include <algorithm>

#include "app/state/files/program_log.h"
#include "tests/ui/window_stage.h"
#include "ui/panels/timeline_panel.h"

namespace lacuna::ui {
namespace {

using app::LogSeverity;

class LogWindowTest : public WindowStage {
  protected:
    TimelinePanel& open() {
        trigger("help.log");
        QCoreApplication::processEvents();
        return window->timeline();
    }
    static QTableView& table(const TimelinePanel& page) { return *page.findChild<QTableView*>(); }
    static int rows(const TimelinePanel& page) { return table(page).model()->rowCount(); }
    static void choose(const TimelinePanel& page, const char* kind) {
        page.findChild<QComboBox*>()->setCurrentText(QString::fromLatin1(kind));
    }
    void say(LogSeverity severity, const char* text) {
        state->log().add(severity, QStringLiteral("qt"), QString::fromUtf8(text));
        QCoreApplication::processEvents();
    }
};

TEST_F(LogWindowTest, timeline_showsEventsOnceTogetherWithTheProgramLog) {
    TimelinePanel& page = open();
    EXPECT_TRUE(page.isVisible());
    const int before = rows(page);
    EXPECT_GE(before, 1);  // the program start
    load();
    EXPECT_EQ(rows(page), before + 1) << "the log has a line of it, too";
    EXPECT_EQ(page.text().count(QStringLiteral("Model small loaded")), 1);
    for (int i = 0; i < 100; ++i) say(LogSeverity::Info, "one of many");
    const QTableView& lines = table(page);
    EXPECT_GE(lines.rowAt(lines.viewport()->height() - 1), rows(page) - 2) << "the newest in sight";
    EXPECT_EQ(rows(page), before + 101);
    say(LogSeverity::Debug, "for developers");
    EXPECT_EQ(rows(page), before + 101);
}

TEST_F(LogWindowTest, rows_areFilteredByKindProblemsAndText) {
    TimelinePanel& page = open();
    load();
    const int all = rows(page) + 3;
    say(LogSeverity::Info, "all is well");
    say(LogSeverity::Warning, "the paint is thin");
    say(LogSeverity::Error, "the paint is gone");
    choose(page, "Problems");
    EXPECT_EQ(rows(page), 2);
    choose(page, "Program");
    EXPECT_EQ(rows(page), all - 1) << "without the model";
    choose(page, "Everything");
    EXPECT_EQ(rows(page), all);
    auto* words = page.findChild<QLineEdit*>();
    words->setText(QStringLiteral("paint THIN"));
    QTest::keyClick(words, Qt::Key_Return);
    EXPECT_TRUE(page.isVisible());
    EXPECT_EQ(rows(page), 1);
    EXPECT_TRUE(shows(page, qPrintable(QStringLiteral("1 of %1 events").arg(all))));
}

TEST_F(LogWindowTest, selectedLines_areShownInFullAndCopied) {
    TimelinePanel& page = open();
    say(LogSeverity::Warning, "<b>first</b>");
    say(LogSeverity::Warning, "second");
    QTableView& lines = table(page);
    lines.selectRow(rows(page) - 2);
    EXPECT_TRUE(page.findChild<QPlainTextEdit*>()->toPlainText().endsWith(
        QStringLiteral(" warning qt: <b>first</b>")));
    QTest::mouseClick(button(page, "Copy"), Qt::LeftButton);
    const QString copied = QApplication::clipboard()->text();
    EXPECT_TRUE(copied.endsWith(QStringLiteral("<b>first</b>"))) << qPrintable(copied);
    EXPECT_FALSE(copied.contains(QLatin1Char('\n')));
    lines.clearSelection();
    QTest::mouseClick(button(page, "Copy"), Qt::LeftButton);
    EXPECT_EQ(QApplication::clipboard()->text().count(QLatin1Char('\n')), rows(page) - 1);
}

TEST_F(LogWindowTest, everyControl_isReachableByKeyboard) {
    TimelinePanel& page = open();
    QApplication::setActiveWindow(window.get());
    page.findChild<QComboBox*>()->setFocus();
    QSet<QWidget*> reached;
    for (int i = 0; i < 12; ++i) {
        if (QWidget* focus = QApplication::focusWidget()) reached.insert(focus);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    }
    const QList<QWidget*> wanted{page.findChild<QComboBox*>(), page.findChild<QLineEdit*>(),
                                 page.findChild<QTableView*>(), page.findChild<QPlainTextEdit*>(),
                                 button(page, "Copy")};
    for (QWidget* control : wanted)
        EXPECT_TRUE(reached.contains(control)) << control->metaObject()->className();
}

TEST_F(LogWindowTest, logWithoutAFile_explainsTheDisabledButton) {
    const QPushButton* folder = button(open(), "Open log folder");
    EXPECT_FALSE(folder->isEnabled());
    EXPECT_EQ(folder->toolTip(), QStringLiteral("This run writes no log to disk."));
}

TEST_F(LogWindowTest, openFolder_opensTheFolderOfTheLog) {
    const QTemporaryDir folder;
    app::ProgramLog log(folder.path());
    TimelinePanel page(*themes, &log);
    page.resize(900, 560);
    page.show();
    QTextBrowser fileManager;
    QDesktopServices::setUrlHandler(QStringLiteral("file"), &fileManager, "setSource");
    QTest::mouseClick(button(page, "Open log folder"), Qt::LeftButton);
    QDesktopServices::unsetUrlHandler(QStringLiteral("file"));
    EXPECT_EQ(fileManager.source(), QUrl::fromLocalFile(folder.path()));
    EXPECT_TRUE(button(page, "Open log folder")->toolTip().contains(QStringLiteral("lacuna.log")));
}

TEST_F(LogWindowTest, linesOfAnEarlierRun_standBeforeThoseOfThisRun) {
    const QTemporaryDir folder;
    {
        app::ProgramLog before(folder.path());
        before.add({QDateTime::currentDateTime().addDays(-1), LogSeverity::Info,
                    QStringLiteral("model"), QStringLiteral("loaded yesterday")});
        before.flush();
    }
    app::ProgramLog log(folder.path());
    log.add(LogSeverity::Info, QStringLiteral("program"), QStringLiteral("starts"));
    TimelinePanel page(*themes, &log);
    app::EventRow now;
    now.when = QDateTime::currentDateTime();
    now.title = QStringLiteral("now");
    page.add(now);
    ASSERT_TRUE(QTest::qWaitFor([&] { return page.model().rowCount() == 3; }));
    EXPECT_EQ(page.model().row(0)->title, QStringLiteral("loaded yesterday"));
    EXPECT_EQ(page.model().row(1)->title, QStringLiteral("starts"));
    EXPECT_EQ(page.model().row(2)->title, QStringLiteral("now"));
}

}  // namespace
}  // namespace lacuna::ui
