#pragma once
/// \file
/// Mapping between enumerators and their keys in reports, settings and the command line: one table
/// for each enumeration, defined next to it. Display names are mapped where they are shown. Pure
/// functions.

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/base/check.h"

namespace lacuna {

template <std::size_t N, class Enum>
using KeyTable = std::array<std::pair<Enum, std::string_view>, N>;

/// Table of all enumerators with their keys, each key once. Only specialisations have one.
template <class Enum>
inline constexpr int kKeys = 0;

/// Only the keys, in the order of the table.
template <class Enum>
inline constexpr auto kKeysAlone = [] {
    std::array<std::string_view, kKeys<Enum>.size()> keys;
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = kKeys<Enum>[i].second;
    return keys;
}();

template <class Enum>
[[nodiscard]] std::string_view keyOf(Enum value) {
    for (const auto& [one, key] : kKeys<Enum>)
        if (one == value) return key;
    LACUNA_REQUIRE(false, "every enumerator has a key");
    return {};
}

/// Returns the enumerator of a key; nullopt if there is none.
template <class Enum>
[[nodiscard]] std::optional<Enum> valueOfKey(std::string_view target) {
    for (const auto& [value, key] : kKeys<Enum>)
        if (key == target) return value;
    return std::nullopt;
}

}  // namespace lacuna
