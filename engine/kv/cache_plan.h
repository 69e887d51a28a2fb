#pragma once
/// \file
/// From settings and the layers of a model to the cache that is made: one place for the engine, the
/// measuring commands, the memory plan and the rules. Pure functions.
/// docs/cache-contracts.md, "Lists of caches".

#include <cstdint>
#include <memory>
#include <string_view>

#include "engine/base/result.h"
#include "engine/kv/cache_model.h"
#include "engine/kv/kv_factory.h"
#include "engine/kv/kv_options.h"

namespace lacuna {

/// Whether some layer sees a window only.
[[nodiscard]] bool hasSlidingLayers(const CacheModel& model);
/// Layers of a model with sliding layers become a list, each with its own window, unless the
/// options want uniform layers. `window` bounds every layer; what a model's window bounds already
/// is bounded by the smaller of the two and keeps no first tokens.
[[nodiscard]] KvChoice cacheChoice(const CacheModel& model, const KvOptions& options);
/// Errors: as makeCache, naming format and length of a head where they do not fit.
[[nodiscard]] Result<std::unique_ptr<KvCache>> makeCacheFor(const CacheModel& model,
                                                            const KvOptions& options);
/// Whether `cache` is what the choice would make: shape, number format, windows.
[[nodiscard]] bool isOfChoice(const KvCache& cache, const KvChoice& choice);
/// What KvCache::save wrote, for a conversation that wants this choice. Errors: as loadCacheAs;
/// Incompatible where windows differ; KvNonFinite for a number that is none, naming its layer, head
/// and slot.
[[nodiscard]] Result<std::unique_ptr<KvCache>> loadCacheFor(std::string_view bytes,
                                                            const KvChoice& choice);
/// Bytes of keys and values that `tokens` tokens take without a compaction.
[[nodiscard]] std::int64_t cacheBytes(const CacheModel& model, const KvOptions& options,
                                      std::int64_t tokens);
/// Most tokens whose keys and values fit in `bytes`, at most `limit`.
[[nodiscard]] std::int64_t tokensThatFit(const CacheModel& model, const KvOptions& options,
                                         std::int64_t bytes, std::int64_t limit);

}  // namespace lacuna
