#include <gtest/gtest.h>

#include <QtTest/qtestspontaneevent.h>
#include <QAbstractItemModelTester>
#include <QAbstractScrollArea>
#include <QFile>
#include <QFontMetricsF>
#include <QImage>
#include <QLabel>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QWheelEvent>
#include <functional>
#include <set>

#include "tests/ui/offscreen.h"
#include "tests/ui/qt_misuse.h"
#include "tests/ui/session_tape.h"
#include "ui/charts/chart_painter.h"
#include "ui/charts/plot_cell.h"
#include "ui/charts/time_series_view.h"
#include "ui/panels/telemetry_panel.h"
#include "ui/report/report_exporter.h"

namespace lacuna::ui {
namespace {

class ChartWidgetsTest : public ::testing::Test {
  protected:
    ChartWidgetsTest() {
        offscreenApplication();
        m_themes = std::make_unique<ThemeSource>(ThemeChoice::Light);
        playTape(m_store, {});
    }
    void settle(QWidget& widget, QSize size) {
        widget.resize(size);
        widget.show();
        QCoreApplication::processEvents();
    }
    app::MetricsStore m_store;
    std::unique_ptr<ThemeSource> m_themes;
};

/// A clock that stays at the newest sample.
std::function<std::int64_t()> atEndOf(const app::MetricsStore& store, std::int64_t laterNs = 0) {
    return [&store, laterNs] {
        return static_cast<std::int64_t>(store.extent(app::XAxis::Time)->to) + laterNs;
    };
}

int coloursIn(const QImage& image) {
    std::set<QRgb> colours;
    for (int y = 0; y < image.height(); y += 2) {
        for (int x = 0; x < image.width(); x += 2) colours.insert(image.pixel(x, y));
    }
    return static_cast<int>(colours.size());
}

TEST_F(ChartWidgetsTest, seriesOfALongSession_holdAboutTwoPointsPerPixel) {
    app::MetricsStore store;
    playTape(store, {.answers = 30, .tokens = 3000});
    TimeSeriesView view(Theme::light());
    settle(view, {500, 260});
    for (const ChartId id : kCharts) {
        ChartRequest request;
        request.window = dataRange(store, request.axis);
        request.pixels = view.plotPixels();
        const ChartContent content = buildChart(id, store, request);
        view.setContent(content);
        const auto curves = static_cast<qsizetype>(content.curves.size()) + (content.band ? 2 : 0);
        const auto dots = static_cast<qsizetype>(content.dots.empty() ? 0 : kMaxDots);
        EXPECT_LE(view.heldPoints(), curves * (2 * view.plotPixels() + 12) + dots)
            << content.title.toStdString();
    }
}

TEST_F(ChartWidgetsTest, source_neverAppendsSinglePointsOrUsesOpenGl) {
    QFile file(QStringLiteral(LACUNA_SOURCE_DIR "/ui/charts/time_series_view.cpp"));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QString source = QString::fromUtf8(file.readAll());
    EXPECT_FALSE(source.contains(QStringLiteral("append(")));
    EXPECT_FALSE(
        source.contains(QRegularExpression(QStringLiteral("\\*?(series|line|set|dots)\\s*<<"))));
    EXPECT_FALSE(source.contains(QStringLiteral("OpenGL")));
    EXPECT_TRUE(source.contains(QStringLiteral("->replace(")));
}

TEST_F(ChartWidgetsTest, view_hasAnAccessibleNameAndDescription) {
    TimeSeriesView view(Theme::light());
    settle(view, {400, 200});
    ChartRequest request;
    request.window = dataRange(m_store, request.axis);
    view.setContent(buildChart(ChartId::KvBytes, m_store, request));
    EXPECT_EQ(view.accessibleName().toStdString(), "Live cache size");
    EXPECT_TRUE(view.accessibleDescription().contains(QStringLiteral("MiB live")));
    view.setContent(buildChart(ChartId::Latency, app::MetricsStore(), request));
    EXPECT_TRUE(view.accessibleDescription().contains(QStringLiteral("Compactions appear")));
}

TEST_F(ChartWidgetsTest, everyChart_isDrawnInBothThemes) {
    for (const ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark}) {
        TimeSeriesView view(Theme::of(kind));
        settle(view, {420, 220});
        for (const ChartId id : kCharts) {
            ChartRequest request;
            request.window = dataRange(m_store, request.axis);
            request.pixels = view.plotPixels();
            view.setContent(buildChart(id, m_store, request));
            const QImage image = view.grab().toImage();
            EXPECT_EQ(image.pixelColor(1, image.height() - 2), Theme::of(kind).surface);
            EXPECT_GT(coloursIn(image), 20);
        }
    }
}

TEST_F(ChartWidgetsTest, panel_showsThreeChartsInASmallWindow_sixInALargeOneWithMore) {
    EXPECT_GE(ChartGrid::cellsFor({1264, 190}, 6).width(), 3);
    TelemetryPanel panel(m_store, *m_themes);
    panel.setClock(atEndOf(m_store));
    settle(panel, {1264, 230});
    EXPECT_GE(panel.findChild<ChartGrid*>()->readableCharts(), 3);
    settle(panel, {840, 230});
    EXPECT_GE(panel.findChild<ChartGrid*>()->readableCharts(), 3);
    settle(panel, {1900, 420});
    EXPECT_EQ(panel.findChild<ChartGrid*>()->readableCharts(), 4) << "the primary charts";
    panel.showMore(true);
    settle(panel, {1900, 420});
    EXPECT_GE(panel.findChild<ChartGrid*>()->readableCharts(), 6);
}

TEST_F(ChartWidgetsTest, panel_refreshesOnlyWhileVisible) {
    TelemetryPanel panel(m_store, *m_themes);
    panel.setClock(atEndOf(m_store));
    const auto timers = panel.findChildren<QTimer*>(QString(), Qt::FindDirectChildrenOnly);
    ASSERT_EQ(timers.size(), 1);  // shared by all charts
    EXPECT_FALSE(timers[0]->isActive());
    settle(panel, {1264, 230});
    EXPECT_TRUE(timers[0]->isActive());
    EXPECT_LE(timers[0]->interval(), 250);
    panel.hide();
    EXPECT_FALSE(timers[0]->isActive());
}

TEST_F(ChartWidgetsTest, pausedPanel_keepsItsChartsWhileRecordingContinues) {
    TelemetryPanel panel(m_store, *m_themes);
    panel.setClock(atEndOf(m_store));
    settle(panel, {1264, 230});
    panel.refresh();
    panel.toggleMode();
    EXPECT_EQ(panel.mode(), ViewMode::Paused);
    const auto before = tableOf(panel.cells()[0]->view().content()).rows;
    app::SampleRow row = *m_store.latest();
    row.timeNs += 3'000'000'000;
    row.liveBytes *= 3;
    m_store.addSamples({row});
    panel.refresh();
    EXPECT_TRUE(tableOf(panel.cells()[0]->view().content()).rows == before);
    panel.toggleMode();
    EXPECT_FALSE(tableOf(panel.cells()[0]->view().content()).rows == before);
}

TEST_F(ChartWidgetsTest, wheel_zoomsAllCharts_doubleClickResets) {
    TelemetryPanel panel(m_store, *m_themes);
    panel.setClock(atEndOf(m_store));
    settle(panel, {1264, 230});
    panel.refresh();
    TimeSeriesView& view = panel.cells()[0]->view();
    const Range before = view.content().window;
    Q_EMIT view.zoomRequested(before.from + before.length() / 2, 0.5);
    for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR(panel.cells()[i]->view().content().window.length(), before.length() / 2, 1e-6);
    }
    Q_EMIT view.resetRequested();
    EXPECT_EQ(view.content().window, before);
    EXPECT_EQ(panel.mode(), ViewMode::Live);
}

