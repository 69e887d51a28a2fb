#pragma once
/// \file
/// Shapes that no series of Qt Charts offers, and the names of curves. Sizes are in pixels.

#include <QBrush>
#include <QColor>
#include <QPainter>
#include <QPointF>
#include <cstddef>

#include "ui/chart_frame.h"

namespace lacuna::ui {

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

}  // namespace lacuna::ui
