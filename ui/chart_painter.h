#pragma once
/// \file
/// Everything of a chart that is not a series: where things stand, axes, labels, headline, marks,
/// crosshair, empty sentence, and the few shapes that no series offers. Plain painting, no Qt
/// Charts.

#include <QFontMetricsF>
#include <QPainter>
#include <QRectF>
#include <QSizeF>
#include <optional>
#include <vector>

#include "ui/chart_content.h"

namespace lacuna::ui {

inline constexpr double kChartEdge = 8;     ///< px; nothing comes closer to the border
inline constexpr double kChartSwatch = 14;  ///< px of a piece of line next to its name
inline constexpr double kChartGap = 4;      ///< px between such a piece, its name and the next

/// Where the parts of a chart stand, in pixels of the widget.
struct ChartFrame {
    QSizeF size;
    QRectF plot;
    bool labelsAtEnd = false;  ///< else in a row above the plot
    Range x, y;                ///< shown; log axes in plain values
    bool logX = false, logY = false;
    std::vector<Tick> xTicks;
    Ticks yTicks;

    [[nodiscard]] double pixelX(double value) const;
    [[nodiscard]] double pixelY(double value) const;
    [[nodiscard]] double valueX(double pixel) const;
};

/// Lays out for the given size; `y` is the vertical range to show.
[[nodiscard]] ChartFrame layOut(const ChartContent& content, QSizeF size, Range y);
/// The vertical range of a content that is shown for the first time, rounded.
[[nodiscard]] Range naturalRange(const ChartContent& content);

/// What a painting function works with; held for one call.
struct ChartCanvas {
    QPainter& painter;
    const ChartContent& content;
    const ChartFrame& frame;
    const Theme& theme;
};

/// The first row of a panel's picture: name, the one figure, and as many notes as there is room
/// for.
struct Heading {
    QString title, headline;
    QStringList notes;
};
[[nodiscard]] double headingHeight();
void paintHeading(QPainter& painter, const Theme& theme, double width, const Heading& heading);

/// Letters of axes, legends and notes.
[[nodiscard]] QFontMetricsF smallLetters();
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

// Shapes that no series offers, and names of curves (chart_shapes.cpp). Sizes in pixels.

/// Compactions too many to be dots: cells shaded by their number.
void paintCloud(const ChartCanvas& canvas);
/// Crosses and bars; Qt Charts draws the other markers.
[[nodiscard]] bool paintedByHand(Marker marker);
void paintHandmade(const ChartCanvas& canvas);
/// One marker, some eight pixels wide.
void paintDot(QPainter& painter, QPointF at, Marker marker, const QColor& colour);
/// Pieces of a curve too narrow for a line to show.
void paintLonePoints(const ChartCanvas& canvas);
/// The greatest value of a curve, where it stands well above the last one.
void paintPeaks(const ChartCanvas& canvas);
/// Names next to the ends of the lines.
void paintEndLabels(const ChartCanvas& canvas);
/// Names in the row above the plot.
void paintLegend(const ChartCanvas& canvas);
/// The fill that tells parts of a stack apart without colour: plain, hatched, crossed, dotted.
[[nodiscard]] QBrush stackBrush(const QColor& colour, std::size_t index);

// A histogram as lanes, one under the other, each with its name at the left and its median and 95th
// percentile at the right.

[[nodiscard]] double laneNameWidth(const Histogram& histogram);
[[nodiscard]] double laneFigureWidth(const Histogram& histogram);
void paintLanes(const ChartCanvas& canvas);

}  // namespace lacuna::ui
