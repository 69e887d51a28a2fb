#include "engine/settings/settings_diff.h"

#include <algorithm>
#include <utility>

namespace lacuna {

SettingsDiff settingsDiff(const EngineConfig& before, const EngineConfig& after) {
    SettingsDiff changes;
    for (const SettingSpec& spec : settingSpecs()) {
        SettingValue was = settingOf(before, spec), is = settingOf(after, spec);
        if (was != is)
            changes.push_back(
                {&spec, std::move(was), std::move(is), spec.when != SettingTiming::Live});
    }
    return changes;
}

const SettingChange* findChange(const SettingsDiff& changes, const SettingSpec& spec) {
    const auto at = std::ranges::find(changes, &spec, &SettingChange::spec);
    return at == changes.end() ? nullptr : &*at;
}

bool anyDeferred(const SettingsDiff& changes) {
    return std::ranges::any_of(changes, &SettingChange::deferred);
}

std::vector<std::string> changedKeys(const SettingsDiff& changes, bool deferred) {
    std::vector<std::string> keys;
    for (const SettingChange& change : changes)
        if (change.deferred == deferred) keys.emplace_back(change.spec->key);
    return keys;
}

}  // namespace lacuna
