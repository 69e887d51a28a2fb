#pragma once
/// \file
/// Kinds, groups and scopes of settings, and the type that carries the value of any of them from
/// slider to engine. Plain data, the same in the table of settings and in the panel.

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

namespace lacuna {

enum class KnobKind { Real, Integer, OptionalInteger, Choice, IntegerList };
enum class KnobGroup { Compression, Cache, Sampling, Run };
/// Whom a setting can be set for.
enum class KnobScope {
    All,          ///< one value for all conversations
    Conversation  ///< a conversation may have its own (conversation_settings.h)
};
/// When a change takes effect.
enum class KnobWhen {
    Live,      ///< at the next safe point, also while text streams
    NextTurn,  ///< with the next answer
    NewCache,  ///< for conversations whose cache is built again
};

/// An optional setting without a value.
struct SettingOff {
    friend bool operator==(SettingOff, SettingOff) = default;
};
/// Place among the choices of a setting, from 0.
struct SettingChoice {
    std::size_t place = 0;
    friend bool operator==(SettingChoice, SettingChoice) = default;
};
/// int: whole numbers, also optional ones that are on; std::uint64_t: the seed alone.
using SettingValue =
    std::variant<SettingOff, int, std::uint64_t, double, SettingChoice, std::vector<int>>;

}  // namespace lacuna
