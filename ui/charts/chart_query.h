#pragma once
/// \file
/// Implementation detail of chart_builders: queries to the store in the units of a chart. Pure
/// functions.

#include <QString>
#include <optional>
#include <vector>

#include "ui/charts/chart_builders.h"

namespace lacuna::ui {

/// A request bound to a store; converts between chart positions and store positions.
struct ChartQuery {
    const app::MetricsStore& store;
    const ChartRequest& request;
    double originNs = 0;

    [[nodiscard]] double toStore(double x) const;
    [[nodiscard]] double fromStore(const app::SeriesPoint& place) const;
    [[nodiscard]] bool shows(qint64 conversation) const {
        return request.conversation.value_or(conversation) == conversation;
    }
    /// Last position that may be read.
    [[nodiscard]] double end() const;
    /// The part of the window that may be read, in units of the store.
    [[nodiscard]] app::Extent range() const;
    /// Store position up to which figures are counted.
    [[nodiscard]] double moment() const;
    /// Position up to which a gauge holds its last value.
    [[nodiscard]] double holdEnd() const;
    /// Samples of a metric, reduced to at most two points per column.
    [[nodiscard]] std::vector<app::SeriesPoint> samples(app::Metric metric, int columns) const;
    [[nodiscard]] QList<QPointF> points(app::Metric metric, int columns) const;
    [[nodiscard]] std::optional<app::SeriesPoint> lastSample(app::Metric metric) const;
    [[nodiscard]] std::optional<double> lastValue(app::Metric metric) const;
};

[[nodiscard]] ChartQuery bind(const app::MetricsStore& store, const ChartRequest& request);
/// Fills title, axis, window and marks; the chart adds the rest.
[[nodiscard]] ChartContent blankChart(const ChartQuery& query, const char* id,
                                      const QString& title);
/// "12 s ago"; empty if the newest sample is fresh or no clock was given.
[[nodiscard]] QString ageText(const ChartQuery& query);
/// Sentence of an event chart that has events, but none in its window.
[[nodiscard]] QString noneInWindowText();
/// States when the next compaction is due or why none will happen; shown in empty charts.
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
