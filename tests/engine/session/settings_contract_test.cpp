// Rows S1 of the cache contract about settings: they do what their documentation states, every
// interface offers the same ones, and bad values are named before a model is loaded.

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/compress/driver/compaction_trigger.h"
#include "engine/kv/eviction/eviction_plan.h"
#include "engine/kv/slot/slot_cache.h"
#include "engine/settings/config_check.h"
#include "engine/settings/config_json.h"
#include "engine/settings/exclusions.h"
#include "engine/settings/setting_spec.h"
#include "tests/support/compaction_notes.h"
#include "tests/support/engine_runner.h"

namespace lacuna {
namespace {

using test::EngineRunner;

bool says(std::string_view text, std::string_view words) {
    return text.find(words) != std::string_view::npos;
}

/// Returns the slots kept by a value of norm_policy: three of six keys of increasing length.
std::vector<std::int32_t> keptBy(std::string_view policy) {
    EngineConfig config;
    EXPECT_FALSE(changeSetting(config, "norm_policy", policy));
    auto cache = makeSlotCache({.layers = 1, .kvHeads = 1, .keyDim = 1, .valueDim = 1}).value();
    const std::vector<float> rows{1, 2, 3, 4, 5, 6};
    EXPECT_TRUE(cache->beginAppend(6));
    cache->writeLayer(LayerIndex(0), {rows.data(), {6, 1, 1}}, {rows.data(), {6, 1, 1}});
    cache->commitAppend();
    EvictionOptions options;
    options.rule = {.budget = 3, .keepRecent = 0, .nSink = 0};
    options.policy = config.kv.evictionPolicy;
    ThreadPool pool(1);
    return planEviction(*cache, options, pool).value().plan.heads[0].keep.list();
}

TEST(SettingsContract, S1_08_policyNamesAndHelp_stateWhichTokensAreKept) {
    const SettingSpec& spec = *findSetting("norm_policy");
    EXPECT_EQ(keptBy("keep_low"), (std::vector<std::int32_t>{0, 1, 2}));
    EXPECT_EQ(keptBy("keep_high"), (std::vector<std::int32_t>{3, 4, 5}));
    EXPECT_EQ(keptBy("recent_only"), (std::vector<std::int32_t>{3, 4, 5}));
    const std::size_t low = spec.help.find("keeps: low norms");
    EXPECT_NE(low, std::string_view::npos) << spec.help;
    EXPECT_LT(low, spec.help.find("high norms"));
    EXPECT_TRUE(says(spec.help, "KeyDiff"));
    EXPECT_EQ(
        std::ranges::count(spec.field.choices, settingValueText(EngineConfig{}, "norm_policy")), 1);
}

TEST(SettingsContract, S1_18_marginHelp_statesTheEffectiveDefault) {
    const std::string_view help = findSetting("margin")->help;
    for (const char* words : {"an eighth of the target", "between 16 and 256"})
        EXPECT_TRUE(says(help, words)) << help;
    const auto margin = [](int budget) {
        KvOptions options;
        options.method = CompactionMethod::Eviction;
        options.compactionFloor = 0;
        options.lossLimit.level = LossLimit::Level::Off;
        options.budget = budget;
        return compactionLimits(options, 1 << 20)->trigger - budget;
    };
    EXPECT_EQ(margin(1024), 1024 / 8);
    EXPECT_EQ(margin(40), 16);
    EXPECT_EQ(margin(100'000), 256);
}

TEST(SettingsContract, S1_32_impossibleBudgets_areReportedOneByOneWithoutAModel) {
    struct Case {
        std::vector<std::string> settings;
        const char* field;
    };
    const std::vector<Case> cases{{{"budget=0"}, "budget"},
                                  {{"budget=-1"}, "budget"},
                                  {{"budget=10", "keep_recent=-1"}, "keep_recent"},
                                  {{"budget=10", "keep_recent=2", "n_sink=-1"}, "n_sink"},
                                  {{"budget=6", "keep_recent=2", "n_sink=4"}, "budget"}};
    for (const Case& one : cases) {
        const auto config = withSettings(EngineConfig{}, one.settings);
        ASSERT_TRUE(config) << one.settings.back();
        const auto checked = check(*config, nullptr, MachineFacts{});
        ASSERT_FALSE(checked) << one.settings.back();
        ASSERT_EQ(checked.error().size(), 1U) << one.settings.back();
        EXPECT_EQ(checked.error()[0].field, one.field);
    }
}

/// Returns a value other than the setting's default, as text.
std::string otherValue(const SettingSpec& spec) {
    switch (spec.field.kind) {
        case SettingKind::Choice: {
            const std::string standard = settingValueText(EngineConfig{}, spec.key);
            const auto other = std::ranges::find_if(
                spec.field.choices, [&](std::string_view choice) { return choice != standard; });
            return std::string(*other);
        }
        case SettingKind::IntegerList:
            return "0,1";
        case SettingKind::Real:
            return "1.5";
        case SettingKind::Integer:
        case SettingKind::OptionalInteger:
            return "37";
    }
    return {};
}

// Command line and window set text; reports and the server use JSON. One table serves all of them.
TEST(SettingsContract, S1_57_S1_59_everySetting_isReachableFromEveryInterface) {
    for (const char* key : {"budget", "keep_recent", "n_sink", "margin", "norm_policy"})
        EXPECT_NE(findSetting(key), nullptr) << key;
    for (const SettingSpec& spec : settingSpecs()) {
        EngineConfig asText;
        ASSERT_FALSE(changeSetting(asText, spec.key, otherValue(spec))) << spec.key;
        EXPECT_FALSE(asText == EngineConfig{}) << spec.key;
        EngineConfig asValue;
        ASSERT_FALSE(changeSettingValue(asValue, spec.key, settingValueFrom(asText, spec.key)))
            << spec.key;
        EXPECT_EQ(asValue, asText) << spec.key;
        const auto read = configFromJson(Json::parse(configToJson(asText).dump()));
        ASSERT_TRUE(read) << spec.key;
        EXPECT_EQ(read->config, asText) << spec.key;
        EXPECT_TRUE(read->unknownFields.empty() && read->missing.empty()) << spec.key;
    }
}

TEST(SettingsContract, S1_61_settingHelp_namesExcludedSettings) {
    int pairs = 0;
    for (const Exclusion& exclusion : exclusionTable()) {
        const SettingSpec* const first = findSetting(exclusion.first);
        const SettingSpec* const second = findSetting(exclusion.second);
        if (first == nullptr || second == nullptr) continue;
        ++pairs;
        EXPECT_TRUE(says(first->help, second->key) || says(second->help, first->key))
            << exclusion.id << ": " << second->help;
    }
    EXPECT_GE(pairs, 3);
}

TEST(SettingsContract, S1_50_compactions_arePublishedBetweenTokens_withTheirCost) {
    EngineConfig config;
    config.maxTokens = 80;
    config.sampling.temperature = 0;
    const auto set =
        withSettings(config, std::vector<std::string>{"budget=32", "norm_policy=keydiff",
                                                      "keep_recent=8", "n_sink=2", "margin=8",
                                                      "compaction_floor=0", "loss_limit=off"});
    ASSERT_TRUE(set);
    EngineRunner run(*set);
    run.start();
    ASSERT_TRUE(run.load());
    run.submit(1, "hello");
    ASSERT_TRUE(run.waitFor<TurnFinished>());
    run.finish();
    int compactions = 0;
    std::optional<SafePoint> newest;  // of the previous compaction
    bool tokenSince = true;
    for (const Event& event : run.events()) {
        if (std::holds_alternative<TokenText>(event)) tokenSince = true;
        const auto* happened = std::get_if<CompactionHappened>(&event);
        if (happened == nullptr) continue;
        ++compactions;
        EXPECT_EQ(happened->report.result, CompactionResult::Done) << happened->report.notes;
        EXPECT_TRUE(tokenSince) << "the token of the step is told before its compaction";
        EXPECT_TRUE(!newest || *newest < happened->at) << "one at most between two steps";
        EXPECT_GT(happened->report.totalMs, 0);
        EXPECT_GE(happened->report.stallMs, happened->report.totalMs);
        newest = happened->at;
        tokenSince = false;
    }
    EXPECT_GT(compactions, 2);
    EXPECT_EQ(run.all<TurnFinished>()[0].stats.generatedTokens, 80);
}

}  // namespace
}  // namespace lacuna
