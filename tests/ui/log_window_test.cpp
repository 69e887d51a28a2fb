#include "ui/pages/log_page.h"

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

namespace lacuna::ui {
namespace {

using app::LogSeverity;

class LogWindowTest : public WindowStage {
  protected:
    LogPage& open() {
        trigger("help.log");
        QCoreApplication::processEvents();
        const auto pages = window->findChildren<LogPage*>();
        EXPECT_EQ(pages.size(), 1);
        return *pages.front();
    }
    static QTableView& table(const LogPage& page) { return *page.findChild<QTableView*>(); }
    static int rows(const LogPage& page) { return table(page).model()->rowCount(); }
    void say(LogSeverity severity, const char* text) {
        state->log().add(severity, QStringLiteral("qt"), QString::fromUtf8(text));
        QCoreApplication::processEvents();
    }
};

TEST_F(LogWindowTest, page_showsNewLines) {
    LogPage& page = open();
    EXPECT_TRUE(page.isVisible());
    const int before = rows(page);
    EXPECT_GE(before, 1);  // the program start
    load();
    EXPECT_EQ(rows(page), before + 1);
    EXPECT_TRUE(page.text().contains(QStringLiteral(" info model: Model ")));
    for (int i = 0; i < 100; ++i) say(LogSeverity::Info, "one of many");
    const QTableView& lines = table(page);
    EXPECT_GE(lines.rowAt(lines.viewport()->height() - 1), rows(page) - 2) << "the newest in sight";
    trigger("help.log");
    EXPECT_EQ(window->findChildren<LogPage*>().size(), 1);
}

TEST_F(LogWindowTest, lines_areFilteredBySeverityAndText) {
    LogPage& page = open();
    const int all = rows(page) + 3;
    say(LogSeverity::Info, "all is well");
    say(LogSeverity::Warning, "the paint is thin");
    say(LogSeverity::Error, "the paint is gone");
    const auto boxes = page.findChildren<QComboBox*>();
    const auto severity = std::find_if(boxes.begin(), boxes.end(), [](const QComboBox* box) {
        return box->accessibleName() == QLatin1String("Lines shown");
    });
    ASSERT_NE(severity, boxes.end());
    (*severity)->setCurrentIndex(1);
    EXPECT_EQ(rows(page), 2);
    (*severity)->setCurrentIndex(2);
    EXPECT_EQ(rows(page), 1);
    (*severity)->setCurrentIndex(0);
    EXPECT_EQ(rows(page), all);
    auto* words = page.findChild<QLineEdit*>();
    words->setText(QStringLiteral("paint THIN"));
    QTest::keyClick(words, Qt::Key_Return);
    EXPECT_TRUE(page.isVisible());
    EXPECT_EQ(rows(page), 1);
    EXPECT_TRUE(shows(page, qPrintable(QStringLiteral("1 of %1 lines").arg(all))));
}

TEST_F(LogWindowTest, selectedLines_areShownInFullAndCopied) {
    LogPage& page = open();
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
    LogPage& page = open();
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

TEST_F(LogWindowTest, logWithoutAFile_isReportedOnThePage) {
    LogPage& page = open();
    EXPECT_TRUE(shows(page, "This run writes no log to disk."));
    EXPECT_FALSE(button(page, "Open folder")->isEnabled());
}

TEST_F(LogWindowTest, openFolder_opensTheFolderOfTheLog) {
    const QTemporaryDir folder;
    app::ProgramLog log(folder.path());
    LogPage page(log, state->feed(), *themes, window.get());
    page.resize(900, 560);
    page.show();
    QTextBrowser fileManager;
    QDesktopServices::setUrlHandler(QStringLiteral("file"), &fileManager, "setSource");
    QTest::mouseClick(button(page, "Open folder"), Qt::LeftButton);
    QDesktopServices::unsetUrlHandler(QStringLiteral("file"));
    EXPECT_EQ(fileManager.source(), QUrl::fromLocalFile(folder.path()));
    EXPECT_TRUE(shows(page, "lacuna.log"));
}

}  // namespace
}  // namespace lacuna::ui
