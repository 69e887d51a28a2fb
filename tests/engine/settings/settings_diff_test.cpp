#include "engine/settings/settings_diff.h"

#include <gtest/gtest.h>

namespace lacuna {
namespace {

TEST(SettingsDiff, sameSettings_haveNoDifference) {
    EXPECT_TRUE(settingsDiff({}, {}).empty());
}

TEST(SettingsDiff, changedSettings_areListedOnceInTableOrder_withBothValues) {
    EngineConfig before, after;
    before.kv.budget = 512;
    after.kv.amRatio = 2.5;
    after.threads = 2;
    const SettingsDiff changes = settingsDiff(before, after);
    ASSERT_EQ(changes.size(), 3U);
    EXPECT_TRUE(changes[0].spec < changes[1].spec && changes[1].spec < changes[2].spec);
    const SettingChange* const ratio = findChange(changes, *findSetting("am_ratio"));
    ASSERT_NE(ratio, nullptr);
    EXPECT_EQ(ratio->before, SettingValue(before.kv.amRatio));
    EXPECT_EQ(ratio->after, SettingValue(2.5));
    const SettingChange* const budget = findChange(changes, *findSetting("budget"));
    ASSERT_NE(budget, nullptr);
    EXPECT_EQ(budget->before, SettingValue(512));
    EXPECT_EQ(budget->after, SettingValue(SettingOff{}));
    EXPECT_EQ(findChange(changes, *findSetting("temperature")), nullptr);
}

TEST(SettingsDiff, settingOfTheNextTurn_isDeferred) {
    EngineConfig after;
    after.kv.amRatio = 2;
    EXPECT_FALSE(anyDeferred(settingsDiff({}, after)));
    after.threads = 2;
    const SettingsDiff changes = settingsDiff({}, after);
    EXPECT_TRUE(anyDeferred(changes));
    EXPECT_EQ(changedKeys(changes, false), std::vector<std::string>{"am_ratio"});
    EXPECT_EQ(changedKeys(changes, true), std::vector<std::string>{"threads"});
}

}  // namespace
}  // namespace lacuna
