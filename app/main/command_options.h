#pragma once
/// \file
/// Options of the command line that stand apart from command_line.cpp: those of the commands that
/// measure quality, and what several files of options share.

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

struct QualityArguments {
    BenchCompressionArguments benchCompression;
    SweepArguments sweep;
    CompareArguments compare;
    PreviewArguments preview;
};
/// bench-compression, sweep, compare, preview. `arguments` and `action` must outlive `app`.
void addQualityCommands(CLI::App& app, QualityArguments& arguments, Action& action);

}  // namespace lacuna::cli
