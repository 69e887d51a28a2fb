// Setting values in their own types: conversions from slider, text and JSON, and the facts of a
// setting besides its range.

#include "engine/settings/setting_value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/settings/choice_names.h"
#include "engine/settings/compaction_reach.h"
#include "engine/settings/setting_spec.h"

namespace lacuna {
namespace {

const SettingSpec& spec(std::string_view key) {
    return *findSetting(key);
}

/// Returns a value of the setting's type that is not its default.
SettingValue other(const SettingSpec& spec) {
    switch (spec.field.kind) {
        case SettingKind::Real:
            return 1.1;
        case SettingKind::Integer:
            return 37;
        case SettingKind::OptionalInteger:
            return spec.field.wide ? SettingValue(std::numeric_limits<std::uint64_t>::max())
                                   : SettingValue(37);
        case SettingKind::Choice: {
            const auto now = std::get<SettingChoice>(settingOf(EngineConfig{}, spec)).place;
            return SettingChoice{now == 0 ? std::size_t{1} : 0};
        }
        case SettingKind::IntegerList:
            return std::vector<int>{0, 3};
    }
    return SettingOff{};
}

TEST(SettingValues, everySetting_roundTripsThroughFieldTextAndJson) {
    for (const SettingSpec& one : settingSpecs()) {
        for (const SettingValue& value : {settingOf(EngineConfig{}, one), other(one)}) {
            ASSERT_TRUE(fits(one, value)) << one.key;
            EngineConfig config;
            setSetting(config, one, value);
            EXPECT_EQ(settingOf(config, one), value) << one.key;
            EXPECT_EQ(settingFromText(one, settingText(one, value)), value) << one.key;
            EXPECT_EQ(settingFromJson(one, settingJson(one, value)), value) << one.key;
        }
    }
}

TEST(SettingValues, reals_roundTripBitForBit) {
    for (const double value : {0.1, 1.0 / 3, 2.0000000000000004, 1e-7, 4.0}) {
        const std::string text = settingText(spec("am_ratio"), value);
        EXPECT_EQ(settingFromText(spec("am_ratio"), text), SettingValue(value)) << text;
    }
    EXPECT_EQ(settingText(spec("am_ratio"), std::nan("")), "nan");
}

TEST(SettingValues, valueOfAnotherType_isRejected) {
    EXPECT_FALSE(fits(spec("am_ratio"), 4));
    EXPECT_FALSE(fits(spec("keep_recent"), SettingOff{}));
    EXPECT_FALSE(fits(spec("budget"), std::uint64_t{512}));
    EXPECT_FALSE(fits(spec("seed"), 512));
    EXPECT_FALSE(fits(spec("method"), SettingChoice{3}));
    EXPECT_TRUE(fits(spec("budget"), SettingOff{}));
}

TEST(SettingNumber, sliderPosition_givesAValidValue) {
    EXPECT_EQ(settingNumber(spec("temperature"), 0 + 3 * 0.1), SettingValue(0.3));
    EXPECT_EQ(settingNumber(spec("keep_recent"), 31.7), SettingValue(32));
    EXPECT_EQ(settingNumber(spec("budget"), 512.0), SettingValue(512));
    EXPECT_EQ(settingNumber(spec("budget"), 0.0), SettingValue(SettingOff{}));
    EXPECT_EQ(settingNumber(spec("keep_recent"), 1e12),
              SettingValue(std::numeric_limits<int>::max()));
    EXPECT_EQ(settingNumber(spec("seed"), 1e30),
              SettingValue(std::numeric_limits<std::uint64_t>::max()));
    EXPECT_TRUE(std::isnan(std::get<double>(settingNumber(spec("am_ratio"), std::nan("")))));
    for (const SettingSpec& one : settingSpecs()) {
        if (one.field.kind == SettingKind::Choice || one.field.kind == SettingKind::IntegerList)
            continue;
        EXPECT_TRUE(fits(one, settingNumber(one, 7.5))) << one.key;
    }
}

TEST(ChoiceNames, everyEnumeration_namesAllEnumeratorsOnce) {
    EXPECT_EQ(choiceName(CompactionMethod::AttentionMatching), "am");
    EXPECT_EQ(choiceName(EvictionPolicy::Auto), "auto");
    EXPECT_EQ(choiceName(LayerCoherence::CrossLayer), "cross_layer");
    EXPECT_EQ(choiceName(HeadBudgets::Questions), "questions");
    EXPECT_EQ(choiceName(QuerySource::Random), "random");
    EXPECT_EQ(choiceName(CompactWhen::TurnLate), "turn_late");
    EXPECT_EQ(choiceName(PrefillPolicy::PerChunk), "per_chunk");
    EXPECT_EQ(choiceName(LayerCaches::Uniform), "uniform");
    EXPECT_EQ(choiceName(StepPasses::Apart), "apart");
}

TEST(ImpliedMethod, ratioOrBudget_impliesAMethod_onlyIfNoneIsChosen) {
    EngineConfig config;
    EXPECT_EQ(impliedMethod(spec("am_ratio"), config, 2.0), CompactionMethod::AttentionMatching);
    EXPECT_EQ(impliedMethod(spec("budget"), config, 64), CompactionMethod::Eviction);
    EXPECT_EQ(impliedMethod(spec("budget"), config, SettingOff{}), std::nullopt);
    EXPECT_EQ(impliedMethod(spec("margin"), config, 64), std::nullopt);
    config.kv.method = CompactionMethod::Eviction;
    EXPECT_EQ(impliedMethod(spec("am_ratio"), config, 2.0), std::nullopt);
}

TEST(ImpliedBudget, eviction_impliesAValidBudget_andKeepsASetOne) {
    const auto with = [](std::vector<std::string> assignments) {
        return withSettings({}, assignments).value().kv.budget;
    };
    EXPECT_EQ(with({"method=l2"}), kImpliedBudget);
    EXPECT_EQ(with({"method=l2", "budget=64"}), 64);
    EXPECT_EQ(with({"method=l2", "budget=off"}), std::nullopt) << "which the rules then refuse";
    EXPECT_EQ(with({"method=l2", "keep_recent=2000"}), 4 + 2000 + 1);
    EXPECT_EQ(with({"method=l2", "context=512"}), 512);
    EXPECT_EQ(with({"method=l2", "cache_limit=100"}), std::nullopt) << "it follows from the limit";
    EXPECT_EQ(with({"method=am"}), std::nullopt);
    EXPECT_EQ(with({"method=none"}), std::nullopt);
}

TEST(EffectiveMaximum, slotsAndTokens_areLimitedByTheContext) {
    EngineConfig config;
    ModelFacts model;
    model.context = 2048;
    for (const char* key : {"budget", "keep_recent"}) {
        config.context = 0;
        EXPECT_EQ(effectiveMaximum(spec(key), config, nullptr), 4096) << key;
        EXPECT_EQ(effectiveMaximum(spec(key), config, &model), 2048) << key;
        config.context = 512;
        EXPECT_EQ(effectiveMaximum(spec(key), config, &model), 512) << key;
    }
    EXPECT_EQ(effectiveMaximum(spec("context"), config, nullptr), spec("context").maximum);
    EXPECT_EQ(effectiveMaximum(spec("context"), config, &model), 2048);
    EXPECT_EQ(effectiveMaximum(spec("top_k"), config, &model), spec("top_k").maximum);
}

TEST(MeaningNow, meaning_explainsTheValue) {
    EngineConfig config;
    ModelFacts model;
    model.architecture = "llama";
    EXPECT_EQ(resolvedMeaning(spec("cache_limit"), config, nullptr), "no limit");
    EXPECT_EQ(resolvedMeaning(spec("norm_policy"), config, nullptr), "");
    EXPECT_EQ(resolvedMeaning(spec("norm_policy"), config, &model), automaticPolicy(model));
    config.cacheLimitMiB = 64;
    config.kv.evictionPolicy = EvictionPolicy::Random;
    EXPECT_EQ(resolvedMeaning(spec("cache_limit"), config, nullptr), "");
    EXPECT_EQ(resolvedMeaning(spec("norm_policy"), config, &model), "");
    EXPECT_EQ(resolvedMeaning(spec("top_k"), config, &model), "");
}

TEST(SettingPlacements, firstPlacement_hasTheSixMainSettings_inTableOrder) {
    std::vector<std::string_view> first;
    for (const SettingSpec& one : settingSpecs())
        if (one.place == SettingPlacement::First) first.push_back(one.key);
    EXPECT_EQ(first, (std::vector<std::string_view>{"method", "am_ratio", "budget", "keep_recent",
                                                    "n_sink", "norm_policy"}));
}

TEST(SettingValue, formerChoiceName_isAccepted_andReported) {
    const SettingSpec& spec = *findSetting("head_budgets");
    EngineConfig config;
    EXPECT_FALSE(changeSetting(config, "head_budgets", "profile"));
    EXPECT_EQ(config.kv.headBudgets, HeadBudgets::Questions);
    config = {};
    EXPECT_FALSE(changeSettingValue(config, "head_budgets", "profile"));
    EXPECT_EQ(config.kv.headBudgets, HeadBudgets::Questions);
    EXPECT_EQ(settingValueText(config, "head_budgets"), "questions");
    EXPECT_NE(formerNameNote(spec, "profile").find("questions"), std::string::npos);
    EXPECT_EQ(formerNameNote(spec, "task_free"), "");
    EXPECT_EQ(formerNameNote(spec, "profiles"), "");
}

}  // namespace
}  // namespace lacuna
