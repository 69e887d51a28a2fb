#pragma once
/// \file
/// One chart on screen. Only series_canvas depends on Qt Charts: curves, bands, dots and bars
/// become series that are replaced as a whole and hold no more points than fit the pixels. The rest
/// is painted by chart_painter. Stores no samples. Lives on the GUI thread.

#include <QWidget>
#include <memory>
#include <optional>

#include "ui/charts/chart_content.h"

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
    /// Width of the plot in pixels; determines the resolution to request from the store.
    [[nodiscard]] int plotPixels() const;
    /// Number of points in all series.
    [[nodiscard]] qsizetype heldPoints() const;
    /// Shows the crosshair at a position on the horizontal axis; nullopt hides it.
    void setCrosshair(std::optional<double> x);
    [[nodiscard]] std::optional<double> crosshair() const;
    /// Marks the time that the figures belong to; nullopt removes the mark.
    void setMoment(std::optional<double> x);
    [[nodiscard]] std::optional<double> moment() const;
    /// Recomputes the range of the vertical axis.
    void resetVertical();

    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] QSize sizeHint() const override;

  Q_SIGNALS:
    void zoomRequested(double at, double factor);  ///< a factor below 1 zooms in
    void panRequested(double by);                  ///< in axis units
    void rangeRequested(double from, double to);   ///< emitted for a drag with Shift
    void resetRequested();
    void crosshairMoved(bool shown, double x);
    void dotPicked(qint64 key);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    SeriesCanvas* m_canvas;
};

}  // namespace lacuna::ui
