// User workflow for reports with the live engine and the test model: a session is exported with a
// choice of parts, opened in the same window, stepped through, replayed and closed; the live
// session is unchanged.

#include <gtest/gtest.h>

#include <QAbstractEventDispatcher>
#include <QAbstractTextDocumentLayout>
#include <QCheckBox>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSet>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>
#include <QTextDocument>
#include <QTimer>
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <memory>

#include "app/state/application_state.h"
#include "app/state/chat/chat_model.h"
#include "app/state/chat/conversation_list.h"
#include "app/state/chat/conversation_pins.h"
#include "app/state/chat/conversation_turns.h"
#include "app/state/files/work_thread.h"
#include "app/state/models/model_controller.h"
#include "app/state/number_format.h"
#include "app/state/report/recorded_session.h"
#include "app/state/report/recording_controller.h"
#include "app/state/telemetry/metrics_store.h"
#include "app/state/telemetry/session_feed.h"
#include "tests/support/pdf_words.h"
#include "tests/ui/offscreen.h"
#include "tests/ui/qt_misuse.h"
#include "ui/charts/chart_builders.h"
#include "ui/charts/heat_map.h"
#include "ui/charts/plot_cell.h"
#include "ui/charts/retention_view.h"
#include "ui/chat/chat_view.h"
#include "ui/chat/message_view.h"
#include "ui/chat/prompt_box.h"
#include "ui/chat/retention_presenter.h"
#include "ui/panels/telemetry_panel.h"
#include "ui/report/export_page.h"
#include "ui/report/report_page.h"
#include "ui/style/theme.h"
#include "ui/window/action_registry.h"
#include "ui/window/main_window.h"
#include "ui/window/recorded_view.h"
#include "ui/window/status_line.h"
#include "ui/window/time_bar.h"
#include "ui/window/window_dialogs.h"
#include "ui/window/window_notices.h"

namespace lacuna::ui {
namespace {

constexpr int kPatienceMs = 120'000;

bool wait(const std::function<bool()>& until) {
    return QTest::qWaitFor(until, kPatienceMs);
}

QPushButton* buttonOf(const QWidget& in, const char* text) {
    for (QPushButton* found : in.findChildren<QPushButton*>())
        if (found->text() == QString::fromUtf8(text)) return found;
    return nullptr;
}

QCheckBox* boxOf(const QWidget& in, const char* text) {
    for (QCheckBox* found : in.findChildren<QCheckBox*>())
        if (found->text() == QString::fromUtf8(text)) return found;
    return nullptr;
}

/// Two answers about a text whose cache is evicted, and the report of it.
class ReportJourney : public ::testing::Test {
  protected:
    ReportJourney()
        : application(offscreenApplication()),
          themes(ThemeChoice::Light),
          state(app::ApplicationOptions{
              .settings = {QStringLiteral("precision=fast"), QStringLiteral("threads=1"),
                           QStringLiteral("temperature=0"), QStringLiteral("max_tokens=12"),
                           QStringLiteral("budget=128"), QStringLiteral("compaction_floor=0"),
                           QStringLiteral("loss_limit=off"), QStringLiteral("norm_policy=keydiff"),
                           QStringLiteral("keep_recent=16")},
              .workerNiceness = 0,
              .dataFolder = {}}),
          window(state, themes) {
        window.resize(1280, 800);
        window.show();
        state.model().load(QStringLiteral(LACUNA_RESOURCE_DIR "/models/pilot-29m-q8_0.gguf"));
        EXPECT_TRUE(wait([&] { return state.model().view().state == app::ModelState::Ready; }));
        QString text = QStringLiteral("Notes of the harbour.");
        for (int i = 0; i < 20; ++i)
            text += QStringLiteral("\nGate %1 opens at %2 and is painted grey.").arg(i).arg(i % 24);
        ask(text + QStringLiteral("\n\nWhat is painted grey?"));
        ask(QStringLiteral("And when does gate 3 open?"));
        EXPECT_GT(state.feed().compactionsDone(), 0) << "nothing to look at otherwise";
    }
    void ask(const QString& words) {
        EXPECT_TRUE(wait([&] {
            return state.model().problem().isEmpty() && state.turns().submitBlocker().isEmpty();
        }));
        state.turns().submit({words, {}, {}});
        EXPECT_TRUE(wait([&] { return !state.conversations().answering(); }));
    }
    void trigger(const char* action) {
        window.actions().find(QString::fromLatin1(action))->trigger();
        QCoreApplication::processEvents();
    }
    [[nodiscard]] QString inside(const char* name) const {
        return folder.filePath(QString::fromLatin1(name));
    }
    /// Writes the report with the dialog's defaults, but to `where`.
    void exportTo(const QString& where) {
        trigger("report.export");
        ExportPage* dialog = window.exportPage();
        ASSERT_NE(dialog, nullptr);
        dialog->findChild<QLineEdit*>()->setText(where);
        QTest::mouseClick(buttonOf(*dialog, "Write report"), Qt::LeftButton);
        ASSERT_TRUE(wait([&] { return buttonOf(*dialog, "Open folder")->isEnabled(); }));
    }
    void openReport(const QString& path) {
        state.recording().open(path);
        ASSERT_TRUE(wait([&] { return window.recorded().shown(); }));
        QCoreApplication::processEvents();
    }
    [[nodiscard]] QStringList shownTexts() {
        QStringList texts;
        for (int row = 0; row < window.chatView().messageCount(); ++row)
            texts << session()
                         .linesAt(window.timeBar().conversation(), window.timeBar().timeNs())[row]
                         .text;
        return texts;
    }
    [[nodiscard]] const app::RecordedSession& session() { return *state.recording().session(); }

