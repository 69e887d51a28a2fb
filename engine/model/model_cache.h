#pragma once
/// \file
/// Creates the caches of a model's conversations from its description. Pure functions.

#include <memory>

#include "engine/base/result.h"
#include "engine/format/load_model.h"
#include "engine/format/model_spec.h"
#include "engine/kv/kv_factory.h"

namespace lacuna {

/// Returns the rows that a layer stores for each token.
[[nodiscard]] KvExtent cacheExtent(const LayerSpec& layer);
[[nodiscard]] CacheModel cacheModelOf(const ModelSpec& spec);
/// Includes its calibrated rotations and the predicted errors of its layers.
[[nodiscard]] CacheModel cacheModelOf(const LoadedModel& model);
/// An empty cache for a sequence of this model. Errors: as makeCacheFor.
[[nodiscard]] Result<std::unique_ptr<KvCache>> makeModelCache(const LoadedModel& model,
                                                              const KvOptions& options);
/// Returns an empty cache that keeps every token in every layer, even in those with windows, as
/// numbers of `type`: it can be rolled back exactly, and compacted caches are measured against it.
/// Errors: NoMemory.
[[nodiscard]] Result<std::unique_ptr<KvCache>> makeFullCache(const ModelSpec& spec, DType type);
/// The same for rows of this shape.
[[nodiscard]] Result<std::unique_ptr<KvCache>> makeFullCache(const KvShape& shape);

}  // namespace lacuna
