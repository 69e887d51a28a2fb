#pragma once
/// \file
/// What a change of settings changed. It is computed once, where the change takes effect, and
/// carried by ConfigApplied to everyone who records, shows or undoes it. Pure functions.

#include <string>
#include <vector>

#include "engine/settings/engine_config.h"
#include "engine/settings/knob_spec.h"
#include "engine/settings/setting_value.h"

namespace lacuna {

/// One setting that has another value than before.
struct SettingChange {
    const KnobSpec* spec = nullptr;  ///< record of the settings table
    SettingValue before, after;
    bool deferred = false;  ///< takes effect with the next turn or a new cache, not yet
    friend bool operator==(const SettingChange&, const SettingChange&) = default;
};
/// In the order of the settings table; each setting once.
using SettingsDiff = std::vector<SettingChange>;

/// Every setting whose value differs, deferred unless its kind is KnobWhen::Live.
[[nodiscard]] SettingsDiff settingsDiff(const EngineConfig& before, const EngineConfig& after);

/// Null where the setting is not among the changes.
[[nodiscard]] const SettingChange* findChange(const SettingsDiff& changes, const KnobSpec& spec);
[[nodiscard]] bool anyDeferred(const SettingsDiff& changes);
/// Keys of the changes that are deferred, or of those that are not.
[[nodiscard]] std::vector<std::string> changedKeys(const SettingsDiff& changes, bool deferred);

}  // namespace lacuna
