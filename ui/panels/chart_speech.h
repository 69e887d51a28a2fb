#pragma once
/// \file
/// Text descriptions of charts and maps on demand, mainly for screen readers. GUI thread.

#include <QStringList>

class QWidget;

namespace lacuna::ui {

class CacheMapPanel;
class NoticeBar;
class TelemetryPanel;

/// Describes the chart or map with keyboard focus in `window`; otherwise each visible one.
[[nodiscard]] QStringList chartSentences(const QWidget& window, const TelemetryPanel& telemetry,
                                         CacheMapPanel& maps);
/// Shows the descriptions in the notice bar, which a screen reader reads out.
void updateCharts(const QWidget& window, const TelemetryPanel& telemetry, CacheMapPanel& maps,
                  NoticeBar& notice);

}  // namespace lacuna::ui
