#pragma once
/// \file
/// From a choice to a cache of the kind that fits it, new or loaded; and from settings and the
/// layers of a model to that choice: one place for the engine, the measuring commands, the memory
/// plan and the rules. Pure functions. docs/cache-contracts.md, "Lists of caches".

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/kv/cache_list.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/kv_options.h"
#include "engine/kv/kv_values.h"
#include "engine/kv/slot_memory.h"

namespace lacuna {

/// What somebody wants of a cache.
struct KvChoice {
    KvShape shape;
    std::optional<WindowRule> window;  ///< every layer forgets by age
    std::vector<LayerPlan> layers;     ///< layers that differ; empty: all alike
};

/// The cache of the kind that fits. Errors: InvalidArgument (two wishes that exclude each other,
/// both named), those of the maker.
[[nodiscard]] Result<std::unique_ptr<KvCache>> makeCache(const KvChoice& choice);

/// The format of kRowTypes with this name. Errors: InvalidArgument, listing the names.
[[nodiscard]] Result<KvRowType> kvTypeFromName(std::string_view name);

/// The cache that KvCache::save wrote, lists apart (cache_list.h); continues bit-equal, with
/// headroom for the next token. `rows`: what those of rotated codes are to be; rows in 16 bits that
/// are not there have their codes. Errors: Corrupt (truncated, altered, contradicting itself),
/// Incompatible (another version; calibrated rotations that are not these), Unsupported (type),
/// NoMemory.
[[nodiscard]] Result<std::unique_ptr<KvCache>> loadCache(std::string_view bytes,
                                                         const RowsInUse& rows = {});
[[nodiscard]] Result<std::unique_ptr<KvCache>> loadCache(std::string_view bytes,
                                                         SlotAllocator& allocator,
                                                         const RowsInUse& rows = {});
/// Whether rotated rows that were saved are turned as `wanted` asks. Errors: Incompatible.
[[nodiscard]] Status checkRotations(const KvShape& found, const KvShape& wanted);
/// loadCache for a model and setting that want `shape`. Errors: also Incompatible, naming what was
/// found and what was asked for.
[[nodiscard]] Result<std::unique_ptr<KvCache>> loadCacheAs(std::string_view bytes,
                                                           const KvShape& shape);

/// Whether some layer sees a window only.
[[nodiscard]] bool hasSlidingLayers(const CacheModel& model);
/// Layers of a model with sliding layers become a list, each with its own window, unless the
/// options want uniform layers; so do layers that have bits of their own (extraBits). `window`
/// bounds every layer; what a model's window bounds already
/// is bounded by the smaller of the two and keeps no first tokens.
[[nodiscard]] KvChoice cacheChoice(const CacheModel& model, const KvOptions& options);
/// Errors: as makeCache, naming format and length of a head where they do not fit; Unsupported for
/// calibrated rotations of a model that has none.
[[nodiscard]] Result<std::unique_ptr<KvCache>> makeCacheFor(const CacheModel& model,
                                                            const KvOptions& options);
/// What turns the rows of such a cache, as settings name it: "hadamard" or "calibrated"; empty:
/// none is rotated.
[[nodiscard]] std::string_view rotationInUse(const CacheModel& model, const KvOptions& options);
/// Whether `cache` is what the choice would make: shape, number format, rotations, windows. The
/// first tokens that it keeps in 16 bits are not asked for: a changed `n_sink` drops no cache.
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
