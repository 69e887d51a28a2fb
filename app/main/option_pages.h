#pragma once
/// \file
/// What a package shows of a command line: its manual page and what shells complete. Both are made
/// from the table of options that parses it, so they cannot say anything else. Pure functions.

#include <string>

namespace CLI {
class App;
}

namespace lacuna::cli {

/// What the manual page of a program says beside its commands.
struct ManualTexts {
    const char* summary;
    const char* description;
};
/// A page for man(1), section 1, of every command, option and setting.
[[nodiscard]] std::string manualPage(const CLI::App& app, const ManualTexts& texts);
/// Commands, options, choices and settings for bash(1), to be sourced.
[[nodiscard]] std::string bashCompletion(const CLI::App& app);
/// The same for zsh(1), a file `_PROGRAM` of its function path.
[[nodiscard]] std::string zshCompletion(const CLI::App& app);

}  // namespace lacuna::cli
