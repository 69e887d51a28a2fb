#pragma once
/// \file
/// How weights must lie to be multiplied fast on this machine, and models loaded that way.

#include <filesystem>
#include <memory>

#include "engine/base/result.h"
#include "engine/format/load_model.h"
#include "engine/kernels/kernels.h"

namespace lacuna {

/// Copied into memory of their own, in groups as far as `kernels` have functions for them. The
/// environment variable LACUNA_WEIGHTS changes that: "mapped" leaves them in the file (a machine
/// short of memory), "copied" leaves them in plain rows; "grouped" insists on memory of their own
/// even where little is free. Errors: InvalidArgument for any other word.
[[nodiscard]] Result<WeightPlacement> placementFor(const KernelTable& kernels);

/// loadModel with the placement for the kernels that will be used, and with the rotations that were
/// calibrated on the model. Errors: of both.
[[nodiscard]] Result<std::shared_ptr<const LoadedModel>> loadToRun(
    const std::filesystem::path& path, LoadOptions options);

}  // namespace lacuna