TEST_F(ChartWidgetsTest, arrowKeys_moveTheCrosshairOfEveryChart) {
    TelemetryPanel panel(m_store, *m_themes);
    panel.setClock(atEndOf(m_store));
    settle(panel, {1264, 230});
    panel.refresh();
    TimeSeriesView& view = panel.cells()[0]->view();
    QSignalSpy moved(&view, &TimeSeriesView::crosshairMoved);
    QTest::keyClick(view.focusProxy(), Qt::Key_Left);
    ASSERT_EQ(moved.count(), 1);
    EXPECT_TRUE(moved[0][0].toBool());
    EXPECT_LT(moved[0][1].toDouble(), view.content().window.to);
}

TEST_F(ChartWidgetsTest, arrowKeys_announceTheValuesUntilEscape) {
    TelemetryPanel panel(m_store, *m_themes);
    panel.setClock(atEndOf(m_store));
    settle(panel, {1264, 230});
    panel.setSpan(ChartSpan::All);
    TimeSeriesView& view = panel.cells()[0]->view();
    for (int i = 0; i < 12; ++i) QTest::keyClick(view.focusProxy(), Qt::Key_Left);
    EXPECT_TRUE(view.accessibleDescription().contains(QStringLiteral(": ")))
        << view.accessibleDescription().toStdString();
    EXPECT_TRUE(view.accessibleDescription().contains(QStringLiteral("live ")))
        << view.accessibleDescription().toStdString();
    panel.refresh();
    EXPECT_NE(view.accessibleDescription(), view.content().description);
    QTest::keyClick(view.focusProxy(), Qt::Key_Escape);
    EXPECT_EQ(view.accessibleDescription(), view.content().description);
}

