#include "app/state/telemetry/metrics_store.h"

#include <gtest/gtest.h>

namespace lacuna::app {
namespace {

constexpr qint64 kSecond = 1'000'000'000;

SampleRow decodeRow(qint64 timeNs, qint64 turn) {
    SampleRow row;
    row.timeNs = timeNs;
    row.turn = turn;
    row.phase = EngineState::Decode;
    row.tokens = 1;
    row.stepMs = 40;
    row.contextTokens = 4000;
    row.slotsLargestHead = 4000;
    row.slotsTotal = 8 * 1000;
    row.heads = 8;
    row.logicalBytes = 8000;
    row.liveBytes = 2000;
    row.allocatedBytes = 4000;
    return row;
}

QVector<SampleRow> decoding(qint64 fromNs, qint64 turn, int tokens, qint64 gapNs) {
    QVector<SampleRow> rows;
    for (int i = 0; i < tokens; ++i) rows.push_back(decodeRow(fromNs + i * gapNs, turn));
    return rows;
}

CompactionRow compactionAt(qint64 timeNs, CompactionResult result) {
    CompactionRow row;
    row.timeNs = timeNs;
    row.result = result;
    row.totalMs = 30;
    row.configuredRatio = 4;
    return row;
}

TEST(MetricsStore, samples_giveSeparateTokenAndByteRatios) {
    MetricsStore store;
    store.addSamples({decodeRow(kSecond, 1)});
    EXPECT_EQ(store.series(Metric::TokenRatio).last()->value, 4.0);
    EXPECT_EQ(store.series(Metric::ByteRatio).last()->value, 4.0);
    EXPECT_EQ(store.series(Metric::LiveBytes).last()->value, 2000.0);
}

TEST(MetricsStore, codedCacheBytes_areSplitIntoThreeParts) {
    MetricsStore store;
    SampleRow row = decodeRow(kSecond, 1);
    store.addSamples({row});
    EXPECT_EQ(store.series(Metric::CodeBytes).last()->value, 0.0) << "these rows are numbers";
    row.timeNs += kSecond;
    row.scaleBytes = 150;
    row.exactBytes = 350;
    store.addSamples({row});
    EXPECT_EQ(store.series(Metric::CodeBytes).last()->value, 1500.0);
    EXPECT_EQ(store.series(Metric::ScaleBytes).last()->value, 150.0);
    EXPECT_EQ(store.series(Metric::ExactBytes).last()->value, 350.0);
}

QualityRow qualityAt(qint64 timeNs, qint64 conversation, bool sameTop) {
    QualityRow row;
    row.timeNs = timeNs;
    row.conversation = conversation;
    row.kl = 0.25;
    row.sameTop = sameTop;
    row.costShare = 0.125;
    return row;
}

TEST(MetricsStore, qualitySamples_areAddedAtTheirTokenPosition) {
    MetricsStore store;
    QVector<SampleRow> rows = decoding(kSecond, 1, 20, kSecond / 20);
    for (qsizetype i = 0; i < rows.size(); ++i) rows[i].logicalBytes += i;
    store.addSamples(rows);
    store.addQuality({qualityAt(kSecond + 10 * kSecond / 20, 1, true)});
    EXPECT_EQ(store.series(Metric::QualityKl).last()->value, 0.25);
    EXPECT_EQ(store.series(Metric::QualityKl).last()->tokens, 11u);
    EXPECT_EQ(store.series(Metric::QualityCost).last()->value, 0.125);
    EXPECT_EQ(store.series(Metric::QualityError).size(), 0u) << "none was measured";
}

TEST(MetricsStore, agreement_isTheShareOverTheNewestSamplesOfAConversation) {
    MetricsStore store;
    for (int i = 0; i < 8; ++i) store.addQuality({qualityAt(i * kSecond, 1, i % 4 != 0)});
    EXPECT_EQ(store.series(Metric::QualityTop1).last()->value, 0.75);
    for (int i = 8; i < 40; ++i) store.addQuality({qualityAt(i * kSecond, 1, true)});
    EXPECT_EQ(store.series(Metric::QualityTop1).last()->value, 1.0);
    store.addQuality({qualityAt(41 * kSecond, 2, false)});
    EXPECT_EQ(store.series(Metric::QualityTop1).last()->value, 0.0);
}

TEST(MetricsStore, decodeRate_isTokensPerSecond_pausesIncluded) {
    MetricsStore store;
    store.addSamples(decoding(kSecond, 1, 60, kSecond / 20));
    ASSERT_GE(store.series(Metric::DecodeRate).size(), 2u);
    EXPECT_NEAR(store.series(Metric::DecodeRate).last()->value, 20.0, 0.1);
}

TEST(MetricsStore, decodeRate_ofANewTurn_excludesTheIdleTimeBefore) {
    MetricsStore store;
    store.addSamples(decoding(kSecond, 1, 40, kSecond / 20));
    store.addSamples(decoding(100 * kSecond, 2, 40, kSecond / 20));
    const auto least = store.series(Metric::DecodeTrend).extremes(XAxis::Time, 0, 1e18)->least;
    EXPECT_GT(least, 15.0);
    EXPECT_EQ(store.turnStarts().size(), 2u);
}

TEST(MetricsStore, decodeRate_ofAShortTurn_isAddedWhenItEnds) {
    MetricsStore store;
    store.addSamples(decoding(kSecond, 1, 8, kSecond / 20));
    EXPECT_EQ(store.series(Metric::DecodeRate).size(), 0u);
    TurnRow turn;
    turn.turn = 1;
    turn.timeNs = 2 * kSecond;
    store.addTurns({turn});
    ASSERT_EQ(store.series(Metric::DecodeRate).size(), 2u);  // from its first token to its last
    EXPECT_NEAR(store.series(Metric::DecodeRate).at(0).value, 20.0, 1.0);
    EXPECT_LT(store.series(Metric::DecodeRate).at(0).timeNs, kSecond);
    EXPECT_EQ(store.series(Metric::DecodeRate).at(1).timeNs, kSecond + 7 * (kSecond / 20));
}

TEST(MetricsStore, decodeTrend_afterAFastFirstToken_isTheMean) {
    MetricsStore store;
    QVector<SampleRow> rows = decoding(kSecond, 1, 6, kSecond / 10);
    rows[0].stepMs = 1;  // 1,000 tokens per second
    store.addSamples(rows);
    EXPECT_NEAR(store.series(Metric::DecodeTrend).last()->value, 6 / 0.501, 0.5);
}

TEST(MetricsStore, tokenCount_accumulatesOverSteps) {
    MetricsStore store;
    SampleRow prefill = decodeRow(kSecond, 1);
    prefill.phase = EngineState::Prefill;
    prefill.tokens = 512;
    store.addSamples({prefill, decodeRow(2 * kSecond, 1)});
    EXPECT_EQ(store.extent(XAxis::Tokens)->to, 513.0);
    EXPECT_EQ(store.tokensAt(kSecond + 1), 512u);
    EXPECT_EQ(store.tokensAt(kSecond - 1), 0u);
    EXPECT_EQ(store.series(Metric::PrefillRate).size(), 2u);  // start and end of the chunk
}

TEST(MetricsStore, limitedCompactions_areASeparateOutcome) {
    MetricsStore store;
    CompactionRow limited = compactionAt(10, CompactionResult::Done);
    limited.limited = true;
    CompactionRow skipped = compactionAt(11, CompactionResult::Skipped);
    skipped.limited = true;
    store.addCompactions({limited, skipped});
    EXPECT_EQ(store.totals(), (OutcomeCounts{0, 0, 0, 1, 0, 1}));
    EXPECT_EQ(store.series(Metric::WorkMs).size(), 1u);
}

TEST(MetricsStore, outcomes_areCountedInHalfOpenBuckets) {
    MetricsStore store;
    store.addCompactions(
        {compactionAt(10, CompactionResult::Done), compactionAt(20, CompactionResult::Done),
         compactionAt(20, CompactionResult::Failed), compactionAt(30, CompactionResult::Skipped),
         compactionAt(30, CompactionResult::Aborted)});
    ConfigRow refused;
    refused.timeNs = 25;
    store.addConfigs({refused});
    const OutcomeCounts counts = store.outcomes(XAxis::Time, 10, 20);
    EXPECT_EQ(counts, (OutcomeCounts{1, 0, 0, 0, 0, 0}));
    EXPECT_EQ(store.outcomes(XAxis::Time, 20, 31), (OutcomeCounts{1, 1, 1, 1, 1, 0}));
    EXPECT_EQ(store.totals(), (OutcomeCounts{2, 1, 1, 1, 1, 0}));
}

TEST(MetricsStore, skippedAndCancelledCompactions_haveNoLatency) {
    MetricsStore store;
    store.addCompactions(
        {compactionAt(10, CompactionResult::Skipped), compactionAt(20, CompactionResult::Aborted)});
    EXPECT_EQ(store.series(Metric::WorkMs).size(), 0u);
    EXPECT_EQ(store.series(Metric::PauseMs).size(), 0u);
    EXPECT_EQ(store.compactions().size(), 2u);
}

TEST(MetricsStore, firstToken_isMarkedAtItsTime) {
    MetricsStore store;
    store.addSamples(decoding(kSecond, 1, 5, kSecond));
    TurnRow turn;
    turn.timeNs = 6 * kSecond;
    turn.decodeSeconds = 4;
    turn.firstTokenSeconds = 0.8;
    store.addTurns({turn});
    EXPECT_EQ(store.turns().front().place.timeNs, 2 * kSecond);
    EXPECT_EQ(store.turns().front().place.value, 0.8);
    turn.firstTokenSeconds = 0;  // stopped during prefill
    store.addTurns({turn});
    EXPECT_EQ(store.turns().size(), 1U);
}

TEST(MetricsStore, clear_removesAllSamplesAndNotifiesViews) {
    MetricsStore store;
    store.addSamples(decoding(kSecond, 1, 5, kSecond));
    store.addDropped(3);
    const auto before = store.changes();
    store.clear();
    EXPECT_GT(store.changes(), before);
    EXPECT_FALSE(store.extent(XAxis::Time));
    EXPECT_EQ(store.series(Metric::LiveBytes).size(), 0u);
    EXPECT_EQ(store.dropped(), 0);
}

TEST(MetricsStore, marksWithin_includesBothEnds) {
    MetricsStore store;
    for (const qint64 time : {10, 20, 30, 40})
        store.addCompactions({compactionAt(time, CompactionResult::Done)});
    const auto [first, end] = marksWithin(store.compactions(), XAxis::Time, {20, 30});
    EXPECT_EQ(first, 1u);
    EXPECT_EQ(end, 3u);
}

}  // namespace
}  // namespace lacuna::app
