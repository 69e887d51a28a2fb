#pragma once
/// \file
/// What a setting is good for, as a person in the window needs it: what one gains, what one loses,
/// and at the end the paper, if there is one. Settings without such a text have the one of the
/// knob table. Pure functions.

#include <QString>
#include <string_view>

namespace lacuna::app {

/// In the language of the window; empty: the setting has none.
[[nodiscard]] QString knobHelp(std::string_view key);

}  // namespace lacuna::app
