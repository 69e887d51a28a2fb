#pragma once
/// \file
/// One chart on screen. Only its inner part (series_canvas) knows Qt Charts: curves, bands, dots
/// and bars become series that are replaced as a whole, never grown point by point, and never hold
/// more than fits the pixels. The rest is painted by chart_painter. Lives on the GUI thread; holds
/// no samples of its own.

#include <QWidget>
#include <memory>
#include <optional>

#include "ui/chart_content.h"

namespace lacuna::ui {

class SeriesCanvas;

class TimeSeriesView final : public QWidget {
    Q_OBJECT

  public:
    explicit TimeSeriesView(const Theme& theme, QWidget* parent = nullptr);
    ~TimeSeriesView() override;

    void setTheme(const Theme& theme);
    void setContent(const ChartContent& content);
    [[nodiscard]] const ChartContent& content() const;
    /// Width of the plot in pixels: what to ask the store for.
    [[nodiscard]] int plotPixels() const;
    /// Points now held by all series.
    [[nodiscard]] qsizetype heldPoints() const;
    /// Shows the crosshair at a place of the horizontal axis, or takes it away.
    void setCrosshair(std::optional<double> x);
    [[nodiscard]] std::optional<double> crosshair() const;
    /// Shows the moment that the figures belong to, or takes it away.
    void setMoment(std::optional<double> x);
    [[nodiscard]] std::optional<double> moment() const;
    /// Lets the vertical axis find its range again.
    void resetVertical();

    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] QSize sizeHint() const override;

  Q_SIGNALS:
    void zoomRequested(double at, double factor);  ///< factor below 1 shows less
    void panRequested(double by);                  ///< in units of the axis
    void rangeRequested(double from, double to);   ///< dragged with Shift
    void resetRequested();
    void crosshairMoved(bool shown, double x);
    void dotPicked(qint64 key);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    SeriesCanvas* m_canvas;
};

}  // namespace lacuna::ui
