#pragma once
/// \file
/// Every setting in one record that says all there is to know of it: the field of EngineConfig it
/// stands for, its range, choices and scope, when a change counts, what it must agree with, when it
/// is idle, what it brings with it, its place in the panel. Widgets, `lacuna settings`, checks,
/// hints, reports and documentation are made from these records (README.md says how one is added).

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

/// Where the panel shows a setting; within a place the order is that of the table.
enum class KnobPlace {
    First,  ///< above the groups
    Group,
};

/// Fewest tokens of a context set by hand.
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

/// Access to a field of the configuration in its own type.
struct SettingField {
    KnobKind kind = KnobKind::Integer;
    SettingValue (*get)(const EngineConfig& config) = nullptr;
    /// @pre fits(spec, value)
    void (*set)(EngineConfig& config, const SettingValue& value) = nullptr;
    std::span<const std::string_view> choices = {};  ///< Choice only, in order
    bool orNumber = false;  ///< Choice only: a real number within the range is allowed as well
    bool wide = false;      ///< a whole number of 64 bits without sign, all of which are allowed
};

/// What a rule between settings looks at.
struct RuleScene {
    const EngineConfig& config;
    const ModelFacts* model;                  ///< null before one is loaded
    const std::vector<RuleViolation>& found;  ///< by the rules before this one

    /// Whether a setting was refused already, so that what follows from it means nothing.
    [[nodiscard]] bool broken(std::string_view key) const;
    [[nodiscard]] bool idle(std::string_view key) const;
};
/// A rule between a setting and others or the model; nothing where it is kept.
using Relation = std::optional<RuleViolation> (*)(const RuleScene& scene);

/// A choice by the name it had before, as older reports and command lines write it.
struct FormerChoice {
    std::string_view was;
    std::string_view now;
};

struct KnobSpec {
    std::string_view key;        ///< "am_ratio"
    std::string_view label;      ///< "AM ratio"
    std::string_view unit = {};  ///< "x", "tokens", "slots", ""
    SettingField field;
    double minimum = 0, maximum = 0, step = 1;  ///< static range; the model may narrow it (mostNow)
    bool openMinimum = false;                   ///< the minimum itself is not allowed
    int leastButZero = 0;  ///< 0 stands for "by itself", other values begin here; 0: no gap
    KnobWhen when = KnobWhen::Live;
    KnobScope scope = KnobScope::All;
    std::string_view ruleId;            ///< that a value outside the range breaks: "AM-RANGE"
    std::string_view ruleIdAbove = {};  ///< where a value above the maximum breaks another
    std::string_view help;              ///< one or two sentences, with the paper where there is one
    std::vector<Relation> relations = {};  ///< checked in this order, until one is broken
    std::vector<IdleWhen> idleWhen = {};
    /// Method that a value brings with it where none is chosen, since it has no effect without.
    std::optional<CompactionMethod> brings = std::nullopt;
    /// Largest value that these settings and this model leave; null: the maximum.
    double (*mostNow)(const EngineConfig& config, const ModelFacts* model) = nullptr;
    /// What the value stands for now, and why; null or empty: for itself.
    std::string (*meaning)(const EngineConfig& config, const ModelFacts* model) = nullptr;
    KnobGroup group = KnobGroup::Run;  ///< of the table it stands in
    KnobPlace place = KnobPlace::Group;
    double sliderMost = 4096;  ///< largest value a slider reaches; a number field goes on
    std::vector<FormerChoice> former = {};
};

/// In the order of panel, reports and checks: compression, cache, run, sampling.
[[nodiscard]] std::span<const KnobSpec> knobSpecs();
[[nodiscard]] const KnobSpec* findKnob(std::string_view key);

/// Whether a value has the type of the setting's field. Its range is another question.
[[nodiscard]] bool fits(const KnobSpec& spec, const SettingValue& value);
[[nodiscard]] inline SettingValue settingOf(const EngineConfig& config, const KnobSpec& spec) {
    return spec.field.get(config);
}
/// @pre fits(spec, value)
void setSetting(EngineConfig& config, const KnobSpec& spec, const SettingValue& value);

/// Why another value of this setting would give the same tokens and the same compactions; null
/// where it may not. The first condition that holds, of those in the table.
[[nodiscard]] const IdleWhen* idleCondition(const KnobSpec& spec, const EngineConfig& config,
                                            const ModelFacts* model);
/// Its sentence, or empty.
[[nodiscard]] std::string_view idleReason(const KnobSpec& spec, const EngineConfig& config,
                                          const ModelFacts* model);
/// All of them: "method is none, or while method is l2"; empty where a setting is never idle.
[[nodiscard]] std::string idleText(const KnobSpec& spec);
/// The budget that choosing eviction brings with it, since it goes down to one: kBroughtBudget, or
/// the nearest value that first and newest tokens and the context leave. Nothing for other methods
/// and where a budget is set or follows from the cache limit.
inline constexpr int kBroughtBudget = 1024;
[[nodiscard]] std::optional<int> budgetBrought(const EngineConfig& config, const ModelFacts* model);
/// The method that setting `spec` to `value` brings with it; nothing where one is chosen already.
[[nodiscard]] std::optional<CompactionMethod> methodBrought(const KnobSpec& spec,
                                                            const EngineConfig& config,
                                                            const SettingValue& value);
/// Largest value a slider should offer under these settings.
[[nodiscard]] double mostNow(const KnobSpec& spec, const EngineConfig& config,
                             const ModelFacts* model);
/// "auto is keydiff: qwen3 models normalise their keys ..."; empty: the value stands for itself.
[[nodiscard]] std::string meaningNow(const KnobSpec& spec, const EngineConfig& config,
                                     const ModelFacts* model);

/// Static range in words: "1 to 8", "above 0, up to 1", "none, l2, am"; "off" is named where it is
/// allowed.
[[nodiscard]] std::string knobRange(const KnobSpec& spec);

}  // namespace lacuna
