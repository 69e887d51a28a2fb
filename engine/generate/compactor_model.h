#pragma once
/// \file
/// What a compactor needs to know of a loaded model. Pure function.

#include <cstdint>
#include <memory>

#include "engine/compress/compactor.h"
#include "engine/format/model_spec.h"

namespace lacuna {

/// `profile` may be null.
[[nodiscard]] CompactorModel compactorModel(const ModelSpec& spec, std::uint64_t seed,
                                            std::shared_ptr<const HeadProfile> profile);

}  // namespace lacuna
