#pragma once
/// \file
/// Paints all parts of a chart except the series: layout, axes, labels, headline, marks, crosshair
/// and the sentence of an empty chart. Plain painting without Qt Charts.

#include <QPainter>
#include <QSizeF>
#include <QStringList>

#include "ui/charts/chart_frame.h"

namespace lacuna::ui {

/// Computes the layout for the given size; `y` is the visible vertical range.
[[nodiscard]] ChartFrame layOut(const ChartContent& content, QSizeF size, Range y);
/// Returns the rounded vertical range to use when the content is first shown.
[[nodiscard]] Range naturalRange(const ChartContent& content);

/// First row of a panel: name, main figure and as many notes as fit.
struct Heading {
    QString title, headline;
    QStringList notes;
};
[[nodiscard]] double headingHeight();
void paintHeading(QPainter& painter, const Theme& theme, double width, const Heading& heading);

/// Paints the ticks of a frame: hairlines, values with their unit at the left, values below.
void paintAxes(QPainter& painter, const Theme& theme, const ChartFrame& frame);
enum class HeadRoom { Free, Taken };  ///< whether a heading occupies the first row
/// Paints why there is nothing to draw, centred in the available area.
void paintEmptyText(QPainter& painter, const Theme& theme, QSizeF size, HeadRoom head,
                    const QString& sentence);
/// Paints the keyboard focus frame.
void paintFocus(QPainter& painter, const Theme& theme, QSizeF size);

/// Paints surface, hairlines, axis labels, title, headline and marks; the series are drawn on top.
void paintUnder(const ChartCanvas& canvas);
/// Paints crosses, density, histogram, end labels or legend, and the sentence of an empty chart.
void paintOver(const ChartCanvas& canvas);
/// Paints a line at `x`, the time of the displayed figures.
void paintMoment(const ChartCanvas& canvas, double x);
/// Paints a line at `x` and a box with the value of each curve there.
void paintCrosshair(const ChartCanvas& canvas, double x);
/// The crosshair's figures as text: "1:05: live 18.2 MiB, budget 18.0 MiB".
[[nodiscard]] QString crosshairText(const ChartContent& content, const ChartFrame& frame, double x);

// Histograms: stacked lanes, each with its name at the left and its median and 95th percentile at
// the right.

[[nodiscard]] double laneNameWidth(const Histogram& histogram);
[[nodiscard]] double laneFigureWidth(const Histogram& histogram);
void paintLanes(const ChartCanvas& canvas);

}  // namespace lacuna::ui
