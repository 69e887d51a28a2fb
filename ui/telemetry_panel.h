#pragma once
/// \file
/// The charts side by side, reflowing with the room there is, and the row of controls above them:
/// live or paused, length of the window, time or tokens, table, export. One timer refreshes each
/// chart 10 times a second, 4 when the window is not active, never when hidden. GUI thread.

#include <QByteArray>
#include <QList>
#include <QScrollArea>
#include <QString>
#include <QWidget>
#include <functional>
#include <optional>
#include <utility>

#include "app/state/metrics_store.h"
#include "ui/chart_builders.h"
#include "ui/chart_window.h"

class QAbstractButton;
class QButtonGroup;
class QLabel;
class QTimer;
class QToolButton;

namespace lacuna::ui {

class ChartCell;
class ThemeSource;

// The store as text, for people's own tools: one line for each sample of each metric. Pure
// function.

/// Header "metric,seconds,tokens,value"; seconds since the first sample; bytes, ratios, tokens per
/// second and milliseconds as plain numbers with a point. A run of equal values has its first and
/// last line.
[[nodiscard]] QByteArray metricsCsv(const app::MetricsStore& store);
/// Stable name of a metric: "live_bytes".
[[nodiscard]] const char* metricName(app::Metric metric);

/// Charts in as many columns as stay readable; rows fill the height, and what does not fit is
/// scrolled to, whole rows at a time. Hairlines between, no frames. GUI thread.
class ChartGrid final : public QScrollArea {
    Q_OBJECT

  public:
    /// Smallest size at which a chart can be read.
    static constexpr int kMinWidth = 272;
    static constexpr int kMinHeight = 168;

    explicit ChartGrid(QWidget* parent = nullptr);
    void addChart(QWidget* chart);
    /// Whether any part of it is inside the visible part now.
    [[nodiscard]] bool shows(const QWidget* chart) const;
    /// Charts that are wholly inside the visible part now.
    [[nodiscard]] int readableCharts() const;
    /// Columns and rows seen at once for a visible area of that size.
    [[nodiscard]] static QSize cellsFor(QSize area, int charts);

  protected:
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

  private:
    void arrange();
    [[nodiscard]] QRect seenPart() const;

    QWidget* m_page;
    QList<QWidget*> m_charts;
};

class TelemetryPanel final : public QWidget {
    Q_OBJECT

  public:
    /// `store` and `themes` outlive the panel.
    TelemetryPanel(const app::MetricsStore& store, const ThemeSource& themes,
                   QWidget* parent = nullptr);
    ~TelemetryPanel() override;

    [[nodiscard]] ViewMode mode() const { return m_window.mode(); }
    [[nodiscard]] const ChartWindow& window() const { return m_window; }
    /// Live to paused and back (F8).
    void toggleMode();
    /// The chart that has the keyboard, else the first, as a table and back (F4).
    void toggleTable();
    /// Whether the first chart in sight is shown as a table.
    [[nodiscard]] bool showsTable() const;
    void setSpan(ChartSpan span);
    void setAxis(app::XAxis axis);
    /// Writes all samples, or the charts as they stand, and tells how that went.
    void saveCsv(const QString& path);
    void savePng(const QString& path);
    /// All metrics as text: metric, seconds, tokens, value.
    [[nodiscard]] QByteArray csv() const;
    /// The charts as they stand, as PNG.
    [[nodiscard]] QByteArray picture();
    /// Draws every chart again now.
    void refresh();
    [[nodiscard]] const QList<ChartCell*>& cells() const { return m_cells; }

    /// Shows the session of `store`, which outlives this or the next call. One that was `recorded`
    /// is shown whole, and does not age.
    enum class Source { Live, Recorded };
    void setStore(const app::MetricsStore& store, Source source);
    /// For tests: another clock than that of the samples of a live session.
    void setClock(std::function<std::int64_t()> nowNs) { m_nowNs = std::move(nowNs); }
    /// A moment that all charts point at, on the clock of their samples; nothing: none.
    void setCursor(std::optional<qint64> timeNs);

  Q_SIGNALS:
    void modeChanged();
    /// A dot was clicked: CompactionRow::number.
    void compactionPicked(qint64 number);
    /// A file is wanted for all samples, or for the charts as they stand.
    void csvWanted();
    void pngWanted();
    /// A sentence about an export, done or failed.
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
    void drawIfSeen(ChartCell* cell);
    void setTimer();
    void showState();
    void afterWindowChange();
    void save(const QString& path, const QByteArray& bytes);
    [[nodiscard]] Range data() const;
    void follow();
    [[nodiscard]] std::optional<double> cursor() const;
    void showCursor();

    const app::MetricsStore* m_store;
    std::function<std::int64_t()> m_nowNs;
    std::optional<qint64> m_cursorNs;  ///< of a recorded session: the moment that is looked at
    bool m_recorded = false;
    ChartWindow m_liveWindow;  ///< of the live session, while another one is shown
    const ThemeSource& m_themes;
    ChartWindow m_window;
    ChartGrid* m_grid = nullptr;
    QList<ChartCell*> m_cells;
    QTimer* m_timer = nullptr;
    QAbstractButton* m_live = nullptr;
    QAbstractButton* m_back = nullptr;  ///< from a paused or zoomed view to the newest steps
    QButtonGroup* m_spans = nullptr;
    QButtonGroup* m_axes = nullptr;
    QLabel* m_note = nullptr;
    QList<QLabel*> m_captions;
    QList<QToolButton*> m_wide;     ///< that a narrow panel has in a menu instead
    QToolButton* m_more = nullptr;  ///< that menu
    std::uint64_t m_seen = 0;
    std::int64_t m_second = 0;  ///< of the last refresh
    bool m_stale = true;
    bool m_due = false;    ///< the round going on draws
    qsizetype m_tick = 0;  ///< within the round: the chart whose turn it is
};

}  // namespace lacuna::ui
