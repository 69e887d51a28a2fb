#pragma once
/// \file
/// The fastest memory layout of weights on this machine, and loading of models in it.

#include <filesystem>
#include <memory>

#include "engine/base/result.h"
#include "engine/format/load_model.h"
#include "engine/kernels/kernels.h"

namespace lacuna {

/// Returns a placement in own memory, in groups where `kernels` has functions for them. The
/// environment variable LACUNA_WEIGHTS overrides it: "mapped" leaves weights in the file (for a
/// machine short of memory), "copied" leaves them in plain rows, "grouped" requires own memory even
/// if little is free. Errors: InvalidArgument for any other word.
[[nodiscard]] Result<WeightPlacement> placementFor(const KernelTable& kernels);

/// Calls loadModel with the placement for the kernels in use and with the rotations calibrated on
/// the model. Errors: of both.
[[nodiscard]] Result<std::shared_ptr<const LoadedModel>> loadToRun(
    const std::filesystem::path& path, LoadOptions options);

}  // namespace lacuna
