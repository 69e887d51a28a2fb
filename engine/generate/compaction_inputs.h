#pragma once
/// \file
/// What a compactor needs to know of a loaded model.

#include <cstdint>

#include "engine/compress/compactor.h"
#include "engine/format/model_spec.h"

namespace lacuna {

/// Facts of the model. Pure function.
[[nodiscard]] CompactorModel compactorModel(const ModelSpec& spec, std::uint64_t seed,
                                            HeadProfiles profiles);

}  // namespace lacuna
