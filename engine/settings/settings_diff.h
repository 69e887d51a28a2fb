#pragma once
/// \file
/// The difference between two configurations. It is computed once, when a change takes effect, and
/// carried by ConfigApplied to all code that records, shows or undoes it. Pure functions.

#include <string>
#include <vector>

#include "engine/settings/engine_config.h"
#include "engine/settings/setting_spec.h"
#include "engine/settings/setting_value.h"

namespace lacuna {

/// A setting whose value changed.
struct SettingChange {
    const SettingSpec* spec = nullptr;  ///< record of the settings table
    SettingValue before, after;
    bool deferred = false;  ///< true if it takes effect only with the next turn or a new cache
    friend bool operator==(const SettingChange&, const SettingChange&) = default;
};
/// In the order of the settings table; each setting once.
using SettingsDiff = std::vector<SettingChange>;

/// Returns every setting whose value differs; a change is deferred unless its kind is
/// SettingTiming::Live.
[[nodiscard]] SettingsDiff settingsDiff(const EngineConfig& before, const EngineConfig& after);

/// Returns null if the setting did not change.
[[nodiscard]] const SettingChange* findChange(const SettingsDiff& changes, const SettingSpec& spec);
[[nodiscard]] bool anyDeferred(const SettingsDiff& changes);
/// Returns the keys of the changes that are deferred, or of those that are not.
[[nodiscard]] std::vector<std::string> changedKeys(const SettingsDiff& changes, bool deferred);

}  // namespace lacuna
