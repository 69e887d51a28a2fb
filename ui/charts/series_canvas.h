#pragma once
/// \file
/// Implementation detail of time_series_view, and the only user of Qt Charts.
///
/// Qt Charts draws the series and maps values to pixels. Axes, labels, legend and grid are painted
/// by chart_painter, which avoids the layout of graphics items. Series are created once and reused;
/// unused ones are emptied and hidden. Log axes are linear axes over logarithms.

#include <QChartView>
#include <QList>
#include <optional>

#include "ui/charts/chart_painter.h"
#include "ui/charts/time_series_view.h"

class QAbstractSeries;
class QAreaSeries;
class QLineSeries;
class QStackedBarSeries;
class QValueAxis;

namespace lacuna::ui {

/// The picture of one chart and its user input.
class SeriesCanvas final : public QChartView {
  public:
    SeriesCanvas(TimeSeriesView& owner, const Theme& theme);

    void setTheme(const Theme& theme);
    void setContent(const ChartContent& content);
    void setCrosshair(std::optional<double> x);
    [[nodiscard]] std::optional<double> crosshair() const { return m_crosshair; }
    void setMoment(std::optional<double> x);
    [[nodiscard]] std::optional<double> moment() const { return m_moment; }
    void resetVertical();
    void relayout();
    /// Sets name and description for assistive technology: the chart's own, or the figures at the
    /// crosshair while the keyboard moves it.
    void describe();
    [[nodiscard]] const ChartContent& content() const { return m_content; }
    [[nodiscard]] const ChartFrame& frame() const { return m_frame; }
    [[nodiscard]] qsizetype heldPoints() const;

  protected:
    void drawBackground(QPainter* painter, const QRectF& rect) override;
    void drawForeground(QPainter* painter, const QRectF& rect) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

  private:
    void feed();
    void feedCurves();
    void feedBand();
    void feedBars();
    void place(QAbstractSeries* series, QValueAxis* x);
    void moveCrosshair(std::optional<double> x);
    void pick(QPointF at);
    void read(double pixels);
    void stopReading();
    void zoomByKey(double factor);

    TimeSeriesView& m_owner;
    Theme m_theme;
    ChartContent m_content;
    ChartFrame m_frame;
    std::optional<Range> m_shownY;
    std::optional<double> m_crosshair;
    std::optional<double> m_moment;
    std::optional<QPointF> m_pressed, m_selecting;
    QPointF m_pointer;
    bool m_moved = false;
    bool m_reading = false;  ///< keys move the crosshair

    QValueAxis* m_x;
    QValueAxis* m_y;
    QValueAxis* m_barX;
    QAreaSeries* m_band = nullptr;
    QLineSeries* m_upper = nullptr;
    QLineSeries* m_lower = nullptr;
    QStackedBarSeries* m_bars = nullptr;
    QList<QLineSeries*> m_lines;
};

}  // namespace lacuna::ui
