#pragma once
/// \file
/// Fills a quality table from the command line, for `bench-compression --table`, `presets` and
/// `bench-formats`.

#include <stop_token>

#include "app/bench/bench_commands.h"
#include "app/bench/table_run.h"
#include "app/main/measuring_input.h"

namespace lacuna::cli {

/// Fills a quality table with progress on standard error; measurements are saved when it is
/// stopped. Errors: those of TableRun.
[[nodiscard]] Status fillTable(TableRun& run, MeasuredModel& model);

/// Fills the quality table of a model and prints it. With an output folder, writes quality.json,
/// .csv, .md and the cells there, and a copy to the user's data folder. Returns the exit status.
/// Errors: those of loadForMeasuring, tableSettings and TableRun.
[[nodiscard]] Result<int> qualityTable(const BenchCompressionArguments& arguments,
                                       std::stop_token stop);

}  // namespace lacuna::cli
