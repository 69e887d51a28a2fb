#pragma once
/// \file
/// What was calibrated on a model and lies next to its file, or among a person's own data where
/// that folder cannot be written: which of it there is, and whether it is of this very model.

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace lacuna {

struct CalibrationFile {
    std::string kind;  ///< "heads", "rotations", "layers", "transform", "surrogate",
                       ///< "centres"
    bool usable = false;
    std::string problem;  ///< why what lies there cannot be used, a sentence; empty: it can, or
                          ///< nothing lies there
};

/// One for each kind, in that order. `kept`: the folder of a person's own data, or empty. Errors:
/// as openModel.
[[nodiscard]] Result<std::vector<CalibrationFile>> calibrationsOf(
    const std::filesystem::path& model, const std::filesystem::path& kept);

}  // namespace lacuna
