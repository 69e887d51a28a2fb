#pragma once
/// \file
/// Geometry of a chart and the parameters shared by all functions that paint one.

#include <QFontMetricsF>
#include <QPainter>
#include <QRectF>
#include <QSizeF>
#include <vector>

#include "ui/charts/chart_content.h"

namespace lacuna::ui {

inline constexpr double kChartEdge = 8;     ///< px; minimum distance from the border
inline constexpr double kChartSwatch = 14;  ///< px; length of the line sample next to a name
inline constexpr double kChartGap = 4;  ///< px; space between a line sample, its name and the next
                                        ///< sample

/// Layout of a chart in pixels of the widget.
struct ChartFrame {
    QSizeF size;
    QRectF plot;
    bool labelsAtEnd = false;  ///< false: names are in a row above the plot
    Range x, y;                ///< visible ranges; plain values on log axes too
    bool logX = false, logY = false;
    std::vector<Tick> xTicks;
    Ticks yTicks;

    [[nodiscard]] double pixelX(double value) const;
    [[nodiscard]] double pixelY(double value) const;
    [[nodiscard]] double valueX(double pixel) const;
};

/// Parameters of a painting function; valid for one call.
struct ChartCanvas {
    QPainter& painter;
    const ChartContent& content;
    const ChartFrame& frame;
    const Theme& theme;
};

/// Font metrics of axes, legends and notes.
[[nodiscard]] QFontMetricsF smallLetters();

}  // namespace lacuna::ui
