#pragma once
/// \file
/// Presets for the cache, from exact to small, each with its measurement on the loaded model
/// (engine/quality/format_table.h), and the formats that such a measurement tries. Pure functions.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/quality/format_table.h"
#include "engine/quality/quality_table.h"
#include "engine/session/measured_settings.h"

namespace lacuna {

/// Returns cache formats with and without eviction, in the order of the table. Formats that this
/// model refuses are included, with the reason. `names` selects some of them; empty selects all.
/// Errors: InvalidArgument (a name).
[[nodiscard]] Result<std::vector<TableSetting>> formatSettings(std::span<const std::string> names,
                                                               const TableModel& model,
                                                               const MachineFacts& machine);

struct CachePreset {
    std::string_view key;    ///< "long_chat"
    std::string_view label;  ///< "Long chat"
    std::string_view help;
    std::string format;  ///< format of keys and values, "t8/t4", "t4 +0.25"
    std::string evicts;  ///< "l2 2x", "am 4x", as measured; empty without eviction
    /// Settings that the preset assigns: key and text of each.
    std::vector<std::pair<std::string, std::string>> settings;
    std::optional<TableRow> measured;  ///< nullopt if not measured on this model
    std::string refused;               ///< why this model does not support it; empty if it does
};
/// Returns Exact, Safe, Balanced, Long chat and Compact. Safe and Balanced take the smallest of
/// their measured formats that passes `maxKl`. Without a measurement Safe assumes that it passes,
/// Balanced does not. If the error by layer is known for this model, Balanced and Long chat also
/// consider the format with extra bits. `table` may be null.
[[nodiscard]] std::vector<CachePreset> cachePresets(const TableModel& model,
                                                    const MachineFacts& machine,
                                                    const QualityTable* table, double maxKl);
/// Returns the settings of keys and values for a format of the table, "t8/t4", "t4 +0.25".
[[nodiscard]] std::vector<std::pair<std::string, std::string>> formatAssignments(
    std::string_view format);
/// Returns the bytes of keys and values of that many tokens under these settings, before any
/// compaction.
[[nodiscard]] std::int64_t bytesOfTokens(const ModelFacts& facts, const EngineConfig& config,
                                         std::int64_t tokens);
/// Returns the format that these settings use for keys and values, in the same notation.
[[nodiscard]] std::string formatOf(const EngineConfig& config);

[[nodiscard]] OrderedJson cachePresetsJson(std::span<const CachePreset> presets);
/// Returns a GitHub table with "not measured" for missing figures.
[[nodiscard]] std::string cachePresetsMarkdown(std::span<const CachePreset> presets);

}  // namespace lacuna
