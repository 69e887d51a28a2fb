#pragma once
/// \file
/// Runs a measurement of settings for the command line: progress on standard error, cells kept in a
/// file so that it can be stopped and gone on with, results as table, CSV, JSON and picture.

#include <stop_token>
#include <string>
#include <vector>

#include "app/main/measuring_input.h"
#include "engine/quality/quality_grid.h"

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

/// What `sweep` and `bench-compression` have in common: the model and the job, without its items.
struct PreparedGrid {
    MeasuredModel model;
    GridJob job;
};
/// Errors: those of methodsNamed, gridSettings and loadForMeasuring.
[[nodiscard]] Result<PreparedGrid> prepareGrid(const GridArguments& arguments,
                                               std::stop_token stop);

}  // namespace lacuna::cli
