#pragma once
/// \file
/// Inner part of chart_painter: a histogram as lanes, one under the other, each with its name at
/// the left and its median and 95th percentile at the right. Painted on the GUI thread.

#include "ui/chart_painter.h"

namespace lacuna::ui {

[[nodiscard]] double laneNameWidth(const Histogram& histogram);
[[nodiscard]] double laneFigureWidth(const Histogram& histogram);
void paintLanes(const ChartCanvas& canvas);

}  // namespace lacuna::ui
