#pragma once
/// \file
/// The store as text, for people's own tools: one line for each sample of each metric. Pure
/// function.

#include <QByteArray>

#include "app/state/metrics_store.h"

namespace lacuna::ui {

/// Header "metric,seconds,tokens,value"; seconds since the first sample; bytes, ratios, tokens per
/// second and milliseconds as plain numbers with a point. A run of equal values has its first and
/// last line.
[[nodiscard]] QByteArray metricsCsv(const app::MetricsStore& store);
/// Stable name of a metric: "live_bytes".
[[nodiscard]] const char* metricName(app::Metric metric);

}  // namespace lacuna::ui
