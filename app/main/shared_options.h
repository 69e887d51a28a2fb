#pragma once
/// \file
/// Options shared by commands of `lacuna` and `lacuna-bench`.

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "app/main/commands.h"

namespace lacuna::cli {

/// Runs the chosen command and returns the exit status.
using Action = std::function<int()>;

/// Adds --set KEY=VALUE, which may be repeated.
void addSettings(CLI::App* command, std::vector<std::string>& into);

/// Replaces CLI::Range, which accepts text that is not a number.
[[nodiscard]] CLI::Validator numberBetween(double least, double most);

/// Adds model, methods, sizes, settings and outputs of a grid.
void addGrid(CLI::App* command, GridArguments& arguments);

}  // namespace lacuna::cli
