#pragma once
/// \file
/// From names of methods, ratios and budgets to the settings a measurement tries. Pure functions.

#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/quality/quality_grid.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"

namespace lacuna {

struct MeasuredMethod {
    std::string name;
    std::vector<std::string> assignments;  ///< key=value
};
/// am, am-uniform, am-reconstruction, keydiff, keydiff-adaptive, keep_low, keep_high, recent,
/// random, observation_window, observation_window-adaptive, reconstruct, accumulated_attention,
/// expected_attention, or NAME:key=value:key=value.
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

/// "a=1,b=0,2" -> "a=1", "b=0,2": a part without `=` belongs to the one before it.
[[nodiscard]] std::vector<std::string> splitAssignments(const std::string& list);

/// What differs from the defaults, "method=am keep_recent=8".
[[nodiscard]] std::string settingsText(const EngineConfig& config);

}  // namespace lacuna
