#pragma once
/// \file
/// Whether tokens that compactions forgot come back by themselves for a question that looks for
/// them. Plain data, the same in settings, reports and the window. docs/bring-back.md.

#include "engine/values/value_keys.h"

namespace lacuna {

enum class BringBackMode {
    Off,  ///< nobody looks
    Ask,  ///< what a question looks for is named, for a person to decide
    Auto  ///< it comes back before the answer
};
template <>
inline constexpr KeyTable<3, BringBackMode> kKeys<BringBackMode>{
    {{BringBackMode::Off, "off"}, {BringBackMode::Ask, "ask"}, {BringBackMode::Auto, "auto"}}};

}  // namespace lacuna
