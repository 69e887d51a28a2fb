#pragma once
/// \file
/// EngineConfig as a JSON object: `version` first, then one member for each settings key. Reading
/// names what is strange instead of passing over it. Pure functions.

#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/settings/engine_config.h"

namespace lacuna {

inline constexpr int kConfigVersion = 1;

[[nodiscard]] OrderedJson configToJson(const EngineConfig& config);

struct ConfigReading {
    EngineConfig config;
    std::vector<std::string> strangers;  ///< field paths that are no settings
    std::vector<std::string> missing;    ///< field paths not given; their defaults hold
};
/// `path` is put before field names in messages: "generations[2].config". Values are read, not
/// checked: see check(). Errors: Config (wrong type, unknown choice), Incompatible (newer version).
[[nodiscard]] Result<ConfigReading> configFromJson(const Json& object,
                                                   std::string_view path = "config");

}  // namespace lacuna
