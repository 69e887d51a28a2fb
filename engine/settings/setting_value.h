#pragma once
/// \file
/// Exact forms of the values of settings (setting_kinds.h) as text (the command line, presets,
/// fields of the window) and JSON (reports, files). A form is read into a value or refused in a
/// sentence; whether the value is allowed is another question (config_check.h). Pure functions.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/values/setting_kinds.h"

namespace lacuna {

struct EngineConfig;
struct KnobSpec;

/// Why a value is refused.
struct RuleViolation {
    std::string rule;      ///< "AM-RANGE"
    std::string field;     ///< settings key
    std::string found;     ///< value as given
    std::string allowed;   ///< "1 to 8"
    std::string nearest;   ///< nearest valid value as --set text; empty when there is none
    std::string sentence;  ///< the whole message
};
using ReadSetting = tl::expected<SettingValue, RuleViolation>;

/// As shown and as accepted by --set: "4", "off", "keydiff", "0,1". Doubles in the fewest digits
/// that read back to the same value.
[[nodiscard]] std::string settingText(const KnobSpec& spec, const SettingValue& value);
/// Number, string (choice), array (list) or null (off).
[[nodiscard]] Json settingJson(const KnobSpec& spec, const SettingValue& value);
/// "4", "off", "l2", "0,1"; a choice also by a former name; "nan" is a number and fails its range
/// later. Errors: NUMBER, CHOICE, the setting's own rule for a whole number that no field holds.
[[nodiscard]] ReadSetting settingFromText(const KnobSpec& spec, std::string_view text);
/// The same of the JSON form.
[[nodiscard]] ReadSetting settingFromJson(const KnobSpec& spec, const Json& json);
/// The same by key. Errors: KEY-UNKNOWN as well.
[[nodiscard]] ReadSetting readSetting(std::string_view key, std::string_view text);
/// What is to be said of a choice that is written by a former name; empty for any other value.
[[nodiscard]] std::string formerNameNote(const KnobSpec& spec, std::string_view text);
/// A number of a slider or field in the setting's type. Whole ones are rounded and held within
/// their type, 0 of an optional one is off, and reals lose the noise of binary fractions: a
/// slider's 3 * 0.1 is 0.3. @pre spec is no choice and no list
[[nodiscard]] SettingValue settingNumber(const KnobSpec& spec, double number);
/// The same as a plain number; nothing for choices, lists and what is off.
[[nodiscard]] std::optional<double> numberOf(const SettingValue& value);

/// By key, of a whole configuration. @pre key is one of the table
[[nodiscard]] Json knobValue(const EngineConfig& config, std::string_view key);
[[nodiscard]] std::string knobText(const EngineConfig& config, std::string_view key);
/// Errors: those of settingFromText, KEY-UNKNOWN; config is then as it was.
[[nodiscard]] std::optional<RuleViolation> setKnob(EngineConfig& config, std::string_view key,
                                                   std::string_view text);
[[nodiscard]] std::optional<RuleViolation> setKnobValue(EngineConfig& config, std::string_view key,
                                                        const Json& json);
/// Applies key=value pairs in order; all or nothing. What is set without a `method` brings its own
/// with it (methodBrought): a `budget` l2, an `am_ratio` am; a method l2 without a `budget` brings
/// one (budgetBrought).
[[nodiscard]] tl::expected<EngineConfig, std::vector<RuleViolation>> withSettings(
    const EngineConfig& base, std::span<const std::string> assignments);

}  // namespace lacuna
