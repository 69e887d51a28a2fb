// Numbered rows of docs/known-faults.md, "The defect list", about settings.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "engine/settings/config_check.h"
#include "engine/settings/setting_spec.h"

namespace lacuna {
namespace {

ModelFacts model() {
    ModelFacts facts;
    facts.name = "small";
    facts.layers = 4;
    facts.heads = 8;
    facts.kvHeads = 4;
    facts.headDim = 64;
    facts.context = 4096;
    facts.residentBytes = 1 << 20;
    return facts;
}

std::vector<RuleViolation> violations(const EngineConfig& config) {
    const ModelFacts facts = model();
    MachineFacts machine;
    machine.memoryBytes = std::int64_t{8} << 30;
    const auto checked = check(config, &facts, machine);
    return checked ? std::vector<RuleViolation>{} : checked.error();
}

bool breaks(const EngineConfig& config, std::string_view rule) {
    return std::ranges::any_of(violations(config),
                               [&](const RuleViolation& one) { return one.rule == rule; });
}

EngineConfig evicting(int budget) {
    EngineConfig config;
    config.kv.method = CompactionMethod::Eviction;
    config.kv.budget = budget;
    return config;
}

TEST(DefectList, D12_04_budgetsFilledByProtectedTokens_areRefused) {
    for (const int recent : {0, 1, 32, 500})
        for (const int sinks : {0, 4, 64}) {
            EngineConfig config = evicting(sinks + recent);
            config.kv.keepRecent = recent;
            config.kv.nSink = sinks;
            for (const int less : {0, 1, recent, sinks + recent}) {
                config.kv.budget = sinks + recent - less;
                EXPECT_TRUE(breaks(config, "BUD-MIN")) << *config.kv.budget;
            }
            config.kv.budget = sinks + recent + 1;
            EXPECT_TRUE(violations(config).empty()) << sinks << " and " << recent;
        }
}

TEST(DefectList, D12_06_twoLimitsOfOneMemory_areRefusedTogether) {
    EngineConfig both = evicting(256);
    both.kv.window = 512;
    EXPECT_TRUE(breaks(both, "EX-BUDGET-WINDOW"));
    EngineConfig merged;
    merged.kv.method = CompactionMethod::AttentionMatching;
    merged.kv.window = 512;
    EXPECT_TRUE(breaks(merged, "EX-AM-WINDOW"));
    both.kv.budget.reset();
    both.kv.method = CompactionMethod::None;
    EXPECT_TRUE(violations(both).empty()) << "each alone is fine";
}

TEST(DefectList, D12_08_anyInputText_isAcceptedOrRefusedWithAMessage) {
    const std::vector<std::string> written{
        "",    "-1",   "0",     "1",    "nan",  "inf",  "-inf", "1e999", "4x",
        "abc", " 5",   "5 ",    "0x10", "--3",  "1,,2", ",",    "off",   "99999999999999999999",
        "-0",  "1e-9", "on=on", "1.5",  "null", "true", "\xff", "\n",    "2147483648"};
    int refused = 0;
    int accepted = 0;
    for (const SettingSpec& spec : settingSpecs())
        for (const std::string& text : written) {
            const std::vector<std::string> assignment{std::string(spec.key) + "=" + text};
            const auto config = withSettings(EngineConfig{}, assignment);
            const auto found = config ? violations(*config) : config.error();
            found.empty() ? ++accepted : ++refused;
            for (const RuleViolation& one : found) {
                EXPECT_FALSE(one.rule.empty()) << assignment[0];
                EXPECT_FALSE(one.field.empty()) << assignment[0];
                EXPECT_EQ(one.sentence.back(), '.') << assignment[0];
            }
        }
    EXPECT_GT(refused, 200);
    EXPECT_GT(accepted, 20);
}

TEST(DefectList, D12_08_valuesOutsideAnySetting_areRefused) {
    constexpr int kMinValue = std::numeric_limits<int>::min();
    constexpr int kMaxValue = std::numeric_limits<int>::max();
    for (const int wild : {kMinValue, -1, kMaxValue}) {
        EngineConfig config = evicting(wild);
        EXPECT_FALSE(violations(config).empty()) << wild;
        config = evicting(256);
        config.kv.keepRecent = wild;
        EXPECT_FALSE(violations(config).empty()) << wild;
        config = evicting(256);
        config.kv.nSink = wild;
        EXPECT_FALSE(violations(config).empty()) << wild;
        config = evicting(256);
        config.kv.margin = wild;
        EXPECT_FALSE(violations(config).empty()) << wild;
    }
    EngineConfig config;
    config.kv.method = CompactionMethod::AttentionMatching;
    for (const double wild : {std::numeric_limits<double>::quiet_NaN(), 0.0, -4.0, 1e300}) {
        config.kv.amRatio = wild;
        EXPECT_TRUE(breaks(config, "AM-RANGE")) << wild;
    }
}

TEST(DefectList, D12_19_budgetHelp_statesThatTheCacheMayExceedItByTheMargin) {
    EXPECT_NE(findSetting("budget")->help.find("pass it by the margin"), std::string_view::npos);
    EXPECT_NE(findSetting("margin")->help.find("above the target"), std::string_view::npos);
    EXPECT_NE(findSetting("prefill_policy")->help.find("memory stays bounded"),
              std::string_view::npos);
}

}  // namespace
}  // namespace lacuna
