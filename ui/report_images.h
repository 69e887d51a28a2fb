#pragma once
/// \file
/// Charts for a report: drawn from the store in the light theme at 1600 x 600 pixels, without any
/// window. GUI thread (fonts and widgets), no event loop needed.

#include <QVector>

#include "app/state/view_types.h"

namespace lacuna::app {
class MetricsStore;
}

namespace lacuna::ui {

/// Every chart over the whole session. The caption is the chart's own description.
[[nodiscard]] QVector<app::ChartImage> reportImages(const app::MetricsStore& store);

}  // namespace lacuna::ui
