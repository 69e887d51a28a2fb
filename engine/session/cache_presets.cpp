#include "engine/session/cache_presets.h"

#include <algorithm>
#include <array>

#include "engine/base/string_format.h"
#include "engine/kv/kv_factory.h"
#include "engine/settings/config_check.h"
#include "engine/settings/setting_spec.h"

namespace lacuna {
namespace {

using Assignments = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view kExactFormat = "f16";
constexpr std::string_view kExtraMark = " +";  ///< followed by extra_bits
constexpr std::string_view kSafeFormat = "t8/t4";
constexpr double kMatchingRatio = 4;
/// Compression of the text when an eviction is measured; the preset keeps the same fraction of the
/// context.
constexpr double kEvictionRatio = 2;

/// Formats that differ enough to predict the others, and the group codes next to them.
constexpr std::array<std::string_view, 10> kFormats{"t8/t4", "t6/t4", "t5/t4", "t4",   "t8",
                                                    "t3",    "t3/t2", "t2",    "q8_0", "q4_0"};

/// Tried if the model's error by layer was measured, which shows where extra bits save most.
/// Its 4.25 bits per number represent the 4.5 of t5/t4.
constexpr std::string_view kExtraFormat = "t4 +0.25";

/// Row of the table: a format and the compression by eviction or attention matching.
struct FormatRow {
    std::string name;
    std::string_view keysAndValues;
    CompactionMethod method = CompactionMethod::None;
    double ratio = 1;
};

std::vector<FormatRow> formatRows(const ModelFacts& facts) {
    std::vector<FormatRow> rows;
    for (const std::string_view one : kFormats) {
        rows.push_back({std::string(one), one});
        if (one != kSafeFormat) continue;
        rows.push_back({format("{} l2", one), one, CompactionMethod::Eviction, kEvictionRatio});
        rows.push_back(
            {format("{} am", one), one, CompactionMethod::AttentionMatching, kMatchingRatio});
    }
    if (facts.layerLoss == nullptr) return rows;
    rows.push_back({std::string(kExtraFormat), kExtraFormat});
    rows.push_back(
        {format("{} l2", kExtraFormat), kExtraFormat, CompactionMethod::Eviction, kEvictionRatio});
    return rows;
}

int slotsKept(const ModelFacts& facts) {
    return std::max(static_cast<int>(facts.context / kEvictionRatio), 1);
}

/// Returns all settings that a preset controls, so that switching presets leaves no setting of the
/// previous one.
Assignments assignmentsOf(std::string_view keysAndValues, CompactionMethod method,
                          const ModelFacts& facts) {
    Assignments set = formatAssignments(keysAndValues);
    switch (method) {
        case CompactionMethod::None:
            set.insert(set.end(), {{"method", "none"}, {"budget", "off"}});
            break;
        case CompactionMethod::Eviction:
            set.insert(set.end(), {{"method", "l2"}, {"budget", format("{}", slotsKept(facts))}});
            break;
        case CompactionMethod::AttentionMatching:
            set.insert(set.end(), {{"method", "am"},
                                   {"budget", "off"},
                                   {"am_ratio", format("{:g}", kMatchingRatio)}});
            break;
    }
    return set;
}

struct CheckedSettings {
    EngineConfig config;
    std::string refused;  ///< a sentence, or empty
};
CheckedSettings checkedSettings(const Assignments& set, const ModelFacts& facts,
                                const MachineFacts& machine) {
    std::vector<std::string> assignments;
    for (const auto& [key, value] : set) assignments.push_back(format("{}={}", key, value));
    const auto config = withSettings(EngineConfig{}, assignments);
    if (!config) return {{}, violationsError(config.error()).what};
    if (const auto valid = check(*config, &facts, machine); !valid)
        return {*config, violationsError(valid.error()).what};
    return {*config, {}};
}

TableSetting settingOf(const FormatRow& row, const TableModel& model, const MachineFacts& machine) {
    TableSetting made{.grid = {.method = row.name,
                               .asked = format("{:g}x", row.ratio),
                               .settings = {},
                               .setting = {}},
                      .ratio = row.ratio};
    CheckedSettings checked = checkedSettings(
        assignmentsOf(row.keysAndValues, row.method, model.facts), model.facts, machine);
    made.grid.refused = std::move(checked.refused);
    made.grid.setting.kv = checked.config.kv;
    made.grid.setting.kv.compactionFloor = 0;  // measured texts may be shorter
    made.grid.setting.kv.lossLimit.level = LossLimit::Level::Off;
    if (row.method == CompactionMethod::Eviction) {
        checked.config.kv.budget.reset();  // the ratio replaces the budget
        made.grid.setting.budgetShare = 1 / row.ratio;
    }
    if (made.grid.refused.empty()) made.grid.settings = settingsText(checked.config);
    return made;
}

/// Returns the smallest format that was measured and passes; the last one if none does. `formats`
/// is sorted by size.
std::string_view smallestPassing(std::span<const std::string_view> formats,
                                 const QualityTable& table, double maxKl) {
    for (const std::string_view one : formats) {
        const TableRow* row = measuredFormat(table, one);
        if (row != nullptr && row->positions > 0 && row->klMean < maxKl) return one;
    }
    return formats.back();
}

bool anyMeasured(std::span<const std::string_view> formats, const QualityTable* table) {
    return table != nullptr && std::ranges::any_of(formats, [table](std::string_view one) {
               const TableRow* row = measuredFormat(*table, one);
               return row != nullptr && row->positions > 0;
           });
}

constexpr std::array<std::string_view, 2> kSafeFormats{kSafeFormat, "t8"};
constexpr std::array<std::string_view, 3> kBalancedFormats{kExtraFormat, "t5/t4", "t6/t4"};
constexpr std::array<std::string_view, 2> kLongFormats{kExtraFormat, kSafeFormat};

struct PresetWords {
    std::string_view key, label, help;
    CompactionMethod method = CompactionMethod::None;
};
constexpr std::array<PresetWords, 5> kPresets{{
    {"exact", "Exact", "Every token in 16 bits: the reference for the others."},
    {"safe", "Safe",
     "Half of the memory or less at almost no loss: keys in 8 bits, values in 4. Values in 8 bits "
     "if 4 did not pass the measurement."},
    {"balanced", "Balanced",
     "Keys in 5 bits if they pass the measurement, otherwise 6, and values in 4. If extra bits "
     "were measured and pass: 4.25 bits on average."},
    {"long_chat", "Long chat",
     "Safe, or 4.25 bits where Balanced uses them; once half of the context is full, the least "
     "needed tokens are evicted.",
     CompactionMethod::Eviction},
    {"compact", "Compact",
     "Safe, and 4x smaller by attention matching; takes work in the background.",
     CompactionMethod::AttentionMatching},
}};

/// Drops the format with extra bits if the model does not support them.
std::span<const std::string_view> possible(std::span<const std::string_view> formats,
                                           const ModelFacts& facts) {
    return facts.layerLoss != nullptr ? formats : formats.subspan(1);
}

std::string_view formatFor(const PresetWords& words, const ModelFacts& facts,
                           const QualityTable* table, double maxKl) {
    if (words.key == "exact") return kExactFormat;
    if (words.key == "balanced") {
        const auto formats = possible(kBalancedFormats, facts);
        return anyMeasured(formats, table) ? smallestPassing(formats, *table, maxKl)
                                           : formats.back();
    }
    if (words.key == "long_chat" && table != nullptr)
        return smallestPassing(possible(kLongFormats, facts), *table, maxKl);
    if (words.key == "safe" && anyMeasured(kSafeFormats, table))
        return smallestPassing(kSafeFormats, *table, maxKl);
    return kSafeFormat;
}

/// Returns the measurement of a preset.
std::optional<TableRow> rowOf(const PresetWords& words, std::string_view keysAndValues,
                              const ModelFacts& facts, const QualityTable& table) {
    if (words.key == "exact")
        return table.full.items > 0 ? std::optional(table.full) : std::nullopt;
    for (const FormatRow& wanted : formatRows(facts)) {
        if (wanted.keysAndValues != keysAndValues || wanted.method != words.method) continue;
        const auto row = std::ranges::find(table.rows, wanted.name, &TableRow::method);
        if (row != table.rows.end() && row->items > 0) return *row;
    }
    return std::nullopt;
}

}  // namespace

Assignments formatAssignments(std::string_view keysAndValues) {
    const std::size_t plus = keysAndValues.find(kExtraMark);
    const std::string_view extra =
        plus == std::string_view::npos ? "0" : keysAndValues.substr(plus + kExtraMark.size());
    keysAndValues = keysAndValues.substr(0, plus);
    const std::size_t slash = keysAndValues.find('/');
    const std::string keys(keysAndValues.substr(0, slash));
    return {
        {"kv_type", keys},
        {"v_type",
         slash == std::string_view::npos ? "same" : std::string(keysAndValues.substr(slash + 1))},
        {"extra_bits", std::string(extra)}};
}

std::int64_t bytesOfTokens(const ModelFacts& facts, const EngineConfig& config,
                           std::int64_t tokens) {
    return cacheBytes(cacheModelOf(facts), config.kv, tokens);
}

std::string formatOf(const EngineConfig& config) {
    const std::string keys = settingValueText(config, "kv_type"),
                      values = settingValueText(config, "v_type");
    std::string name = formatName(keys, values == "same" ? keys : values);
    if (config.kv.extraBits > 0 && config.kv.rotated())
        name += format("{}{:g}", kExtraMark, config.kv.extraBits);
    return name;
}

Result<std::vector<TableSetting>> formatSettings(std::span<const std::string> names,
                                                 const TableModel& model,
                                                 const MachineFacts& machine) {
    const std::vector<FormatRow> rows = formatRows(model.facts);
    for (const std::string& name : names)
        if (std::ranges::find(rows, name, &FormatRow::name) == rows.end()) {
            std::string known;
            for (const FormatRow& row : rows)
                known += format("{}{}", known.empty() ? "" : ", ", row.name);
            return fail(ErrorCode::InvalidArgument,
                        format("the table of formats has no {}; it has {}", name, known));
        }
    std::vector<TableSetting> settings;
    for (const FormatRow& row : rows)
        if (names.empty() || std::ranges::count(names, row.name) > 0)
            settings.push_back(settingOf(row, model, machine));
    return settings;
}

std::vector<CachePreset> cachePresets(const TableModel& model, const MachineFacts& machine,
                                      const QualityTable* table, double maxKl) {
    std::vector<CachePreset> presets;
    for (const PresetWords& words : kPresets) {
        CachePreset preset;
        preset.key = words.key;
        preset.label = words.label;
        preset.help = words.help;
        preset.format = formatFor(words, model.facts, table, maxKl);
        preset.settings = assignmentsOf(preset.format, words.method, model.facts);
        if (words.method == CompactionMethod::Eviction)
            preset.evicts = format("l2 {:g}x", kEvictionRatio);
        if (words.method == CompactionMethod::AttentionMatching)
            preset.evicts = format("am {:g}x", kMatchingRatio);
        preset.refused = checkedSettings(preset.settings, model.facts, machine).refused;
        if (table != nullptr) preset.measured = rowOf(words, preset.format, model.facts, *table);
        presets.push_back(std::move(preset));
    }
    return presets;
}

OrderedJson cachePresetsJson(std::span<const CachePreset> presets) {
    OrderedJson list = OrderedJson::array();
    for (const CachePreset& preset : presets) {
        OrderedJson json{{"preset", preset.key}, {"format", preset.format}};
        for (const auto& [key, value] : preset.settings) json["settings"][key] = value;
        if (!preset.refused.empty()) json["refused"] = preset.refused;
        json["measured"] = preset.measured ? tableRowJson(*preset.measured) : OrderedJson();
        list.push_back(std::move(json));
    }
    return list;
}

std::string cachePresetsMarkdown(std::span<const CachePreset> presets) {
    std::string out =
        "| preset | keys/values | bits per number | bytes per token | KL mean | KL p99 | same most "
        "likely | recall | tok/s (of f16) |\n|---|---|---|---|---|---|---|---|---|\n";
    for (const CachePreset& preset : presets) {
        out += format("| {} | {}{}{} | ", preset.label, preset.format,
                      preset.evicts.empty() ? "" : ", ", preset.evicts);
        if (!preset.measured) {
            out += format("{} | – | – | – | – | – | – |\n",
                          preset.refused.empty() ? "not measured" : preset.refused);
            continue;
        }
        const TableRow& row = *preset.measured;
        const bool text = row.positions > 0;
        out += format(
            "{:.2f} | {:.0f} | {} | {} | {} | {} | {} |\n", row.bitsPerNumber, row.bytesPerToken,
            text ? format("{:.5f}", row.klMean) : "–", text ? format("{:.4f}", row.klP99) : "–",
            text ? format("{:.1f} %", 100 * row.top1) : "–",
            row.answerable == 0 ? "–" : format("{} of {}", row.hits, row.answerable),
            row.speed ? format("{:.1f} ({:.2f} x)", row.speed->tokensPerSecond, row.speed->ofFull)
                      : "–");
    }
    return out;
}

}  // namespace lacuna
