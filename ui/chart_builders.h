#pragma once
/// \file
/// From the store to what a chart shows: one function for all charts, pure, without widgets. Each
/// reads only what fits the pixels it was given.

#include <QVector>
#include <optional>

#include "app/state/metrics_store.h"
#include "ui/chart_content.h"

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
inline constexpr ChartId kCharts[] = {
    ChartId::KvBytes,  ChartId::Latency,          ChartId::Ratio,   ChartId::Throughput,
    ChartId::Outcomes, ChartId::LatencyHistogram, ChartId::Quality, ChartId::Reuse,
    ChartId::Stored,   ChartId::Restored};
/// More dots than this become a density.
inline constexpr std::size_t kMaxDots = 800;
inline constexpr int kMaxBars = 60;

struct ChartRequest {
    app::XAxis axis = app::XAxis::Time;
    Range window{0, 30};                ///< seconds since the first sample, or tokens
    int pixels = 400;                   ///< width of the plot
    std::optional<double> until;        ///< a paused view shows nothing later
    std::optional<std::int64_t> nowNs;  ///< gauges hold their value until now; none: the last
                                        ///< sample
    std::optional<double> moment = {};  ///< figures are those of then; none: the newest
};

[[nodiscard]] ChartContent buildChart(ChartId id, const app::MetricsStore& store,
                                      const ChartRequest& request);

/// First and last place in the units of ChartRequest::window; {0, 0} when nothing is stored.
[[nodiscard]] Range dataRange(const app::MetricsStore& store, app::XAxis axis);

}  // namespace lacuna::ui
