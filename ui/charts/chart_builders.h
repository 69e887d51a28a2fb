#pragma once
/// \file
/// Builds the content of a chart from the metrics store. Pure functions without widgets; each reads
/// only as many samples as fit the given number of pixels.

#include <QVector>
#include <optional>

#include "app/state/telemetry/metrics_store.h"
#include "ui/charts/chart_content.h"

namespace lacuna::ui {

enum class ChartId {
    KvBytes,
    Ratio,
    Latency,
    Outcomes,
    Throughput,
    LatencyHistogram,
    Quality,
    Reuse,
    Stored,
    Restored
};
/// All charts; the first kPrimaryCharts answer what memory costs and whether compaction worked.
inline constexpr ChartId kCharts[] = {
    ChartId::KvBytes,    ChartId::Latency,          ChartId::Ratio,   ChartId::Outcomes,
    ChartId::Throughput, ChartId::LatencyHistogram, ChartId::Quality, ChartId::Reuse,
    ChartId::Stored,     ChartId::Restored};
inline constexpr int kPrimaryCharts = 4;
/// Larger numbers of dots are drawn as a density.
inline constexpr std::size_t kMaxDots = 800;
inline constexpr int kMaxBars = 60;

struct ChartRequest {
    app::XAxis axis = app::XAxis::Time;
    Range window{0, 30};                ///< seconds since the first sample, or tokens
    int pixels = 400;                   ///< width of the plot
    std::optional<double> until;        ///< end of the visible data while the view is paused
    std::optional<std::int64_t> nowNs;  ///< gauges hold their value until then; nullopt: until the
                                        ///< last sample
    std::optional<double> moment = {};  ///< time of the displayed figures; nullopt: the newest
    std::optional<qint64> conversation = {};  ///< the only one whose cache and compactions are
                                              ///< shown; nullopt: all
};

[[nodiscard]] ChartContent buildChart(ChartId id, const app::MetricsStore& store,
                                      const ChartRequest& request);

/// First and last position in the units of ChartRequest::window; {0, 0} if nothing is stored.
[[nodiscard]] Range dataRange(const app::MetricsStore& store, app::XAxis axis);

}  // namespace lacuna::ui