TEST_F(ChartWidgetsTest, clickOnADot_selectsItsCompaction) {
    TelemetryPanel panel(m_store, *m_themes);
    panel.setClock(atEndOf(m_store));
    settle(panel, {1264, 230});
    panel.setSpan(ChartSpan::All);
    QSignalSpy picked(&panel, &TelemetryPanel::compactionPicked);
    TimeSeriesView& view = panel.cells()[1]->view();
    ASSERT_EQ(panel.cells()[1]->id(), ChartId::Latency);
    auto* canvas = qobject_cast<QAbstractScrollArea*>(view.focusProxy());
    ASSERT_NE(canvas, nullptr);
    QWidget* viewport = canvas->viewport();
    for (int y = 0; y < view.height() && picked.isEmpty(); y += 5) {
        for (int x = 0; x < view.width() && picked.isEmpty(); x += 5) {
            QTest::mouseClick(viewport, Qt::LeftButton, Qt::NoModifier, QPoint(x, y));
        }
    }
    ASSERT_FALSE(picked.isEmpty());
    const qint64 number = picked[0][0].toLongLong();
    EXPECT_GE(number, 1);
    EXPECT_LE(number, static_cast<qint64>(m_store.compactions().size()));
}

TEST_F(ChartWidgetsTest, table_hasTheSameFiguresAsTheChart) {
    TelemetryPanel panel(m_store, *m_themes);
    panel.setClock(atEndOf(m_store));
    settle(panel, {1264, 230});
    panel.toggleTable();
    ChartCell* cell = panel.cells()[0];
    ASSERT_EQ(cell->face(), ChartFace::Table);
    QAbstractItemModel* rows = cell->table().model();
    QAbstractItemModelTester tester(rows, QAbstractItemModelTester::FailureReportingMode::Fatal);
    EXPECT_GT(rows->rowCount(), 10);
    EXPECT_EQ(rows->headerData(0, Qt::Horizontal).toString().toStdString(), "Time");
    EXPECT_FALSE(cell->table().accessibleName().isEmpty());
    panel.setSpan(ChartSpan::All);
    EXPECT_GT(rows->rowCount(), 10);
    panel.toggleTable();
    EXPECT_EQ(cell->face(), ChartFace::Picture);
}

TEST_F(ChartWidgetsTest, tableKey_togglesTheFocusedChart_elseAllVisibleOnes) {
    TelemetryPanel panel(m_store, *m_themes);
    panel.setClock(atEndOf(m_store));
    settle(panel, {1264, 230});
    const auto tables = [&panel] {
        return std::count_if(panel.cells().begin(), panel.cells().end(), [](const ChartCell* cell) {
            return cell->face() == ChartFace::Table;
        });
    };
    panel.toggleTable();
    EXPECT_GE(tables(), 2) << "all in sight";
    EXPECT_LT(tables(), panel.cells().size()) << "no other";
    panel.toggleTable();
    EXPECT_EQ(tables(), 0) << "the key is its own way back";
    ChartCell* second = panel.cells()[1];
    second->view().setFocus();
    panel.toggleTable();
    EXPECT_EQ(tables(), 1);
    EXPECT_EQ(second->face(), ChartFace::Table);
    panel.toggleTable();
    EXPECT_EQ(tables(), 0) << "the keyboard stays with the chart";
}

