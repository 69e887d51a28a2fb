#pragma once
/// \file
/// Finds the calibration files of a model, next to its file or in the user's data folder if that
/// folder is not writable, and checks that they belong to this model.

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace lacuna {

struct CalibrationFile {
    std::string kind;  ///< "heads", "rotations", "layers", "transform", "surrogate",
                       ///< "centres"
    bool usable = false;
    std::string problem;  ///< why the file cannot be used, a sentence; empty if it can or is absent
};

/// Returns one entry for each kind, in that order. `kept` is the user's data folder, or empty.
/// Errors: as openModel.
[[nodiscard]] Result<std::vector<CalibrationFile>> calibrationsOf(
    const std::filesystem::path& model, const std::filesystem::path& kept);

}  // namespace lacuna
