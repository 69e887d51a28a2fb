#pragma once
/// \file
/// Charts and maps for a report: drawn in the light theme at 1600 x 600 pixels, without any window.
/// GUI thread (fonts and widgets), no event loop needed.

#include <QVector>

#include "app/state/view_types.h"

namespace lacuna::app {
class MetricsStore;
}

namespace lacuna::ui {

class ThemeSource;

/// Every chart over the whole session. The caption is the chart's own description.
[[nodiscard]] QVector<app::ChartImage> reportImages(const app::MetricsStore& store);
/// Slots by layer and head, and retention by token and layer, of one conversation; none of an empty
/// view. `themes` is lent only: the pictures are light.
[[nodiscard]] QVector<app::ChartImage> mapImages(const app::RetentionView& view,
                                                 const ThemeSource& themes);

}  // namespace lacuna::ui
