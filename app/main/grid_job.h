#pragma once
/// \file
/// Runs a measurement of settings for the command line: progress on standard error, cells kept in a
/// file so that it can be stopped and gone on with, results as table, CSV, JSON and picture.

#include <stop_token>
#include <string>
#include <vector>

#include "app/main/measuring_input.h"
#include "engine/quality/quality_grid.h"
#include "engine/quality/table_run.h"

namespace lacuna::cli {

struct GridJob {
    std::string name;   ///< stem of the files: "bench"
    std::string title;  ///< of the picture
    std::vector<GridItem> items;
    std::vector<GridSetting> settings;
    ShadowOptions shadow;
    std::string out;     ///< folder for files; empty: none, and nothing to go on with
    bool fresh = false;  ///< cells of an earlier run are not used
    bool json = false;   ///< JSON instead of the table
};

/// Prints the result; with `out` writes NAME.json, NAME.csv, NAME.md and NAME.svg there. At most
/// a second of work is lost when it is stopped. Returns the exit status. Errors: Conflict (the
/// folder holds cells of another measurement), those of reading and writing, of runGrid.
[[nodiscard]] Result<int> runGridJob(MeasuredModel& model, const GridJob& job);

/// Fills a quality table with progress on standard error; what was measured is kept when it is
/// stopped. Errors: those of TableRun.
[[nodiscard]] Status fillTable(TableRun& run, MeasuredModel& model);

/// Fills the quality table of a model and prints it; with a folder it writes quality.json, .csv,
/// .md and its cells there, and gives the person's own folder a copy. Returns the exit status.
/// Errors: those of loadForMeasuring, tableSettings and TableRun.
[[nodiscard]] Result<int> qualityTable(const BenchCompressionArguments& arguments,
                                       std::stop_token stop);

}  // namespace lacuna::cli
