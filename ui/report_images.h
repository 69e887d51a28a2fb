#pragma once
/// \file
/// Pictures for a report: charts and maps, drawn in the light theme at 1600 x 600 pixels, without
/// any window, and widgets as they look. GUI thread (fonts and widgets), no event loop needed.

#include <QVector>

#include "app/state/view_types.h"

class QWidget;

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
/// The widget as it looks now. `name`: file stem.
[[nodiscard]] app::ChartImage widgetImage(QWidget& widget, const QString& name,
                                          const QString& caption);

}  // namespace lacuna::ui
