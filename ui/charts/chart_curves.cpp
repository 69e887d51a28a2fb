#include <algorithm>
#include <cmath>
#include <limits>

#include "app/state/list_text.h"
#include "app/state/number_format.h"
#include "ui/charts/chart_query.h"
#include "ui/charts/chart_texts.h"

// Charts that are lines over time: KV bytes, achieved ratio, throughput.

namespace lacuna::ui {

namespace {

/// True if a metric describes the displayed cache, which can change.
bool isOfCache(app::Metric metric) {
    using app::Metric;
    switch (metric) {
        case Metric::LogicalBytes:
        case Metric::LiveBytes:
        case Metric::CodeBytes:
        case Metric::ScaleBytes:
        case Metric::ExactBytes:
        case Metric::AllocatedBytes:
        case Metric::StateBytes:
        case Metric::CheckpointBytes:
        case Metric::DraftBytes:
        case Metric::TargetBytes:
        case Metric::TriggerBytes:
        case Metric::TokenRatio:
        case Metric::ByteRatio:
        case Metric::MemoryRatio:
        case Metric::ConfiguredRatio:
            return true;
        default:
            return false;
    }
}

/// Newest position in (before, point] at which another cache was displayed.
const app::SeriesPoint* cacheStartBetween(const ChartQuery& query, const app::SeriesPoint& before,
                                          const app::SeriesPoint& point) {
    const auto& starts = query.store.cacheStarts();
    const auto after = std::upper_bound(
        starts.begin(), starts.end(), point.timeNs,
        [](std::int64_t time, const app::SeriesPoint& start) { return time < start.timeNs; });
    if (after == starts.begin()) return nullptr;
    const app::SeriesPoint& start = *std::prev(after);
    return start.timeNs > before.timeNs ? &start : nullptr;
}

/// A gauge keeps its value until the next sample, so corner points are inserted. Values of 0 or
/// less mean "not active" and end a piece, as does a change to another cache.
QList<QList<QPointF>> stepPieces(const ChartQuery& query, app::Metric metric) {
    // Corner points double the count, so half the columns give two points per pixel.
    const std::vector<app::SeriesPoint> samples =
        query.samples(metric, std::max(1, query.request.pixels / 2));
    const bool breaks = isOfCache(metric);
    QList<QList<QPointF>> pieces(1);
    const app::SeriesPoint* before = nullptr;
    for (const app::SeriesPoint& sample : samples) {
        const bool shown = !breaks || query.shows(query.store.conversationAt(sample.timeNs));
        const QPointF point(query.fromStore(sample), shown ? sample.value : 0);
        const app::SeriesPoint* start =
            before == nullptr || !breaks ? nullptr : cacheStartBetween(query, *before, sample);
        before = &sample;
        if (start != nullptr && !pieces.back().isEmpty()) {
            const double at = query.fromStore(*start);
            pieces.back().push_back({at, pieces.back().back().y()});
            pieces.push_back({});
            if (point.y() > 0 && at < point.x()) pieces.back().push_back({at, point.y()});
        }
        QList<QPointF>& piece = pieces.back();
        if (point.y() <= 0) {
            if (!piece.isEmpty()) {
                piece.push_back({point.x(), piece.back().y()});
                pieces.push_back({});
            }
            continue;
        }
        if (!piece.isEmpty() && piece.back().y() != point.y())
            piece.push_back({point.x(), piece.back().y()});
        piece.push_back(point);
    }
    if (pieces.back().isEmpty()) pieces.pop_back();
    return pieces;
}

/// A rate exists only while the engine works, so the curve is cut between answers if the pause is
/// wide enough to be visible.
QList<QList<QPointF>> ratePieces(const QList<QPointF>& points, const ChartQuery& query) {
    const auto& starts = query.store.turnStarts();
    const double pixel = query.request.window.length() / std::max(query.request.pixels, 1);
    const double least = 2 * pixel;
    QList<QList<QPointF>> pieces(1);
    for (const QPointF& point : points) {
        QList<QPointF>& piece = pieces.back();
        if (!piece.isEmpty() && point.x() - piece.back().x() > least) {
            const double before = query.toStore(piece.back().x());
            const auto next = std::upper_bound(starts.begin(), starts.end(), before,
                                               [&](double x, const app::SeriesPoint& start) {
                                                   return x < start.at(query.request.axis);
                                               });
            if (next != starts.end() && next->at(query.request.axis) <= query.toStore(point.x())) {
                pieces.push_back({});
            }
        }
        pieces.back().push_back(point);
    }
    if (pieces.back().isEmpty()) pieces.pop_back();
    return pieces;
}

std::optional<Range> verticalExtent(const std::vector<Curve>& curves, Range window) {
    std::optional<Range> extent;
    for (const Curve& curve : curves) {
        for (const QList<QPointF>& piece : curve.pieces) {
            for (const QPointF& point : piece) {
                // A point outside the window matters only for the line that enters from it.
                if (point.x() < window.from - window.length() || point.x() > window.to) continue;
                if (!extent) extent = Range{point.y(), point.y()};
                extent->from = std::min(extent->from, point.y());
                extent->to = std::max(extent->to, point.y());
            }
        }
    }
    return extent;
}

struct CurveLook {
    QString name;
    app::Metric metric;
    Ink ink;
    Qt::PenStyle dash = Qt::SolidLine;
    double width = 1.5;
};

Curve gauge(const ChartQuery& query, const CurveLook& look) {
    Curve curve{look.name, look.ink, look.dash, look.width, {}, {}, {}};
    curve.pieces = stepPieces(query, look.metric);
    const auto last = query.lastValue(look.metric);
    if (last && *last > 0) curve.last = last;
    // The value holds until another one is known. A run of equal values grows while a view is
    // paused, so its last sample may be later than the pause.
    const auto newest =
        query.store.series(look.metric)
            .lastBefore(query.request.axis,
                        query.request.until ? query.end() : query.toStore(query.request.window.to));
    const double hold = query.holdEnd();
    const bool held = newest && newest->value > 0 && !curve.pieces.isEmpty();
    if (held && curve.pieces.back().back().x() < hold)
        curve.pieces.back().push_back({hold, curve.pieces.back().back().y()});
    return curve;
}

/// Decode rate shown under the newest answer; for a remote engine that is still generating, the
/// rate it reports.
std::optional<double> latestDecodeRate(const ChartQuery& query) {
    const auto answer = query.lastSample(app::Metric::AnswerRate);
    const auto second = query.lastSample(app::Metric::DecodeRate);
    if (answer && (!second || answer->timeNs >= second->timeNs)) return answer->value;
    if (second) return second->value;
    return std::nullopt;
}

std::optional<QPointF> peakOf(const Curve& curve, Range window) {
    std::optional<QPointF> peak;
    for (const QList<QPointF>& piece : curve.pieces) {
        for (const QPointF& point : piece) {
            if (point.x() < window.from || point.x() > window.to) continue;
            if (!peak || point.y() > peak->y()) peak = point;
        }
    }
    return peak;
}

Curve rate(const ChartQuery& query, const CurveLook& look) {
    Curve curve{look.name, look.ink, look.dash, look.width, {}, {}, {}};
    curve.pieces = ratePieces(query.points(look.metric, query.request.pixels), query);
    curve.last = query.lastValue(look.metric);
    return curve;
}

/// The area between logical and live bytes, at common positions. Both curves meet between two
/// caches, since nothing is saved there.
std::optional<Band> savedBand(const Curve& logical, const Curve& live) {
    if (logical.pieces.isEmpty() || logical.pieces.size() != live.pieces.size())
        return std::nullopt;
    Band band{ChartTexts::tr("saved"), &SeriesColours::saved, {}, {}};
    for (qsizetype i = 0; i < logical.pieces.size(); ++i) {
        const QList<QPointF>& upper = logical.pieces[i];
        const QList<QPointF>& lower = live.pieces[i];
        const double from = std::max(upper.front().x(), lower.front().x());
        const double to = std::min(upper.back().x(), lower.back().x());
        const auto inside = [&](const QPointF& point) {
            return point.x() >= from && point.x() <= to;
        };
        if (i > 0) band.upper.push_back({from, lower.front().y()});
        std::copy_if(upper.begin(), upper.end(), std::back_inserter(band.upper), inside);
        std::copy_if(lower.begin(), lower.end(), std::back_inserter(band.lower), inside);
        if (i + 1 < logical.pieces.size()) band.upper.push_back({to, lower.back().y()});
    }
    if (band.upper.size() < 2 || band.lower.size() < 2) return std::nullopt;
    return band;
}

/// Positions at which the gauges of the window switch to another cache.
QList<double> breaksOf(const ChartQuery& query) {
    const app::Extent range = query.range();
    QList<double> places;
    for (const app::SeriesPoint& start : query.store.cacheStarts()) {
        const double at = start.at(query.request.axis);
        if (at >= range.from && at <= range.to) places.push_back(query.fromStore(start));
    }
    return places;
}

/// States that nothing is cached, or that nothing has been cached yet.
QString noCacheText(const ChartQuery& query, const QString& never) {
    const auto live = query.lastValue(app::Metric::LiveBytes);
    return live && *live <= 0 ? ChartTexts::tr("This conversation has no cache now.") : never;
}

/// "1:05 to 1:35", for descriptions.
QString windowText(const ChartContent& content) {
    return ChartTexts::tr("%1 to %2")
        .arg(placeText(content.axis, content.window.from, 1),
             placeText(content.axis, content.window.to, 1));
}

void addFirstTokenMarks(const ChartQuery& query, ChartContent& content) {
    const auto& turns = query.store.turns();
    const auto [first, end] = app::marksWithin(turns, query.request.axis, query.range());
    for (std::size_t i = first; i < end; ++i) {
        const double seconds = turns[i].place.value;
        if (seconds <= 0) continue;
        const QString text = app::durationText(seconds);
        content.marks.push_back({query.fromStore(turns[i].place), MarkKind::FirstToken, text,
                                 ChartTexts::tr("First token of answer %1 after %2")
                                     .arg(QString::number(turns[i].row.turn), text)});
    }
    std::stable_sort(content.marks.begin(), content.marks.end(),
                     [](const Mark& a, const Mark& b) { return a.at < b.at; });
}

/// "codes 4.2 MiB, scales 0.3 MiB, 16-bit window 1.1 MiB"
QString splitText(const ChartQuery& query, double codes) {
    const auto bytes = [&query](app::Metric metric) {
        return valueText(query.lastValue(metric).value_or(0), ValueUnit::Bytes);
    };
    return ChartTexts::tr("codes %1, scales %2, 16-bit window %3")
        .arg(valueText(codes, ValueUnit::Bytes), bytes(app::Metric::ScaleBytes),
             bytes(app::Metric::ExactBytes));
}

/// "states 19.3 MiB, checkpoints 41.2 MiB", of recurrent layers; empty if there are none.
QString recurrentText(const ChartQuery& query) {
    const double states = query.lastValue(app::Metric::StateBytes).value_or(0);
    if (states <= 0) return {};
    const double checkpoints = query.lastValue(app::Metric::CheckpointBytes).value_or(0);
    return ChartTexts::tr("states %1, checkpoints %2")
        .arg(valueText(states, ValueUnit::Bytes), valueText(checkpoints, ValueUnit::Bytes));
}

/// "drafts 3.0 MiB", the cache of a draft model; empty if there is none.
QString draftText(const ChartQuery& query) {
    const double drafts = query.lastValue(app::Metric::DraftBytes).value_or(0);
    if (drafts <= 0) return {};
    return ChartTexts::tr("drafts %1").arg(valueText(drafts, ValueUnit::Bytes));
}

/// States why there is no sample: nothing was lost, or no pause has occurred yet.
QString noQualityText(const app::MetricsStore& store) {
    const bool lost =
        std::any_of(store.compactions().begin(), store.compactions().end(),
                    [](const app::CompactionMark& mark) { return compacted(outcomeOf(mark.row)); });
    return lost ? ChartTexts::tr("Will be measured after the next answer.")
                : ChartTexts::tr("Nothing to measure: no token has been evicted yet.");
}

}  // namespace

namespace {

/// Chart for engines that report how full their cache is, but not its bytes.
ChartContent cacheShareChart(const ChartQuery& query) {
    ChartContent content = blankChart(query, "kv-bytes", ChartTexts::tr("Live cache size"));
    content.unit = ValueUnit::Share;
    content.definitions =
        ChartTexts::tr("In use: share of the cache that is occupied, as reported by the engine.");
    Curve share{ChartTexts::tr("in use"), &SeriesColours::live, Qt::SolidLine, 2.0, {}, {}, {}};
    share.pieces = {query.points(app::Metric::CacheShare, query.request.pixels)};
    share.last = query.lastValue(app::Metric::CacheShare);
    content.curves = {share};
    content.needed = verticalExtent(content.curves, content.window);
    if (content.needed) content.needed = Range{0, std::max(content.needed->to, 0.01)};
    if (!share.last) return content;
    content.headline = app::percentText(*share.last);
    content.notes << ChartTexts::tr("of the cache in use");
    if (const QString age = ageText(query); !age.isEmpty()) content.notes << age;
    content.description =
        ChartTexts::tr("KV cache, %1: %2 in use.").arg(windowText(content), content.headline);
    return content;
}

/// "2 being written, 1 waiting", for a remote engine; empty if it does not report them.
QString requestsText(const ChartQuery& query) {
    const auto running = query.lastValue(app::Metric::AnswersRunning);
    const auto waiting = query.lastValue(app::Metric::RequestsWaiting);
    if (!running) return {};
    const QString written =
        ChartTexts::tr("%1 being written").arg(app::countText(std::llround(*running)));
    if (!waiting) return written;
    return app::listed(
        {written, ChartTexts::tr("%1 waiting").arg(app::countText(std::llround(*waiting)))});
}

}  // namespace

ChartContent kvBytesChart(const ChartQuery& query) {
    using S = SeriesColours;
    const bool bytes = query.store.series(app::Metric::LiveBytes).size() > 0;
    if (!bytes && query.store.series(app::Metric::CacheShare).size() > 0)
        return cacheShareChart(query);
    ChartContent content = blankChart(query, "kv-bytes", ChartTexts::tr("Live cache size"));
    content.unit = ValueUnit::Bytes;
    content.empty =
        noCacheText(query, ChartTexts::tr("Bytes of keys and values appear with the first step."));
    content.breaks = breaksOf(query);
    content.definitions = ChartTexts::tr(
        "Logical: size of an uncompressed cache. Live: slots in use; a coded cache counts its "
        "codes, their scales and the 16-bit rows of the first and newest tokens. Allocated: "
        "buffers including slack. Budget: size after a compaction. Trigger: size above which a "
        "compaction runs. States: memory of recurrent layers, which does not grow with the text. "
        "Checkpoints: earlier states, from which an edit or another answer continues. Drafts: "
        "cache of the draft model or of the model's own draft block.");
    content.curves = {
        gauge(query,
              {ChartTexts::tr("logical"), app::Metric::LogicalBytes, &S::logical, Qt::DashLine}),
        gauge(query, {ChartTexts::tr("allocated"), app::Metric::AllocatedBytes, &S::allocated,
                      Qt::SolidLine, 1.0}),
        gauge(query,
              {ChartTexts::tr("trigger"), app::Metric::TriggerBytes, &S::trigger, Qt::DotLine}),
        gauge(query,
              {ChartTexts::tr("budget"), app::Metric::TargetBytes, &S::budget, Qt::DashDotLine}),
        gauge(query,
              {ChartTexts::tr("scales"), app::Metric::ScaleBytes, &S::scales, Qt::SolidLine, 1.0}),
        gauge(query,
              {ChartTexts::tr("16-bit window"), app::Metric::ExactBytes, &S::exact, Qt::DashLine}),
        gauge(query,
              {ChartTexts::tr("codes"), app::Metric::CodeBytes, &S::codes, Qt::SolidLine, 1.0}),
        gauge(query, {ChartTexts::tr("states"), app::Metric::StateBytes, &S::decode, Qt::DashLine}),
        gauge(query, {ChartTexts::tr("checkpoints"), app::Metric::CheckpointBytes, &S::prefill,
                      Qt::DotLine}),
        gauge(query,
              {ChartTexts::tr("drafts"), app::Metric::DraftBytes, &S::rejected, Qt::DashDotLine}),
        gauge(query,
              {ChartTexts::tr("live"), app::Metric::LiveBytes, &S::live, Qt::SolidLine, 2.0})};
    content.band = savedBand(content.curves.front(), content.curves.back());
    content.curves.back().peak = peakOf(content.curves.back(), content.window);
    content.needed = verticalExtent(content.curves, content.window);
    std::erase_if(content.curves, [](const Curve& curve) { return curve.pieces.isEmpty(); });
    if (content.needed) content.needed->from = 0;
    const auto live = query.lastValue(app::Metric::LiveBytes);
    const auto logical = query.lastValue(app::Metric::LogicalBytes);
    if (!live || !logical) return content;
    content.headline = valueText(*live, ValueUnit::Bytes);
    const double saved = *logical > 0 ? 1 - *live / *logical : 0;
    QStringList& note = content.notes;
    // The age comes first, since the cache may have been released since.
    if (const QString age = ageText(query); !age.isEmpty()) note << age;
    if (saved >= 0.005) note << ChartTexts::tr("%1 saved").arg(app::percentText(saved));
    const auto codes = query.lastValue(app::Metric::CodeBytes);
    if (codes && *codes > 0) note << splitText(query, *codes);
    const QString recurrent = recurrentText(query);
    if (!recurrent.isEmpty()) note << recurrent;
    const QString drafts = draftText(query);
    if (!drafts.isEmpty()) note << drafts;
    content.description =
        ChartTexts::tr("KV cache, %1: %2 live, %3 allocated, %4 without compression, %5 saved.")
            .arg(windowText(content), content.headline,
                 valueText(query.lastValue(app::Metric::AllocatedBytes).value_or(0),
                           ValueUnit::Bytes),
                 valueText(*logical, ValueUnit::Bytes), app::percentText(saved));
    if (codes && *codes > 0)
        content.description += ChartTexts::tr(" Live: %1.").arg(splitText(query, *codes));
    if (!recurrent.isEmpty())
        content.description += ChartTexts::tr(" Recurrent layers: %1.").arg(recurrent);
    if (!drafts.isEmpty()) content.description += QStringLiteral(" %1.").arg(drafts);
    return content;
}

ChartContent ratioChart(const ChartQuery& query) {
    using S = SeriesColours;
    ChartContent content = blankChart(query, "achieved-ratio", ChartTexts::tr("Achieved ratio"));
    content.unit = ValueUnit::Ratio;
    content.empty = noCacheText(
        query, ChartTexts::tr("Tokens per slot and bytes saved appear with the first step."));
    content.breaks = breaksOf(query);
    content.definitions = ChartTexts::tr(
        "Bytes: logical divided by live bytes. Tokens: context tokens per slot, mean over all "
        "heads; differs from bytes where rows are stored as codes. All memory: bytes with the "
        "states and checkpoints of recurrent layers on both sides. Requested: the ratio set when a "
        "compaction ran. 1x means nothing is saved.");
    content.curves = {gauge(query, {ChartTexts::tr("requested"), app::Metric::ConfiguredRatio,
                                    &S::budget, Qt::DashLine}),
                      gauge(query, {ChartTexts::tr("tokens"), app::Metric::TokenRatio,
                                    &S::allocated, Qt::DashDotLine}),
                      gauge(query, {ChartTexts::tr("all memory"), app::Metric::MemoryRatio,
                                    &S::decode, Qt::DotLine}),
                      gauge(query, {ChartTexts::tr("bytes"), app::Metric::ByteRatio, &S::live})};
    content.needed = verticalExtent(content.curves, content.window);
    std::erase_if(content.curves, [](const Curve& curve) { return curve.pieces.isEmpty(); });
    if (content.needed) content.needed = Range{0, std::max(content.needed->to, 1.2)};
    const auto tokens = query.lastValue(app::Metric::TokenRatio);
    const auto bytes = query.lastValue(app::Metric::ByteRatio);
    if (!bytes || *bytes <= 0) return content;
    content.headline = app::ratioText(*bytes);
    const auto asked = query.lastValue(app::Metric::ConfiguredRatio);
    if (!tokens) {  // a remote engine reports bytes only
        content.description = ChartTexts::tr("Achieved ratio, %1: %2 in bytes.")
                                  .arg(windowText(content), app::ratioText(*bytes));
        return content;
    }
    if (const QString age = ageText(query); !age.isEmpty()) content.notes << age;
    content.notes << ChartTexts::tr("tokens %1").arg(app::ratioText(*tokens));
    const double all = query.lastValue(app::Metric::MemoryRatio).value_or(0);
    if (all > 0) content.notes << ChartTexts::tr("all memory %1").arg(app::ratioText(all));
    if (asked && *asked > 0)
        content.notes << ChartTexts::tr("requested %1").arg(app::ratioText(*asked));
    content.description =
        ChartTexts::tr("Achieved ratio, %1: %2 in bytes, %3 in tokens per slot, %4.")
            .arg(windowText(content), app::ratioText(*bytes), app::ratioText(*tokens),
                 asked && *asked > 0 ? ChartTexts::tr("%1 requested").arg(app::ratioText(*asked))
                                     : ChartTexts::tr("none requested"));
    return content;
}

ChartContent throughputChart(const ChartQuery& query) {
    using S = SeriesColours;
    ChartContent content = blankChart(query, "throughput", ChartTexts::tr("Throughput"));
    content.unit = ValueUnit::TokensPerSecond;
    content.scale = ValueScale::Log;
    content.empty =
        ChartTexts::tr("Tokens per second appear while a prompt is read or an answer is written.");
    content.definitions = ChartTexts::tr(
        "Decode: answer tokens per second, averaged over one second, compactions included. Trend: "
        "the same, smoothed over two seconds. Prefill: prompt tokens per second. Flags: time to "
        "the first token. Gaps are idle time. Logarithmic scale.");
    content.curves = {
        rate(query,
             {ChartTexts::tr("prefill"), app::Metric::PrefillRate, &S::prefill, Qt::DashLine}),
        rate(query,
             {ChartTexts::tr("trend"), app::Metric::DecodeTrend, &S::logical, Qt::SolidLine, 1.0}),
        rate(query,
             {ChartTexts::tr("decode"), app::Metric::DecodeRate, &S::decode, Qt::SolidLine, 2.0})};
    content.needed = verticalExtent(content.curves, content.window);
    std::erase_if(content.curves, [](const Curve& curve) { return curve.pieces.isEmpty(); });
    addFirstTokenMarks(query, content);
    if (const QString requests = requestsText(query); !requests.isEmpty())
        content.notes << requests;
    const auto decode = latestDecodeRate(query);
    const auto prefill = query.lastValue(app::Metric::PrefillRate);
    if (!decode && !prefill) return content;
    content.empty = noneInWindowText();
    content.headline = valueText(decode ? *decode : *prefill, ValueUnit::TokensPerSecond);
    const auto& turns = query.store.turns();
    const auto ended = app::marksWithin(turns, query.request.axis,
                                        {std::numeric_limits<double>::lowest(), query.moment()});
    // An answer stopped during prefill has no first token.
    const bool first = ended.second > 0 && turns[ended.second - 1].place.value > 0;
    const double firstSeconds = first ? turns[ended.second - 1].place.value : 0;
    if (first)
        content.notes << ChartTexts::tr("first token %1").arg(app::durationText(firstSeconds));
    if (const QString age = ageText(query); !age.isEmpty()) content.notes << age;
    content.description =
        ChartTexts::tr("Throughput, %1: decode %2, prefill %3, %4.")
            .arg(
                windowText(content),
                decode ? valueText(*decode, ValueUnit::TokensPerSecond) : ChartTexts::tr("not yet"),
                prefill ? valueText(*prefill, ValueUnit::TokensPerSecond)
                        : ChartTexts::tr("not yet"),
                !first
                    ? ChartTexts::tr("no answer finished")
                    : ChartTexts::tr("first token after %1").arg(app::durationText(firstSeconds)));
    return content;
}

ChartContent qualityChart(const ChartQuery& query) {
    using S = SeriesColours;
    ChartContent content = blankChart(query, "quality", ChartTexts::tr("Quality"));
    content.unit = ValueUnit::Plain;
    content.empty = noQualityText(query.store);
    content.definitions = ChartTexts::tr(
        "Compares the compacted cache with the full cache at regular intervals. KL: how far the "
        "probabilities of the next token moved, in nats. Differs: share of the last 16 samples "
        "with a different top token. Error: relative error of the attention output of a few heads. "
        "Lower is better; 0 equals the full cache.");
    content.curves = {rate(query, {ChartTexts::tr("error"), app::Metric::QualityError,
                                   &S::allocated, Qt::DashDotLine, 1.0}),
                      rate(query, {ChartTexts::tr("differs"), app::Metric::QualityTop1,
                                   &S::rejected, Qt::DashLine}),
                      rate(query, {ChartTexts::tr("KL"), app::Metric::QualityKl, &S::live})};
    Curve& differs = content.curves[1];
    for (QList<QPointF>& piece : differs.pieces) {
        for (QPointF& point : piece) point.setY(1 - point.y());
    }
    if (differs.last) differs.last = 1 - *differs.last;
    content.needed = verticalExtent(content.curves, content.window);
    std::erase_if(content.curves, [](const Curve& curve) { return curve.pieces.isEmpty(); });
    if (content.needed) content.needed = Range{0, std::max(content.needed->to, 0.01)};
    const auto kl = query.lastValue(app::Metric::QualityKl);
    const auto same = query.lastValue(app::Metric::QualityTop1);
    if (!kl || !same) return content;
    content.empty = noneInWindowText();
    content.headline = ChartTexts::tr("KL %1").arg(valueText(*kl, ValueUnit::Plain));
    content.notes << ChartTexts::tr("same top token %1").arg(app::percentText(*same));
    const auto cost = query.lastValue(app::Metric::QualityCost);
    if (cost) content.notes << ChartTexts::tr("takes %1 of the time").arg(app::percentText(*cost));
    content.description = ChartTexts::tr(
                              "Quality, %1: KL %2 nats, same top token in %3 of the last samples; "
                              "measuring takes %4 of the time.")
                              .arg(windowText(content), valueText(*kl, ValueUnit::Plain),
                                   app::percentText(*same), app::percentText(cost.value_or(0)));
    return content;
}

/// One value per answer, joined by lines: reuse is undefined between answers.
ChartContent reuseChart(const ChartQuery& query) {
    using S = SeriesColours;
    ChartContent content = blankChart(query, "prompt-reuse", ChartTexts::tr("Prompt reuse"));
    content.unit = ValueUnit::Share;
    content.empty = ChartTexts::tr("Prompt reuse appears with the first answer.");
    content.definitions = ChartTexts::tr(
        "Share of each prompt that was not read again because it was in the conversation's cache "
        "or in the prefix cache. 100 % is everything but the last token.");
    Curve curve{ChartTexts::tr("reused"), &S::live, Qt::SolidLine, 1.5, {}, {}, {}};
    const QList<QPointF> points = query.points(app::Metric::ReuseShare, query.request.pixels);
    if (!points.isEmpty()) curve.pieces = {points};
    const auto last = query.lastValue(app::Metric::ReuseShare);
    curve.last = last;
    content.curves = {std::move(curve)};
    content.needed = verticalExtent(content.curves, content.window);
    std::erase_if(content.curves, [](const Curve& one) { return one.pieces.isEmpty(); });
    if (content.needed) content.needed = Range{0, 1};
    if (!last) return content;
    content.empty = noneInWindowText();
    content.headline = app::percentText(*last);
    content.notes << ChartTexts::tr("of the last prompt");
    content.description =
        ChartTexts::tr("Prompt reuse, %1: %2 of the last prompt was not read again.")
            .arg(windowText(content), content.headline);
    return content;
}

ChartContent storedChart(const ChartQuery& query) {
    using S = SeriesColours;
    ChartContent content = blankChart(query, "kept-texts", ChartTexts::tr("Prefix cache"));
    content.unit = ValueUnit::Bytes;
    content.empty = ChartTexts::tr("The prefix cache is empty.");
    content.definitions = ChartTexts::tr(
        "Size of the prefix cache, which spares conversations, branches and requests from reading "
        "a shared prefix again. Rows in memory that a conversation also holds are counted but not "
        "copied. The Memory page sets the limits.");
    content.curves = {
        gauge(query,
              {ChartTexts::tr("on disk"), app::Metric::DiskBytes, &S::allocated, Qt::DashLine}),
        gauge(query, {ChartTexts::tr("in memory"), app::Metric::StoredBytes, &S::live})};
    content.needed = verticalExtent(content.curves, content.window);
    std::erase_if(content.curves, [](const Curve& curve) { return curve.pieces.isEmpty(); });
    if (content.needed) content.needed->from = 0;
    const auto memory = query.lastValue(app::Metric::StoredBytes);
    if (!memory || !content.needed) return content;
    const QString disk =
        valueText(query.lastValue(app::Metric::DiskBytes).value_or(0), ValueUnit::Bytes);
    content.headline = valueText(*memory, ValueUnit::Bytes);
    content.notes << ChartTexts::tr("%1 on disk").arg(disk);
    content.description = ChartTexts::tr("Prefix cache, %1: %2 in memory, %3 on disk.")
                              .arg(windowText(content), content.headline, disk);
    return content;
}

/// Counts that hold until the next request changes them.
ChartContent restoredChart(const ChartQuery& query) {
    using S = SeriesColours;
    ChartContent content = blankChart(query, "brought-back", ChartTexts::tr("Restored tokens"));
    content.unit = ValueUnit::Count;
    content.empty = ChartTexts::tr(
        "Nothing has been restored yet. Select evicted words in the retention overlay and choose "
        "Restore words.");
    content.definitions = ChartTexts::tr(
        "Restored: evicted tokens that were restored so far. Kept: those of them that later "
        "compactions must keep. Bytes are those of their rows in a full cache.");
    content.curves = {gauge(query, {ChartTexts::tr("restored"), app::Metric::RestoredTokens,
                                    &S::allocated, Qt::DashLine}),
                      gauge(query, {ChartTexts::tr("kept"), app::Metric::KeptTokens, &S::live})};
    content.needed = verticalExtent(content.curves, content.window);
    std::erase_if(content.curves, [](const Curve& curve) { return curve.pieces.isEmpty(); });
    if (content.needed) content.needed->from = 0;
    const auto restored = query.lastValue(app::Metric::RestoredTokens);
    if (!restored || !content.needed) return content;
    const QString kept =
        app::countText(static_cast<qint64>(query.lastValue(app::Metric::KeptTokens).value_or(0)));
    const QString bytes =
        valueText(query.lastValue(app::Metric::KeptBytes).value_or(0), ValueUnit::Bytes);
    content.headline = app::countText(static_cast<qint64>(*restored));
    content.notes << ChartTexts::tr("%1 kept, %2").arg(kept, bytes);
    content.description =
        ChartTexts::tr("Restored tokens, %1: %2 so far, %3 of them kept, %4 of rows.")
            .arg(windowText(content), content.headline, kept, bytes);
    return content;
}

}  // namespace lacuna::ui
