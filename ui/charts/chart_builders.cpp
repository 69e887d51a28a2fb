#include "ui/charts/chart_builders.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/state/number_format.h"
#include "ui/charts/chart_query.h"
#include "ui/charts/chart_texts.h"

namespace lacuna::ui {

namespace {

constexpr double kNsPerSecond = 1e9;
constexpr double kRoundingNs = 1000;
/// Samples younger than this count as current.
constexpr double kFreshSeconds = 2.5;

std::vector<Mark> configMarks(const ChartQuery& query) {
    std::vector<Mark> marks;
    const auto& configs = query.store.configs();
    const auto [first, end] = app::marksWithin(configs, query.request.axis, query.range());
    for (std::size_t i = first; i < end; ++i) {
        const app::ConfigRow& row = configs[i].row;
        const QString number = QString::number(row.revision);
        marks.push_back({query.fromStore(configs[i].place),
                         row.applied ? MarkKind::Applied : MarkKind::Rejected,
                         row.applied ? number : number + QStringLiteral("\u00d7"),
                         (row.applied ? ChartTexts::tr("Generation %1: %2")
                                      : ChartTexts::tr("Change %1 rejected: %2"))
                             .arg(number, row.summary)});
    }
    return marks;
}

}  // namespace

double ChartQuery::toStore(double x) const {
    return request.axis == app::XAxis::Time ? originNs + x * kNsPerSecond : x;
}

double ChartQuery::fromStore(const app::SeriesPoint& place) const {
    return request.axis == app::XAxis::Time
               ? (static_cast<double>(place.timeNs) - originNs) / kNsPerSecond
               : static_cast<double>(place.tokens);
}

app::Extent ChartQuery::range() const {
    return {toStore(request.window.from), end()};
}

double ChartQuery::end() const {
    if (!request.until || *request.until >= request.window.to) return toStore(request.window.to);
    // Seconds are rounded; the sample at the time of the pause must not be excluded by that.
    return toStore(*request.until) + (request.axis == app::XAxis::Time ? kRoundingNs : 0.0);
}

double ChartQuery::moment() const {
    if (request.moment)
        return toStore(*request.moment) + (request.axis == app::XAxis::Time ? kRoundingNs : 0.0);
    return request.until ? end() : std::numeric_limits<double>::max();
}

double ChartQuery::holdEnd() const {
    const bool time = request.axis == app::XAxis::Time;
    double hold = dataRange(store, request.axis).to;
    if (request.until)
        hold = *request.until;
    else if (time && request.nowNs)
        hold = std::max(hold, (static_cast<double>(*request.nowNs) - originNs) / kNsPerSecond);
    return std::min(hold, request.window.to);
}

std::vector<app::SeriesPoint> ChartQuery::samples(app::Metric metric, int columns) const {
    app::SeriesWindow window{
        request.axis, toStore(request.window.from), toStore(request.window.to), columns, {}};
    if (request.until) window.until = end();
    return store.series(metric).query(window).points;
}

QList<QPointF> ChartQuery::points(app::Metric metric, int columns) const {
    QList<QPointF> points;
    for (const app::SeriesPoint& point : samples(metric, columns))
        points.emplace_back(fromStore(point), point.value);
    return points;
}

std::optional<app::SeriesPoint> ChartQuery::lastSample(app::Metric metric) const {
    return store.series(metric).lastBefore(request.axis, moment());
}

std::optional<double> ChartQuery::lastValue(app::Metric metric) const {
    const auto last = lastSample(metric);
    if (!last) return std::nullopt;
    return last->value;
}

ChartQuery bind(const app::MetricsStore& store, const ChartRequest& request) {
    const auto extent = store.extent(app::XAxis::Time);
    return {store, request, extent ? extent->from : 0};
}

ChartContent blankChart(const ChartQuery& query, const char* id, const QString& title) {
    ChartContent content;
    content.id = QString::fromLatin1(id);
    content.title = title;
    content.axis = query.request.axis == app::XAxis::Time ? ChartAxis::Time : ChartAxis::Tokens;
    content.window = query.request.window;
    content.marks = configMarks(query);
    return content;
}

QString ageText(const ChartQuery& query) {
    const auto extent = query.store.extent(app::XAxis::Time);
    if (!extent || !query.request.nowNs || query.request.until || query.request.moment) return {};
    const double age = (static_cast<double>(*query.request.nowNs) - extent->to) / kNsPerSecond;
    if (age < kFreshSeconds) return {};
    if (age < 60) return ChartTexts::tr("%1 s ago").arg(std::floor(age));
    return ChartTexts::tr("%1 min ago").arg(std::floor(age / 60));
}

QString noneInWindowText() {
    return ChartTexts::tr("No data in this window: the engine was idle.");
}

QString nextCompactionText(const app::MetricsStore& store) {
    const auto& latest = store.latest();
    if (!latest)
        return ChartTexts::tr(
            "Nothing has run yet. Compactions appear here once a prompt passes the trigger.");
    if (!latest->compressionEnabled) return ChartTexts::tr("No compaction: compression is off.");
    const int left = latest->triggerSlots - latest->comparedSlots;
    if (left <= 0) return ChartTexts::tr("The first compaction is due.");
    return ChartTexts::tr("First compaction above %1 slots per head, %2 to go.")
        .arg(app::countText(latest->triggerSlots), app::countText(left));
}

Range dataRange(const app::MetricsStore& store, app::XAxis axis) {
    const auto extent = store.extent(axis);
    if (!extent) return {0, 0};
    if (axis == app::XAxis::Tokens) return {0, extent->to};
    return {0, (extent->to - extent->from) / kNsPerSecond};
}

namespace {

ChartContent chartOf(ChartId id, const ChartQuery& query) {
    switch (id) {
        case ChartId::KvBytes:
            return kvBytesChart(query);
        case ChartId::Ratio:
            return ratioChart(query);
        case ChartId::Latency:
            return latencyChart(query);
        case ChartId::Outcomes:
            return outcomesChart(query);
        case ChartId::Throughput:
            return throughputChart(query);
        case ChartId::LatencyHistogram:
            return histogramChart(query);
        case ChartId::Quality:
            return qualityChart(query);
        case ChartId::Reuse:
            return reuseChart(query);
        case ChartId::Stored:
            return storedChart(query);
        case ChartId::Restored:
            return restoredChart(query);
    }
    return {};
}

}  // namespace

ChartContent buildChart(ChartId id, const app::MetricsStore& store, const ChartRequest& request) {
    ChartContent content = chartOf(id, bind(store, request));
    // A remote engine's speed arrives with its next answer; every other metric it either reports or
    // never does.
    if (!store.source().isEmpty() && id != ChartId::Throughput)
        content.empty = ChartTexts::tr("%1 does not report this.").arg(store.source());
    return content;
}

}  // namespace lacuna::ui
