// Presets of the cache: their settings, their measurements, and refusal by a model.

#include "engine/session/cache_presets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "engine/kv/layer_bits.h"
#include "engine/quality/format_table.h"
#include "engine/settings/config_check.h"
#include "engine/settings/setting_spec.h"

namespace lacuna {
namespace {

struct Subject {
    ModelFacts facts;
    HeadProfiles none;
    MachineFacts machine;

    explicit Subject(int headDim = 64) {
        facts.name = "small";
        facts.layers = facts.heads = facts.kvHeads = 2;
        facts.headDim = headDim;
        facts.context = 4096;
    }
    [[nodiscard]] TableModel model() const { return {facts, none}; }
    [[nodiscard]] std::vector<CachePreset> presets(const QualityTable* table) const {
        return cachePresets(model(), machine, table, kMaxFormatKl);
    }
};

TableRow measured(const char* name, double klMean, double ratio = 1) {
    TableRow row;
    row.method = name;
    row.ratio = ratio;
    row.items = 4;
    row.positions = 100;
    row.klMean = klMean;
    return row;
}

TEST(CachePresets, presets_areValid_andResetSettingsOfOtherPresets) {
    const Subject subject;
    const auto presets = subject.presets(nullptr);
    std::vector<std::string> keys;
    for (const CachePreset& preset : presets) {
        keys.emplace_back(preset.key);
        EXPECT_EQ(preset.refused, "") << preset.key;
        EXPECT_FALSE(preset.measured) << preset.key;
        for (const CachePreset& before : presets) {
            EngineConfig config;
            for (const CachePreset* one : {&before, &preset})
                for (const auto& [key, value] : one->settings)
                    ASSERT_FALSE(changeSetting(config, key, value)) << key << '=' << value;
            EXPECT_TRUE(check(config, &subject.facts, subject.machine))
                << before.key << " then " << preset.key;
            EXPECT_EQ(formatOf(config), preset.format);
            EXPECT_EQ(config.kv.method != CompactionMethod::None,
                      preset.key == "long_chat" || preset.key == "compact");
            EXPECT_EQ(config.kv.budget.has_value(), preset.key == "long_chat");
        }
    }
    EXPECT_EQ(keys,
              (std::vector<std::string>{"exact", "safe", "balanced", "long_chat", "compact"}));
    const std::string page = cachePresetsMarkdown(presets);
    EXPECT_EQ(std::ranges::count(page, '\n'), 7);
    EXPECT_NE(page.find("| Safe | t8/t4 | not measured |"), std::string::npos) << page;
}

TEST(CachePresets, measuredFormats_areFound_andChooseTheFormat) {
    const Subject subject;
    QualityTable table;
    table.size = TableSize::Formats;
    table.full = measured("full cache", 0);
    table.rows = {measured("t8/t4", 0.002),      measured("t8/t4 l2", 0.1, 2),
                  measured("t8/t4 am", 0.03, 4), measured("t6/t4", 0.003),
                  measured("t5/t4", 0.004),      measured("t8", 0.0001)};
    const auto format = [&](const char* key) {
        const auto presets = subject.presets(&table);
        return *std::ranges::find(presets, key, &CachePreset::key);
    };
    EXPECT_EQ(format("exact").measured->klMean, 0);
    EXPECT_EQ(format("safe").measured->method, "t8/t4");
    EXPECT_EQ(format("balanced").format, "t5/t4") << "the smaller one passes";
    EXPECT_EQ(format("long_chat").measured->klMean, 0.1);
    EXPECT_EQ(format("compact").measured->klMean, 0.03);
    table.rows[4].klMean = 0.006;
    EXPECT_EQ(format("balanced").format, "t6/t4");
    EXPECT_EQ(format("balanced").settings[0],
              (std::pair<std::string, std::string>{"kv_type", "t6"}));
    table.rows[0].klMean = 0.02;
    EXPECT_EQ(format("safe").format, "t8") << "values of 4 bits do not pass here";
    EXPECT_EQ(format("safe").measured->klMean, 0.0001);
    EXPECT_EQ(format("long_chat").format, "t8/t4") << "measured so";
    const std::string page = cachePresetsMarkdown(subject.presets(&table));
    EXPECT_NE(page.find("| Safe | t8 |"), std::string::npos) << page;
}

// A preset can use extra bits only if the predicted error by layer was measured for the model.
TEST(CachePresets, layerLossesMeasured_givesBalancedAndLongChatExtraBits) {
    Subject subject;
    QualityTable table;
    table.size = TableSize::Formats;
    table.full = measured("full cache", 0);
    table.rows = {measured("t8/t4", 0.002), measured("t8/t4 l2", 0.1, 2), measured("t5/t4", 0.004),
                  measured("t4 +0.25", 0.0045), measured("t4 +0.25 l2", 0.11, 2)};
    const auto preset = [&](const char* key) {
        const auto presets = subject.presets(&table);
        return *std::ranges::find(presets, key, &CachePreset::key);
    };
    EXPECT_EQ(preset("balanced").format, "t5/t4") << "it was not measured of this model";
    EXPECT_EQ(preset("long_chat").format, "t8/t4");
    EXPECT_FALSE(
        formatSettings(std::vector<std::string>{"t4 +0.25"}, subject.model(), subject.machine));
    subject.facts.layerLoss =
        std::make_shared<LayerLoss>(LayerLoss{.keys = {0.02, 0.001}, .values = {0.001, 0.001}});
    EXPECT_EQ(preset("balanced").format, "t4 +0.25");
    EXPECT_EQ(preset("balanced").measured->klMean, 0.0045);
    EXPECT_EQ(preset("long_chat").format, "t4 +0.25");
    EXPECT_EQ(preset("long_chat").measured->klMean, 0.11);
    EXPECT_EQ(preset("safe").format, "t8/t4");
    EngineConfig config;
    for (const auto& [key, value] : preset("long_chat").settings)
        ASSERT_FALSE(changeSetting(config, key, value)) << key << '=' << value;
    EXPECT_TRUE(check(config, &subject.facts, subject.machine));
    EXPECT_EQ(config.kv.extraBits, 0.25);
    EXPECT_EQ(formatOf(config), "t4 +0.25");
    for (const auto& [key, value] : preset("safe").settings)
        ASSERT_FALSE(changeSetting(config, key, value)) << key << '=' << value;
    EXPECT_EQ(config.kv.extraBits, 0) << "nothing of the other preset stays";
    table.rows[3].klMean = 0.006;
    EXPECT_EQ(preset("balanced").format, "t5/t4") << "it does not pass";
    EXPECT_EQ(preset("long_chat").format, "t8/t4");
    const auto settings = formatSettings({}, subject.model(), subject.machine);
    ASSERT_TRUE(settings) << describe(settings.error());
    const auto extra = std::ranges::find_if(
        *settings, [](const TableSetting& one) { return one.grid.method == "t4 +0.25 l2"; });
    ASSERT_NE(extra, settings->end());
    EXPECT_EQ(extra->grid.setting.kv.extraBits, 0.25);
    EXPECT_EQ(extra->grid.setting.budgetShare, 0.5);
    EXPECT_EQ(extra->grid.refused, "");
}

TEST(CachePresets, headSizeWithoutRotation_isRefusedWithTheReason) {
    const Subject subject(24);
    for (const CachePreset& preset : subject.presets(nullptr)) {
        EXPECT_EQ(preset.refused.empty(), preset.key == "exact") << preset.key;
        const bool named = preset.refused.find("24 dimensions") != std::string::npos;
        EXPECT_EQ(named, preset.key != "exact") << preset.refused;
    }
    const auto settings = formatSettings({}, subject.model(), subject.machine);
    ASSERT_TRUE(settings);
    for (const TableSetting& one : *settings) EXPECT_FALSE(one.grid.refused.empty());
}

TEST(FormatSettings, everyFormat_hasAValidSetting_withQuantisedRows) {
    const Subject subject;
    const auto settings = formatSettings({}, subject.model(), subject.machine);
    ASSERT_TRUE(settings) << describe(settings.error());
    int evicting = 0;
    for (const TableSetting& one : *settings) {
        EXPECT_EQ(one.grid.refused, "") << one.grid.method;
        EXPECT_FALSE(one.grid.setting.kv.quant.plain()) << one.grid.method;
        EXPECT_EQ(one.ratio > 1, one.grid.setting.kv.method != CompactionMethod::None);
        evicting += one.ratio > 1 ? 1 : 0;
    }
    EXPECT_EQ(evicting, 2) << "one evicts, one merges";
    const std::vector<std::string> some{"t8/t4 l2", "t3"};
    const auto chosen = formatSettings(some, subject.model(), subject.machine);
    ASSERT_TRUE(chosen);
    ASSERT_EQ(chosen->size(), 2U);
    EXPECT_EQ(chosen->front().grid.setting.budgetShare, 0.5);
    EXPECT_EQ(chosen->back().grid.settings, "kv_type=t3");
    const std::vector<std::string> unknown{"t9"};
    EXPECT_EQ(formatSettings(unknown, subject.model(), subject.machine).error().code,
              ErrorCode::InvalidArgument);
}

}  // namespace
}  // namespace lacuna
