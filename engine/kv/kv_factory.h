#pragma once
/// \file
/// Creates or loads the cache of a choice, and derives that choice from settings and the layers of
/// a model, for the engine, the measuring commands, the memory plan and the rules. Pure functions.
/// docs/cache-contracts.md, "Lists of caches".

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

/// Requirements on a cache.
struct KvChoice {
    KvShape shape;
    std::optional<WindowRule> window;  ///< every layer drops tokens by age
    std::vector<LayerPlan> layers;     ///< plans of differing layers; empty: all equal
};

/// Creates a cache of the matching kind. Errors: InvalidArgument (two exclusive requirements,
/// naming both), those of the factory.
[[nodiscard]] Result<std::unique_ptr<KvCache>> makeCache(const KvChoice& choice);

/// Format in kRowTypes with this name. Errors: InvalidArgument, listing the names.
[[nodiscard]] Result<KvRowType> kvTypeFromName(std::string_view name);

/// Loads the cache that KvCache::save wrote, except lists (cache_list.h). It continues bit-equal,
/// with headroom for the next token. `rows`: required format of rotated codes; missing rows in 16
/// bits are replaced by their codes. Errors: Corrupt (truncated, altered, inconsistent),
/// Incompatible (another version; other calibrated rotations), Unsupported (type), NoMemory.
[[nodiscard]] Result<std::unique_ptr<KvCache>> loadCache(std::string_view bytes,
                                                         const RowsInUse& rows = {});
[[nodiscard]] Result<std::unique_ptr<KvCache>> loadCache(std::string_view bytes,
                                                         SlotAllocator& allocator,
                                                         const RowsInUse& rows = {});
/// Checks that saved rows are rotated as in `wanted`. Errors: Incompatible.
[[nodiscard]] Status checkRotations(const KvShape& found, const KvShape& expected);
/// loadCache for a model and settings that require `shape`. Errors: also Incompatible, naming the
/// found and the required shape.
[[nodiscard]] Result<std::unique_ptr<KvCache>> loadCacheAs(std::string_view bytes,
                                                           const KvShape& shape);

/// Shape of a cache of this model that stores every token as plain numbers.
[[nodiscard]] KvShape plainShapeOf(const CacheModel& model, DType type = DType::F16);
/// Returns true if some layer has a sliding window.
[[nodiscard]] bool hasSlidingLayers(const CacheModel& model);
/// Layers of a model with sliding layers become a list, each with its own window, unless the
/// options require uniform layers; so do layers with their own numbers of bits (extraBits), and
/// always layers that differ in KV heads or head sizes.
/// `window` bounds every layer; a layer with its own window is bounded by the smaller of the two
/// and keeps no first tokens.
[[nodiscard]] KvChoice cacheChoice(const CacheModel& model, const KvOptions& options);
/// Errors: as makeCache, naming format and head length if they do not match; Unsupported for
/// calibrated rotations of a model that has none; Incompatible for those of a model whose layers
/// differ.
[[nodiscard]] Result<std::unique_ptr<KvCache>> makeCacheFor(const CacheModel& model,
                                                            const KvOptions& options);
/// Name of the rotation of such a cache in settings: "hadamard" or "calibrated"; empty if none.
[[nodiscard]] std::string_view rotationInUse(const CacheModel& model, const KvOptions& options);
/// Returns true if `cache` is what the choice would create: shape, number format, rotations,
/// windows. The first tokens kept in 16 bits are ignored, so that a changed `n_sink` drops no
/// cache.
[[nodiscard]] bool matchesChoice(const KvCache& cache, const KvChoice& choice);
/// Loads a saved cache for a conversation that requires this choice. Errors: as loadCacheAs;
/// Incompatible if windows differ; KvNonFinite for NaN or infinity, naming layer, head and slot.
[[nodiscard]] Result<std::unique_ptr<KvCache>> loadCacheFor(std::string_view bytes,
                                                            const KvChoice& choice);
/// Bytes of the states of recurrent layers after `tokens` tokens; 0 without such layers.
[[nodiscard]] std::int64_t stateBytes(const CacheModel& model, std::int64_t tokens);
/// Bytes of one checkpoint of these states; 0 without recurrent layers.
[[nodiscard]] std::int64_t checkpointBytes(const CacheModel& model, StateType type);
/// Bytes of keys, values and states of `tokens` tokens without a compaction.
[[nodiscard]] std::int64_t cacheBytes(const CacheModel& model, const KvOptions& options,
                                      std::int64_t tokens);
/// Largest number of tokens, up to `limit`, whose keys, values and states fit in `bytes`.
[[nodiscard]] std::int64_t tokensThatFit(const CacheModel& model, const KvOptions& options,
                                         std::int64_t bytes, std::int64_t limit);

}  // namespace lacuna
