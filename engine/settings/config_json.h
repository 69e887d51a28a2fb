#pragma once
/// \file
/// EngineConfig as a JSON object: `version` first, then one member for each settings key. The
/// reader reports unknown and missing fields instead of ignoring them. Pure functions.

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
    std::vector<std::string> unknownFields;  ///< field paths that are not settings
    std::vector<std::string> missing;  ///< field paths that are absent and keep their defaults
};
/// `path` prefixes field names in messages: "generations[2].config". Values are parsed but not
/// validated: see check(). Errors: Config (wrong type, unknown choice), Incompatible (newer
/// version).
[[nodiscard]] Result<ConfigReading> configFromJson(const Json& object,
                                                   std::string_view path = "config");

}  // namespace lacuna
