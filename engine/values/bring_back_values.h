#pragma once
/// \file
/// Modes for restoring evicted tokens that are relevant to a new user message. Plain data, shared
/// by settings, reports and the window. See docs/bring-back.md.

#include "engine/values/value_keys.h"

namespace lacuna {

enum class BringBackMode {
    Off,  ///< no search
    Ask,  ///< relevant tokens are proposed for the user to confirm
    Auto  ///< relevant tokens are restored before the answer
};
template <>
inline constexpr KeyTable<3, BringBackMode> kKeys<BringBackMode>{
    {{BringBackMode::Off, "off"}, {BringBackMode::Ask, "ask"}, {BringBackMode::Auto, "auto"}}};

}  // namespace lacuna
