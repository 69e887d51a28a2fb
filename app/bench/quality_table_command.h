#pragma once
/// \file
/// Filling a quality table from the command line, as `bench-compression --table`, `presets` and
/// `bench-formats` do.

#include <stop_token>

#include "app/bench/bench_commands.h"
#include "app/bench/table_run.h"
#include "app/main/measuring_input.h"

namespace lacuna::cli {

/// Fills a quality table with progress on standard error; what was measured is kept when it is
/// stopped. Errors: those of TableRun.
[[nodiscard]] Status fillTable(TableRun& run, MeasuredModel& model);

/// Fills the quality table of a model and prints it; with a folder it writes quality.json, .csv,
/// .md and its cells there, and gives the person's own folder a copy. Returns the exit status.
/// Errors: those of loadForMeasuring, tableSettings and TableRun.
[[nodiscard]] Result<int> qualityTable(const BenchCompressionArguments& arguments,
                                       std::stop_token stop);

}  // namespace lacuna::cli
