#include "engine/session/measured_settings.h"

#include <gtest/gtest.h>

#include <limits>

namespace lacuna {
namespace {

ModelFacts facts() {
    ModelFacts facts;
    facts.name = "small";
    facts.layers = 2;
    facts.heads = facts.kvHeads = 2;
    facts.headDim = 8;
    facts.context = 1024;
    return facts;
}

Result<std::vector<GridSetting>> made(const std::vector<std::string>& names,
                                      const MeasuredSizes& sizes,
                                      const std::vector<std::string>& base = {}) {
    const auto methods = methodsNamed(names);
    if (!methods) return tl::unexpected<Error>(methods.error());
    return gridSettings(*methods, sizes, base, facts(), MachineFacts{});
}

TEST(MeasuredSettings, everyMethodAndSize_givesASetting) {
    const auto settings =
        made({"am", "recent"}, {.ratios = {2, 4}, .budgets = {200}}, {"keep_recent=8"});
    ASSERT_TRUE(settings) << describe(settings.error());
    ASSERT_EQ(settings->size(), 6U);
    const GridSetting& half = settings->front();
    EXPECT_EQ(half.method, "am");
    EXPECT_EQ(half.asked, "2x");
    EXPECT_EQ(half.setting.budgetShare, 0.5);
    EXPECT_EQ(half.setting.kv.method, CompactionMethod::AttentionMatching);
    EXPECT_EQ(half.setting.kv.keepRecent, 8);
    const GridSetting& slots = settings->back();
    EXPECT_EQ(slots.asked, "200 slots");
    EXPECT_EQ(slots.setting.kv.budget, 200);
    EXPECT_FALSE(slots.setting.budgetShare);
    EXPECT_EQ(slots.setting.kv.evictionPolicy, EvictionPolicy::StreamingLLM);
    EXPECT_NE(slots.settings.find("norm_policy=recent_only"), std::string::npos);
    EXPECT_EQ(half.settings.find("budget="), std::string::npos) << half.settings;
}

TEST(MeasuredSettings, amBudget_setsTheRatioToOne) {
    const auto settings = made({"am"}, {.ratios = {}, .budgets = {300}});
    ASSERT_TRUE(settings);
    EXPECT_EQ(settings->front().setting.kv.amRatio, 1.0);
}

TEST(MeasuredSettings, customMethod_appliesItsAssignments) {
    const auto settings =
        made({"wide:method=l2:coherence=per_layer"}, {.ratios = {2}, .budgets = {}});
    ASSERT_TRUE(settings) << describe(settings.error());
    EXPECT_EQ(settings->front().method, "wide");
    EXPECT_EQ(settings->front().setting.kv.coherence, LayerCoherence::PerLayer);
}

TEST(MeasuredSettings, invalidInputs_areRejectedByName) {
    const MeasuredSizes half{.ratios = {2}, .budgets = {}};
    EXPECT_EQ(made({"best"}, half).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(made({"am", "am"}, half).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(made({}, half).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(made({":x=1"}, half).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(made({"am"}, {}).error().code, ErrorCode::Conflict);
    EXPECT_EQ(made({"am"}, half, {"am_ratio=3"}).error().code, ErrorCode::Conflict);
    EXPECT_EQ(made({"mine:method=l2:budget=90"}, half).error().code, ErrorCode::Conflict);
    for (const double ratio : {1.0, 0.0, -2.0, 2000.0, std::numeric_limits<double>::quiet_NaN()})
        EXPECT_EQ(made({"am"}, {.ratios = {ratio}, .budgets = {}}).error().code, ErrorCode::Range);
    EXPECT_EQ(made({"am"}, {.ratios = {}, .budgets = {4000}}).error().code, ErrorCode::Range);
    EXPECT_FALSE(made({"am"}, half, {"no_such=1"}));
}

TEST(MeasuredSettings, listOfAssignments_keepsListValuesIntact) {
    EXPECT_EQ(splitAssignments("method=am,skip_layers=0,1,am_ratio=2"),
              (std::vector<std::string>{"method=am", "skip_layers=0,1", "am_ratio=2"}));
    EXPECT_EQ(splitAssignments("x"), (std::vector<std::string>{"x"}));
    EngineConfig config;
    EXPECT_EQ(settingsText(config), "");
    config.kv.keepRecent = 9;
    EXPECT_EQ(settingsText(config), "keep_recent=9");
}

}  // namespace
}  // namespace lacuna
