#include "engine/settings/setting_spec.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <type_traits>
#include <vector>

#include "engine/base/string_format.h"
#include "engine/settings/config_check.h"

namespace lacuna {
namespace {

/// Changes the field to another value.
void alter(bool& field) {
    field = !field;
}
void alter(int& field) {
    ++field;
}
void alter(double& field) {
    field += 0.5;
}
void alter(std::vector<int>& field) {
    field.push_back(3);
}
void alter(KvQuant& field) {
    field = {8, 32};
}
void alter(LossLimit& field) {
    field = {.level = LossLimit::Level::Share, .share = 0.5};
}
template <class T>
void alter(std::optional<T>& field) {
    if constexpr (std::is_same_v<T, KvRowType>)
        field = KvRowType{DType::F16, {4, 32}};
    else
        field = T{7};
}
template <class T>
requires std::is_enum_v<T>
void alter(T& field) {
    // Every enumeration here has the values 0 and 1.
    field = static_cast<T>(static_cast<int>(field) == 0 ? 1 : 0);
}

/// Visits every field of the configuration. The structured bindings name them all, so a new field
/// does not compile until it is added here.
template <class Visit>
void eachField(const Visit& visit) {
    const auto fields = [&](auto&& pick) {
        EngineConfig config;
        std::size_t count = 0;
        pick(config, [&](const char* name, auto& field) {
            static_cast<void>(field);
            static_cast<void>(name);
            ++count;
        });
        for (std::size_t wanted = 0; wanted < count; ++wanted) {
            EngineConfig changed;
            std::size_t at = 0;
            const char* which = "";
            pick(changed, [&](const char* name, auto& field) {
                if (at++ != wanted) return;
                alter(field);
                which = name;
            });
            visit(which, changed);
        }
    };
    fields([](EngineConfig& c, auto&& see) {
        auto& [method, budget, amRatio, keepRecent, nSink, compactionFloor, lossLimit, margin,
               evictionPolicy, coherence, evictionBudgets, scoreSource, demoteStructure,
               headBudgets, pinPercent, querySource, compactWhen, background, skipLayers, type,
               quant, values, exactWindow, rotation, extraBits, window, layerCaches, stateMemoryMiB,
               stateType] = c.kv;
        see("kv.method", method);
        see("kv.budget", budget);
        see("kv.amRatio", amRatio);
        see("kv.keepRecent", keepRecent);
        see("kv.nSink", nSink);
        see("kv.compactionFloor", compactionFloor);
        see("kv.lossLimit", lossLimit);
        see("kv.margin", margin);
        see("kv.evictionPolicy", evictionPolicy);
        see("kv.coherence", coherence);
        see("kv.evictionBudgets", evictionBudgets);
        see("kv.scoreSource", scoreSource);
        see("kv.demoteStructure", demoteStructure);
        see("kv.headBudgets", headBudgets);
        see("kv.pinPercent", pinPercent);
        see("kv.querySource", querySource);
        see("kv.compactWhen", compactWhen);
        see("kv.background", background);
        see("kv.skipLayers", skipLayers);
        see("kv.type", type);
        see("kv.quant", quant);
        see("kv.values", values);
        see("kv.exactWindow", exactWindow);
        see("kv.rotation", rotation);
        see("kv.extraBits", extraBits);
        see("kv.window", window);
        see("kv.layerCaches", layerCaches);
        see("kv.stateMemoryMiB", stateMemoryMiB);
        see("kv.stateType", stateType);
    });
    fields([](EngineConfig& c, auto&& see) {
        auto& [temperature, topK, topP, minP, repeatPenalty, repeatLastN, presence, frequency,
               seed] = c.sampling;
        see("sampling.temperature", temperature);
        see("sampling.topK", topK);
        see("sampling.topP", topP);
        see("sampling.minP", minP);
        see("sampling.repeatPenalty", repeatPenalty);
        see("sampling.repeatLastN", repeatLastN);
        see("sampling.presencePenalty", presence);
        see("sampling.frequencyPenalty", frequency);
        see("sampling.seed", seed);
    });
    fields([](EngineConfig& c, auto&& see) {
        auto& [kv, sampling, prefillPolicy, precision, threads, context, contextShift, prefillChunk,
               parallel, passes, draftTokens, draftSource, qualityEvery, cacheLimitMiB,
               prefixCacheMiB, prefixDiskMiB, bringBack, maxTokens] = c;
        static_cast<void>(kv);
        static_cast<void>(sampling);
        see("prefillPolicy", prefillPolicy);
        see("precision", precision);
        see("threads", threads);
        see("context", context);
        see("contextShift", contextShift);
        see("prefillChunk", prefillChunk);
        see("parallel", parallel);
        see("passes", passes);
        see("draftTokens", draftTokens);
        see("draftSource", draftSource);
        see("qualityEvery", qualityEvery);
        see("cacheLimitMiB", cacheLimitMiB);
        see("prefixCacheMiB", prefixCacheMiB);
        see("prefixDiskMiB", prefixDiskMiB);
        see("bringBack", bringBack);
        see("maxTokens", maxTokens);
    });
}

TEST(SettingSpecs, everyConfigurationField_hasOneKey_andEveryKeyAField) {
    std::set<std::string_view> reached;
    eachField([&](const char* field, const EngineConfig& changed) {
        ASSERT_NE(changed, EngineConfig{}) << field << " was not altered";
        std::vector<std::string_view> keys;
        for (const SettingSpec& spec : settingSpecs())
            if (settingValueFrom(changed, spec.key) != settingValueFrom({}, spec.key))
                keys.push_back(spec.key);
        EXPECT_EQ(keys.size(), 1U)
            << field << " is shown by " << format("{}", fmt::join(keys, ", "));
        reached.insert(keys.begin(), keys.end());
    });
    for (const SettingSpec& spec : settingSpecs())
        EXPECT_TRUE(reached.contains(spec.key)) << spec.key << " stands for no field";
}

TEST(SettingSpecs, keysAndTexts_areUniqueAndComplete) {
    std::set<std::string_view> keys;
    for (const SettingSpec& spec : settingSpecs()) {
        EXPECT_TRUE(keys.insert(spec.key).second) << spec.key;
        EXPECT_FALSE(spec.label.empty()) << spec.key;
        EXPECT_FALSE(spec.ruleId.empty()) << spec.key;
        EXPECT_GT(spec.help.size(), 20U) << spec.key;
        EXPECT_FALSE(settingRange(spec).empty()) << spec.key;
        EXPECT_EQ(spec.field.kind == SettingKind::Choice, !spec.field.choices.empty()) << spec.key;
    }
    EXPECT_GE(keys.size(), 30U);
}

TEST(SettingSpecs, everyDefault_roundTripsThroughText) {
    for (const SettingSpec& spec : settingSpecs()) {
        EngineConfig config;
        const std::string text = settingValueText(config, spec.key);
        EXPECT_EQ(changeSetting(config, spec.key, text), std::nullopt) << spec.key << "=" << text;
        EXPECT_EQ(config, EngineConfig{}) << spec.key;
    }
}

TEST(SettingSpecs, everyChoice_roundTripsThroughTextAndValue) {
    for (const SettingSpec& spec : settingSpecs()) {
        for (const std::string_view choice : spec.field.choices) {
            EngineConfig config;
            ASSERT_EQ(changeSetting(config, spec.key, choice), std::nullopt)
                << spec.key << "=" << choice;
            EXPECT_EQ(settingValueText(config, spec.key), choice);
            EXPECT_EQ(settingValueFrom(config, spec.key), Json(std::string(choice)));
        }
    }
}

TEST(SettingSpecs, range_isWrittenInWords) {
    EXPECT_EQ(settingRange(*findSetting("am_ratio")), "1 to 50");
    EXPECT_EQ(settingRange(*findSetting("top_p")), "above 0, up to 1");
    EXPECT_EQ(settingRange(*findSetting("method")), "none, l2, am");
    EXPECT_EQ(settingRange(*findSetting("budget")), "off, or 1 to 1048576");
}

TEST(SettingValueText, valuesOfEachKind_areFormattedAsTyped) {
    EngineConfig config;
    config.kv.amRatio = 2.5;
    config.kv.skipLayers = {0, 1};
    config.sampling.seed = 18446744073709551615ULL;
    EXPECT_EQ(settingValueText(config, "am_ratio"), "2.5");
    EXPECT_EQ(settingValueText(config, "budget"), "off");
    EXPECT_EQ(settingValueText(config, "skip_layers"), "0,1");
    EXPECT_EQ(settingValueText(config, "seed"), "18446744073709551615");
    EXPECT_EQ(settingValueText(config, "norm_policy"), "auto");
    config.kv.evictionPolicy = EvictionPolicy::H2O;
    EXPECT_EQ(settingValueText(config, "norm_policy"), "accumulated_attention");
    EXPECT_EQ(settingValueText(config, "kv_type"), "f16");
    EXPECT_EQ(settingValueText(config, "v_type"), "same");
    config.kv.values = KvRowType{DType::F16, {4, 32}};
    EXPECT_EQ(settingValueText(config, "v_type"), "q4_0");
    config.kv.quant = {5, 0};
    EXPECT_EQ(settingValueText(config, "kv_type"), "t5");
}

}  // namespace
}  // namespace lacuna
