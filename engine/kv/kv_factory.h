#pragma once
/// \file
/// Every kind of cache once: name, what it is for, whether it fits a choice, how it is made. And
/// what turns one cache into another. Pure functions.

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/kv/cache_list.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// What somebody wants of a cache.
struct KvChoice {
    KvShape shape;
    std::optional<int> budget;         ///< slots per head that a compaction leaves
    std::optional<WindowRule> window;  ///< every layer forgets by age
    std::vector<LayerPlan> layers;     ///< layers that differ; empty: all alike
};

struct KvKindInfo {
    KvKind kind;
    std::string_view name;         ///< "rotating"
    std::string_view description;  ///< one sentence
    bool (*fits)(const KvChoice& choice);
    Result<std::unique_ptr<KvCache>> (*make)(const KvChoice& choice);
};

[[nodiscard]] std::span<const KvKindInfo> kvKinds();
[[nodiscard]] std::string_view kindName(KvKind kind);
/// The cache of the kind that fits. Errors: InvalidArgument (two wishes that exclude each other,
/// both named), those of the maker.
[[nodiscard]] Result<std::unique_ptr<KvCache>> makeCache(const KvChoice& choice);

/// The format of kRowTypes with this name. Errors: InvalidArgument, listing the names.
[[nodiscard]] Result<KvRowType> kvTypeFromName(std::string_view name);

/// A copy of a dense or windowed cache with coded rows: each row as if it had been coded when it
/// came. A cache that is coded so already is copied as it is. Errors: Unsupported (coded otherwise,
/// compacted, a list), InvalidArgument (bits or group), NoMemory.
[[nodiscard]] Result<std::unique_ptr<KvCache>> quantised(const KvCache& cache, KvQuant keys,
                                                         KvQuant values);
/// loadCache for a model and setting that want `shape`. Errors: also Incompatible, naming what was
/// found and what was asked for.
[[nodiscard]] Result<std::unique_ptr<KvCache>> loadCacheAs(std::string_view bytes,
                                                           const KvShape& shape);

}  // namespace lacuna
