#pragma once
/// \file
/// One record for each setting: its field in EngineConfig, range, choices and scope, when a change
/// takes effect, which rules relate it to others, when it has no effect, what it sets
/// automatically, and its position in the panel. Widgets, `lacuna settings`, checks, hints, reports
/// and documentation are generated from these records (README.md describes how to add one).

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/settings/engine_config.h"
#include "engine/settings/setting_value.h"
#include "engine/values/setting_kinds.h"

namespace lacuna {

/// Group of the panel that shows a setting; within a group the order is that of the table.
enum class SettingPlacement {
    First,  ///< above the groups
    Group,
};

/// Minimum context that can be set manually.
inline constexpr int kMinContext = 16;

struct ModelFacts;

/// The method under which a setting has no effect, or another condition.
enum class IdleCause : std::uint8_t { Other, NoMethod, Eviction, Matching };

/// A condition under which a setting has no effect. `model` may be null before one is loaded.
struct IdleWhen {
    bool (*holds)(const EngineConfig& config, const ModelFacts* model);
    std::string_view sentence;  ///< "method is none": completes "no effect while"
    IdleCause cause = IdleCause::Other;
};

/// Accessors for a field of the configuration in its own type.
struct SettingField {
    SettingKind kind = SettingKind::Integer;
    SettingValue (*get)(const EngineConfig& config) = nullptr;
    /// @pre fits(spec, value)
    void (*set)(EngineConfig& config, const SettingValue& value) = nullptr;
    std::span<const std::string_view> choices = {};  ///< Choice only, in the order of their indices
    bool orNumber = false;  ///< Choice only: a real number within the range is also allowed
    bool wide = false;      ///< an unsigned 64-bit integer without a range limit
};

/// Inputs of a rule between settings.
struct RuleScene {
    const EngineConfig& config;
    const ModelFacts* model;                  ///< null before one is loaded
    const std::vector<RuleViolation>& found;  ///< violations found by earlier rules

    /// Returns true if a setting has already been refused; rules that depend on it are then
    /// skipped.
    [[nodiscard]] bool broken(std::string_view key) const;
    [[nodiscard]] bool idle(std::string_view key) const;
};
/// A rule between a setting and others or the model; returns nullopt if it is satisfied.
using Relation = std::optional<RuleViolation> (*)(const RuleScene& scene);

/// Former name of a choice, still accepted in older reports and command lines.
struct FormerChoice {
    std::string_view was;
    std::string_view now;
};

struct SettingSpec {
    std::string_view key;        ///< "am_ratio"
    std::string_view label;      ///< "AM ratio"
    std::string_view unit = {};  ///< "x", "tokens", "slots", ""
    SettingField field;
    double minimum = 0, maximum = 0, step = 1;  ///< static range; the model may narrow it
                                                ///< (effectiveMaximum)
    bool openMinimum = false;                   ///< the minimum itself is excluded
    int minimumNonZero = 0;  ///< smallest value apart from 0, which means automatic; 0: no gap
    SettingTiming when = SettingTiming::Live;
    SettingScope scope = SettingScope::All;
    std::string_view ruleId;            ///< rule violated by a value outside the range: "AM-RANGE"
    std::string_view ruleIdAbove = {};  ///< rule for a value above the maximum, if different
    std::string_view help;              ///< one or two sentences, with the paper if there is one
    std::vector<Relation> relations = {};  ///< checked in this order until one is violated
    std::vector<IdleWhen> idleWhen = {};
    /// Method that is chosen automatically with a value, because the setting has no effect without
    /// it.
    std::optional<CompactionMethod> impliedMethod = std::nullopt;
    /// Returns the largest value that these settings and this model allow; null: the maximum.
    double (*effectiveMaximum)(const EngineConfig& config, const ModelFacts* model) = nullptr;
    /// Returns what the value resolves to, and why. The pointer may be null or the text empty if
    /// the value is literal.
    std::string (*meaning)(const EngineConfig& config, const ModelFacts* model) = nullptr;
    SettingGroup group = SettingGroup::Run;  ///< group of its table
    SettingPlacement place = SettingPlacement::Group;
    double sliderMaximum = 4096;  ///< largest value of a slider; a number field allows larger ones
    std::vector<FormerChoice> former = {};
};

/// Returns all records in the order of panel, reports and checks: compression, cache, run,
/// sampling.
[[nodiscard]] std::span<const SettingSpec> settingSpecs();
[[nodiscard]] const SettingSpec* findSetting(std::string_view key);

/// Returns true if a value has the type of the setting's field; the range is not checked.
[[nodiscard]] bool fits(const SettingSpec& spec, const SettingValue& value);
[[nodiscard]] inline SettingValue settingOf(const EngineConfig& config, const SettingSpec& spec) {
    return spec.field.get(config);
}
/// @pre fits(spec, value)
void setSetting(EngineConfig& config, const SettingSpec& spec, const SettingValue& value);

/// Returns the first condition of the table under which another value would give the same tokens
/// and the same compactions; null if there is none.
[[nodiscard]] const IdleWhen* idleCondition(const SettingSpec& spec, const EngineConfig& config,
                                            const ModelFacts* model);
/// Returns the sentence of that condition, or an empty one.
[[nodiscard]] std::string_view idleReason(const SettingSpec& spec, const EngineConfig& config,
                                          const ModelFacts* model);
/// Joins all conditions: "method is none, or while method is l2"; empty if a setting always has an
/// effect.
[[nodiscard]] std::string idleText(const SettingSpec& spec);
/// Returns the budget set automatically when eviction is chosen: kImpliedBudget, or the nearest
/// value that sinks, recent tokens and the context allow. Returns nullopt for other methods, or if
/// a budget is set or follows from the cache limit.
inline constexpr int kImpliedBudget = 1024;
[[nodiscard]] std::optional<int> impliedBudget(const EngineConfig& config, const ModelFacts* model);
/// Returns the method that is chosen automatically when `spec` is set to `value`; nullopt if one is
/// chosen already.
[[nodiscard]] std::optional<CompactionMethod> impliedMethod(const SettingSpec& spec,
                                                            const EngineConfig& config,
                                                            const SettingValue& value);
/// Returns the largest value that a slider should offer under these settings.
[[nodiscard]] double effectiveMaximum(const SettingSpec& spec, const EngineConfig& config,
                                      const ModelFacts* model);
/// Returns "auto is keydiff: qwen3 models normalise their keys ..."; empty if the value is literal.
[[nodiscard]] std::string resolvedMeaning(const SettingSpec& spec, const EngineConfig& config,
                                          const ModelFacts* model);

/// Returns the static range in words: "1 to 8", "above 0, up to 1", "none, l2, am"; includes "off"
/// if it is allowed.
[[nodiscard]] std::string settingRange(const SettingSpec& spec);

}  // namespace lacuna
