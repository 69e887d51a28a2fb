#pragma once
/// \file
/// What `lacuna` and `lacuna-bench` do alike with a table of commands: the commands that describe
/// the table, the parsing, the refusal of a wrong command line and the exit status.

#include <string>
#include <vector>

#include "app/main/option_pages.h"
#include "app/main/shared_options.h"

namespace lacuna::cli {

/// Adds `manual` and `completion` to the commands of `app`, parses `words` (the program's name
/// first) and runs `action`, which the callback of the command has set; `otherwise` where no
/// command was named. Returns the exit status, which command_line.h lists.
[[nodiscard]] int parseAndRun(CLI::App& app, const ManualTexts& texts, Action& action,
                              const std::vector<std::string>& words, const Action& otherwise);

}  // namespace lacuna::cli
