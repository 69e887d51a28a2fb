#pragma once
/// \file
/// What follows for one setting from all the others and from the model: why it has no effect now,
/// what it stands for, what it brings with it, how far it goes. Pure functions without Qt; the
/// controller puts them into sentences.

#include <string>
#include <string_view>
#include <variant>

#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"
#include "engine/settings/knob_spec.h"
#include "engine/settings/setting_value.h"

namespace lacuna::app {

/// A value as it is asked for: the number of a slider or a field (0 of an optional one: off), text
/// in the form that the command line takes, or a value of the setting.
using AskedValue = std::variant<double, std::string, SettingValue>;
/// What a setting was asked to be: a value, or the text of one that could not be read.
using RequestedValue = std::variant<SettingValue, std::string>;

/// In the setting's own type: a number of a slider, or text as on the command line. Errors: as
/// settingFromText. @pre spec is no choice and no list where `value` is a number
[[nodiscard]] ReadSetting askedValue(const KnobSpec& spec, const AskedValue& value);
/// The same, readable or not. What is no finite number stays as typed.
[[nodiscard]] RequestedValue requestedValue(const KnobSpec& spec, const AskedValue& value);
/// As text in the form that the command line takes, or as typed.
[[nodiscard]] std::string requestedText(const KnobSpec& spec, const RequestedValue& value);

struct SettingHints {
    std::string_view brings;  ///< method that moving it sets; empty: none
    std::string_view idle;    ///< "method is none": completes "no effect while"; empty: it has one
    std::string meaning;      ///< what the value stands for with this model; empty: itself
    double maximum = 0;       ///< of the range, narrowed by context and model
    friend bool operator==(const SettingHints&, const SettingHints&) = default;
};

/// Of the settings as asked for; the range is of those in force, since a context that was not
/// applied yet holds nothing. `model` may be null before one is loaded.
[[nodiscard]] SettingHints hintsOf(const KnobSpec& spec, const EngineConfig& asked,
                                   const EngineConfig& inForce, const ModelFacts* model);
/// The method that setting `spec` to `value` needs to have any effect, when none is chosen; the
/// same that the command line takes. Empty: it needs nothing.
[[nodiscard]] std::string_view methodNeeded(const EngineConfig& config, const KnobSpec& spec,
                                            const AskedValue& value);

}  // namespace lacuna::app
