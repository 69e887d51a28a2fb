#pragma once
/// \file
/// From a choice to a cache of the kind that fits it, new or loaded. Pure functions.

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/kv/cache_list.h"
#include "engine/kv/kv_cache.h"
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
/// headroom for the next token. Errors: Corrupt (truncated, altered, contradicting itself),
/// Incompatible (another version), Unsupported (type), NoMemory.
[[nodiscard]] Result<std::unique_ptr<KvCache>> loadCache(std::string_view bytes);
[[nodiscard]] Result<std::unique_ptr<KvCache>> loadCache(std::string_view bytes,
                                                         SlotAllocator& allocator);
/// loadCache for a model and setting that want `shape`. Errors: also Incompatible, naming what was
/// found and what was asked for.
[[nodiscard]] Result<std::unique_ptr<KvCache>> loadCacheAs(std::string_view bytes,
                                                           const KvShape& shape);

}  // namespace lacuna
