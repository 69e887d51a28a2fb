#pragma once
/// \file
/// Enumerators and the keys that reports, settings and the command line write and read them by: one
/// table for each enumeration, next to it. Words for people are mapped where they are shown. Pure
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

/// All enumerators with their keys, each key once. There is none but for those that specialise it.
template <class Enum>
inline constexpr int kKeys = 0;

/// The keys alone, in the order of the table.
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

/// The enumerator of a key; nothing when there is none.
template <class Enum>
[[nodiscard]] std::optional<Enum> valueOfKey(std::string_view wanted) {
    for (const auto& [value, key] : kKeys<Enum>)
        if (key == wanted) return value;
    return std::nullopt;
}

}  // namespace lacuna
