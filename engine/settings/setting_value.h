#pragma once
/// \file
/// Exact text and JSON forms of setting values (setting_kinds.h). Text is used by the command line,
/// presets and the window, JSON by reports and files. Parsing yields a value or a sentence that
/// explains the refusal; validity is checked separately (config_check.h). Pure functions.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/values/setting_kinds.h"

namespace lacuna {

struct EngineConfig;
struct SettingSpec;

/// Reason why a value is refused.
struct RuleViolation {
    std::string rule;      ///< "AM-RANGE"
    std::string field;     ///< settings key
    std::string found;     ///< value as given
    std::string allowed;   ///< "1 to 8"
    std::string nearest;   ///< nearest valid value as --set text; empty if there is none
    std::string sentence;  ///< complete message
};
using ReadSetting = tl::expected<SettingValue, RuleViolation>;

/// Returns the text as displayed and as accepted by --set: "4", "off", "keydiff", "0,1". Doubles
/// use the fewest digits that read back to the same value.
[[nodiscard]] std::string settingText(const SettingSpec& spec, const SettingValue& value);
/// Returns a number, string (choice), array (list) or null (off).
[[nodiscard]] Json settingJson(const SettingSpec& spec, const SettingValue& value);
/// Parses "4", "off", "l2", "0,1"; a choice also by a former name. "nan" is parsed as a number and
/// fails its range later. Errors: NUMBER, CHOICE, the setting's own rule for an integer that no
/// field can hold.
[[nodiscard]] ReadSetting settingFromText(const SettingSpec& spec, std::string_view text);
/// Parses the JSON form in the same way.
[[nodiscard]] ReadSetting settingFromJson(const SettingSpec& spec, const Json& json);
/// Parses the value of the setting with this key. Additional error: KEY-UNKNOWN.
[[nodiscard]] ReadSetting readSetting(std::string_view key, std::string_view text);
/// Returns the note for a choice that is written by a former name; empty for any other value.
[[nodiscard]] std::string formerNameNote(const SettingSpec& spec, std::string_view text);
/// Converts a number of a slider or field to the setting's type. Integers are rounded and clamped
/// to their type, 0 of an optional setting is off, and reals lose the noise of binary fractions: a
/// slider's 3 * 0.1 becomes 0.3. @pre spec is neither a choice nor a list
[[nodiscard]] SettingValue settingNumber(const SettingSpec& spec, double number);
/// Returns the value as a plain number; nullopt for choices, lists and off.
[[nodiscard]] std::optional<double> numberOf(const SettingValue& value);

/// Returns the value of a setting by key. @pre key is in the table
[[nodiscard]] Json settingValueFrom(const EngineConfig& config, std::string_view key);
[[nodiscard]] std::string settingValueText(const EngineConfig& config, std::string_view key);
/// Errors: those of settingFromText, KEY-UNKNOWN; config is unchanged then.
[[nodiscard]] std::optional<RuleViolation> changeSetting(EngineConfig& config, std::string_view key,
                                                         std::string_view text);
[[nodiscard]] std::optional<RuleViolation> changeSettingValue(EngineConfig& config,
                                                              std::string_view key,
                                                              const Json& json);
/// Applies key=value pairs in order, all or nothing. A setting without a `method` chooses one
/// automatically (impliedMethod): `budget` chooses l2, `am_ratio` chooses am. Method l2 without a
/// `budget` sets one (impliedBudget).
[[nodiscard]] tl::expected<EngineConfig, std::vector<RuleViolation>> withSettings(
    const EngineConfig& base, std::span<const std::string> assignments);

}  // namespace lacuna
