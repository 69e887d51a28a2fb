#pragma once
/// \file
/// Ways to keep a cache that people choose between, from exact to small, each with what was
/// measured of it on the model in use (engine/quality/format_table.h), and the formats that such a
/// measurement tries. Pure functions.

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

/// Cache formats, with and without eviction, in the order of the table. What this model refuses is
/// part of the answer, with the reason. `names` picks some of them; empty: all. Errors:
/// InvalidArgument (a name).
[[nodiscard]] Result<std::vector<TableSetting>> formatSettings(std::span<const std::string> names,
                                                               const TableModel& model,
                                                               const MachineFacts& machine);

struct CachePreset {
    std::string_view key;    ///< "long_chat"
    std::string_view label;  ///< "Long chat"
    std::string_view help;
    std::string format;  ///< of keys and values, "t8/t4", "t4 +0.25"
    std::string evicts;  ///< "l2 2x", "am 4x" as it was measured; empty: nothing goes
    /// What choosing it sets: key and text of each setting.
    std::vector<std::pair<std::string, std::string>> settings;
    std::optional<TableRow> measured;  ///< none: not measured on this model
    std::string refused;               ///< why this model cannot have it, or empty
};
/// Exact, Safe, Balanced, Long chat, Compact. Safe and Balanced take the smallest of their formats
/// that was measured and passes `mostKl`; Safe assumes so before that, Balanced does not. The one
/// with extra bits is among those of Balanced and Long chat where the model's damage by layers is
/// known. `table` may be null.
[[nodiscard]] std::vector<CachePreset> cachePresets(const TableModel& model,
                                                    const MachineFacts& machine,
                                                    const QualityTable* table, double mostKl);
/// Settings of keys and values for a format of the table, "t8/t4", "t4 +0.25".
[[nodiscard]] std::vector<std::pair<std::string, std::string>> formatAssignments(
    std::string_view format);
/// Bytes of keys and values of so many tokens under these settings, before any compaction.
[[nodiscard]] std::int64_t bytesOfTokens(const ModelFacts& facts, const EngineConfig& config,
                                         std::int64_t tokens);
/// The format these options keep keys and values in, likewise.
[[nodiscard]] std::string formatOf(const EngineConfig& config);

[[nodiscard]] OrderedJson cachePresetsJson(std::span<const CachePreset> presets);
/// GitHub table; "not measured" where there is no figure.
[[nodiscard]] std::string cachePresetsMarkdown(std::span<const CachePreset> presets);

}  // namespace lacuna
