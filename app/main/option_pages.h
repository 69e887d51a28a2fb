#pragma once
/// \file
/// Generates the manual page and the shell completions of a program. Both come from the option
/// table that parses the command line, so they always agree with it. Pure functions.

#include <string>

namespace CLI {
class App;
}

namespace lacuna::cli {

/// Texts of a manual page other than the commands.
struct ManualTexts {
    const char* summary;
    const char* description;
};
/// Returns a page for man(1), section 1, with every command, option and setting.
[[nodiscard]] std::string manualPage(const CLI::App& app, const ManualTexts& texts);
/// Returns a bash(1) completion script with commands, options, choices and settings, to be sourced.
[[nodiscard]] std::string bashCompletion(const CLI::App& app);
/// Returns the zsh(1) completion, to be installed as `_PROGRAM` in the function path.
[[nodiscard]] std::string zshCompletion(const CLI::App& app);

}  // namespace lacuna::cli
