#pragma once
/// \file
/// Options that several commands of `lacuna` and of `lacuna-bench` have.

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "app/main/commands.h"

namespace lacuna::cli {

/// What the command that was chosen does; gives the exit status.
using Action = std::function<int()>;

/// --set KEY=VALUE, as often as wanted.
void addSettings(CLI::App* command, std::vector<std::string>& into);

/// CLI::Range takes what is not a number for one in range.
[[nodiscard]] CLI::Validator realBetween(double least, double most);

/// Model, methods, sizes, settings and outputs of a grid.
void addGrid(CLI::App* command, GridArguments& arguments);

}  // namespace lacuna::cli