    QApplication& application;
    const QTemporaryDir folder;
    ThemeSource themes;
    app::ApplicationState state;
    MainWindow window;
};

TEST_F(ReportJourney, export_writesTheSelectedPartsAndOverwritesOnlyOnConfirmation) {
    exportTo(inside("whole"));
    const QDir whole(inside("whole"));
    for (const char* name :
         {"report.json", "report.md", "report.html", "report.pdf", "samples.csv", "kv-bytes.png"})
        EXPECT_TRUE(whole.exists(QString::fromLatin1(name))) << name;
    QFile pdf(whole.filePath(QStringLiteral("report.pdf")));
    ASSERT_TRUE(pdf.open(QIODevice::ReadOnly));
    const test::PdfWords paper(pdf.readAll());
    EXPECT_GE(paper.pages(), 3) << "charts, tables and what was said";
    EXPECT_LE(paper.pages(), 8);
    EXPECT_GE(paper.pictureShapes().size(), 12);
    for (const double shape : paper.pictureShapes())
        EXPECT_TRUE(std::abs(shape - 0.375) < 0.01 || std::abs(shape - 0.625) < 0.01)
            << shape << " is neither that of a chart nor that of the window";
    const QString first = paper.page(0), all = paper.all();
    EXPECT_TRUE(first.contains(QLatin1String("Lacunasessionreport"))) << first.toStdString();
    EXPECT_TRUE(all.contains(QLatin1String("Andwhendoesgate3open?")));
    EXPECT_TRUE(all.contains(QLatin1String("Compactions")));

    // The same folder needs confirmation.
    trigger("report.export");
    ExportPage& dialog = *window.exportPage();
    EXPECT_NE(dialog.folder(), inside("whole")) << "another one is proposed";
    EXPECT_EQ(QFileInfo(dialog.folder()).absolutePath(), folder.path()) << "next to the last one";
    dialog.findChild<QLineEdit*>()->setText(inside("whole"));
    QPushButton* write = buttonOf(dialog, "Write report");
    EXPECT_FALSE(write->isEnabled());
    EXPECT_FALSE(dialog.disabledReason().isEmpty());
    QCheckBox* replace = boxOf(dialog, "Replace existing files");
    ASSERT_TRUE(replace->isVisible());
    replace->setChecked(true);
    EXPECT_TRUE(write->isEnabled());
    // A new folder with fewer parts.
    dialog.findChild<QLineEdit*>()->setText(inside("some"));
    for (const char* unwanted :
         {"HTML", "Markdown", "Tables (CSV)", "Pictures (PNG)", "Charts and maps", "Messages"})
        boxOf(dialog, unwanted)->setChecked(false);
    QTest::mouseClick(write, Qt::LeftButton);
    ASSERT_TRUE(wait([&] { return buttonOf(dialog, "Open report")->isEnabled(); }));
    EXPECT_EQ(QDir(inside("some")).entryList(QDir::Files),
              (QStringList{QStringLiteral("report.json"), QStringLiteral("report.pdf")}));
    QFile less(inside("some/report.pdf"));
    ASSERT_TRUE(less.open(QIODevice::ReadOnly));
    const test::PdfWords shorter(less.readAll());
    EXPECT_LT(shorter.pages(), paper.pages());
    EXPECT_FALSE(shorter.all().contains(QLatin1String("Andwhendoesgate3open?")));
    QTest::mouseClick(buttonOf(dialog, "Open report"), Qt::LeftButton);
    ASSERT_TRUE(wait([&] { return window.recorded().shown(); }));
}

TEST_F(ReportJourney, proposedFolder_isAcceptedByEnter_anotherByChoose) {
    qputenv("HOME", folder.path().toUtf8());
    QTest::keyClick(&window, Qt::Key_E, Qt::ControlModifier);
    QCoreApplication::processEvents();
    ExportPage* dialog = window.exportPage();
    ASSERT_NE(dialog, nullptr);
    ASSERT_TRUE(dialog->isVisible());
    const QString proposed = dialog->folder();
    ASSERT_TRUE(proposed.startsWith(folder.path())) << proposed.toStdString();
    ASSERT_FALSE(QFile::exists(proposed)) << "it need not be there";
    QTest::keyClick(dialog->focusWidget(), Qt::Key_Return);
    ASSERT_TRUE(wait([&] { return buttonOf(*dialog, "Open folder")->isEnabled(); }));
    EXPECT_TRUE(QFile::exists(QDir(proposed).filePath(QStringLiteral("report.json"))));
    EXPECT_TRUE(window.notice().sentence().contains(proposed));
    QTest::mouseClick(buttonOf(*dialog, "Choose..."), Qt::LeftButton);
    auto* ask = dialog->findChild<QFileDialog*>();
    if (ask == nullptr) ask = window.findChild<QFileDialog*>();
    ASSERT_NE(ask, nullptr);
    Q_EMIT ask->filesSelected({inside("chosen")});
    ask->close();
    EXPECT_EQ(dialog->folder(), inside("chosen"));
    EXPECT_TRUE(buttonOf(*dialog, "Write report")->isEnabled());
}

TEST_F(ReportJourney, exportPage_opensImmediatelyAndDrawsBetweenEvents) {
    trigger("report.export");
    const ExportPage& dialog = *window.exportPage();
    ASSERT_TRUE(dialog.isVisible());
    auto* page = dialog.findChild<QTextBrowser*>();
    ASSERT_NE(page, nullptr);
    const auto pictures = [page] { return page->toHtml().count(QLatin1String("<img")); };
    EXPECT_EQ(pictures(), 0) << "none was drawn before it was there";
    int turns = 0;
    QTimer beat;
    QObject::connect(&beat, &QTimer::timeout, [&turns] { ++turns; });
    beat.start(0);
    ASSERT_TRUE(wait([&] { return pictures() == static_cast<int>(std::size(kCharts)); }));
    EXPECT_GE(turns, 2 * static_cast<int>(std::size(kCharts)))
        << "the window had its turn after each picture and each file of one";
    // The first report is written completely, and a second one is refused with a sentence
    // meanwhile.
    QStringList problems;
    QObject::connect(&state.report(), &app::ReportController::failed, &window,
                     [&problems](const QString& sentence) { problems << sentence; });
    bool written = false;
    QObject::connect(&state.report(), &app::ReportController::finished, &window,
                     [&written] { written = true; });
    window.exportReport(inside("first"));
    window.exportReport(inside("second"));
    EXPECT_EQ(problems.size(), 1) << problems.join(QLatin1Char('|')).toStdString();
    ASSERT_TRUE(wait([&] { return written; }));
    EXPECT_TRUE(QFile::exists(inside("first/kv-bytes.png")));
    EXPECT_TRUE(QFile::exists(inside("first/window.png")));
    EXPECT_FALSE(QFile::exists(inside("second")));
}

TEST(ReportPage, longPage_fromAnotherThread_leavesNoRepeatingTimer) {
    offscreenApplication();
    QString html;
    for (int i = 0; i < 3000; ++i)
        html += QStringLiteral("<p>Gate %1</p><table><tr><td>opens</td></tr></table>").arg(i);
    // The page uses fonts of the thread that laid it out, which must outlive it.
    app::WorkThread printer([](const Error&) {});
    std::unique_ptr<QTextDocument> page;
    printer.start([&] { page = reportPreview(html, 500, QCoreApplication::instance()->thread()); });
    printer.waitForDone();
    ASSERT_NE(page, nullptr);
    QTextBrowser screen;
    screen.resize(400, 300);
    screen.setDocument(page.get());
    screen.show();
    EXPECT_TRUE(QTest::qWaitFor(
        [&page] {
            return QAbstractEventDispatcher::instance()
                ->registeredTimers(page->documentLayout())
                .isEmpty();
        },
        20'000));
    EXPECT_GT(page->size().height(), 3000 * 10);
}

TEST_F(ReportJourney, openedReport_isNotTheNextExportFolder) {
    exportTo(inside("whole"));
    ASSERT_TRUE(QDir(inside("whole")).mkpath(QStringLiteral("notes/more")));
    EXPECT_EQ(folderNextToReport(inside("whole")), folder.path());
    EXPECT_EQ(folderNextToReport(inside("whole/notes/more")), folder.path());
    EXPECT_EQ(folderNextToReport(folder.path()), folder.path());
    ASSERT_TRUE(QFile::remove(inside("whole/report.json")));
    EXPECT_EQ(folderNextToReport(inside("whole")), folder.path()) << "the page says so as well";
}

/// A heading followed by a table, after `lines` lines.
QString pageOf(int lines, int rows) {
    QString html = QStringLiteral("<style></style>");
    for (int i = 0; i < lines; ++i) html += QStringLiteral("<p>Line %1</p>").arg(i);
    html += QStringLiteral("<h2>Heading</h2><table><thead><tr><th>Head</th></tr></thead>");
    for (int i = 0; i < rows; ++i) html += QStringLiteral("<tr><td>Row%1</td></tr>").arg(i);
    return html + QStringLiteral("</table>");
}

TEST(ReportPage, heading_isOnThePageOfItsFirstRow) {
    offscreenApplication();
    for (int lines = 20; lines < 60; ++lines) {
        const test::PdfWords paper(reportPdf(pageOf(lines, 5)));
        bool found = false;
        for (int page = 0; page < paper.pages(); ++page) {
            const QString words = paper.page(page);
            if (!words.contains(QStringLiteral("Heading"))) continue;
            found = true;
            EXPECT_TRUE(words.contains(QStringLiteral("HeadRow0"))) << lines << " lines";
        }
        EXPECT_TRUE(found);
    }
}

TEST(ReportPage, tableOverSeveralPages_repeatsItsHeader) {
    offscreenApplication();
    const test::PdfWords paper(reportPdf(pageOf(1, 200)));
    ASSERT_GE(paper.pages(), 3);
    for (int page = 0; page < paper.pages(); ++page)
        EXPECT_TRUE(paper.page(page).contains(QStringLiteral("HeadRow"))) << page;
}

TEST_F(ReportJourney, pinnedSpans_areInHtmlAndPdf) {
    state.pins().pin({state.conversations().currentModel().line(0).id, 0, 20});
    ask(QStringLiteral("And gate 4?"));
    exportTo(inside("pinned"));
    QFile html(inside("pinned/report.html"));
    ASSERT_TRUE(html.open(QIODevice::ReadOnly));
    const QByteArray page = html.readAll();
    EXPECT_TRUE(page.contains("<h2>Pinned words</h2>"));
    EXPECT_TRUE(page.contains("<span class=\"pinned\" title=\"pinned\">Notes of the harbour"));
    QFile pdf(inside("pinned/report.pdf"));
    ASSERT_TRUE(pdf.open(QIODevice::ReadOnly));
    EXPECT_TRUE(test::PdfWords(pdf.readAll()).all().contains(QLatin1String("Pinnedwords")));
}

TEST_F(ReportJourney, openedSession_isSteppedThroughByMoment) {
    const auto live = state.conversations().currentModel().lines();
    const int liveRows = window.findChild<QTableView*>()->model()->rowCount();
    exportTo(inside("report"));
    openReport(inside("report/report.json"));
    EXPECT_FALSE(window.prompt().isVisible()) << "nothing can be said to it";
    EXPECT_TRUE(window.timeBar().isVisible());
    EXPECT_FALSE(window.actions().find(QStringLiteral("cache.compact"))->isEnabled());
    ASSERT_EQ(window.chatView().messageCount(), live.size());
    QStringList said;
    for (const app::ChatLine& line : live) said << line.text;
    EXPECT_EQ(shownTexts(), said) << "at its end it is as it was";
    EXPECT_TRUE(window.chatView().tinted());

    MomentSlider& slider = window.timeBar().slider();
    EXPECT_EQ(slider.value(), slider.maximum());
    QTest::keyClick(&slider, Qt::Key_Home);
    EXPECT_EQ(slider.value(), 0);
    EXPECT_LE(window.chatView().messageCount(), 2);
    QTest::keyClick(&slider, Qt::Key_Right);
    EXPECT_EQ(slider.value(), 1);
    QTest::keyClick(&slider, Qt::Key_End);
    const QString whole = live.back().text;
    for (int i = 0; i < 12 && shownTexts().back().size() == whole.size(); ++i)
        QTest::keyClick(&slider, Qt::Key_Left);
    const QString part = shownTexts().back();
    EXPECT_LT(part.size(), whole.size()) << "a few steps before its end";
    EXPECT_TRUE(whole.startsWith(part));
    EXPECT_FALSE(part.isEmpty());
    // Steps through the marks: the compaction is one of them, and less is held afterwards.
    QTest::keyClick(&slider, Qt::Key_Home);
    qsizetype least = -1;
    for (int i = 0; i < 20 && slider.value() < slider.maximum(); ++i) {
        QTest::keyClick(&slider, Qt::Key_PageDown);
        const app::RetentionView held =
            session().retentionAt(window.timeBar().conversation(), window.timeBar().timeNs());
        const auto lost = std::count_if(held.share.begin(), held.share.end(),
                                        [](float share) { return share < 1; });
        least = std::max<qsizetype>(least, lost);
    }
    EXPECT_GT(least, 0) << "what was evicted is seen";

    QTest::keyClick(&slider, Qt::Key_Home);
    QTest::keyClick(&slider, Qt::Key_Space);
    EXPECT_TRUE(window.timeBar().playing());
    EXPECT_TRUE(wait([&] { return slider.value() > 0; }));
    QTest::keyClick(&slider, Qt::Key_Space);
    EXPECT_FALSE(window.timeBar().playing());

    trigger("report.close");
    EXPECT_FALSE(window.recorded().shown());
    EXPECT_TRUE(window.prompt().isVisible());
    EXPECT_FALSE(window.timeBar().isVisible());
    ASSERT_EQ(window.chatView().messageCount(), live.size());
    EXPECT_EQ(state.conversations().currentModel().lines().back().text, live.back().text);
    EXPECT_TRUE(window.actions().find(QStringLiteral("cache.compact"))->isEnabled());
    EXPECT_GE(window.findChild<QTableView*>()->model()->rowCount(), liveRows);
    ask(QStringLiteral("Thanks."));
    EXPECT_EQ(state.conversations().currentModel().lines().size(), live.size() + 2);
}

TEST_F(ReportJourney, everyMoment_isConsistentInChartsOverlayMapsAndChat) {
    exportTo(inside("report"));
    openReport(inside("report/report.json"));
    MomentSlider& slider = window.timeBar().slider();
    auto* strip = window.findChild<RetentionStrip*>();
    auto* maps = window.findChild<CacheMapPanel*>();
    auto* telemetry = &window.telemetry();
    const auto* context = window.findChild<ContextStrip*>();
    ASSERT_TRUE(strip != nullptr && maps != nullptr && telemetry != nullptr && context != nullptr);
    QSet<qsizetype> tokens;
    QSet<QString> texts, places;
    for (const auto key :
         {Qt::Key_Home, Qt::Key_PageDown, Qt::Key_PageDown, Qt::Key_Right, Qt::Key_PageDown,
          Qt::Key_Left, Qt::Key_PageDown, Qt::Key_End, Qt::Key_Left, Qt::Key_Left, Qt::Key_Left}) {
        QTest::keyClick(&slider, key);
        QCoreApplication::processEvents();
        const qint64 time = window.timeBar().timeNs();
        const qint64 conversation = window.timeBar().conversation();
        const auto lines = session().linesAt(conversation, time);
        ASSERT_EQ(window.chatView().messageCount(), lines.size());
        if (const MessageView* last =
                window.chatView().messageAt(static_cast<int>(lines.size()) - 1);
            last != nullptr && !lines.isEmpty() && !lines.back().text.isEmpty()) {
            EXPECT_EQ(last->findChild<MessageText*>()->toPlainText().trimmed(),
                      lines.back().text.trimmed())
                << "what is read, not what is known";
            texts.insert(lines.back().text);
        }
        const app::RetentionView held = session().retentionAt(conversation, time);
        EXPECT_EQ(strip->view().share, held.share);
        if (held.tokens() > 0) {
            const QString said = maps->tokens().view().accessibleDescription();
            EXPECT_TRUE(said.contains(app::countText(held.tokens()))) << said.toStdString();
        }
        tokens.insert(held.tokens());
        const auto extent = session().metrics().extent(app::XAxis::Time);
        ASSERT_TRUE(extent);
        const double seconds = std::clamp((static_cast<double>(time) - extent->from) / 1e9, 0.0,
                                          (extent->to - extent->from) / 1e9);
        int marked = 0;
        for (ChartCell* cell : telemetry->findChildren<ChartCell*>()) {
            if (cell->id() == ChartId::LatencyHistogram) continue;
            ASSERT_TRUE(cell->view().moment());
            EXPECT_DOUBLE_EQ(*cell->view().moment(), seconds);
            ++marked;
        }
        EXPECT_GE(marked, 3);
        for (const QLabel* label : context->findChildren<QLabel*>())
            if (label->text().startsWith(QLatin1String("Context"))) {
                EXPECT_TRUE(label->text().contains(
                    app::countText(session().engineAt(conversation, time).contextTokens)))
                    << label->text().toStdString();
                places.insert(label->text());
            }
    }
    EXPECT_GE(tokens.size(), 4) << "the cache is that of the moment";
    EXPECT_GE(texts.size(), 3);
    EXPECT_GE(places.size(), 4);
}

TEST_F(ReportJourney, sessionOfTwoModels_namesBothAndIsReplayedWithBoth) {
    state.model().load(QStringLiteral(LACUNA_GOLDEN_DIR "/models/llama"));
    ASSERT_TRUE(wait([&] {
        return state.model().view().state == app::ModelState::Ready &&
               state.model().view().path.endsWith(QLatin1String("llama"));
    }));
    const QString second = state.model().view().name;
    trigger("chat.new");
    ask(QStringLiteral("Hello."));
    exportTo(inside("two"));
    openReport(inside("two/report.json"));
    const QStringList names = session().models().split(QStringLiteral(", "), Qt::SkipEmptyParts);
    EXPECT_GE(names.size(), 2) << session().models().toStdString();
    EXPECT_TRUE(session().models().contains(second)) << session().models().toStdString();
    bool titled = false;
    for (const QLabel* label : window.timeBar().findChildren<QLabel*>())
        titled = titled || label->text().contains(session().models());
    EXPECT_TRUE(titled) << "the bar says which models it was";
    QFile html(inside("two/report.html"));
    ASSERT_TRUE(html.open(QIODevice::ReadOnly));
    const QByteArray page = html.readAll();
    EXPECT_TRUE(page.contains(second.toUtf8()));
    EXPECT_TRUE(page.contains(names.front().toUtf8()));
    EXPECT_TRUE(page.contains("<th>Seed</th>") || page.contains(">Seed<")) << "of every answer";
    QTest::mouseClick(buttonOf(window.timeBar(), "Replay"), Qt::LeftButton);
    ASSERT_TRUE(wait([&] { return !state.recording().replayed().running; }));
    EXPECT_TRUE(state.recording().replayed().identical)
        << state.recording().replayed().sentence.toStdString();
}

TEST_F(ReportJourney, replayInTheWindow_reportsIdenticalOutput) {
    exportTo(inside("report"));
    openReport(inside("report/report.json"));
    QPushButton* replay = buttonOf(window.timeBar(), "Replay");
    ASSERT_NE(replay, nullptr);
    QTest::mouseClick(replay, Qt::LeftButton);
    EXPECT_TRUE(state.recording().replayed().running);
    EXPECT_EQ(replay->text(), QLatin1String("Stop replay"));
    ASSERT_TRUE(wait([&] { return !state.recording().replayed().running; }));
    EXPECT_TRUE(state.recording().replayed().ended);
    EXPECT_TRUE(state.recording().replayed().identical)
        << state.recording().replayed().sentence.toStdString();
    QTest::mouseClick(replay, Qt::LeftButton);
    ASSERT_TRUE(state.recording().replayed().running);
    QTest::mouseClick(replay, Qt::LeftButton);
    EXPECT_FALSE(state.recording().replayed().running);
    EXPECT_FALSE(state.recording().replayed().ended) << "one that was stopped says nothing";
}

TEST_F(ReportJourney, changedReport_isReportedToDiverge_conversationChangeClosesIt) {
    exportTo(inside("report"));
    QFile file(inside("report/report.json"));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    QByteArray text = file.readAll();
    ASSERT_TRUE(text.contains("And when does gate 3 open?"));
    text.replace("And when does gate 3 open?", "Who owns the harbour, and why?");
    QFile changed(inside("report/changed.json"));
    ASSERT_TRUE(changed.open(QIODevice::WriteOnly));
    changed.write(text);
    changed.close();
    openReport(inside("report/changed.json"));
    state.recording().replay();
    ASSERT_TRUE(wait([&] { return !state.recording().replayed().running; }));
    EXPECT_TRUE(state.recording().replayed().ended);
    EXPECT_FALSE(state.recording().replayed().identical);
    EXPECT_EQ(state.recording().replayed().divergedTurn, 2);
    trigger("chat.new");
    EXPECT_FALSE(window.recorded().shown());
    EXPECT_TRUE(window.prompt().isVisible());
}

TEST_F(ReportJourney, reportDroppedOnThePrompt_canBeOpenedOrAttached) {
    exportTo(inside("report"));
    const auto drop = [&](const QString& path) {
        QMimeData dropped;
        dropped.setUrls({QUrl::fromLocalFile(path)});
        QWidget* field = window.prompt().edit()->viewport();
        QDragEnterEvent enter(QPoint(20, 8), Qt::CopyAction, &dropped, Qt::LeftButton,
                              Qt::NoModifier);
        QApplication::sendEvent(field, &enter);
        EXPECT_TRUE(enter.isAccepted());
        QDropEvent event(QPointF(20, 8), Qt::CopyAction, &dropped, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(field, &event);
    };
    drop(inside("report/report.json"));
    EXPECT_TRUE(window.notice().sentence().contains(QLatin1String("session report")))
        << window.notice().sentence().toStdString();
    EXPECT_EQ(window.prompt().texts().size(), 1) << "nothing is attached unasked";
    QTest::mouseClick(buttonOf(window.notice(), "Attach as text"), Qt::LeftButton);
    EXPECT_TRUE(wait([&] { return window.prompt().texts().size() == 2; }));
    EXPECT_FALSE(window.recorded().shown());
    window.prompt().clear();
    drop(inside("report"));  // the report's folder
    QTest::mouseClick(buttonOf(window.notice(), "Open the session"), Qt::LeftButton);
    EXPECT_TRUE(wait([&] { return window.recorded().shown(); }));
}

TEST_F(ReportJourney, invalidReportFile_isRejectedWithAReason) {
    QFile file(inside("notes.json"));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("{\"schema\": \"lacuna-report\", \"version\": 99}");
    file.close();
    QString problem;
    QObject::connect(&state.recording(), &app::RecordingController::failed, &window,
                     [&problem](const QString& sentence) { problem = sentence; });
    EXPECT_EQ(app::reportAt(file.fileName()), file.fileName());
    EXPECT_EQ(app::reportAt(folder.path()), QString()) << "a folder without one";
    state.recording().open(file.fileName());
    ASSERT_TRUE(wait([&] { return !problem.isEmpty(); }));
    EXPECT_TRUE(problem.contains(QLatin1String("99"))) << problem.toStdString();
    EXPECT_FALSE(window.recorded().shown());
}

}  // namespace
}  // namespace lacuna::ui
