#pragma once
/// \file
/// Runs a grid measurement for the command line: progress on standard error, finished cells stored
/// in a file so that the run can be resumed, results as table, CSV, JSON and picture.

#include <stop_token>
#include <string>
#include <vector>

#include "app/main/measuring_input.h"
#include "engine/quality/quality_grid.h"

namespace lacuna::cli {

struct GridJob {
    std::string name;   ///< stem of the output files: "bench"
    std::string title;  ///< title of the picture
    std::vector<GridItem> items;
    std::vector<GridSetting> settings;
    ShadowOptions shadow;
    std::string out;     ///< output folder; empty: no files, no resuming
    bool fresh = false;  ///< ignore cells of an earlier run
    bool json = false;   ///< print JSON instead of the table
};

/// Prints the result; with `out`, writes NAME.json, NAME.csv, NAME.md and NAME.svg there. An
/// interruption loses at most one second of work. Returns the exit status. Errors: Conflict (the
/// folder holds cells of a different measurement), those of reading and writing, of runGrid.
[[nodiscard]] Result<int> runGridJob(MeasuredModel& model, const GridJob& job);

/// Model and job without its items, as needed by `sweep` and `bench-compression`.
struct PreparedGrid {
    MeasuredModel model;
    GridJob job;
};
/// Errors: those of methodsNamed, gridSettings and loadForMeasuring.
[[nodiscard]] Result<PreparedGrid> prepareGrid(const GridArguments& arguments,
                                               std::stop_token stop);

}  // namespace lacuna::cli