TEST_F(ChartWidgetsTest, tableWithoutRows_reportsTheReason) {
    ChartRequest request;
    request.window = dataRange(m_store, request.axis);
    ChartCell cell(ChartId::Latency, Theme::light());
    settle(cell, {420, 220});
    const auto words = [&cell] {
        const auto* label = cell.table().viewport()->findChild<QLabel*>();
        return label->isVisible() ? label->text() : QString();
    };
    const ChartContent none = buildChart(ChartId::Latency, app::MetricsStore(), request);
    ASSERT_FALSE(none.empty.isEmpty());
    cell.setContent(none);
    cell.setFace(ChartFace::Table);
    ASSERT_EQ(cell.table().model()->rowCount(), 0);
    EXPECT_EQ(words(), none.empty);
    EXPECT_EQ(cell.table().accessibleDescription(), none.empty);
    cell.setContent(buildChart(ChartId::Latency, m_store, request));
    ASSERT_GT(cell.table().model()->rowCount(), 0);
    EXPECT_EQ(words(), QString());
}

TEST_F(ChartWidgetsTest, everyFocusableWidgetOfThePanel_hasAnAccessibleName) {
    TelemetryPanel panel(m_store, *m_themes);
    panel.setClock(atEndOf(m_store));
    settle(panel, {1264, 230});
    panel.refresh();
    for (const QWidget* widget : panel.findChildren<QWidget*>()) {
        if ((widget->focusPolicy() & Qt::TabFocus) == 0 || widget->focusProxy() != nullptr)
            continue;
        EXPECT_FALSE(widget->accessibleName().isEmpty())
            << widget->metaObject()->className() << ' ' << widget->objectName().toStdString();
    }
}

TEST_F(ChartWidgetsTest, themeSwitch_repaintsTheCharts) {
    TelemetryPanel panel(m_store, *m_themes);
    panel.setClock(atEndOf(m_store));
    settle(panel, {1264, 230});
    panel.refresh();
    m_themes->setChoice(ThemeChoice::Dark);
    const QImage image = panel.cells()[0]->grab().toImage();
    EXPECT_EQ(image.pixelColor(2, image.height() - 3), Theme::dark().surface);
}

TEST_F(ChartWidgetsTest, reportImages_areCompleteAndHaveCaptions) {
    const auto images = reportImages(m_store);
    ASSERT_EQ(images.size(), static_cast<qsizetype>(std::size(kCharts)));
    std::set<QString> names;
    for (const app::ChartImage& chart : images) {
        const QImage image = QImage::fromData(chart.png, "PNG");
        EXPECT_EQ(image.size(), QSize(1600, 600)) << chart.name.toStdString();
        EXPECT_GT(coloursIn(image), 20) << chart.name.toStdString();
        EXPECT_EQ(image.pixelColor(1, 1), Theme::light().surface);
        EXPECT_TRUE(chart.caption.endsWith(QLatin1Char('.')));
        names.insert(chart.name);
    }
    EXPECT_EQ(names.size(), std::size(kCharts));
}

TEST_F(ChartWidgetsTest, reportImages_ofAnEmptySession_describeTheMissingData) {
    for (const app::ChartImage& chart : reportImages(app::MetricsStore())) {
        EXPECT_EQ(QImage::fromData(chart.png, "PNG").size(), QSize(1600, 600));
        EXPECT_FALSE(chart.caption.isEmpty());
    }
}

TEST(ChartFrame, logAxisLabels_neverTouch) {
    offscreenApplication();
    const QFontMetricsF letters(Theme::font(FontRole::Small));
    ChartContent content;
    content.axis = ChartAxis::LogMilliseconds;
    content.window = {0.01, 1500};
    content.needed = Range{0, 5};
    for (int width = 160; width < 800; width += 20) {
        const ChartFrame frame = layOut(content, QSizeF(width, 240), {0, 5});
        double free = -1;
        int labels = 0;
        for (const Tick& tick : frame.xTicks) {
            if (tick.label.isEmpty()) continue;
            ++labels;
            const double half = letters.horizontalAdvance(tick.label) / 2;
            EXPECT_GT(frame.pixelX(tick.value) - half, free) << width;
            free = frame.pixelX(tick.value) + half;
        }
        EXPECT_GE(labels, 2) << width;
    }
}

/// Sends the event as if from the system, because Qt does not propagate an event sent by the
/// program to parents.
void turnWheel(QWidget& over, int notches, Qt::KeyboardModifiers modifiers) {
    const QPointF at = QRectF(over.rect()).center();
    QWheelEvent event(at, over.mapToGlobal(at), {}, {0, 120 * notches}, Qt::NoButton, modifiers,
                      Qt::NoScrollPhase, false);
    QSpontaneKeyEvent::setSpontaneous(&event);
    qApp->notify(&over, &event);  // sendEvent() would mark it as sent by the program
    QCoreApplication::processEvents();
}

