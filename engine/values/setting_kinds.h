#pragma once
/// \file
/// Kinds, groups and scopes of settings, and the variant type of their values. Plain data, shared
/// by the settings table and the panel.

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

namespace lacuna {

enum class SettingKind { Real, Integer, OptionalInteger, Choice, IntegerList };
enum class SettingGroup { Compression, Cache, Sampling, Run };
/// Scope in which a setting can be changed.
enum class SettingScope {
    All,          ///< one value for all conversations
    Conversation  ///< a conversation may have its own (conversation_settings.h)
};
/// When a change takes effect.
enum class SettingTiming {
    Live,      ///< at the next safe point, even while text is streaming
    NextTurn,  ///< with the next turn
    NewCache,  ///< for conversations whose cache is created afterwards
};

/// Value of an optional setting that is off.
struct SettingOff {
    friend bool operator==(SettingOff, SettingOff) = default;
};
/// Index among the choices of a setting, from 0.
struct SettingChoice {
    std::size_t place = 0;
    friend bool operator==(SettingChoice, SettingChoice) = default;
};
/// int: integers, including optional ones that are on; std::uint64_t: only the seed.
using SettingValue =
    std::variant<SettingOff, int, std::uint64_t, double, SettingChoice, std::vector<int>>;

}  // namespace lacuna
