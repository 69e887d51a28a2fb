#pragma once
/// \file
/// Collects what a compactor needs to know about a loaded model.

#include <cstdint>

#include "engine/compress/driver/compactor.h"
#include "engine/format/load_model.h"
#include "engine/format/model_spec.h"

namespace lacuna {

/// Properties that a head profile of this model must match.
[[nodiscard]] ProfiledModel profiledModelOf(const ModelSpec& spec);
/// Uses the model's dimensions only, without the text of its tokens. Pure function.
[[nodiscard]] CompactorModel compactorModel(const ModelSpec& spec, std::uint64_t seed,
                                            HeadProfiles profiles);
/// Also provides the text of the tokens. The model must outlive the result.
[[nodiscard]] CompactorModel compactorModel(const LoadedModel& model, std::uint64_t seed,
                                            HeadProfiles profiles);

}  // namespace lacuna