/// The widget of a chart that receives wheel events.
QWidget& surfaceOf(TimeSeriesView& view) {
    return *view.findChild<QAbstractScrollArea*>()->viewport();
}

TEST_F(ChartWidgetsTest, wheelWithoutControl_scrollsThePageAndKeepsLiveMode) {
    TelemetryPanel panel(m_store, *m_themes);
    panel.setClock(atEndOf(m_store));
    settle(panel, {900, 230});
    panel.refresh();
    auto* grid = panel.findChild<ChartGrid*>();
    const Range before = panel.cells()[0]->view().content().window;
    turnWheel(surfaceOf(panel.cells()[0]->view()), -1, Qt::NoModifier);
    EXPECT_GT(grid->verticalScrollBar()->value(), 0);
    EXPECT_EQ(panel.mode(), ViewMode::Live);
    EXPECT_EQ(panel.cells()[0]->view().content().window, before);
}

TEST_F(ChartWidgetsTest, wheelWithControl_zoomsAndShowsTheResetButton) {
    TelemetryPanel panel(m_store, *m_themes);
    panel.setClock(atEndOf(m_store));
    settle(panel, {540, 230});
    panel.refresh();
    const auto wayBack = [&panel]() -> QToolButton* {
        for (QToolButton* button : panel.findChildren<QToolButton*>())
            if (button->text() == QStringLiteral("Back to live")) return button;
        return nullptr;
    };
    ASSERT_NE(wayBack(), nullptr);
    EXPECT_FALSE(wayBack()->isVisible());
    const double before = panel.cells()[0]->view().content().window.length();
    turnWheel(surfaceOf(panel.cells()[0]->view()), 1, Qt::ControlModifier);
    EXPECT_LT(panel.cells()[0]->view().content().window.length(), before);
    EXPECT_EQ(panel.mode(), ViewMode::Paused);
    ASSERT_TRUE(wayBack()->isVisible());
    EXPECT_TRUE(panel.rect().contains(wayBack()->geometry())) << "a narrow panel shows it, too";
    wayBack()->click();
    EXPECT_EQ(panel.mode(), ViewMode::Live);
    EXPECT_FALSE(wayBack()->isVisible());
    EXPECT_EQ(panel.cells()[0]->view().content().window.length(), before);
}

TEST_F(ChartWidgetsTest, livePanel_afterTwoIdleMinutes_isNotBlank) {
    TelemetryPanel panel(m_store, *m_themes);
    for (const std::int64_t seconds : {10, 125, 3600}) {
        panel.setClock(atEndOf(m_store, seconds * 1'000'000'000));
        settle(panel, {1264, 500});
        panel.refresh();
        for (ChartCell* cell : panel.cells()) {
            const ChartContent& content = cell->view().content();
            EXPECT_FALSE(content.headline.isEmpty() && content.empty.isEmpty())
                << content.title.toStdString();
            if (cell->id() == ChartId::KvBytes) {
                EXPECT_TRUE(content.needed) << seconds;
                EXPECT_GT(cell->view().heldPoints(), 1);
            }
        }
    }
}

TEST_F(ChartWidgetsTest, recordedPanel_showsFiguresOfItsMoment) {
    TelemetryPanel panel(m_store, *m_themes);
    settle(panel, {1264, 500});
    panel.setStore(m_store, TelemetryPanel::Source::Recorded);
    const auto extent = m_store.extent(app::XAxis::Time);
    const auto headline = [&](double share) {
        panel.setCursor(static_cast<qint64>(extent->from + share * (extent->to - extent->from)));
        return panel.cells()[0]->view().content().headline;
    };
    EXPECT_NE(headline(0.05), headline(1));
    EXPECT_FALSE(headline(1).isEmpty());
}

TEST_F(ChartWidgetsTest, curvesOfManyCaches_theMostImportantAreDrawn) {
    TimeSeriesView view(Theme::light());
    settle(view, {500, 260});
    ChartContent content;
    content.window = {0, 100};
    content.needed = Range{0, 10};
    for (int curve = 0; curve < 8; ++curve) {
        content.curves.push_back(
            {QString::number(curve), &SeriesColours::live, Qt::SolidLine, 1.5, {}, {}, {}});
        for (int piece = 0; piece < 40; ++piece)
            content.curves.back().pieces.push_back({{piece * 2.0, 1.0}, {piece * 2.0 + 1, 1.0}});
    }
    view.setContent(content);
    EXPECT_GE(view.heldPoints(), 4 * 40 * 2);
}

}  // namespace
}  // namespace lacuna::ui
