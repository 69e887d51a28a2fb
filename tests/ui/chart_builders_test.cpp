#include "ui/charts/chart_builders.h"
#include "tests/support/compaction_notes.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <set>

#include "tests/ui/session_tape.h"
#include "ui/panels/telemetry_panel.h"

namespace lacuna::ui {
namespace {

using app::MetricsStore;

MetricsStore taped(const TapeOptions& options = {}) {
    MetricsStore store;
    playTape(store, options);
    return store;
}

ChartRequest whole(const MetricsStore& store, int pixels = 400) {
    ChartRequest request;
    request.window = dataRange(store, request.axis);
    request.pixels = pixels;
    return request;
}

const Curve* curveNamed(const ChartContent& content, const char* name) {
    for (const Curve& curve : content.curves) {
        if (curve.name == QString::fromLatin1(name)) return &curve;
    }
    return nullptr;
}

TEST(ChartBuilders, curves_ofALongSession_haveAboutTwoPointsPerPixel) {
    const MetricsStore store = taped({.answers = 40, .tokens = 2500});
    for (const app::XAxis axis : {app::XAxis::Time, app::XAxis::Tokens}) {
        for (const int pixels : {120, 600}) {
            ChartRequest request{.axis = axis,
                                 .window = dataRange(store, axis),
                                 .pixels = pixels,
                                 .until = {},
                                 .nowNs = {}};
            for (const ChartId id : kCharts) {
                for (const Curve& curve : buildChart(id, store, request).curves) {
                    qsizetype points = 0;
                    for (const auto& piece : curve.pieces) points += piece.size();
                    EXPECT_LE(points, 2 * pixels + 12) << curve.name.toStdString();
                }
            }
        }
    }
}

TEST(ChartBuilders, peakOfLiveBytes_isKeptAtAnyWidth) {
    const MetricsStore store = taped({.answers = 10, .tokens = 2000});
    const double peak =
        store.series(app::Metric::LiveBytes).extremes(app::XAxis::Time, 0, 1e19)->greatest;
    for (const int pixels : {40, 200, 1000}) {
        const ChartContent content = buildChart(ChartId::KvBytes, store, whole(store, pixels));
        double shown = 0;
        for (const auto& piece : curveNamed(content, "live")->pieces) {
            for (const QPointF& point : piece) shown = std::max(shown, point.y());
        }
        EXPECT_EQ(shown, peak) << pixels;
    }
}

TEST(ChartBuilders, throughput_hasGapsWhileIdle) {
    const MetricsStore store = taped({.answers = 3, .tokens = 200, .idleSeconds = 30});
    const ChartContent content = buildChart(ChartId::Throughput, store, whole(store));
    const Curve* decode = curveNamed(content, "decode");
    ASSERT_NE(decode, nullptr);
    EXPECT_EQ(decode->pieces.size(), 3);
    EXPECT_EQ(curveNamed(content, "prefill")->pieces.size(), 3);
}

TEST(ChartBuilders, kvBytes_keepTheirValueWhileIdle) {
    const MetricsStore store = taped({.answers = 2, .tokens = 100, .idleSeconds = 60});
    const ChartContent content = buildChart(ChartId::KvBytes, store, whole(store));
    const Curve* live = curveNamed(content, "live");
    ASSERT_EQ(live->pieces.size(), 1);
    const auto before = valueAt(*live, store.turns()[0].row.decodeSeconds + 6);
    ASSERT_TRUE(before);
    EXPECT_GT(*before, 0);
}

TEST(ChartBuilders, savedBytes_areTheBandBetweenLogicalAndLive) {
    const MetricsStore store = taped();
    const ChartContent content = buildChart(ChartId::KvBytes, store, whole(store));
    ASSERT_TRUE(content.band);
    EXPECT_GT(content.band->upper.back().y(), content.band->lower.back().y());
    EXPECT_TRUE(content.notes.front().contains(QStringLiteral("saved")));
}

TEST(ChartBuilders, figureOfAnEarlierTime_showsItsAgeFirst) {
    const MetricsStore store = taped();
    for (const ChartId id : {ChartId::KvBytes, ChartId::Ratio}) {
        ChartRequest request = whole(store);
        const qint64 newest = static_cast<qint64>(store.extent(app::XAxis::Time)->to);
        request.nowNs = newest + 200'000'000;
        EXPECT_FALSE(
            buildChart(id, store, request).notes.join(QString()).contains(QStringLiteral("ago")));
        request.nowNs = newest + qint64{180} * 1'000'000'000;
        EXPECT_EQ(buildChart(id, store, request).notes.front(), QStringLiteral("3 min ago"));
    }
}

TEST(ChartBuilders, codedCacheBytes_areSplitIntoThreeCurves) {
    const MetricsStore plain = taped();
    EXPECT_EQ(curveNamed(buildChart(ChartId::KvBytes, plain, whole(plain)), "codes"), nullptr);
    const MetricsStore store = taped({.codes = true});
    const ChartContent content = buildChart(ChartId::KvBytes, store, whole(store));
    double parts = 0;
    for (const char* part : {"codes", "scales", "16-bit window"}) {
        const Curve* curve = curveNamed(content, part);
        ASSERT_NE(curve, nullptr) << part;
        parts += *curve->last;
    }
    EXPECT_EQ(parts, *curveNamed(content, "live")->last);
    EXPECT_TRUE(content.notes[1].startsWith(QStringLiteral("codes ")))
        << content.notes[1].toStdString();
    EXPECT_TRUE(content.description.contains(QStringLiteral("16-bit window")));
}

TEST(ChartBuilders, latency_hasADotPerCompactionAndACrossPerFailure) {
    const MetricsStore store = taped({.answers = 2, .tokens = 900});
    const ChartContent content = buildChart(ChartId::Latency, store, whole(store));
    qsizetype dots = 0, bars = 0, crosses = 0;
    std::set<qint64> keys;
    for (const Dots& kind : content.dots) {
        (kind.marker == Marker::Bar ? bars : dots) += kind.points.size();
        if (kind.marker == Marker::Cross) crosses = kind.points.size();
        keys.insert(kind.keys.begin(), kind.keys.end());
    }
    EXPECT_EQ(dots, static_cast<qsizetype>(store.compactions().size()));
    EXPECT_EQ(bars, dots) << "the work of each";
    EXPECT_EQ(keys.size(), store.compactions().size());
    EXPECT_EQ(crosses, store.totals()[static_cast<std::size_t>(app::Outcome::Failed)]);
    EXPECT_GT(crosses, 0);
}

TEST(ChartBuilders, ratio_ofUnequalHeads_isComputedFromAllBytes) {
    MetricsStore store;
    app::SampleRow sample;
    sample.timeNs = 1'000'000'000;
    sample.phase = EngineState::Decode;
    sample.tokens = 1;
    sample.stepMs = 10;
    sample.contextTokens = 88;
    sample.slotsLargestHead = 88;  // one head keeps everything, so its ratio does not reflect the
                                   // savings
    sample.slotsTotal = 44;
    sample.heads = 4;
    sample.logicalBytes = 8000;
    sample.liveBytes = 1000;
    store.addSamples({sample});
    const ChartContent content = buildChart(ChartId::Ratio, store, whole(store));
    EXPECT_EQ(content.headline, QStringLiteral("8.00x"));
    EXPECT_TRUE(content.notes.contains(QStringLiteral("tokens 8.00x")))
        << content.notes.join(QLatin1Char('|')).toStdString();
}

TEST(ChartBuilders, latency_ofCacheLimitCompactions_hasItsOwnMark) {
    using Cause = CompactionCause;
    MetricsStore store;
    QVector<app::CompactionRow> rows;
    for (const Cause cause : {Cause::Budget, Cause::MemoryLimit, Cause::MemoryLimit}) {
        app::CompactionRow row;
        row.number = rows.size() + 1;
        row.timeNs = row.number * 1'000'000'000;
        row.result = CompactionResult::Done;
        row.cause = cause;
        row.totalMs = 5;
        rows << row;
    }
    store.addCompactions(rows);
    const ChartContent content = buildChart(ChartId::Latency, store, whole(store));
    ASSERT_EQ(content.dots.size(), 3U) << "two causes, and the work of all";
    EXPECT_EQ(content.dots[0].points.size(), 1);
    EXPECT_EQ(content.dots[2].marker, Marker::Bar);
    const Dots& limit = content.dots[1];
    EXPECT_EQ(limit.points.size(), 2);
    EXPECT_EQ(limit.name, QStringLiteral("limit"));
    EXPECT_EQ(limit.marker, Marker::Triangle);
    const Theme theme = Theme::light();
    EXPECT_NE(theme.series.*limit.ink, theme.series.*content.dots[0].ink);
    EXPECT_TRUE(content.definitions.contains(QStringLiteral("Triangle")));
}

TEST(ChartBuilders, latency_ofMoreThan800Compactions_isDrawnAsADensity) {
    MetricsStore store;
    QVector<app::CompactionRow> rows(2000);
    for (qsizetype i = 0; i < rows.size(); ++i) {
        rows[i].number = i + 1;
        rows[i].timeNs = i * 1'000'000'000;
        rows[i].totalMs = 10 + static_cast<double>(i % 90);
        rows[i].result = i % 100 == 0 ? CompactionResult::Failed : CompactionResult::Done;
    }
    store.addCompactions(rows);
    const ChartContent content = buildChart(ChartId::Latency, store, whole(store));
    EXPECT_EQ(content.cloud.size(), 2000);
    qsizetype dots = 0;
    for (const Dots& kind : content.dots) dots += kind.points.size();
    EXPECT_EQ(dots, 20);  // failures only
}

/// One compaction in the background: 2 s of work, 4 ms of which blocked the conversation.
app::CompactionRow inBackground(CompactionResult result) {
    app::CompactionRow row;
    row.number = 1;
    row.timeNs = 1'000'000'000;
    row.result = result;
    row.background = true;
    row.fitMs = 1900;
    row.stallMs = 4;
    row.backgroundMs = 2000;
    row.totalMs = 2004;
    return row;
}

TEST(ChartBuilders, cancelledCompaction_hasNoLatencyAndIsCountedAsSkipped) {
    MetricsStore store;
    store.addCompactions({inBackground(CompactionResult::Aborted)});
    EXPECT_TRUE(buildChart(ChartId::Latency, store, whole(store)).dots.empty());
    const ChartContent outcomes = buildChart(ChartId::Outcomes, store, whole(store));
    EXPECT_EQ(outcomes.headline, QStringLiteral("0 done"));
    ASSERT_TRUE(outcomes.bars);
    EXPECT_TRUE(outcomes.bars->names.contains(QStringLiteral("skipped 1")));
}

TEST(ChartBuilders, latency_ofBackgroundCompaction_showsPauseAndWork) {
    MetricsStore store;
    store.addCompactions({inBackground(CompactionResult::Started)});
    EXPECT_EQ(store.totals()[static_cast<std::size_t>(app::Outcome::Skipped)], 0)
        << "what has begun is no outcome";
    store.addCompactions({inBackground(CompactionResult::Done)});
    const ChartContent content = buildChart(ChartId::Latency, store, whole(store));
    ASSERT_EQ(content.dots.size(), 2U);
    ASSERT_EQ(content.dots[0].points.size(), 1);
    EXPECT_DOUBLE_EQ(content.dots[0].points[0].y(), 4);
    EXPECT_EQ(content.dots[1].marker, Marker::Bar);
    EXPECT_DOUBLE_EQ(content.dots[1].points[0].y(), 2004);
    EXPECT_EQ(content.headline, QStringLiteral("4.00 ms"));
    EXPECT_EQ(content.notes.front(), QStringLiteral("work 2.00 s"));
    EXPECT_GE(content.needed->to, 2000) << "the work has its place on the axis";
    const auto lanes = buildChart(ChartId::LatencyHistogram, store, whole(store)).histogram->lanes;
    EXPECT_DOUBLE_EQ(lanes[5].median, 2004);
    EXPECT_DOUBLE_EQ(lanes[6].median, 4);
}

TEST(ChartBuilders, throughput_ofATurnStoppedDuringPrefill_hasNoFirstToken) {
    MetricsStore store;
    app::SampleRow sample;
    sample.timeNs = 1'000'000'000;
    sample.phase = EngineState::Prefill;
    sample.tokens = 100;
    sample.stepMs = 50;
    store.addSamples({sample});
    app::TurnRow turn;
    turn.timeNs = 1'100'000'000;
    turn.finish = QStringLiteral("cancelled");
    store.addTurns({turn});
    const ChartContent content = buildChart(ChartId::Throughput, store, whole(store));
    EXPECT_FALSE(content.headline.isEmpty());
    for (const QString& note : content.notes)
        EXPECT_FALSE(note.contains(QStringLiteral("first token"))) << note.toStdString();
}

TEST(ChartBuilders, outcomes_haveAtMostSixtyBarsAndCountEveryAttempt) {
    const MetricsStore store = taped({.answers = 6, .tokens = 1000});
    for (const int pixels : {100, 400, 4000}) {
        ChartRequest request = whole(store, pixels);
        request.window.to += 1;  // the last attempt is exactly at the end
        const ChartContent content = buildChart(ChartId::Outcomes, store, request);
        ASSERT_TRUE(content.bars);
        double sum = 0;
        for (const auto& stack : content.bars->values) {
            EXPECT_LE(stack.size(), kMaxBars + 1);
            for (const double value : stack) sum += value;
        }
        EXPECT_EQ(sum, static_cast<double>(store.compactions().size())) << pixels;
        EXPECT_EQ(content.bars->names.size(), 4) << "done, limited, skipped, failed";
    }
}

TEST(ChartBuilders, scopeOfOneConversation_hidesCachesAndCompactionsOfOthers) {
    MetricsStore store;
    for (const qint64 conversation : {1, 2}) {
        app::SampleRow sample;
        sample.timeNs = conversation * 1'000'000'000;
        sample.conversation = conversation;
        sample.phase = EngineState::Decode;
        sample.tokens = 1;
        sample.stepMs = 10;
        sample.contextTokens = 10;
        sample.logicalBytes = sample.liveBytes = sample.allocatedBytes = 1000 * conversation;
        store.addSamples({sample});
        app::CompactionRow row = inBackground(CompactionResult::Done);
        row.conversation = row.number = conversation;
        row.timeNs = sample.timeNs;
        store.addCompactions({row});
    }
    ChartRequest request = whole(store);
    request.window.to += 1;
    const auto pauses = [&] {
        return buildChart(ChartId::Latency, store, request).dots.front().points.size();
    };
    const auto pieces = [&] {
        const ChartContent content = buildChart(ChartId::KvBytes, store, request);
        return curveNamed(content, "live")->pieces.size();
    };
    EXPECT_EQ(pauses(), 2);
    EXPECT_EQ(pieces(), 2);
    request.conversation = 2;
    EXPECT_EQ(pauses(), 1);
    EXPECT_EQ(pieces(), 1);
    EXPECT_EQ(buildChart(ChartId::Outcomes, store, request).headline, QStringLiteral("1 done"));
}

TEST(ChartBuilders, histogram_countsEveryCompactionOnceInEachStage) {
    const MetricsStore store = taped({.answers = 3, .tokens = 900});
    const ChartContent content = buildChart(ChartId::LatencyHistogram, store, whole(store));
    ASSERT_TRUE(content.histogram);
    ASSERT_EQ(content.histogram->lanes.size(), 7U);
    for (const Histogram::Lane& lane : content.histogram->lanes) {
        EXPECT_EQ(lane.total, static_cast<qint64>(store.compactions().size()));
        double sum = 0;
        for (const double count : lane.counts) sum += count;
        EXPECT_EQ(sum, static_cast<double>(lane.total)) << lane.name.toStdString();
        EXPECT_LE(lane.median, lane.p95);
        EXPECT_GE(lane.median, content.histogram->edges.front());
        EXPECT_LE(lane.p95, content.histogram->edges.back());
    }
    // On the tape every selection takes 3 ms and every write 4 ms.
    EXPECT_DOUBLE_EQ(content.histogram->lanes[2].median, 3);
    EXPECT_DOUBLE_EQ(content.histogram->lanes[4].p95, 4);
}

TEST(ChartBuilders, histogram_ofAStageThatNeverRan_isEmpty) {
    MetricsStore store;
    app::CompactionRow row;
    row.number = 1;
    row.timeNs = 1'000'000'000;
    row.result = CompactionResult::Done;
    row.scoreMs = 2;
    row.totalMs = 3;
    store.addCompactions({row});
    const ChartContent content = buildChart(ChartId::LatencyHistogram, store, whole(store));
    ASSERT_TRUE(content.histogram);
    EXPECT_EQ(content.histogram->lanes[0].total, 0) << "no pass was made for queries";
    EXPECT_EQ(content.histogram->lanes[3].total, 0) << "no value was fitted";
    EXPECT_TRUE(tableOf(content).rows.front().contains(QStringLiteral("0")));
}

TEST(ChartBuilders, quality_isInactiveUntilAnEviction) {
    MetricsStore store;
    EXPECT_TRUE(buildChart(ChartId::Quality, store, ChartRequest())
                    .empty.contains(QStringLiteral("no token has been evicted")));
    app::CompactionRow row;
    row.number = 1;
    row.timeNs = 1'000'000'000;
    row.result = CompactionResult::Done;
    row.totalMs = 3;
    store.addCompactions({row});
    const ChartContent content = buildChart(ChartId::Quality, store, ChartRequest());
    EXPECT_FALSE(content.needed);
    EXPECT_TRUE(content.empty.contains(QStringLiteral("after the next answer")));
}

TEST(ChartBuilders, quality_showsDivergenceAndMeasurementCost) {
    MetricsStore store;
    for (int i = 0; i < 8; ++i) {
        app::SampleRow sample;
        sample.timeNs = (i + 1) * 1'000'000'000LL;
        sample.tokens = 1;
        store.addSamples({sample});
        app::QualityRow row;
        row.timeNs = sample.timeNs;
        row.kl = 0.02 * (i + 1);
        row.sameTop = i % 4 != 0;
        row.costShare = 0.1;
        store.addQuality({row});
    }
    const ChartContent content = buildChart(ChartId::Quality, store, whole(store));
    ASSERT_TRUE(content.needed);
    EXPECT_EQ(content.headline, QStringLiteral("KL 0.160"));
    EXPECT_TRUE(content.notes.contains(QStringLiteral("same top token 75 %")));
    EXPECT_TRUE(content.notes.contains(QStringLiteral("takes 10 % of the time")));
    const Curve* differs = curveNamed(content, "differs");
    ASSERT_NE(differs, nullptr);
    ASSERT_TRUE(differs->last);
    EXPECT_NEAR(*differs->last, 0.25, 1e-9);
    EXPECT_EQ(curveNamed(content, "error"), nullptr) << "it was not measured";
}

TEST(ChartBuilders, emptyStore_describesWhatWillAppear) {
    const MetricsStore store;
    for (const ChartId id : kCharts) {
        const ChartContent content = buildChart(id, store, ChartRequest());
        EXPECT_FALSE(content.needed) << content.title.toStdString();
        EXPECT_FALSE(content.empty.isEmpty()) << content.title.toStdString();
        EXPECT_FALSE(content.title.isEmpty());
    }
}

TEST(ChartBuilders, emptyLatency_showsTheSlotsUntilTheFirstCompaction) {
    MetricsStore store;
    app::SampleRow row;
    row.timeNs = 1;
    row.compressionEnabled = true;
    row.triggerSlots = 2112;
    row.slotsLargestHead = 2400;  // heads differ; their mean is compared
    row.comparedSlots = 1912;
    store.addSamples({row});
    const QString sentence = buildChart(ChartId::Latency, store, ChartRequest()).empty;
    EXPECT_EQ(sentence.toStdString(), "First compaction above 2,112 slots per head, 200 to go.");
}

TEST(ChartBuilders, everyChart_hasAOneSentenceDescription) {
    const MetricsStore store = taped();
    for (const ChartId id : kCharts) {
        const ChartContent content = buildChart(id, store, whole(store));
        EXPECT_TRUE(content.description.endsWith(QLatin1Char('.'))) << content.title.toStdString();
        EXPECT_FALSE(content.headline.isEmpty()) << content.title.toStdString();
        EXPECT_FALSE(tableOf(content).rows.isEmpty()) << content.title.toStdString();
    }
}

TEST(ChartBuilders, marks_showAppliedAndRejectedSettings) {
    const MetricsStore store = taped({.answers = 2});
    ChartRequest request = whole(store);
    request.window.to += 1;
    const ChartContent content = buildChart(ChartId::KvBytes, store, request);
    ASSERT_EQ(content.marks.size(), 2u);
    EXPECT_EQ(content.marks[0].kind, MarkKind::Applied);
    EXPECT_EQ(content.marks[0].label.toStdString(), "2");
    EXPECT_EQ(content.marks[1].kind, MarkKind::Rejected);
}

TEST(ChartBuilders, pausedView_showsNothingRecordedLater) {
    const MetricsStore store = taped({.answers = 2, .tokens = 300});
    ChartRequest request = whole(store);
    request.until = request.window.to / 2;
    for (const ChartId id : {ChartId::KvBytes, ChartId::Throughput, ChartId::Ratio}) {
        for (const Curve& curve : buildChart(id, store, request).curves) {
            for (const auto& piece : curve.pieces)
                EXPECT_LE(piece.back().x(), *request.until + 1e-6);
        }
    }
}

TEST(MetricsCsv, everySample_isOneLine) {
    const MetricsStore store = taped({.answers = 1, .tokens = 50});
    qsizetype samples = 0;
    for (std::size_t i = 0; i < app::kMetricCount; ++i) {
        samples += static_cast<qsizetype>(store.series(static_cast<app::Metric>(i)).size());
    }
    const QByteArray text = metricsCsv(store);
    EXPECT_EQ(text.count('\n'), samples + 1);
    EXPECT_TRUE(text.startsWith("metric,seconds,tokens,value\n"));
}

constexpr double kNs = 1e9;

/// A live window of two minutes that ends `idle` seconds after the newest sample.
ChartRequest idleFor(const MetricsStore& store, double idle) {
    const double end = dataRange(store, app::XAxis::Time).to + idle;
    ChartRequest request;
    request.window = {end - 120, end};
    request.nowNs = static_cast<std::int64_t>(store.extent(app::XAxis::Time)->to + idle * kNs);
    return request;
}

TEST(ChartBuilders, gauges_afterLongIdleTime_keepTheirLastValue) {
    const MetricsStore store = taped();
    for (const double idle : {3.0, 130.0, 7200.0}) {
        const ChartRequest request = idleFor(store, idle);
        for (const ChartId id :
             {ChartId::KvBytes, ChartId::Ratio, ChartId::Stored, ChartId::Restored}) {
            const ChartContent content = buildChart(id, store, request);
            ASSERT_TRUE(content.needed) << content.title.toStdString() << " after " << idle;
            EXPECT_FALSE(content.headline.isEmpty());
            for (const Curve& curve : content.curves)
                EXPECT_NEAR(curve.pieces.back().back().x(), request.window.to, 1e-6)
                    << curve.name.toStdString();
        }
        const ChartContent live = buildChart(ChartId::KvBytes, store, request);
        EXPECT_EQ(valueAt(*curveNamed(live, "live"), request.window.to - 1),
                  curveNamed(live, "live")->last);
    }
}

TEST(ChartBuilders, eventCharts_afterLongIdleTime_keepTheirFigureAndExplainTheGap) {
    const MetricsStore store = taped({.answers = 2, .tokens = 900});
    const ChartRequest request = idleFor(store, 600);
    for (const ChartId id :
         {ChartId::Throughput, ChartId::Latency, ChartId::Quality, ChartId::Reuse}) {
        const ChartContent content = buildChart(id, store, request);
        EXPECT_FALSE(content.headline.isEmpty()) << content.title.toStdString();
        EXPECT_TRUE(content.needed || content.empty.contains(QStringLiteral("in this window")))
            << content.title.toStdString() << ": " << content.empty.toStdString();
    }
}

app::SampleRow cacheOf(qint64 conversation, qint64 timeNs, qint64 tokens) {
    app::SampleRow row;
    row.conversation = conversation;
    row.turn = conversation;
    row.timeNs = timeNs;
    row.contextTokens = tokens;
    row.slotsTotal = tokens;
    row.heads = 1;
    row.tokens = 1;
    row.stepMs = 10;
    row.phase = EngineState::Decode;
    row.logicalBytes = row.liveBytes = row.allocatedBytes = tokens * 1024;
    return row;
}

TEST(ChartBuilders, cachesOfTwoConversations_areSeparateCurvePieces) {
    for (const bool shownByCaller : {false, true}) {
        MetricsStore store;
        const qint64 second = 1'000'000'000;
        if (shownByCaller) store.showConversation(cacheOf(1, second, 0));
        store.addSamples({cacheOf(1, second, 1000), cacheOf(1, 2 * second, 1010)});
        if (shownByCaller) store.showConversation(cacheOf(2, 3 * second, 10));
        store.addSamples({cacheOf(2, 4 * second, 11)});
        for (const app::XAxis axis : {app::XAxis::Time, app::XAxis::Tokens}) {
            ChartRequest request;
            request.axis = axis;
            request.window = dataRange(store, axis);
            const ChartContent content = buildChart(ChartId::KvBytes, store, request);
            for (const char* name : {"logical", "live", "allocated"}) {
                const Curve* curve = curveNamed(content, name);
                ASSERT_NE(curve, nullptr);
                ASSERT_EQ(curve->pieces.size(), 2) << name;
                for (const QPointF& point : curve->pieces[0]) EXPECT_GE(point.y(), 1000 * 1024);
                for (const QPointF& point : curve->pieces[1]) EXPECT_LE(point.y(), 11 * 1024);
            }
            EXPECT_EQ(content.breaks.size(), 1);
            EXPECT_EQ(content.headline, QStringLiteral("11.0 KiB"));
        }
    }
}

TEST(ChartBuilders, statesAndCheckpoints_areCurvesOfTheirOwn_andARatioOfTheirOwn) {
    MetricsStore store;
    app::SampleRow row = cacheOf(1, 1'000'000'000, 4096);
    row.liveBytes = 1 << 20;
    row.stateBytes = 3 << 20;
    row.checkpointBytes = 2 << 20;
    store.showConversation(row);
    app::SampleRow later = row;
    later.timeNs *= 2;
    store.addSamples({row, later});
    const ChartContent bytes = buildChart(ChartId::KvBytes, store, whole(store));
    ASSERT_NE(curveNamed(bytes, "states"), nullptr);
    EXPECT_EQ(curveNamed(bytes, "states")->last, 3 << 20);
    EXPECT_EQ(curveNamed(bytes, "checkpoints")->last, 2 << 20);
    EXPECT_EQ(bytes.headline, QStringLiteral("1.0 MiB")) << "keys and values alone";
    EXPECT_TRUE(bytes.notes.contains(QStringLiteral("states 3.0 MiB, checkpoints 2.0 MiB")));
    const ChartContent ratio = buildChart(ChartId::Ratio, store, whole(store));
    EXPECT_DOUBLE_EQ(curveNamed(ratio, "bytes")->last.value_or(0), 4);
    EXPECT_DOUBLE_EQ(curveNamed(ratio, "all memory")->last.value_or(0), 9.0 / 6);
    EXPECT_EQ(curveNamed(buildChart(ChartId::KvBytes, MetricsStore(), {}), "states"), nullptr);
}

TEST(ChartBuilders, cacheOfADraftModel_isACurveOfItsOwn) {
    MetricsStore store;
    app::SampleRow row = cacheOf(1, 1'000'000'000, 4096);
    row.draftBytes = 3 << 20;
    store.showConversation(row);
    app::SampleRow later = row;
    later.timeNs *= 2;
    store.addSamples({row, later});
    const ChartContent bytes = buildChart(ChartId::KvBytes, store, whole(store));
    ASSERT_NE(curveNamed(bytes, "drafts"), nullptr);
    EXPECT_EQ(curveNamed(bytes, "drafts")->last, 3 << 20);
    EXPECT_TRUE(bytes.notes.contains(QStringLiteral("drafts 3.0 MiB")));
    EXPECT_TRUE(bytes.description.contains(QLatin1String("drafts 3.0 MiB")));
    EXPECT_EQ(curveNamed(buildChart(ChartId::KvBytes, MetricsStore(), {}), "drafts"), nullptr);
}

TEST(ChartBuilders, samplesOfAHiddenConversation_doNotChangeTheGauges) {
    MetricsStore store;
    const qint64 second = 1'000'000'000;
    store.showConversation(cacheOf(1, second, 0));
    store.addSamples({cacheOf(1, second, 1000), cacheOf(2, 2 * second, 5)});
    EXPECT_EQ(buildChart(ChartId::KvBytes, store, whole(store)).headline,
              QStringLiteral("1,000.0 KiB"));
    EXPECT_EQ(store.tokensAt(2 * second), 2U) << "but their tokens count";
}

TEST(ChartBuilders, releasedCaches_areZeroAndEndTheCurve) {
    MetricsStore store;
    const qint64 second = 1'000'000'000;
    store.addSamples({cacheOf(1, second, 1000), cacheOf(1, 2 * second, 1001)});
    store.dropCaches(3 * second);
    ChartRequest request = idleFor(store, 1);
    const ChartContent content = buildChart(ChartId::KvBytes, store, request);
    EXPECT_EQ(content.headline, QStringLiteral("0 B"));
    EXPECT_NEAR(curveNamed(content, "live")->pieces.back().back().x(), 2, 1e-6);
    EXPECT_TRUE(buildChart(ChartId::Ratio, store, request).headline.isEmpty());
    EXPECT_TRUE(buildChart(ChartId::KvBytes, store, idleFor(store, 600))
                    .empty.contains(QStringLiteral("no cache now")));
}

TEST(ChartBuilders, throughput_afterATurn_equalsTheRateUnderTheAnswer) {
    MetricsStore store = taped();
    app::TurnRow turn;
    turn.timeNs = static_cast<qint64>(store.extent(app::XAxis::Time)->to);
    turn.turn = 3;
    turn.answerTokens = 100;
    turn.decodeSeconds = 1.6;
    turn.firstTokenSeconds = 0.1;
    store.addTurns({turn});
    EXPECT_EQ(buildChart(ChartId::Throughput, store, whole(store)).headline,
              QStringLiteral("62.5 tok/s"));
}

TEST(ChartBuilders, figuresOfAMoment_areThoseOfThatTime) {
    const MetricsStore store = taped({.answers = 3, .tokens = 900});
    ChartRequest request = whole(store);
    const auto at = [&](ChartId id, double moment) {
        request.moment = moment;
        return buildChart(id, store, request).headline;
    };
    const double end = request.window.to;
    for (const ChartId id : {ChartId::KvBytes, ChartId::Outcomes, ChartId::Stored,
                             ChartId::Restored, ChartId::Latency}) {
        request.moment.reset();
        const QString newest = buildChart(id, store, request).headline;
        EXPECT_EQ(at(id, end), newest);
        EXPECT_NE(at(id, end / 10), newest);
    }
    EXPECT_EQ(at(ChartId::Outcomes, 0), QStringLiteral("0 done"));
    EXPECT_TRUE(at(ChartId::Latency, 0).isEmpty());
}

TEST(ChartBuilders, cancelledCompaction_addsNoPause) {
    MetricsStore store = taped();
    const QString before = buildChart(ChartId::Latency, store, whole(store)).headline;
    app::CompactionRow row;
    row.timeNs = static_cast<qint64>(store.extent(app::XAxis::Time)->to);
    row.number = 999;
    row.result = CompactionResult::Aborted;
    row.background = true;
    row.backgroundMs = 6960;
    row.totalMs = 6960;
    store.addCompactions({row});
    const ChartContent content = buildChart(ChartId::Latency, store, whole(store));
    EXPECT_EQ(content.headline, before);
    for (const Dots& dots : content.dots) EXPECT_FALSE(dots.keys.contains(999));
}

}  // namespace
}  // namespace lacuna::ui
