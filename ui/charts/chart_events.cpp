#include <QMap>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "app/state/engine/compaction_text.h"
#include "app/state/list_text.h"
#include "app/state/number_format.h"
#include "ui/charts/chart_query.h"
#include "ui/charts/chart_texts.h"

// Charts of single events: compaction latency, outcomes, latency histogram.

namespace lacuna::ui {

namespace {

using app::CompactionMark;

/// A cancelled compaction changed nothing and blocked nothing, so its pause is meaningless.
bool ended(const app::CompactionRow& row) {
    const CompactionOutcome outcome = outcomeOf(row);
    const bool counts = compacted(outcome) || outcome == CompactionOutcome::Failed;
    return counts && row.workMs() > 0;
}

bool failed(const app::CompactionRow& row) {
    return outcomeOf(row) == CompactionOutcome::Failed;
}

/// Finished compactions of the window that had an effect, oldest first.
std::vector<const CompactionMark*> ranWithin(const ChartQuery& query) {
    const auto& all = query.store.compactions();
    const auto [first, end] = app::marksWithin(all, query.request.axis, query.range());
    std::vector<const CompactionMark*> ran;
    for (std::size_t i = first; i < end; ++i)
        if (ended(all[i].row) && query.shows(all[i].row.conversation)) ran.push_back(&all[i]);
    return ran;
}

/// Newest finished compaction with an effect up to the time of the figures; null if there is none.
const CompactionMark* newestEnded(const ChartQuery& query) {
    const auto& all = query.store.compactions();
    const auto until = app::marksWithin(all, query.request.axis,
                                        {std::numeric_limits<double>::lowest(), query.moment()});
    for (std::size_t i = until.second; i-- > 0;)
        if (ended(all[i].row) && query.shows(all[i].row.conversation)) return &all[i];
    return nullptr;
}

/// Nearest-rank percentile: the value below which a share of the sorted values lies, without
/// interpolation.
double percentile(const std::vector<double>& sorted, double share) {
    const auto rank =
        static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
    return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

std::vector<double> sortedPauses(const std::vector<const CompactionMark*>& marks) {
    std::vector<double> values;
    for (const CompactionMark* mark : marks) values.push_back(mark->row.pauseMs());
    std::sort(values.begin(), values.end());
    return values;
}

QStringList latencyNotes(const std::vector<double>& sorted) {
    return {
        ChartTexts::tr("p50 %1").arg(valueText(percentile(sorted, 0.5), ValueUnit::Milliseconds)),
        ChartTexts::tr("p99 %1").arg(valueText(percentile(sorted, 0.99), ValueUnit::Milliseconds))};
}

std::vector<Dots> emptyDots() {
    using S = SeriesColours;
    return {{ChartTexts::tr("budget"), &S::causeBudget, Marker::Circle, {}, {}},
            {ChartTexts::tr("manual"), &S::causeManual, Marker::Square, {}, {}},
            {ChartTexts::tr("settings"), &S::causeConfig, Marker::Diamond, {}, {}},
            {ChartTexts::tr("limit"), &S::causeLimit, Marker::Triangle, {}, {}},
            {ChartTexts::tr("failed"), &S::failed, Marker::Cross, {}, {}},
            {ChartTexts::tr("work"), &S::skipped, Marker::Bar, {}, {}}};
}

constexpr std::size_t kFailedDots = 4;
constexpr std::size_t kWorkDots = 5;

std::size_t dotsOf(const app::CompactionRow& row) {
    if (failed(row)) return kFailedDots;
    switch (row.cause) {
        case CompactionCause::Budget:
            return 0;
        case CompactionCause::Manual:
            return 1;
        case CompactionCause::ConfigChange:
            return 2;
        case CompactionCause::MemoryLimit:
            return 3;
        case CompactionCause::Restore:
            return 1;
    }
    return 0;
}

/// Bar width: a nice step that gives at most kMaxBars, none thinner than 6 pixels.
double barWidth(const ChartQuery& query) {
    const int most = std::clamp(query.request.pixels / 6, 1, kMaxBars);
    const double length = query.request.window.length();
    if (query.request.axis == app::XAxis::Time) return niceTimeStep(length, most);
    return std::max(1.0, niceStep(length, most));
}

/// Counts of done, limited, skipped and failed compactions.
constexpr std::size_t kOutcomes = 4;
using Counts = std::array<qint64, kOutcomes>;

/// A cancelled compaction changed nothing, like a skipped one. Running ones count when they end.
std::optional<std::size_t> kindOf(const app::CompactionRow& row) {
    switch (outcomeOf(row)) {
        case CompactionOutcome::Done:
            return 0;
        case CompactionOutcome::Limited:
            return 1;
        case CompactionOutcome::Skipped:
        case CompactionOutcome::Cancelled:
            return 2;
        case CompactionOutcome::Failed:
            return 3;
        case CompactionOutcome::Running:
            break;
    }
    return std::nullopt;
}

struct Attempts {
    Counts counts{};
    QMap<QString, int> reasons;  ///< of those that were not done
};

/// Attempts in [from, to).
Attempts attemptsWithin(const ChartQuery& query, app::Extent range) {
    constexpr qsizetype kMostReasons = 16;
    Attempts attempts;
    const auto& all = query.store.compactions();
    const auto [first, end] = app::marksWithin(all, query.request.axis, range);
    for (std::size_t i = first; i < end; ++i) {
        const app::CompactionRow& row = all[i].row;
        const auto kind = kindOf(row);
        const bool inside = all[i].place.at(query.request.axis) < range.to;
        if (!kind || !inside || !query.shows(row.conversation)) continue;
        ++attempts.counts[*kind];
        if (!compacted(outcomeOf(row)) && !row.notes.empty() &&
            attempts.reasons.size() < kMostReasons)
            ++attempts.reasons[app::compactionText(row.notes)];
    }
    return attempts;
}

/// The most frequent reason and the number of others.
QString reasonText(const QMap<QString, int>& reasons) {
    if (reasons.isEmpty()) return {};
    const auto most = std::max_element(reasons.begin(), reasons.end());
    if (reasons.size() == 1) return most.key();
    return ChartTexts::tr("%1 (and %2 other reasons)").arg(most.key()).arg(reasons.size() - 1);
}

Bars outcomeBars(const ChartQuery& query) {
    using S = SeriesColours;
    Bars bars;
    bars.width = barWidth(query);
    bars.first = std::floor(query.request.window.from / bars.width + 1e-9) * bars.width;
    bars.names = {ChartTexts::tr("done"), ChartTexts::tr("limited"), ChartTexts::tr("skipped"),
                  ChartTexts::tr("failed")};
    bars.inks = {&S::ok, &S::allocated, &S::skipped, &S::failed};
    bars.values.resize(static_cast<qsizetype>(kOutcomes));
    const double until = query.request.until
                             ? std::min(*query.request.until, query.request.window.to)
                             : query.request.window.to;
    for (int i = 0; bars.first + i * bars.width < query.request.window.to - 1e-9; ++i) {
        const double from = bars.first + i * bars.width;
        const double to = query.request.until
                              ? std::min(from + bars.width, std::nextafter(until, INFINITY))
                              : from + bars.width;
        const Attempts attempts = attemptsWithin(query, {query.toStore(from), query.toStore(to)});
        for (std::size_t kind = 0; kind < kOutcomes; ++kind)
            bars.values[static_cast<qsizetype>(kind)].push_back(
                static_cast<double>(attempts.counts[kind]));
        bars.details << reasonText(attempts.reasons);
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

struct Stage {
    const char* name;
    Ink ink;
    double (*ms)(const app::CompactionRow&);
};

template <double CompactionReport::*Member>
double msOf(const app::CompactionRow& row) {
    return row.*Member;
}

/// Stages in execution order, then the total work, then the part that blocked the conversation,
/// which is smaller if the work was done in the background.
const Stage kStages[] = {
    {QT_TRANSLATE_NOOP("Charts", "queries"), &SeriesColours::prefill,
     msOf<&CompactionReport::queriesMs>},
    {QT_TRANSLATE_NOOP("Charts", "score"), &SeriesColours::live, msOf<&CompactionReport::scoreMs>},
    {QT_TRANSLATE_NOOP("Charts", "select"), &SeriesColours::allocated,
     msOf<&CompactionReport::selectMs>},
    {QT_TRANSLATE_NOOP("Charts", "fit"), &SeriesColours::budget, msOf<&CompactionReport::fitMs>},
    {QT_TRANSLATE_NOOP("Charts", "apply"), &SeriesColours::rejected,
     msOf<&CompactionReport::applyMs>},
    {QT_TRANSLATE_NOOP("Charts", "work"), &SeriesColours::skipped,
     [](const app::CompactionRow& row) { return row.workMs(); }},
    {QT_TRANSLATE_NOOP("Charts", "pause"), &SeriesColours::trigger,
     [](const app::CompactionRow& row) { return row.pauseMs(); }}};

/// Times of one stage, ascending; a stage that did not run is not counted.
std::vector<double> sortedStage(const std::vector<const CompactionMark*>& ran, const Stage& stage) {
    std::vector<double> values;
    for (const CompactionMark* mark : ran) {
        const double ms = stage.ms(mark->row);
        if (ms > 0) values.push_back(std::max(ms, kShortestMs));
    }
    std::sort(values.begin(), values.end());
    return values;
}

Histogram::Lane laneOf(const Stage& stage, const std::vector<double>& sorted,
                       const QVector<double>& edges) {
    Histogram::Lane lane;
    lane.name = ChartTexts::tr(stage.name);
    lane.ink = stage.ink;
    lane.counts.fill(0.0, edges.size() - 1);
    lane.total = static_cast<qint64>(sorted.size());
    for (const double value : sorted) {
        const auto above = std::upper_bound(edges.begin(), edges.end(), value);
        const auto bin = std::clamp<qsizetype>(above - edges.begin() - 1, 0, edges.size() - 2);
        ++lane.counts[bin];
    }
    if (sorted.empty()) return lane;
    lane.median = percentile(sorted, 0.5);
    lane.p95 = percentile(sorted, 0.95);
    return lane;
}

/// Bins of equal width on the logarithmic scale, the same for every stage.
QVector<double> latencyEdges(Range range, std::size_t count, int pixels) {
    const double decades = std::log10(range.to / range.from);
    const double perDecade = std::clamp(std::floor(pixels / (5.0 * decades)), 4.0, 40.0);
    // Fewer bins for few compactions, so the distribution is visible rather than each of them.
    const double most = std::max(18.0, 4 * std::sqrt(static_cast<double>(count)));
    const auto bins = static_cast<qsizetype>(std::ceil(std::min(decades * perDecade, most)));
    QVector<double> edges;
    for (qsizetype i = 0; i <= bins; ++i) {
        edges << range.from * std::pow(range.to / range.from,
                                       static_cast<double>(i) / static_cast<double>(bins));
    }
    return edges;
}

Histogram latencyHistogram(const std::vector<const CompactionMark*>& ran, int pixels) {
    std::vector<std::vector<double>> times;
    double least = INFINITY, greatest = 0;
    for (const Stage& stage : kStages) {
        times.push_back(sortedStage(ran, stage));
        if (times.back().empty()) continue;
        least = std::min(least, times.back().front());
        greatest = std::max(greatest, times.back().back());
    }
    Histogram histogram;
    histogram.edges = latencyEdges(logRange({least, greatest}), ran.size(), pixels);
    for (std::size_t i = 0; i < times.size(); ++i) {
        histogram.lanes.push_back(laneOf(kStages[i], times[i], histogram.edges));
        const auto& counts = histogram.lanes.back().counts;
        histogram.tallest =
            std::max(histogram.tallest, *std::max_element(counts.begin(), counts.end()));
    }
    return histogram;
}

}  // namespace

namespace {

/// Shows the pause as the headline, and the work as a note if it was longer.
void showNewest(const app::CompactionRow& newest, ChartContent& content) {
    content.headline = valueText(newest.pauseMs(), ValueUnit::Milliseconds);
    if (failed(newest)) content.notes << ChartTexts::tr("failed");
    if (newest.workMs() > newest.pauseMs())
        content.notes << ChartTexts::tr("work %1").arg(app::durationText(newest.workMs() / 1e3));
}

}  // namespace

ChartContent latencyChart(const ChartQuery& query) {
    ChartContent content =
        blankChart(query, "compaction-latency", ChartTexts::tr("Compaction latency"));
    content.unit = ValueUnit::Milliseconds;
    content.scale = ValueScale::Log;
    content.empty = nextCompactionText(query.store);
    content.definitions = ChartTexts::tr(
        "How long the conversation waited for each compaction. Circle: over budget. Square: "
        "requested manually. Diamond: after a settings change. Triangle: cache limit of all "
        "conversations reached. Cross: failed, cache unchanged. Bar: total work, including the "
        "part in the background. Click to select the row in the timeline.");
    if (const CompactionMark* newest = newestEnded(query)) showNewest(newest->row, content);
    const auto ran = ranWithin(query);
    if (ran.empty()) {
        if (!query.store.compactions().empty())
            content.empty = ChartTexts::tr("No compaction in this window.");
        return content;
    }
    std::vector<Dots> dots = emptyDots();
    const bool many = ran.size() > kMaxDots;
    double work = 0;  ///< longest
    for (const CompactionMark* mark : ran) {
        const app::CompactionRow& row = mark->row;
        const QPointF point(query.fromStore(mark->place), std::max(row.pauseMs(), kShortestMs));
        if (many) content.cloud << point;
        Dots& kind = dots[dotsOf(row)];
        // Among too many dots only failures remain dots; the density shows the rest.
        if (many && !failed(row)) continue;
        kind.points << point;
        kind.keys << row.number;
        if (many) continue;
        dots[kWorkDots].points << QPointF(point.x(), std::max(row.workMs(), kShortestMs));
        dots[kWorkDots].keys << row.number;
        work = std::max(work, row.workMs());
    }
    std::erase_if(dots, [](const Dots& kind) { return kind.points.isEmpty(); });
    content.dots = std::move(dots);
    const std::vector<double> sorted = sortedPauses(ran);
    content.needed = Range{std::max(sorted.front(), kShortestMs), std::max(sorted.back(), work)};
    content.notes += latencyNotes(sorted);
    if (work > ran.back()->row.workMs())
        content.notes
            << ChartTexts::tr("work up to %1").arg(valueText(work, ValueUnit::Milliseconds));
    const auto failures = std::count_if(
        ran.begin(), ran.end(), [](const CompactionMark* mark) { return failed(mark->row); });
    content.description =
        ChartTexts::tr(
            "Compaction latency: %1 compactions, last %2, median %3, longest %4, %5 failed.")
            .arg(app::countText(static_cast<qint64>(ran.size())), content.headline,
                 valueText(percentile(sorted, 0.5), ValueUnit::Milliseconds),
                 valueText(sorted.back(), ValueUnit::Milliseconds),
                 app::countText(static_cast<qint64>(failures)));
    return content;
}

ChartContent outcomesChart(const ChartQuery& query) {
    ChartContent content = blankChart(query, "outcomes", ChartTexts::tr("Outcomes"));
    content.empty = nextCompactionText(query.store);
    content.definitions = ChartTexts::tr(
        "Compactions per bar: done, limited (smaller ratio than requested, to lose less), skipped "
        "and failed. The crosshair shows the reasons.");
    content.marks.clear();
    constexpr double kStart = std::numeric_limits<double>::lowest();
    const auto sum = [](const Counts& counts) {
        return std::accumulate(counts.begin(), counts.end(), qint64{0});
    };
    if (sum(attemptsWithin(query, {kStart, std::numeric_limits<double>::max()}).counts) == 0)
        return content;
    const Counts totals =
        attemptsWithin(query,
                       {kStart, std::nextafter(query.moment(), std::numeric_limits<double>::max())})
            .counts;
    content.bars = outcomeBars(query);
    content.needed = Range{0, std::max(tallest(content.bars->values), 1.0)};
    for (qsizetype i = 0; i < content.bars->names.size(); ++i)
        content.bars->names[i] +=
            QLatin1Char(' ') + app::countText(totals[static_cast<std::size_t>(i)]);
    const bool onlyLimited = totals[0] == 0 && totals[1] > 0;
    content.headline = onlyLimited ? ChartTexts::tr("%1 limited").arg(app::countText(totals[1]))
                                   : ChartTexts::tr("%1 done").arg(app::countText(totals[0]));
    content.description =
        ChartTexts::tr("Outcomes so far: %1 compactions done, %2 limited, %3 skipped, %4 failed.")
            .arg(app::countText(totals[0]), app::countText(totals[1]), app::countText(totals[2]),
                 app::countText(totals[3]));
    return content;
}

ChartContent histogramChart(const ChartQuery& query) {
    ChartContent content =
        blankChart(query, "latency-histogram", ChartTexts::tr("Latency by stage"));
    content.axis = ChartAxis::LogMilliseconds;
    content.marks.clear();
    content.empty = nextCompactionText(query.store);
    content.definitions = ChartTexts::tr(
        "How long each stage of the compactions in this window took, on a logarithmic scale. "
        "Score: how much each slot matters. Select: which slots stay. Fit: biases and values of "
        "those. Apply: writing the cache. Work: total. Pause: the part the conversation waited "
        "for. Solid line: median; dashed line: 95th percentile. All lanes share one count scale.");
    const auto ran = ranWithin(query);
    if (ran.empty()) {
        if (!query.store.compactions().empty())
            content.empty = ChartTexts::tr("No compaction in this window.");
        return content;
    }
    content.histogram = latencyHistogram(ran, query.request.pixels);
    const Histogram::Lane& pause = content.histogram->lanes.back();
    content.window = {content.histogram->edges.front(), content.histogram->edges.back()};
    content.needed = Range{0, content.histogram->tallest};
    content.headline = ChartTexts::tr("p95 %1").arg(valueText(pause.p95, ValueUnit::Milliseconds));
    content.notes << ChartTexts::tr("pauses of %1 compactions")
                         .arg(app::countText(static_cast<qint64>(ran.size())));
    QStringList stages;
    for (const Histogram::Lane& lane : content.histogram->lanes) {
        if (lane.total == 0) continue;
        stages << ChartTexts::tr("%1 %2 and %3")
                      .arg(lane.name, valueText(lane.median, ValueUnit::Milliseconds),
                           valueText(lane.p95, ValueUnit::Milliseconds));
    }
    content.description =
        ChartTexts::tr("Latency by stage: %1 compactions; median and p95 of %2.")
            .arg(app::countText(static_cast<qint64>(ran.size())), app::listed(stages));
    return content;
}

}  // namespace lacuna::ui
