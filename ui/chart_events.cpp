#include <QMap>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/state/number_format.h"
#include "ui/chart_query.h"

// Charts of single events: compaction latency, outcomes, latency histogram.

namespace lacuna::ui {

namespace {

using app::CompactionCauseView;
using app::CompactionMark;
using app::CompactionResultView;

/// Compactions of the window that did something, oldest first.
std::vector<const CompactionMark*> ranWithin(const ChartQuery& query) {
    const auto& all = query.store.compactions();
    const auto [first, end] = app::marksWithin(all, query.request.axis, query.range());
    std::vector<const CompactionMark*> ran;
    for (std::size_t i = first; i < end; ++i) {
        if (all[i].row.result != CompactionResultView::Skipped && all[i].row.totalMs > 0)
            ran.push_back(&all[i]);
    }
    return ran;
}

/// Value below which a share of the sorted values lies; the nearest one, never between two.
double percentile(const std::vector<double>& sorted, double share) {
    const auto rank =
        static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
    return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

std::vector<double> sortedMs(const std::vector<const CompactionMark*>& marks) {
    std::vector<double> values;
    for (const CompactionMark* mark : marks) values.push_back(mark->row.totalMs);
    std::sort(values.begin(), values.end());
    return values;
}

QStringList latencyNotes(const std::vector<double>& sorted) {
    return {chartText("p50 %1").arg(valueText(percentile(sorted, 0.5), ValueUnit::Milliseconds)),
            chartText("p99 %1").arg(valueText(percentile(sorted, 0.99), ValueUnit::Milliseconds))};
}

std::vector<Dots> emptyDots() {
    using S = SeriesColours;
    return {{chartText("budget"), &S::causeBudget, Marker::Circle, {}, {}},
            {chartText("manual"), &S::causeManual, Marker::Square, {}, {}},
            {chartText("settings"), &S::causeConfig, Marker::Diamond, {}, {}},
            {chartText("failed"), &S::failed, Marker::Cross, {}, {}}};
}

std::size_t dotsOf(const app::CompactionRow& row) {
    if (row.result == CompactionResultView::Failed) return 3;
    switch (row.cause) {
        case CompactionCauseView::Budget:
            return 0;
        case CompactionCauseView::Manual:
            return 1;
        case CompactionCauseView::ConfigChange:
            return 2;
    }
    return 0;
}

/// Width of bars: a nice step that gives at most kMostBars, none thinner than 6 pixels.
double barWidth(const ChartQuery& query) {
    const int most = std::clamp(query.request.pixels / 6, 1, kMostBars);
    const double length = query.request.window.length();
    if (query.request.axis == app::XAxis::Time) return niceTimeStep(length, most);
    return std::max(1.0, niceStep(length, most));
}

/// Why attempts of a bar did not succeed: the commonest reason and how many others there were.
QString reasonsWithin(const ChartQuery& query, app::Extent range) {
    QMap<QString, int> reasons;
    const auto& all = query.store.compactions();
    const auto [first, end] = app::marksWithin(all, query.request.axis, range);
    for (std::size_t i = first; i < end && reasons.size() < 16; ++i) {
        const app::CompactionRow& row = all[i].row;
        if (row.result != CompactionResultView::Done && !row.reason.isEmpty())
            ++reasons[row.reason];
    }
    const auto& configs = query.store.configs();
    const auto [firstConfig, endConfig] = app::marksWithin(configs, query.request.axis, range);
    for (std::size_t i = firstConfig; i < endConfig && reasons.size() < 16; ++i) {
        if (!configs[i].row.applied) ++reasons[configs[i].row.summary];
    }
    if (reasons.isEmpty()) return {};
    const auto most = std::max_element(reasons.begin(), reasons.end());
    if (reasons.size() == 1) return most.key();
    return chartText("%1 (and %2 other reasons)").arg(most.key()).arg(reasons.size() - 1);
}

Bars outcomeBars(const ChartQuery& query) {
    using S = SeriesColours;
    Bars bars;
    bars.width = barWidth(query);
    bars.first = std::floor(query.request.window.from / bars.width + 1e-9) * bars.width;
    bars.names = {chartText("done"), chartText("failed"), chartText("rejected"),
                  chartText("skipped")};
    bars.inks = {&S::ok, &S::failed, &S::rejected, &S::skipped};
    bars.values.resize(static_cast<qsizetype>(app::kOutcomeCount));
    const double until = query.request.until
                             ? std::min(*query.request.until, query.request.window.to)
                             : query.request.window.to;
    for (int i = 0; bars.first + i * bars.width < query.request.window.to - 1e-9; ++i) {
        const double from = bars.first + i * bars.width;
        const double to = query.request.until
                              ? std::min(from + bars.width, std::nextafter(until, INFINITY))
                              : from + bars.width;
        const app::Extent range{query.toStore(from), query.toStore(to)};
        const app::OutcomeCounts counts =
            query.store.outcomes(query.request.axis, range.from, range.to);
        for (std::size_t kind = 0; kind < counts.size(); ++kind) {
            bars.values[static_cast<qsizetype>(kind)].push_back(static_cast<double>(counts[kind]));
        }
        const bool trouble = counts[1] + counts[2] + counts[3] > 0;
        bars.details << (trouble ? reasonsWithin(query, range) : QString());
    }
    return bars;
}

double tallest(const QVector<QVector<double>>& stacks) {
    double most = 0;
    for (qsizetype i = 0; !stacks.isEmpty() && i < stacks.front().size(); ++i) {
        double sum = 0;
        for (const QVector<double>& stack : stacks) sum += stack[i];
        most = std::max(most, sum);
    }
    return most;
}

/// Bins of equal width on the logarithmic scale.
Histogram latencyHistogram(const std::vector<const CompactionMark*>& ran,
                           const std::vector<double>& sorted, int pixels) {
    using S = SeriesColours;
    Histogram histogram;
    histogram.names = {chartText("score"), chartText("select"), chartText("fit"),
                       chartText("apply"), chartText("other")};
    histogram.inks = {&S::live, &S::allocated, &S::budget, &S::rejected, &S::skipped};
    const Range range = logRange({sorted.front(), sorted.back()});
    const double decades = std::log10(range.to / range.from);
    const double perDecade = std::clamp(std::floor(pixels / (9.0 * decades)), 4.0, 40.0);
    // Fewer when there are few compactions, so that the shape is seen rather than each of them.
    const double most = std::max(12.0, 3 * std::sqrt(static_cast<double>(sorted.size())));
    const auto bins = static_cast<qsizetype>(std::ceil(std::min(decades * perDecade, most)));
    for (qsizetype i = 0; i <= bins; ++i) {
        histogram.edges << range.from *
                               std::pow(range.to / range.from,
                                        static_cast<double>(i) / static_cast<double>(bins));
    }
    histogram.values.fill(QVector<double>(bins, 0.0), histogram.names.size());
    for (const CompactionMark* mark : ran) {
        const app::CompactionRow& row = mark->row;
        const double place = std::log(row.totalMs / range.from) / std::log(range.to / range.from);
        const auto bin = std::clamp<qsizetype>(
            static_cast<qsizetype>(place * static_cast<double>(bins)), 0, bins - 1);
        // One compaction is one unit of height, shared by its stages in the proportion of their
        // time.
        const double stages[] = {row.scoreMs, row.selectMs, row.fitMs, row.applyMs};
        double rest = 1;
        for (qsizetype i = 0; i < 4; ++i) {
            const double share = std::min(rest, std::max(0.0, stages[i]) / row.totalMs);
            histogram.values[i][bin] += share;
            rest -= share;
        }
        histogram.values[4][bin] += rest;
    }
    histogram.places = {{QStringLiteral("p50"), percentile(sorted, 0.5)},
                        {QStringLiteral("p90"), percentile(sorted, 0.9)},
                        {QStringLiteral("p99"), percentile(sorted, 0.99)},
                        {chartText("max"), sorted.back()}};
    return histogram;
}

}  // namespace

ChartContent latencyChart(const ChartQuery& query) {
    ChartContent content = blankChart(query, "compaction-latency", chartText("Compaction latency"));
    content.unit = ValueUnit::Milliseconds;
    content.scale = ValueScale::Log;
    content.empty = nextCompactionText(query.store);
    content.definitions = chartText(
        "Wall time of each compaction. Circle: over budget. Square: asked for by hand. Diamond: "
        "after a change "
        "of settings. Cross: failed, the cache stayed as it was. A click selects the row of the "
        "timeline.");
    const auto ran = ranWithin(query);
    if (ran.empty()) {
        if (!query.store.compactions().empty())
            content.empty = chartText("No compaction in this window.");
        return content;
    }
    std::vector<Dots> dots = emptyDots();
    const bool many = ran.size() > kMostDots;
    for (const CompactionMark* mark : ran) {
        const QPointF point(query.fromStore(mark->place), mark->row.totalMs);
        if (many) content.cloud << point;
        Dots& kind = dots[dotsOf(mark->row)];
        // Of too many only the failures stay dots; the density shows the rest.
        if (many && mark->row.result != CompactionResultView::Failed) continue;
        kind.points << point;
        kind.keys << mark->row.number;
    }
    std::erase_if(dots, [](const Dots& kind) { return kind.points.isEmpty(); });
    content.dots = std::move(dots);
    const std::vector<double> sorted = sortedMs(ran);
    content.needed = Range{sorted.front(), sorted.back()};
    content.headline = valueText(ran.back()->row.totalMs, ValueUnit::Milliseconds);
    content.notes = latencyNotes(sorted);
    const auto failed = std::count_if(ran.begin(), ran.end(), [](const CompactionMark* mark) {
        return mark->row.result == CompactionResultView::Failed;
    });
    content.description =
        chartText("Compaction latency: %1 compactions, last %2, median %3, slowest %4, %5 failed.")
            .arg(app::countText(static_cast<qint64>(ran.size())), content.headline,
                 valueText(percentile(sorted, 0.5), ValueUnit::Milliseconds),
                 valueText(sorted.back(), ValueUnit::Milliseconds),
                 app::countText(static_cast<qint64>(failed)));
    return content;
}

ChartContent outcomesChart(const ChartQuery& query) {
    ChartContent content = blankChart(query, "outcomes", chartText("Outcomes"));
    content.empty = nextCompactionText(query.store);
    content.definitions = chartText(
        "Attempts per bar. Done and failed compactions, settings rejected, compactions skipped "
        "because there "
        "was nothing to gain. The crosshair tells why.");
    content.marks.clear();
    const app::OutcomeCounts totals = query.store.totals();
    const qint64 all = std::accumulate(totals.begin(), totals.end(), qint64{0});
    if (all == 0) return content;
    content.bars = outcomeBars(query);
    content.needed = Range{0, std::max(tallest(content.bars->values), 1.0)};
    for (qsizetype i = 0; i < content.bars->names.size(); ++i) {
        content.bars->names[i] +=
            QLatin1Char(' ') + app::countText(totals[static_cast<std::size_t>(i)]);
    }
    content.headline = chartText("%1 done").arg(app::countText(totals[0]));
    content.description =
        chartText(
            "Outcomes so far: %1 compactions done, %2 failed, %3 skipped, %4 settings rejected.")
            .arg(app::countText(totals[0]), app::countText(totals[1]), app::countText(totals[3]),
                 app::countText(totals[2]));
    return content;
}

ChartContent histogramChart(const ChartQuery& query) {
    ChartContent content = blankChart(query, "latency-histogram", chartText("Latency by stage"));
    content.axis = ChartAxis::LogMilliseconds;
    content.marks.clear();
    content.empty = nextCompactionText(query.store);
    content.definitions = chartText(
        "How many compactions of the window took how long, on a logarithmic scale. Each bar is "
        "shared by the "
        "stages in the proportion of their time.");
    const auto ran = ranWithin(query);
    if (ran.empty()) {
        if (!query.store.compactions().empty())
            content.empty = chartText("No compaction in this window.");
        return content;
    }
    const std::vector<double> sorted = sortedMs(ran);
    content.histogram = latencyHistogram(ran, sorted, query.request.pixels);
    content.window = {content.histogram->edges.front(), content.histogram->edges.back()};
    content.needed = Range{0, std::max(tallest(content.histogram->values), 1.0)};
    content.headline =
        chartText("p99 %1").arg(valueText(percentile(sorted, 0.99), ValueUnit::Milliseconds));
    content.notes
        << chartText("%1 compactions").arg(app::countText(static_cast<qint64>(ran.size())));
    content.description = chartText(
                              "Latency by stage: %1 compactions, half within %2, nine of ten "
                              "within %3, all within %4.")
                              .arg(app::countText(static_cast<qint64>(ran.size())),
                                   valueText(percentile(sorted, 0.5), ValueUnit::Milliseconds),
                                   valueText(percentile(sorted, 0.9), ValueUnit::Milliseconds),
                                   valueText(sorted.back(), ValueUnit::Milliseconds));
    return content;
}

}  // namespace lacuna::ui
