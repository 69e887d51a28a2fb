#pragma once
/// \file
/// Shapes that no series of Qt Charts offers, and the names of curves. Sizes are in pixels.

#include <QBrush>
#include <QColor>
#include <QPainter>
#include <QPointF>
#include <cstddef>

#include "ui/charts/chart_frame.h"

namespace lacuna::ui {

/// Draws compactions too numerous for dots: cells shaded by their number.
void paintCloud(const ChartCanvas& canvas);
void paintDots(const ChartCanvas& canvas);
/// Draws one marker about eight pixels wide.
void paintDot(QPainter& painter, QPointF at, Marker marker, const QColor& colour);
/// Draws the pieces of curves that are too narrow for a line to be visible.
void paintLonePoints(const ChartCanvas& canvas);
/// Labels the greatest value of a curve if it is well above the last one.
void paintPeaks(const ChartCanvas& canvas);
/// Draws the names next to the ends of the lines.
void paintEndLabels(const ChartCanvas& canvas);
/// Draws the names in the row above the plot.
void paintLegend(const ChartCanvas& canvas);
/// Fill pattern that distinguishes parts of a stack without colour: plain, hatched, crossed,
/// dotted.
[[nodiscard]] QBrush stackBrush(const QColor& colour, std::size_t index);

}  // namespace lacuna::ui
