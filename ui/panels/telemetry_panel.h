#pragma once
/// \file
/// The charts in a grid that adapts to its size, and the row of controls above: live or paused,
/// length of the window, time or tokens, more charts, table, export. The chat page has a row of the
/// primary charts without controls, which follows the panel of the Monitor page. One timer
/// refreshes each chart 10 times a second, 4 times if the window is inactive, and never while
/// hidden. GUI thread.

#include <QByteArray>
#include <QList>
#include <QScrollArea>
#include <QString>
#include <QWidget>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "app/state/telemetry/metrics_store.h"
#include "ui/charts/chart_builders.h"
#include "ui/charts/chart_window.h"

class QAbstractButton;
class QButtonGroup;
class QLabel;
class QTimer;
class QToolButton;

namespace lacuna::ui {

class ChartCell;
class ThemeSource;

// Pure function: exports the store as CSV, one line per sample of each metric.

/// Header "metric,seconds,tokens,value". Seconds count from the first sample; bytes, ratios, tokens
/// per second and milliseconds are plain numbers with a decimal point. A run of equal values is
/// reduced to its first and last line.
[[nodiscard]] QByteArray metricsCsv(const app::MetricsStore& store);
/// Stable name of a metric, e.g. "live_bytes".
[[nodiscard]] const char* metricName(app::Metric metric);

/// Charts in as many columns as stay readable. Rows fill the height; the rest is reached by
/// scrolling whole rows. Charts are separated by hairlines, without frames. GUI thread.
class ChartGrid final : public QScrollArea {
    Q_OBJECT

  public:
    /// Smallest size at which a chart is readable.
    static constexpr int kMinWidth = 272;
    static constexpr int kMinHeight = 168;

    explicit ChartGrid(QWidget* parent = nullptr);
    void addChart(QWidget* chart);
    /// Shows the first `count` charts.
    void setShown(int count);
    /// Puts all charts in one row, however narrow.
    void setOneRow();
    /// True if any part of the chart is inside the viewport.
    [[nodiscard]] bool shows(const QWidget* chart) const;
    /// Number of charts that are entirely inside the viewport.
    [[nodiscard]] int readableCharts() const;
    /// Columns and rows visible at once in an area of that size.
    [[nodiscard]] static QSize cellsFor(QSize area, int charts);

  protected:
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

  private:
    void arrange();
    [[nodiscard]] QRect seenPart() const;

    QWidget* m_page;
    QList<QWidget*> m_charts;
    int m_shown = std::numeric_limits<int>::max();
    bool m_oneRow = false;
};

class TelemetryPanel final : public QWidget {
    Q_OBJECT

  public:
    /// Primary: a row of the primary charts without controls.
    enum class Charts { Primary, All };
    /// `store` and `themes` must outlive the panel.
    TelemetryPanel(const app::MetricsStore& store, const ThemeSource& themes,
                   QWidget* parent = nullptr, Charts charts = Charts::All);
    ~TelemetryPanel() override;

    [[nodiscard]] ViewMode mode() const { return m_window.mode(); }
    [[nodiscard]] const ChartWindow& window() const { return m_window; }
    /// Toggles between live and paused (F8).
    void toggleMode();
    /// Toggles the focused or else the first chart between plot and table (F4).
    void toggleTable();
    /// True if the first visible chart is shown as a table.
    [[nodiscard]] bool showsTable() const;
    /// Shows the charts after the primary ones, too.
    void showMore(bool more);
    /// Scrolls to a chart.
    void showChart(ChartId id);
    /// Shows the same window as `leader` from now on.
    void follow(const TelemetryPanel& leader);
    /// The conversation to which the charts of memory and compactions are limited, unless those of
    /// all conversations are shown.
    void setConversation(qint64 conversation);
    void showAllConversations(bool all);
    void setSpan(ChartSpan span);
    void setAxis(app::XAxis axis);
    /// Writes all samples, or the current charts, and reports the result.
    void saveCsv(const QString& path);
    void savePng(const QString& path);
    /// All metrics as text: metric, seconds, tokens, value.
    [[nodiscard]] QByteArray csv() const;
    /// The current charts as PNG.
    [[nodiscard]] QByteArray picture();
    /// Redraws every chart immediately.
    void refresh();
    [[nodiscard]] const QList<ChartCell*>& cells() const { return m_cells; }

    /// Shows the session of `store`, which must outlive this object or the next call. A recorded
    /// session is shown in full and does not age.
    enum class Source { Live, Recorded };
    void setStore(const app::MetricsStore& store, Source source);
    /// For tests: replaces the clock of a live session's samples.
    void setClock(std::function<std::int64_t()> nowNs) { m_nowNs = std::move(nowNs); }
    /// Sets a time that all charts mark, on the clock of their samples; nullopt: none.
    void setCursor(std::optional<qint64> timeNs);

  Q_SIGNALS:
    void modeChanged();
    /// Emitted when a dot is clicked, with its CompactionRow::number.
    void compactionPicked(qint64 number);
    /// Emitted when a chart is double-clicked that has no controls of its own.
    void enlargeRequested();
    /// Requests a file name for all samples, or for the current charts.
    void csvRequested();
    void pngRequested();
    /// Reports the result of an export as a sentence.
    void noticed(const QString& sentence);

  protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

  private:
    QWidget* buildToolBar();
    void buildCharts();
    void connectCell(ChartCell* cell);
    void tick();
    void draw(ChartCell* cell, Range stored);
    void drawIfVisible(ChartCell* cell);
    void setTimer();
    void showState();
    void afterWindowChange();
    void save(const QString& path, const QByteArray& bytes);
    [[nodiscard]] Range data() const;
    void followNewest();
    [[nodiscard]] std::optional<double> cursor() const;
    void showCursor();

    const app::MetricsStore* m_store;
    std::function<std::int64_t()> m_nowNs;
    std::optional<qint64> m_cursorNs;  ///< selected time of a recorded session
    bool m_recorded = false;
    ChartWindow m_liveWindow;  ///< the live session's window while another session is shown
    const ThemeSource& m_themes;
    const Charts m_charts;
    ChartWindow m_window;
    ChartGrid* m_grid = nullptr;
    QList<ChartCell*> m_cells;
    QTimer* m_timer = nullptr;
    QAbstractButton* m_live = nullptr;
    QAbstractButton* m_others = nullptr;  ///< shows the charts after the primary ones
    QAbstractButton* m_back = nullptr;    ///< returns from a paused or zoomed view to the newest
                                          ///< samples
    QButtonGroup* m_spans = nullptr;
    QButtonGroup* m_axes = nullptr;
    QAbstractButton* m_all = nullptr;  ///< shows the events of all conversations
    std::optional<qint64> m_conversation;
    QLabel* m_note = nullptr;
    QList<QLabel*> m_captions;
    QList<QToolButton*> m_wide;     ///< hidden in a narrow panel, which has them in a menu
    QToolButton* m_more = nullptr;  ///< button of that menu
    std::uint64_t m_seen = 0;
    std::int64_t m_second = 0;  ///< second of the last refresh
    bool m_stale = true;
    bool m_due = false;    ///< the current round redraws
    qsizetype m_tick = 0;  ///< index of the chart to process next in the round
};

}  // namespace lacuna::ui
