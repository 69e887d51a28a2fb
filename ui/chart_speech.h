#pragma once
/// \file
/// Charts and maps in words, on demand: for people who do not see them, and for those who want a
/// sentence. GUI thread.

#include <QStringList>

class QWidget;

namespace lacuna::ui {

class CacheMapPanel;
class NoticeBar;
class TelemetryPanel;

/// A sentence for the chart or map that has the keyboard in `window`, else one for each in sight.
[[nodiscard]] QStringList chartSentences(const QWidget& window, const TelemetryPanel& telemetry,
                                         CacheMapPanel& maps);
/// Shows them in the notice bar, which a screen reader reads out.
void sayCharts(const QWidget& window, const TelemetryPanel& telemetry, CacheMapPanel& maps,
               NoticeBar& notice);

}  // namespace lacuna::ui
