#pragma once
/// \file
/// One cache for a model whose layers remember differently: full layers dense, sliding layers
/// rotating, each with its own row format. Layers of one plan share a cache inside, so a step asks
/// as many caches as there are plans, not layers. All layers of a sequence share one offset; what
/// one part cannot do, none does. Owned by the engine thread. docs/cache-contracts.md, "Lists of
/// caches"; G-11.

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/slot_memory.h"
#include "engine/kv/window/window_state.h"

namespace lacuna {

/// What one layer remembers; KvCache::layerPlans has one for each layer of a list.
struct LayerPlan {
    std::optional<WindowRule> window;  ///< off: every token
    KvQuant keyQuant;
    KvQuant valueQuant;
    friend bool operator==(const LayerPlan&, const LayerPlan&) = default;
};

/// An empty list; `shape` gives heads, lengths and type of all layers, plans one entry per layer.
/// Errors: InvalidArgument (counts, an impossible plan, naming the layer), those of the parts'
/// makers.
[[nodiscard]] Result<std::unique_ptr<KvCache>> makeCacheList(const KvShape& shape,
                                                             std::vector<LayerPlan> plans);
[[nodiscard]] Result<std::unique_ptr<KvCache>> makeCacheList(const KvShape& shape,
                                                             std::vector<LayerPlan> plans,
                                                             SlotAllocator& allocator);
/// Whether these bytes begin as those of a list do.
[[nodiscard]] bool isListState(std::string_view bytes);
/// What the save of a list wrote, for a model that wants `plans` and such rows. Errors: Corrupt,
/// Incompatible (another kind in a layer, naming it; other rotations), Divergent (parts of
/// different lengths).
[[nodiscard]] Result<std::unique_ptr<KvCache>> loadCacheList(std::string_view bytes,
                                                             const std::vector<LayerPlan>& plans,
                                                             const RowsInUse& rows = {});
/// A list around caches that are filled already, in order of the distinct plans. Errors: Divergent
/// (naming the first layer of the part that is off, what was expected and found), InvalidArgument.
[[nodiscard]] Result<std::unique_ptr<KvCache>> joinCacheList(
    const KvShape& shape, std::vector<LayerPlan> plans,
    std::vector<std::unique_ptr<KvCache>> parts);

/// Bytes of keys and values that `tokens` tokens take, each layer by its own plan.
[[nodiscard]] std::int64_t estimateBytes(const KvShape& shape, const std::vector<LayerPlan>& plans,
                                         std::int64_t tokens);

}  // namespace lacuna
