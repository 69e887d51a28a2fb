#pragma once
/// \file
/// Helpers for writing the settings tables: fields of the configuration by their path of members,
/// and refusals. Internal to this module. Pure functions.

#include <type_traits>
#include <utility>

#include "engine/settings/choice_names.h"
#include "engine/settings/facts.h"
#include "engine/settings/setting_spec.h"

namespace lacuna {

inline constexpr double kMaxTokens = 1'048'576;
inline constexpr double kMaxCount = 1'000'000;

/// The tables in the order in which setting_spec.cpp concatenates them.
[[nodiscard]] std::vector<SettingSpec> compressionSettingSpecs();
[[nodiscard]] std::vector<SettingSpec> cacheSettingSpecs();
[[nodiscard]] std::vector<SettingSpec> runSettingSpecs();
[[nodiscard]] std::vector<SettingSpec> samplingSettingSpecs();

// ---------------------------------------------------------------- fields

namespace fields {

template <class Object, class First, class... Rest>
constexpr auto& follow(Object& object, First first, Rest... rest) {
    if constexpr (sizeof...(Rest) == 0)
        return object.*first;
    else
        return follow(object.*first, rest...);
}

template <class T>
inline constexpr bool isChoice = std::is_enum_v<T> || std::is_same_v<T, bool>;

template <class T>
constexpr SettingKind kindOf() {
    if (std::is_same_v<T, double>) return SettingKind::Real;
    if (std::is_same_v<T, int>) return SettingKind::Integer;
    if (std::is_same_v<T, std::vector<int>>) return SettingKind::IntegerList;
    return isChoice<T> ? SettingKind::Choice : SettingKind::OptionalInteger;
}

template <class T>
SettingValue toValue(const T& field) {
    if constexpr (isChoice<T>)
        return SettingChoice{static_cast<std::size_t>(field)};
    else
        return field;
}
template <class T>
SettingValue toValue(const std::optional<T>& field) {
    return field ? SettingValue(*field) : SettingOff{};
}

template <class T>
void fromValue(const SettingValue& value, T& field) {
    if constexpr (isChoice<T>)
        field = static_cast<T>(std::get<SettingChoice>(value).place);
    else
        field = std::get<T>(value);
}
template <class T>
void fromValue(const SettingValue& value, std::optional<T>& field) {
    field.reset();
    if (const T* on = std::get_if<T>(&value)) field = *on;
}

}  // namespace fields

/// fieldAt<&EngineConfig::kv, &KvOptions::margin>(): kind and choices are deduced from the member's
/// type.
template <auto... Path>
[[nodiscard]] SettingField fieldAt() {
    using T = std::remove_cvref_t<decltype(fields::follow(std::declval<EngineConfig&>(), Path...))>;
    SettingField field{
        .kind = fields::kindOf<T>(),
        .get = [](const EngineConfig& c) { return fields::toValue(fields::follow(c, Path...)); },
        .set = [](EngineConfig& c,
                  const SettingValue& v) { fields::fromValue(v, fields::follow(c, Path...)); },
        .choices = {},
        .wide = std::is_same_v<T, std::optional<std::uint64_t>>};
    if constexpr (fields::isChoice<T>) field.choices = kChoiceNames<T>;
    return field;
}
template <auto Member>
[[nodiscard]] SettingField kvField() {
    return fieldAt<&EngineConfig::kv, Member>();
}
template <auto Member>
[[nodiscard]] SettingField samplingField() {
    return fieldAt<&EngineConfig::sampling, Member>();
}

// ---------------------------------------------------------------- rules

/// Parts from which the sentence of a refusal is composed.
struct Refusal {
    std::string_view rule;
    std::string_view key;
    std::string allowed;
    std::string nearest;
    std::string reason = {};  ///< "the context has 4096 tokens"
};
[[nodiscard]] RuleViolation refused(const EngineConfig& config, Refusal parts);

/// Returns the maximum number of tokens of a conversation: the setting, otherwise the trained
/// context if known.
[[nodiscard]] std::optional<int> contextLimit(const EngineConfig& config, const ModelFacts* model);

}  // namespace lacuna
