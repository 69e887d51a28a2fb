#include "app/state/telemetry/sample_series.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace lacuna::app {
namespace {

/// Steps of uneven length with a few spikes; fixed seed.
SampleSeries noisySeries(std::size_t count, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> value(0.0, 10.0);
    std::uniform_int_distribution<int> gap(1, 1000), rare(0, 997);
    SampleSeries series;
    std::int64_t time = 1'000'000;
    std::uint32_t tokens = 0;
    for (std::size_t i = 0; i < count; ++i) {
        // Occasionally a pause a thousand times as long, which gives bursts as in a chat.
        time += gap(random) * (rare(random) == 0 ? 1000 : 1);
        tokens += static_cast<std::uint32_t>(gap(random) % 3);
        const double spike = rare(random) == 0 ? 500.0 : 0.0;
        series.append({time, tokens, value(random) + spike});
    }
    return series;
}

struct Plain {
    double least = std::numeric_limits<double>::infinity();
    double greatest = -std::numeric_limits<double>::infinity();
    void take(double value) {
        least = std::min(least, value);
        greatest = std::max(greatest, value);
    }
};

Plain plainExtremes(const SampleSeries& series, XAxis axis, double from, double to) {
    Plain plain;
    for (std::size_t i = 0; i < series.size(); ++i) {
        const SeriesPoint point = series.at(i);
        if (point.at(axis) >= from && point.at(axis) <= to) plain.take(point.value);
    }
    return plain;
}

TEST(SampleSeries, query_atEveryZoom_keepsTheExtremesOfTheWindow) {
    const SampleSeries series = noisySeries(40'000, 7);
    for (const XAxis axis : {XAxis::Time, XAxis::Tokens}) {
        const double begin = series.at(0).at(axis), end = series.last()->at(axis);
        for (const double share : {1.0, 0.5, 0.21, 0.03, 0.004}) {
            for (const int pixels : {3, 57, 400, 1600}) {
                const double from = begin + (end - begin) * 0.4 * (1 - share);
                const double to = from + (end - begin) * share;
                const auto answer = series.query({axis, from, to, pixels});
                Plain shown;
                for (const SeriesPoint& point : answer.points) {
                    if (point.at(axis) >= from && point.at(axis) <= to) shown.take(point.value);
                }
                const Plain all = plainExtremes(series, axis, from, to);
                EXPECT_EQ(shown.least, all.least) << "share " << share << " pixels " << pixels;
                EXPECT_EQ(shown.greatest, all.greatest)
                    << "share " << share << " pixels " << pixels;
            }
        }
    }
}

TEST(SampleSeries, query_ofEveryColumn_keepsItsExtremesToWithinAPixel) {
    const SampleSeries series = noisySeries(20'000, 11);
    const double begin = series.at(0).at(XAxis::Time), end = series.last()->at(XAxis::Time);
    const int pixels = 300;
    const double width = (end - begin) / pixels;
    const auto answer = series.query({XAxis::Time, begin, end, pixels});
    for (std::size_t i = 0; i < series.size(); ++i) {
        if (series.at(i).value < 400) continue;  // a spike
        const double x = series.at(i).at(XAxis::Time);
        const bool near =
            std::any_of(answer.points.begin(), answer.points.end(), [&](const SeriesPoint& p) {
                return std::abs(p.at(XAxis::Time) - x) <= width && p.value >= 400;
            });
        EXPECT_TRUE(near) << "spike " << i << " lost";
    }
}

TEST(SampleSeries, query_ofManySamples_isAscendingWithAtMostTwoPointsPerPixel) {
    const SampleSeries series = noisySeries(100'000, 3);
    const double begin = series.at(0).at(XAxis::Time), end = series.last()->at(XAxis::Time);
    for (const int pixels : {1, 10, 333, 1200}) {
        const auto answer = series.query({XAxis::Time, begin, end, pixels});
        EXPECT_LE(answer.points.size(), static_cast<std::size_t>(2 * pixels + 4));
        EXPECT_EQ(answer.points.back().timeNs, series.last()->timeNs);
        EXPECT_TRUE(std::is_sorted(
            answer.points.begin(), answer.points.end(),
            [](const SeriesPoint& a, const SeriesPoint& b) { return a.timeNs < b.timeNs; }));
    }
}

TEST(SampleSeries, query_ofAMillionSamples_readsNodesInProportionToPixels) {
    SampleSeries series;
    for (std::int64_t i = 0; i < 1'000'000; ++i) {
        series.append(
            {i * 1000, static_cast<std::uint32_t>(i), std::sin(static_cast<double>(i) * 0.01)});
    }
    const std::size_t pixels = 1200;
    for (const double share : {1.0, 0.3, 0.02}) {
        const auto answer =
            series.query({XAxis::Time, 0.0, 999'999'000.0 * share, static_cast<int>(pixels)});
        EXPECT_LE(answer.touched, 12 * pixels) << "share " << share;
        EXPECT_GT(answer.points.size(), pixels);
    }
}

TEST(SampleSeries, query_betweenSamples_includesOneBeyondEachEdge) {
    SampleSeries series;
    for (std::int64_t i = 0; i < 10; ++i) series.append({i * 100, 0, static_cast<double>(i)});
    const auto answer = series.query({XAxis::Time, 250, 450, 100});
    ASSERT_EQ(answer.points.size(), 4u);
    EXPECT_EQ(answer.points.front().timeNs, 200);
    EXPECT_EQ(answer.points.back().timeNs, 500);
}

TEST(SampleSeries, query_ofAnEmptyWindow_isEmpty) {
    const SampleSeries series = noisySeries(100, 1);
    EXPECT_TRUE(series.query({XAxis::Time, 5, 5, 100}).points.empty());
    EXPECT_TRUE(series.query({XAxis::Time, 0, 5, 0}).points.empty());
    EXPECT_TRUE(SampleSeries().query({XAxis::Time, 0, 5, 10}).points.empty());
}

TEST(SampleSeries, extremes_ofARange_equalALinearScan) {
    const SampleSeries series = noisySeries(5'000, 23);
    std::mt19937 random(5);
    std::uniform_int_distribution<std::size_t> index(0, series.size() - 1);
    for (int round = 0; round < 500; ++round) {
        const auto [low, high] = std::minmax({index(random), index(random)});
        const double from = series.at(low).at(XAxis::Time), to = series.at(high).at(XAxis::Time);
        const auto found = series.extremes(XAxis::Time, from, to);
        const Plain plain = plainExtremes(series, XAxis::Time, from, to);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->least, plain.least);
        EXPECT_EQ(found->greatest, plain.greatest);
    }
}

TEST(SampleSeries, append_atPowersOfTheFanOut_keepsThePyramidConsistent) {
    for (const std::size_t count :
         {1u, 7u, 8u, 9u, 63u, 64u, 65u, 511u, 512u, 513u, 4096u, 4097u}) {
        const SampleSeries series = noisySeries(count, static_cast<std::uint32_t>(count));
        const double end = series.last()->at(XAxis::Time);
        const auto found = series.extremes(XAxis::Time, 0, end);
        const Plain plain = plainExtremes(series, XAxis::Time, 0, end);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->least, plain.least) << count;
        EXPECT_EQ(found->greatest, plain.greatest) << count;
    }
}

TEST(SampleSeries, append_withEarlierTime_staysAscending) {
    SampleSeries series;
    series.append({100, 5, 1.0});
    series.append({50, 3, 2.0});
    EXPECT_EQ(series.at(1).timeNs, 100);
    EXPECT_EQ(series.at(1).tokens, 5u);
}

TEST(SampleSeries, append_ofNaN_isIgnored) {
    SampleSeries series;
    series.append({1, 0, std::numeric_limits<double>::quiet_NaN()});
    series.append({2, 0, std::numeric_limits<double>::infinity()});
    EXPECT_EQ(series.size(), 0u);
}

TEST(SampleSeries, appendRun_ofAConstant_keepsFirstAndLastOnly) {
    SampleSeries series;
    for (std::int64_t i = 0; i < 1000; ++i)
        series.appendRun({i, static_cast<std::uint32_t>(i), i < 600 ? 4.0 : 5.0});
    ASSERT_EQ(series.size(), 4u);
    EXPECT_EQ(series.at(1).timeNs, 599);
    EXPECT_EQ(series.at(2).timeNs, 600);
    EXPECT_EQ(series.last()->timeNs, 999);
    EXPECT_EQ(series.last()->tokens, 999u);
}

TEST(SampleSeries, memory_ofManySamples_isBelow24BytesEach) {
    const SampleSeries series = noisySeries(1'000'000, 2);
    EXPECT_LT(static_cast<double>(series.bytes()) / static_cast<double>(series.size()), 24.0);
}

TEST(SampleSeries, lastBefore_returnsTheNewestSampleNotLater) {
    SampleSeries series;
    for (std::int64_t i = 1; i <= 5; ++i) series.append({i * 10, 0, static_cast<double>(i)});
    EXPECT_FALSE(series.lastBefore(XAxis::Time, 9.0));
    EXPECT_EQ(series.lastBefore(XAxis::Time, 10.0)->timeNs, 10);
    EXPECT_EQ(series.lastBefore(XAxis::Time, 39.0)->timeNs, 30);
}

}  // namespace
}  // namespace lacuna::app
