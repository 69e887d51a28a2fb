#include "ui/charts/chart_window.h"

#include <gtest/gtest.h>

namespace lacuna::ui {
namespace {

TEST(ChartWindow, shortSession_fillsTheSpanFromTheLeft) {
    ChartWindow window;
    EXPECT_EQ(window.window({0, 0}), (Range{0, 15}));
    EXPECT_EQ(window.window({0, 14}), (Range{0, 15}));
    EXPECT_EQ(window.window({0, 40}), (Range{0, 60}));
    EXPECT_EQ(window.window({0, 61}), (Range{0, 120}));
    window.setAxis(app::XAxis::Tokens);
    EXPECT_EQ(window.window({0, 100}), (Range{0, 256}));
    EXPECT_EQ(window.window({0, 2100}), (Range{0, 4096}));
}

TEST(ChartWindow, longSession_windowEndsJustAfterTheNewestSample) {
    ChartWindow window;
    window.setSpan(ChartSpan::Short);
    const Range shown = window.window({0, 400});
    EXPECT_NEAR(shown.length(), 30, 1e-9);
    EXPECT_GT(shown.to, 400);
    EXPECT_LT(shown.to, 401);
}

TEST(ChartWindow, allMode_endsAtARoundValueAndStaysBetweenSteps) {
    ChartWindow window;
    window.setSpan(ChartSpan::All);
    const Range first = window.window({0, 41}), second = window.window({0, 44});
    EXPECT_EQ(first, second);
    EXPECT_GE(first.to, 44);
}

TEST(ChartWindow, pause_keepsTheWindowWhileDataGrow) {
    ChartWindow window;
    const Range before = window.window({0, 300});
    window.pause({0, 300});
    EXPECT_EQ(window.window({0, 900}), before);
    EXPECT_EQ(window.until({0, 900}), 300);
    window.follow();
    EXPECT_NEAR(window.window({0, 900}).to, 900, 3);
    EXPECT_EQ(window.until({0, 900}), 900);
}

TEST(ChartWindow, zoom_keepsTheValueUnderThePointer) {
    ChartWindow window;
    const Range data{0, 300}, before = window.window(data);
    const double at = before.from + before.length() * 0.25;
    window.zoom(data, at, 0.5);
    const Range after = window.window(data);
    EXPECT_NEAR(after.length(), before.length() * 0.5, 1e-9);
    EXPECT_NEAR((at - after.from) / after.length(), 0.25, 1e-9);
    EXPECT_EQ(window.mode(), ViewMode::Paused);
}

TEST(ChartWindow, zoom_isLimitedAtBothEnds) {
    ChartWindow window;
    const Range data{0, 300};
    for (int i = 0; i < 200; ++i) window.zoom(data, 250, 0.5);
    EXPECT_NEAR(window.window(data).length(), 0.05, 1e-9);
    for (int i = 0; i < 200; ++i) window.zoom(data, 250, 2);
    EXPECT_LE(window.window(data).length(), 300 * 1.1 + 1e-6);
}

TEST(ChartWindow, pan_keepsTheSessionInTheWindow) {
    ChartWindow window;
    const Range data{0, 300};
    window.pan(data, 1e9);
    EXPECT_LT(window.window(data).from, 300);
    window.pan(data, -1e9);
    EXPECT_GT(window.window(data).to, 0);
}

TEST(ChartWindow, newAxis_startsInLiveMode) {
    ChartWindow window;
    window.pause({0, 10});
    window.setAxis(app::XAxis::Tokens);
    EXPECT_EQ(window.mode(), ViewMode::Live);
    EXPECT_NEAR(window.window({0, 10'000}).to, 10'000, 100);
    EXPECT_NEAR(window.window({0, 10'000}).length(), 4096, 1e-9);
}

}  // namespace
}  // namespace lacuna::ui
