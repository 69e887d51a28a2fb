#pragma once
/// \file
/// Turns names of methods, ratios and budgets into the settings that a measurement tries. Pure
/// functions.

#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/compress/head_profile.h"
#include "engine/quality/quality_table.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"

namespace lacuna {

struct MeasuredMethod {
    std::string name;
    std::vector<std::string> assignments;  ///< key=value
};
/// Parses am, am-uniform, am-reconstruction, keydiff, keydiff-adaptive, keep_low, keep_high,
/// recent, random, observation_window, observation_window-adaptive, reconstruct,
/// accumulated_attention, expected_attention, tri_attention, or NAME:key=value:key=value. Errors:
/// InvalidArgument (unknown, duplicate or no name).
[[nodiscard]] Result<std::vector<MeasuredMethod>> methodsNamed(std::span<const std::string> names);

/// Target sizes of the cache: a compression ratio, or slots per head.
struct MeasuredSizes {
    std::vector<double> ratios;  ///< above 1, up to 1024
    std::vector<int> budgets;
};

/// Returns every method at every size, all checked against the model. `base` applies to all of
/// them. Errors: Range (a ratio), Conflict (a size is set in `base` or by a method, or none is
/// given), those of withSettings and check.
[[nodiscard]] Result<std::vector<GridSetting>> gridSettings(std::span<const MeasuredMethod> methods,
                                                            const MeasuredSizes& sizes,
                                                            std::span<const std::string> base,
                                                            const ModelFacts& facts,
                                                            const MachineFacts& machine);

/// Model for which a quality table is planned.
struct TableModel {
    const ModelFacts& facts;
    const HeadProfiles& profiles;
};

/// Returns the ratios of a quality table.
[[nodiscard]] std::span<const double> tableRatios();
/// Returns every method of the table of settings at every ratio: attention matching with each kind
/// of head budgets ("am coverage") and eviction by each policy except `auto`, which is one of them.
/// `methods` selects some of those; empty selects all. Settings that are invalid, that this model
/// refuses, or that need a missing profile are included with the reason. Errors: InvalidArgument (a
/// method), Range (a ratio), Conflict (`base` sets what is measured), those of withSettings.
[[nodiscard]] Result<std::vector<TableSetting>> tableSettings(std::span<const std::string> methods,
                                                              std::span<const double> ratios,
                                                              std::span<const std::string> base,
                                                              const TableModel& model,
                                                              const MachineFacts& machine);
/// Returns the name of the table row that these settings belong to, with `auto` resolved as
/// recorded in the table; empty if nothing is compacted.
[[nodiscard]] std::string tableMethodOf(const KvOptions& kv, const QualityTable& table);
/// Returns the header of a model's table before any measurement: names, and what `auto` resolves
/// to.
[[nodiscard]] QualityTable tableHead(const TableModel& model, const MachineFacts& machine);

/// "a=1,b=0,2" -> "a=1", "b=0,2": a part without `=` belongs to the one before it.
[[nodiscard]] std::vector<std::string> splitAssignments(const std::string& list);

/// Returns the settings that differ from the defaults, "method=am keep_recent=8".
[[nodiscard]] std::string settingsText(const EngineConfig& config);

}  // namespace lacuna
