#pragma once
/// \file
/// From a settings key to the field of EngineConfig behind it. Internal to this room: the *_knobs.cpp
/// files (rows), knob_spec.cpp (reading), config_check.cpp and config_json.cpp (writing) share it.
/// Pure functions.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/settings/engine_config.h"

namespace lacuna {

/// An enumeration seen as an index into KnobSpec::choices.
struct ChoiceAccess {
    std::size_t (*get)(const EngineConfig&);
    void (*set)(EngineConfig&, std::size_t);
};

using KnobAccess = std::variant<double& (*)(EngineConfig&), int& (*)(EngineConfig&),
                                std::optional<int>& (*)(EngineConfig&),
                                std::optional<std::uint64_t>& (*)(EngineConfig&),
                                std::vector<int>& (*)(EngineConfig&), ChoiceAccess>;

/// Null for an unknown key.
[[nodiscard]] const KnobAccess* findAccess(std::string_view key);

}  // namespace lacuna
