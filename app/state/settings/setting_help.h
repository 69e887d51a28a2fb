#pragma once
/// \file
/// Help texts of settings for the window: the gain, the cost, and the paper, if any. Settings
/// without such a text use that of the settings table. Pure functions.

#include <QString>
#include <string_view>

namespace lacuna::app {

/// Returns the text in the language of the window; empty if the setting has none.
[[nodiscard]] QString settingHelp(std::string_view key);

}  // namespace lacuna::app
