#pragma once
/// \file
/// Everything of a chart that is not a series: layout, axes, labels, headline, marks, crosshair and
/// the sentence of an empty chart. Plain painting, no Qt Charts.

#include <QPainter>
#include <QSizeF>
#include <QStringList>

#include "ui/chart_frame.h"

namespace lacuna::ui {

/// Lays out for the given size; `y` is the vertical range to show.
[[nodiscard]] ChartFrame layOut(const ChartContent& content, QSizeF size, Range y);
/// The vertical range of a content that is shown for the first time, rounded.
[[nodiscard]] Range naturalRange(const ChartContent& content);

/// The first row of a panel's picture: name, the one figure, and as many notes as there is room
/// for.
struct Heading {
    QString title, headline;
    QStringList notes;
};
[[nodiscard]] double headingHeight();
void paintHeading(QPainter& painter, const Theme& theme, double width, const Heading& heading);

/// Ticks of a frame: hairlines and values at the left with their unit, values below.
void paintAxes(QPainter& painter, const Theme& theme, const ChartFrame& frame);
enum class HeadRoom { Free, Taken };  ///< by a heading
/// Why there is nothing to draw, in the middle of the room there is.
void paintEmptySentence(QPainter& painter, const Theme& theme, QSizeF size, HeadRoom head,
                        const QString& sentence);
/// The frame of what has the keyboard.
void paintFocus(QPainter& painter, const Theme& theme, QSizeF size);

/// Surface, hairlines, axis labels, title, headline, marks; the series come on top.
void paintUnder(const ChartCanvas& canvas);
/// Crosses, density, histogram, end labels or legend, empty sentence.
void paintOver(const ChartCanvas& canvas);
/// A line at `x`: the moment whose figures are shown.
void paintMoment(const ChartCanvas& canvas, double x);
/// A line at `x` and a box with what each curve says there.
void paintCrosshair(const ChartCanvas& canvas, double x);
/// The same in words: "1:05: live 18.2 MiB, budget 18.0 MiB".
[[nodiscard]] QString crosshairSentence(const ChartContent& content, const ChartFrame& frame,
                                        double x);

// A histogram as lanes, one under the other, each with its name at the left and its median and 95th
// percentile at the right.

[[nodiscard]] double laneNameWidth(const Histogram& histogram);
[[nodiscard]] double laneFigureWidth(const Histogram& histogram);
void paintLanes(const ChartCanvas& canvas);

}  // namespace lacuna::ui
