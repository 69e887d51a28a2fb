#pragma once
/// \file
/// From names of methods, ratios and budgets to the settings a measurement tries. Pure functions.

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
/// am, am-uniform, am-reconstruction, keydiff, keydiff-adaptive, keep_low, keep_high, recent,
/// random, observation_window, observation_window-adaptive, reconstruct, accumulated_attention,
/// expected_attention, tri_attention, or NAME:key=value:key=value.
/// Errors: InvalidArgument (unknown, twice, none).
[[nodiscard]] Result<std::vector<MeasuredMethod>> methodsNamed(std::span<const std::string> names);

/// How much of the cache is to be left: a ratio to the context, or slots per head.
struct MeasuredSizes {
    std::vector<double> ratios;  ///< above 1, up to 1024
    std::vector<int> budgets;
};

/// Every method at every size, all checked against the model. `base` holds for all of them. Errors:
/// Range (a ratio), Conflict (a size is set in `base` or by a method, or none is asked for), those
/// of withSettings and check.
[[nodiscard]] Result<std::vector<GridSetting>> gridSettings(std::span<const MeasuredMethod> methods,
                                                            const MeasuredSizes& sizes,
                                                            std::span<const std::string> base,
                                                            const ModelFacts& facts,
                                                            const MachineFacts& machine);

/// A model as a quality table is planned for it.
struct TableModel {
    const ModelFacts& facts;
    const HeadProfiles& profiles;
};

/// The ratios of a quality table.
[[nodiscard]] std::span<const double> tableRatios();
/// Every method of the table of settings at every ratio: attention matching with each kind of head
/// budgets ("am coverage"), eviction by each policy, `auto` left out, since it is one of them.
/// `methods` names some of those; empty: all. What a setting or this model refuses is part of the
/// answer, with the reason, and so are budgets by a profile that is not there. Errors:
/// InvalidArgument (a method), Range (a ratio), Conflict (`base` sets what is measured), those of
/// withSettings.
[[nodiscard]] Result<std::vector<TableSetting>> tableSettings(std::span<const std::string> methods,
                                                              std::span<const double> ratios,
                                                              std::span<const std::string> base,
                                                              const TableModel& model,
                                                              const MachineFacts& machine);
/// The name of the row of a table that these settings belong to, `auto` resolved by what the table
/// says it stood for; empty: nothing is compacted.
[[nodiscard]] std::string tableMethodOf(const KvOptions& kv, const QualityTable& table);
/// What is known of a model before its table is filled: names, and what auto stands for.
[[nodiscard]] QualityTable tableHead(const TableModel& model, const MachineFacts& machine);

/// "a=1,b=0,2" -> "a=1", "b=0,2": a part without `=` belongs to the one before it.
[[nodiscard]] std::vector<std::string> splitAssignments(const std::string& list);

/// What differs from the defaults, "method=am keep_recent=8".
[[nodiscard]] std::string settingsText(const EngineConfig& config);

}  // namespace lacuna
