#pragma once
/// \file
/// The rows of the settings table, one function for each file of rows; knob_spec.cpp puts them
/// together in this order. Internal to this room. Plain data.

#include <vector>

#include "engine/settings/knob_access.h"
#include "engine/settings/knob_spec.h"

namespace lacuna {

inline constexpr double kMostTokens = 1'048'576;
inline constexpr double kMostCount = 1'000'000;

struct KnobRow {
    KnobSpec spec;
    KnobAccess access;
};

/// Access to an enumeration whose enumerators stand in the order of the choices.
template <class Enum, Enum& (*Field)(EngineConfig&)>
ChoiceAccess choiceOf() {
    return {
        [](const EngineConfig& config) {
            EngineConfig copy = config;
            return static_cast<std::size_t>(Field(copy));
        },
        [](EngineConfig& config, std::size_t index) { Field(config) = static_cast<Enum>(index); }};
}

[[nodiscard]] std::vector<KnobRow> compressionKnobs();
[[nodiscard]] std::vector<KnobRow> cacheKnobs();
[[nodiscard]] std::vector<KnobRow> runKnobs();
[[nodiscard]] std::vector<KnobRow> samplingKnobs();

}  // namespace lacuna
