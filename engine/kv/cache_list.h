#pragma once
/// \file
/// One cache for a model whose layers remember differently: full layers dense, sliding layers
/// rotating, each with its own row format, and layers that read the rows of another. Layers of one
/// plan share a cache inside, so a step asks as many caches as there are plans, not layers.
/// All layers of a sequence share one offset; what one part cannot do, none does.
/// Owned by the engine thread. docs/cache-contracts.md, "Lists of caches"; G-11.

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/slot_memory.h"
#include "engine/kv/token_window.h"

namespace lacuna {

/// What one layer remembers.
struct LayerPlan {
    std::optional<WindowRule> window;  ///< off: every token
    KvQuant keyQuant;
    KvQuant valueQuant;
    std::optional<int> sharesWith;  ///< an earlier layer whose rows this one reads
    friend bool operator==(const LayerPlan&, const LayerPlan&) = default;
};

class CacheList : public KvCache {
  public:
    /// Distinct caches inside: as many masks are built each step.
    [[nodiscard]] virtual int parts() const = 0;
    [[nodiscard]] virtual const std::vector<LayerPlan>& plans() const = 0;
};

/// An empty list; `shape` gives heads, lengths and type of all layers, plans one entry per layer.
/// Errors: InvalidArgument (counts, an impossible plan, naming the layer), those of the parts'
/// makers.
[[nodiscard]] Result<std::unique_ptr<CacheList>> makeCacheList(const KvShape& shape,
                                                               std::vector<LayerPlan> plans);
[[nodiscard]] Result<std::unique_ptr<CacheList>> makeCacheList(const KvShape& shape,
                                                               std::vector<LayerPlan> plans,
                                                               SlotAllocator& allocator);
/// Whether these bytes begin as those of a list do.
[[nodiscard]] bool isListState(std::string_view bytes);
/// What CacheList::save wrote, for a model that wants `plans`. Errors: Corrupt, Incompatible
/// (another kind in a layer, naming it), Divergent (parts of different lengths).
[[nodiscard]] Result<std::unique_ptr<CacheList>> loadCacheList(std::string_view bytes,
                                                               const std::vector<LayerPlan>& plans);
/// A list around caches that are filled already, in order of the distinct plans. Errors: Divergent
/// (naming the first layer of the part that is off, what was expected and found), InvalidArgument.
[[nodiscard]] Result<std::unique_ptr<CacheList>> joinCacheList(
    const KvShape& shape, std::vector<LayerPlan> plans,
    std::vector<std::unique_ptr<KvCache>> parts);

/// Bytes of keys and values that `tokens` tokens take, each layer by its own plan.
[[nodiscard]] std::int64_t estimateBytes(const KvShape& shape, const std::vector<LayerPlan>& plans,
                                         std::int64_t tokens);

}  // namespace lacuna
