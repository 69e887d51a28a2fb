#pragma once
/// \file
/// What a package and the window show of a command line: its manual page, what shells complete,
/// and the table itself. All are made from the table of options that parses it, so they cannot say
/// anything else. Pure functions.

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
/// Every command with its options as one JSON object, which app/state/command_table.h reads:
/// {"schema": "lacuna-commands", "version": 1, "commands": [{"words": [...], "help": "...",
/// "group": it does nothing without one of its own commands, "options": [{"name", "positional",
/// "required", "many", "value": type, empty for a flag, "default", "choices": [...], "help"}]}]}.
[[nodiscard]] std::string commandTable(const CLI::App& app);
/// Commands, options, choices and settings for bash(1), to be sourced.
[[nodiscard]] std::string bashCompletion(const CLI::App& app);
/// The same for zsh(1), a file `_PROGRAM` of its function path.
[[nodiscard]] std::string zshCompletion(const CLI::App& app);

}  // namespace lacuna::cli
