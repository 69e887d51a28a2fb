#include "ui/metrics_csv.h"

namespace lacuna::ui {

const char* metricName(app::Metric metric) {
    using app::Metric;
    switch (metric) {
        case Metric::LogicalBytes:
            return "logical_bytes";
        case Metric::LiveBytes:
            return "live_bytes";
        case Metric::AllocatedBytes:
            return "allocated_bytes";
        case Metric::TargetBytes:
            return "budget_bytes";
        case Metric::TriggerBytes:
            return "trigger_bytes";
        case Metric::TokenRatio:
            return "token_ratio";
        case Metric::ByteRatio:
            return "byte_ratio";
        case Metric::ConfiguredRatio:
            return "configured_ratio";
        case Metric::DecodeRate:
            return "decode_tokens_per_second";
        case Metric::DecodeTrend:
            return "decode_trend_tokens_per_second";
        case Metric::PrefillRate:
            return "prefill_tokens_per_second";
        case Metric::StepMs:
            return "step_ms";
        case Metric::ResidentBytes:
            return "resident_bytes";
        case Metric::CompactionMs:
            return "compaction_ms";
        case Metric::PauseMs:
            return "compaction_pause_ms";
        case Metric::QualityKl:
            return "quality_kl";
        case Metric::QualityTop1:
            return "quality_top1_share";
        case Metric::QualityError:
            return "quality_output_error";
        case Metric::QualityCost:
            return "quality_cost_share";
    }
    return "";
}

QByteArray metricsCsv(const app::MetricsStore& store) {
    QByteArray text("metric,seconds,tokens,value\n");
    const auto extent = store.extent(app::XAxis::Time);
    for (std::size_t i = 0; i < app::kMetricCount; ++i) {
        const auto metric = static_cast<app::Metric>(i);
        const app::SampleSeries& series = store.series(metric);
        for (std::size_t sample = 0; sample < series.size(); ++sample) {
            const app::SeriesPoint point = series.at(sample);
            const double seconds =
                (static_cast<double>(point.timeNs) - (extent ? extent->from : 0)) / 1e9;
            text += metricName(metric);
            text += ',' + QByteArray::number(seconds, 'f', 6) + ',' +
                    QByteArray::number(point.tokens) + ',' +
                    QByteArray::number(point.value, 'g', 15) + '\n';
        }
    }
    return text;
}

}  // namespace lacuna::ui
