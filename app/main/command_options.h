#pragma once
/// \file
/// Options of the measuring commands of `lacuna`, apart from those in command_line.cpp.

#include <CLI/CLI.hpp>

#include "app/main/commands.h"
#include "app/main/shared_options.h"

namespace lacuna::cli {

struct QualityArguments {
    SweepArguments sweep;
    CompareArguments compare;
    PreviewArguments preview;
};
/// sweep, compare, preview. `arguments` and `action` must outlive `app`.
void addQualityCommands(CLI::App& app, QualityArguments& arguments, Action& action);

struct MeasuringArguments {
    LogitsArguments logits;
    TokenizeArguments tokenize;
    PrecisionArguments precision;
};
/// logits, tokenize, precision; `arguments` and `action` must outlive `app`.
void addMeasuring(CLI::App& app, MeasuringArguments& arguments, Action& action);

}  // namespace lacuna::cli
