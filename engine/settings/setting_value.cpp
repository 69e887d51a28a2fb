// Text and JSON are first parsed as integers of any length. One that is too large for its field is
// then refused by the setting's own rule, with the same message from the command line and from a
// file.

#include "engine/settings/setting_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "engine/base/check.h"
#include "engine/base/string_format.h"
#include "engine/settings/setting_spec.h"

namespace lacuna {
namespace {

using Unexpected = tl::unexpected<RuleViolation>;

constexpr std::string_view kMaxWide = "18446744073709551615";

Unexpected unreadable(const SettingSpec& spec, std::string_view rule, std::string found,
                      std::string_view kind) {
    const std::string allowed = settingRange(spec);
    if (found.empty()) found = "(nothing)";
    std::string sentence =
        format("{} is '{}', which is not {}; allowed is {}.", spec.key, found, kind, allowed);
    return Unexpected(RuleViolation{.rule = std::string(rule),
                                    .field = std::string(spec.key),
                                    .found = std::move(found),
                                    .allowed = allowed,
                                    .nearest = "",
                                    .sentence = std::move(sentence)});
}

Unexpected notWhole(const SettingSpec& spec, std::string found) {
    return unreadable(spec, "NUMBER", std::move(found), "a whole number");
}

Unexpected noChoice(const SettingSpec& spec, std::string found) {
    const std::string_view rule = spec.ruleId == "KV-TYPE" ? "KV-TYPE" : "CHOICE";
    return unreadable(spec, rule, std::move(found), "one of the choices");
}

/// Refuses an integer that is too large for the field of the setting.
Unexpected tooLarge(const SettingSpec& spec, std::string found) {
    const bool negative = found.starts_with('-');
    std::string nearest = format("{}", negative ? spec.minimum : spec.maximum);
    if (spec.field.wide) nearest = negative ? "0" : kMaxWide;
    const std::string allowed = settingRange(spec);
    std::string sentence = format("{} is {}; allowed is {}; the nearest valid value is {}.",
                                  spec.key, found, allowed, nearest);
    return Unexpected(RuleViolation{.rule = std::string(spec.ruleId),
                                    .field = std::string(spec.key),
                                    .found = std::move(found),
                                    .allowed = allowed,
                                    .nearest = std::move(nearest),
                                    .sentence = std::move(sentence)});
}

/// An integer before it is known whether its field can hold it.
struct Whole {
    bool negative = false;
    std::uint64_t size = 0;
    [[nodiscard]] std::string text() const { return format("{}{}", negative ? "-" : "", size); }
};
using ReadWhole = tl::expected<Whole, RuleViolation>;

Whole wholeOf(std::int64_t number) {
    // The minimum has no positive counterpart; two's complement yields its magnitude.
    const auto bits = static_cast<std::uint64_t>(number);
    return number < 0 ? Whole{true, ~bits + 1} : Whole{false, bits};
}

/// Parses a number that spans the whole text.
template <class T>
std::optional<T> wholeText(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// Returns true for digits with an optional sign, of any length.
bool looksWhole(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

ReadWhole readWhole(const SettingSpec& spec, std::string_view text) {
    if (const auto value = wholeText<std::int64_t>(text)) return wholeOf(*value);
    if (const auto value = wholeText<std::uint64_t>(text)) return Whole{false, *value};
    if (looksWhole(text)) return tooLarge(spec, std::string(text));
    return notWhole(spec, std::string(text));
}

Whole wholeOf(const Json& number) {
    return number.is_number_unsigned() ? Whole{false, number.get<std::uint64_t>()}
                                       : wholeOf(number.get<std::int64_t>());
}

tl::expected<int, RuleViolation> intOf(const SettingSpec& spec, const Whole& whole) {
    constexpr auto kMaxValue = static_cast<std::uint64_t>(std::numeric_limits<int>::max());
    if (whole.size > kMaxValue + (whole.negative ? 1 : 0)) return tooLarge(spec, whole.text());
    const auto size = static_cast<std::int64_t>(whole.size);
    return static_cast<int>(whole.negative ? -size : size);
}

ReadSetting numberOfField(const SettingSpec& spec, const Whole& whole) {
    if (spec.field.wide) {
        if (whole.negative && whole.size > 0) return tooLarge(spec, whole.text());
        return SettingValue(whole.size);
    }
    const auto number = intOf(spec, whole);
    if (!number) return Unexpected(number.error());
    return SettingValue(*number);
}

ReadSetting listOf(const SettingSpec& spec, std::span<const Whole> wholes) {
    std::vector<int> list;
    for (const Whole& whole : wholes) {
        const auto number = intOf(spec, whole);
        if (!number) return Unexpected(number.error());
        list.push_back(*number);
    }
    return SettingValue(std::move(list));
}

/// Returns null if the name is not a former one.
const FormerChoice* formerChoice(const SettingSpec& spec, std::string_view text) {
    const auto at = std::ranges::find(spec.former, text, &FormerChoice::was);
    return at != spec.former.end() ? &*at : nullptr;
}

ReadSetting readChoice(const SettingSpec& spec, std::string_view text) {
    const FormerChoice* const former = formerChoice(spec, text);
    const auto at = std::ranges::find(spec.field.choices, former != nullptr ? former->now : text);
    if (at == spec.field.choices.end()) return noChoice(spec, std::string(text));
    return SettingChoice{static_cast<std::size_t>(at - spec.field.choices.begin())};
}

ReadSetting readList(const SettingSpec& spec, std::string_view text) {
    std::vector<Whole> wholes;
    if (text == "off" || text == "none" || text.empty()) return listOf(spec, wholes);
    while (true) {
        const std::size_t comma = text.find(',');
        const ReadWhole one = readWhole(spec, text.substr(0, comma));
        if (!one) return Unexpected(one.error());
        wholes.push_back(*one);
        if (comma == std::string_view::npos) return listOf(spec, wholes);
        text.remove_prefix(comma + 1);
    }
}

/// Returns the text shown in a violation.
std::string foundText(const Json& json) {
    return json.is_string() ? json.get<std::string>() : json.dump();
}

ReadSetting readList(const SettingSpec& spec, const Json& json) {
    if (!json.is_array())
        return unreadable(spec, "NUMBER", foundText(json), "a list of whole numbers");
    std::vector<Whole> wholes;
    for (const Json& item : json) {
        if (!item.is_number_integer()) return notWhole(spec, foundText(json));
        const Whole whole = wholeOf(item);
        if (const auto number = intOf(spec, whole); !number) return Unexpected(number.error());
        wholes.push_back(whole);
    }
    return listOf(spec, wholes);
}

RuleViolation unknownKey(std::string_view key) {
    std::vector<std::string_view> keys;
    for (const SettingSpec& spec : settingSpecs()) keys.push_back(spec.key);
    std::string allowed = format("{}", fmt::join(keys, ", "));
    std::string sentence = format("'{}' is not a setting; settings are {}.", key, allowed);
    return {.rule = "KEY-UNKNOWN",
            .field = std::string(key),
            .found = std::string(key),
            .allowed = std::move(allowed),
            .nearest = "",
            .sentence = std::move(sentence)};
}

/// `form` is text or JSON; `read` converts it to a value.
template <class Form, class Read>
std::optional<RuleViolation> set(EngineConfig& config, std::string_view key, const Form& form,
                                 const Read& read) {
    const SettingSpec* spec = findSetting(key);
    if (spec == nullptr) return unknownKey(key);
    ReadSetting value = read(*spec, form);
    if (!value) return std::move(value).error();
    spec->field.set(config, *value);
    return std::nullopt;
}

const SettingSpec& known(std::string_view key) {
    const SettingSpec* spec = findSetting(key);
    LACUNA_REQUIRE(spec != nullptr, "the key is in the table of settings");
    return *spec;
}

struct TextOf {
    const SettingSpec& spec;
    std::string operator()(SettingOff) const { return "off"; }
    std::string operator()(int number) const { return format("{}", number); }
    std::string operator()(std::uint64_t number) const { return format("{}", number); }
    std::string operator()(double number) const {
        return std::isnan(number) ? "nan" : format("{}", number);
    }
    /// The index is past the choices if a field holds a value that no setting produces; check()
    /// refuses it.
    std::string operator()(SettingChoice choice) const {
        const auto choices = spec.field.choices;
        return std::string(choice.place < choices.size() ? choices[choice.place] : "invalid");
    }
    std::string operator()(const std::vector<int>& list) const {
        return list.empty() ? "off" : format("{}", fmt::join(list, ","));
    }
};

}  // namespace

std::string settingText(const SettingSpec& spec, const SettingValue& value) {
    return std::visit(TextOf{spec}, value);
}

Json settingJson(const SettingSpec& spec, const SettingValue& value) {
    if (const auto* number = std::get_if<int>(&value)) return *number;
    if (const auto* number = std::get_if<std::uint64_t>(&value)) return *number;
    if (const auto* number = std::get_if<double>(&value)) return *number;
    if (const auto* list = std::get_if<std::vector<int>>(&value)) return *list;
    if (std::holds_alternative<SettingOff>(value)) return nullptr;
    return settingText(spec, value);
}

ReadSetting settingFromText(const SettingSpec& spec, std::string_view text) {
    switch (spec.field.kind) {
        case SettingKind::Choice:
            if (const auto value = wholeText<double>(text); value && spec.field.orNumber)
                return SettingValue(*value);
            return readChoice(spec, text);
        case SettingKind::IntegerList:
            return readList(spec, text);
        case SettingKind::Real:
            if (const auto value = wholeText<double>(text)) return SettingValue(*value);
            return unreadable(spec, "NUMBER", std::string(text), "a number");
        case SettingKind::OptionalInteger:
            if (text == "off") return SettingOff{};
            break;
        case SettingKind::Integer:
            break;
    }
    const ReadWhole whole = readWhole(spec, text);
    if (!whole) return Unexpected(whole.error());
    return numberOfField(spec, *whole);
}

ReadSetting settingFromJson(const SettingSpec& spec, const Json& json) {
    switch (spec.field.kind) {
        case SettingKind::Choice:
            if (json.is_number() && spec.field.orNumber) return SettingValue(json.get<double>());
            return json.is_string() ? readChoice(spec, json.get_ref<const std::string&>())
                                    : ReadSetting(noChoice(spec, foundText(json)));
        case SettingKind::IntegerList:
            return readList(spec, json);
        case SettingKind::Real:
            if (json.is_number()) return SettingValue(json.get<double>());
            return unreadable(spec, "NUMBER", foundText(json), "a number");
        case SettingKind::OptionalInteger:
            if (json.is_null()) return SettingOff{};
            break;
        case SettingKind::Integer:
            break;
    }
    if (!json.is_number_integer()) return notWhole(spec, foundText(json));
    return numberOfField(spec, wholeOf(json));
}

ReadSetting readSetting(std::string_view key, std::string_view text) {
    const SettingSpec* spec = findSetting(key);
    if (spec == nullptr) return Unexpected(unknownKey(key));
    return settingFromText(*spec, text);
}

std::string formerNameNote(const SettingSpec& spec, std::string_view text) {
    const FormerChoice* const former = formerChoice(spec, text);
    if (former == nullptr) return {};
    return format("{}={} is now called {}; the new name is used", spec.key, former->was,
                  former->now);
}

SettingValue settingNumber(const SettingSpec& spec, double number) {
    LACUNA_REQUIRE(
        spec.field.kind != SettingKind::Choice && spec.field.kind != SettingKind::IntegerList,
        "only a numeric setting takes a number");
    if (spec.field.kind == SettingKind::Real)
        return wholeText<double>(format("{:.10g}", number)).value_or(number);
    const double whole = std::isnan(number) ? 0 : std::round(number);
    if (spec.field.kind == SettingKind::OptionalInteger && whole <= 0) return SettingOff{};
    if (spec.field.wide) {
        constexpr double kEnd = 18446744073709551616.0;
        if (whole >= kEnd) return std::numeric_limits<std::uint64_t>::max();
        return static_cast<std::uint64_t>(whole);
    }
    constexpr double kMinValue = std::numeric_limits<int>::min();
    constexpr double kMaxValue = std::numeric_limits<int>::max();
    return static_cast<int>(std::clamp(whole, kMinValue, kMaxValue));
}

std::optional<double> numberOf(const SettingValue& value) {
    if (const auto* number = std::get_if<int>(&value)) return *number;
    if (const auto* number = std::get_if<std::uint64_t>(&value))
        return static_cast<double>(*number);
    if (const auto* number = std::get_if<double>(&value)) return *number;
    return std::nullopt;
}

Json settingValueFrom(const EngineConfig& config, std::string_view key) {
    const SettingSpec& spec = known(key);
    return settingJson(spec, settingOf(config, spec));
}

std::string settingValueText(const EngineConfig& config, std::string_view key) {
    const SettingSpec& spec = known(key);
    return settingText(spec, settingOf(config, spec));
}

std::optional<RuleViolation> changeSetting(EngineConfig& config, std::string_view key,
                                           std::string_view text) {
    return set(config, key, text, settingFromText);
}

std::optional<RuleViolation> changeSettingValue(EngineConfig& config, std::string_view key,
                                                const Json& json) {
    return set(config, key, json, settingFromJson);
}

tl::expected<EngineConfig, std::vector<RuleViolation>> withSettings(
    const EngineConfig& base, std::span<const std::string> assignments) {
    EngineConfig config = base;
    std::vector<RuleViolation> violations;
    std::set<std::string_view> assigned;
    for (const std::string& assignment : assignments) {
        const std::size_t equals = assignment.find('=');
        if (equals == std::string::npos) {
            violations.push_back(
                {.rule = "KEY-UNKNOWN",
                 .field = assignment,
                 .found = assignment,
                 .allowed = "key=value",
                 .nearest = "",
                 .sentence = format("'{}' is not of the form key=value.", assignment)});
            continue;
        }
        const std::string_view text = assignment;
        const std::string_view key = text.substr(0, equals);
        if (auto violation = changeSetting(config, key, text.substr(equals + 1)))
            violations.push_back(std::move(*violation));
        assigned.insert(key);
    }
    if (!violations.empty())
        return tl::unexpected<std::vector<RuleViolation>>(std::move(violations));
    if (assigned.contains("method")) {
        if (!assigned.contains("budget") && !config.kv.budget)
            config.kv.budget = impliedBudget(config, nullptr);
        return config;
    }
    for (const SettingSpec& spec : settingSpecs()) {
        if (!assigned.contains(spec.key)) continue;
        const auto method = impliedMethod(spec, config, settingOf(config, spec));
        if (method) config.kv.method = *method;
    }
    return config;
}

}  // namespace lacuna
