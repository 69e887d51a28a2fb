#pragma once
/// \file
/// What a compactor needs to know of a loaded model.

#include <cstdint>

#include "engine/compress/compactor.h"
#include "engine/format/load_model.h"
#include "engine/format/model_spec.h"

namespace lacuna {

/// Facts of the model's shape: the text of its tokens is not known. Pure function.
[[nodiscard]] CompactorModel compactorModel(const ModelSpec& spec, std::uint64_t seed,
                                            HeadProfiles profiles);
/// The same with what its tokens say. The model must outlive it.
[[nodiscard]] CompactorModel compactorModel(const LoadedModel& model, std::uint64_t seed,
                                            HeadProfiles profiles);

}  // namespace lacuna
