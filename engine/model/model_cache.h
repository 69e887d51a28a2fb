#pragma once
/// \file
/// The cache that a model's conversations are kept in, from its description. Pure functions.

#include <memory>

#include "engine/base/result.h"
#include "engine/format/load_model.h"
#include "engine/format/model_spec.h"
#include "engine/kv/kv_factory.h"

namespace lacuna {

[[nodiscard]] CacheModel cacheModelOf(const ModelSpec& spec);
/// With the rotations that were calibrated on it, and what codes of its layers cost.
[[nodiscard]] CacheModel cacheModelOf(const LoadedModel& model);
/// An empty cache for a sequence of this model. Errors: as makeCacheFor.
[[nodiscard]] Result<std::unique_ptr<KvCache>> makeModelCache(const LoadedModel& model,
                                                              const KvOptions& options);
/// An empty cache that keeps every token in every layer, windows or not, as numbers of `type`: it
/// goes back exactly, and a compacted one is measured against it. Errors: NoMemory.
[[nodiscard]] Result<std::unique_ptr<KvCache>> makeWholeCache(const ModelSpec& spec, DType type);

}  // namespace lacuna
