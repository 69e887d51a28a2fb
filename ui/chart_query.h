#pragma once
/// \file
/// Inner part of chart_builders: questions to the store in the units of a chart. Pure functions.

#include <QString>
#include <optional>
#include <vector>

#include "ui/chart_builders.h"

namespace lacuna::ui {

/// A request bound to a store: places of the chart to places of the store and back.
struct ChartQuery {
    const app::MetricsStore& store;
    const ChartRequest& request;
    double originNs = 0;

    [[nodiscard]] double toStore(double x) const;
    [[nodiscard]] double fromStore(const app::SeriesPoint& place) const;
    /// Last place that may be read.
    [[nodiscard]] double end() const;
    /// The part of the window that may be read, in units of the store.
    [[nodiscard]] app::Extent range() const;
    /// Place in the store up to which figures count.
    [[nodiscard]] double moment() const;
    /// Up to here a gauge keeps its last value.
    [[nodiscard]] double holdEnd() const;
    /// Samples of a metric in at most two points for each of `columns`.
    [[nodiscard]] std::vector<app::SeriesPoint> samples(app::Metric metric, int columns) const;
    [[nodiscard]] QList<QPointF> points(app::Metric metric, int columns) const;
    [[nodiscard]] std::optional<app::SeriesPoint> lastSample(app::Metric metric) const;
    [[nodiscard]] std::optional<double> lastValue(app::Metric metric) const;
};

[[nodiscard]] ChartQuery bind(const app::MetricsStore& store, const ChartRequest& request);
/// Title, axis, window, marks; the rest is for the chart to fill.
[[nodiscard]] ChartContent blankChart(const ChartQuery& query, const char* id,
                                      const QString& title);
/// "12 s ago" or empty when the newest sample is fresh or no clock was given.
[[nodiscard]] QString ageText(const ChartQuery& query);
/// The sentence of a chart of events that has some, but none in its window.
[[nodiscard]] QString noneInWindowText();
/// When the next compaction comes, or why none will: the words of empty charts.
[[nodiscard]] QString nextCompactionText(const app::MetricsStore& store);

[[nodiscard]] ChartContent kvBytesChart(const ChartQuery& query);
[[nodiscard]] ChartContent ratioChart(const ChartQuery& query);
[[nodiscard]] ChartContent throughputChart(const ChartQuery& query);
[[nodiscard]] ChartContent latencyChart(const ChartQuery& query);
[[nodiscard]] ChartContent outcomesChart(const ChartQuery& query);
[[nodiscard]] ChartContent histogramChart(const ChartQuery& query);
[[nodiscard]] ChartContent qualityChart(const ChartQuery& query);
[[nodiscard]] ChartContent reuseChart(const ChartQuery& query);
[[nodiscard]] ChartContent storedChart(const ChartQuery& query);
[[nodiscard]] ChartContent restoredChart(const ChartQuery& query);

}  // namespace lacuna::ui
