#include "ui/charts/chart_scale.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace lacuna::ui {
namespace {

TEST(ChartScale, niceStep_isOneTwoOrFiveTimesAPowerOfTen) {
    std::mt19937 random(4);
    std::uniform_real_distribution<double> exponent(-6, 9);
    for (int i = 0; i < 1000; ++i) {
        const double length = std::pow(10.0, exponent(random));
        const double step = niceStep(length, 5);
        const double lead = step / std::pow(10.0, std::floor(std::log10(step) + 1e-9));
        EXPECT_TRUE(std::abs(lead - 1) < 1e-6 || std::abs(lead - 2) < 1e-6 ||
                    std::abs(lead - 5) < 1e-6)
            << lead;
        EXPECT_LE(length / step, 5.0 + 1e-6);
        EXPECT_GE(length / step, 5.0 / 2.5 - 1e-6);  // not too few ticks
    }
}

TEST(ChartScale, niceTicks_stayInsideTheRange) {
    const auto ticks = niceTicks({-0.3, 17.2}, 4);
    EXPECT_EQ(ticks, (std::vector<double>{0, 5, 10, 15}));
}

TEST(ChartScale, timeTicks_areRoundSecondsMinutesAndHours) {
    const auto labels = [](Range range, int parts) {
        std::vector<std::string> texts;
        for (const Tick& tick : timeTicks(range, parts)) texts.push_back(tick.label.toStdString());
        return texts;
    };
    EXPECT_EQ(labels({0, 30}, 4), (std::vector<std::string>{"0:00", "0:10", "0:20", "0:30"}));
    EXPECT_EQ(labels({61, 181}, 4), (std::vector<std::string>{"1:30", "2:00", "2:30", "3:00"}));
    EXPECT_EQ(labels({0, 7200}, 2), (std::vector<std::string>{"0:00", "1:00:00", "2:00:00"}));
    EXPECT_EQ(labels({0.9, 1.5}, 3), (std::vector<std::string>{"0:01.0", "0:01.2", "0:01.4"}));
}

TEST(ChartScale, elapsedText_neverReadsSixtySeconds) {
    EXPECT_EQ(elapsedText(59.96, 0.1).toStdString(), "1:00.0");
    EXPECT_EQ(elapsedText(3599.9, 1).toStdString(), "1:00:00");
    EXPECT_EQ(elapsedText(-5, 1).toStdString(), "-0:05");
}

TEST(ChartScale, valueTicks_ofBytes_areBinaryAndRound) {
    const Ticks ticks = valueTicks({0, 20.0 * 1024 * 1024}, ValueUnit::Bytes, 4);
    EXPECT_EQ(ticks.unit.toStdString(), "MiB");
    ASSERT_EQ(ticks.ticks.size(), 5u);
    EXPECT_EQ(ticks.ticks[1].value, 5.0 * 1024 * 1024);
    EXPECT_EQ(ticks.ticks[1].label.toStdString(), "5");
}

TEST(ChartScale, valueTicks_ofCounts_areWhole) {
    for (const Tick& tick : valueTicks({0, 2}, ValueUnit::Count, 5).ticks) {
        EXPECT_EQ(tick.value, std::floor(tick.value));
    }
}

TEST(ChartScale, valueTicks_labelsAreDistinct) {
    for (const double top : {0.05, 0.7, 1.5, 3.0, 12.0, 1e6}) {
        const Ticks ticks = valueTicks({0, top}, ValueUnit::Ratio, 4);
        for (std::size_t i = 1; i < ticks.ticks.size(); ++i) {
            EXPECT_NE(ticks.ticks[i].label, ticks.ticks[i - 1].label) << top;
        }
    }
}

TEST(ChartScale, logTicks_haveAtLeastTwoInsideTheRange) {
    for (const auto& [low, high] :
         {std::pair{1.0, 10.0}, {3.0, 4.0}, {0.2, 5000.0}, {20.0, 400.0}}) {
        const auto ticks = logTicks({low, high});
        EXPECT_GE(ticks.size(), 2u);
        for (const double tick : ticks) {
            EXPECT_GE(tick, low * 0.999);
            EXPECT_LE(tick, high * 1.001);
        }
    }
}

TEST(ChartScale, logRange_coversTheDataAndAtLeastAFactorOfFour) {
    for (const auto& [low, high] : {std::pair{30.0, 40.0}, {0.9, 0.95}, {1.0, 1000.0}}) {
        const Range range = logRange({low, high});
        EXPECT_LT(range.from, low);
        EXPECT_GT(range.to, high);
        EXPECT_GE(range.to / range.from, 4.0);
    }
}

TEST(ChartScale, steadyRange_isKeptWhileDataFit) {
    EXPECT_EQ(steadyRange({0, 10}, {0, 8}), (Range{0, 10}));
    EXPECT_EQ(steadyRange({0, 10}, {0, 12}), (Range{0, 12}));
    EXPECT_EQ(steadyRange({0, 10}, {0, 3}), (Range{0, 3}));
}

TEST(ChartScale, spreadLabels_neverOverlapOrLeaveTheirRange) {
    std::mt19937 random(9);
    std::uniform_real_distribution<double> place(0, 100);
    for (int round = 0; round < 200; ++round) {
        std::vector<double> centres(1 + static_cast<std::size_t>(round % 7));
        for (double& centre : centres) centre = place(random);
        std::vector<double> placed = spreadLabels(centres, 12, {0, 100});
        std::sort(placed.begin(), placed.end());
        EXPECT_GE(placed.front(), 6 - 1e-9);
        EXPECT_LE(placed.back(), 94 + 1e-9);
        for (std::size_t i = 1; i < placed.size(); ++i)
            EXPECT_GE(placed[i] - placed[i - 1], 12 - 1e-9);
    }
}

TEST(ChartScale, spreadLabels_withEnoughSpace_moveNothing) {
    EXPECT_EQ(spreadLabels({20, 80, 50}, 10, {0, 100}), (std::vector<double>{20, 80, 50}));
}

TEST(ChartScale, clusterMarks_countsEveryMarkOnceAndKeepsTheLimit) {
    std::vector<double> places;
    for (int i = 0; i < 5000; ++i) places.push_back(i * 0.37);
    const auto clusters = clusterMarks(places, 6, 200);
    EXPECT_LE(clusters.size(), 200u);
    std::size_t total = 0;
    for (const Cluster& cluster : clusters) total += cluster.count;
    EXPECT_EQ(total, places.size());
}

}  // namespace
}  // namespace lacuna::ui
