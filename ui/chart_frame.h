#pragma once
/// \file
/// The places of a chart's parts, and what every function that paints one works with.

#include <QFontMetricsF>
#include <QPainter>
#include <QRectF>
#include <QSizeF>
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

/// What a painting function works with; held for one call.
struct ChartCanvas {
    QPainter& painter;
    const ChartContent& content;
    const ChartFrame& frame;
    const Theme& theme;
};

/// Letters of axes, legends and notes.
[[nodiscard]] QFontMetricsF smallLetters();

}  // namespace lacuna::ui
