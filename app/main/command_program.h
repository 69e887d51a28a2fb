#pragma once
/// \file
/// Shared by `lacuna` and `lacuna-bench`: parsing, error messages for invalid command lines, exit
/// status, and the commands that describe the option table.

#include <string>
#include <vector>

#include "app/main/option_pages.h"
#include "app/main/shared_options.h"

namespace lacuna::cli {

/// Adds `manual` and `completion` to the commands of `app`, parses `words` (program name first) and
/// runs the `action` set by the callback of the command, or `otherwise` if no command was given.
/// Returns the exit status as listed in command_line.h.
[[nodiscard]] int parseAndRun(CLI::App& app, const ManualTexts& texts, Action& action,
                              const std::vector<std::string>& words, const Action& otherwise);

}  // namespace lacuna::cli
