#pragma once
/// \file
/// One cache for a model whose layers use different kinds: full layers dense, sliding layers
/// rotating, each with its own row format, and possibly its own KV heads and head sizes. Layers
/// with the same plan and extent share one inner cache, so the cost of a step depends on the number
/// of such parts, not of layers; a layer without rows is in none. All layers of a sequence share
/// one offset, and an operation that one part does not support fails for all. The states of
/// recurrent layers are stored separately; a model without attention has only these. Owned by the
/// engine thread. docs/cache-contracts.md, "Lists of caches"; G-11.

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/slot_memory.h"
#include "engine/kv/state/state_store.h"
#include "engine/kv/window/window_state.h"

namespace lacuna {

/// Cache of one layer; KvCache::layerPlans has one for each layer of a list.
struct LayerPlan {
    std::optional<WindowRule> window;  ///< unset: keeps every token
    KvQuant keyQuant;
    KvQuant valueQuant;
    friend bool operator==(const LayerPlan&, const LayerPlan&) = default;
};

/// Returns an empty list; `shape` gives heads, lengths and type of all layers, `plans` one entry
/// per layer. Errors: InvalidArgument (wrong counts or an impossible plan, naming the layer),
/// Incompatible (calibrated rotations, and layers that differ), those of the parts' factories.
[[nodiscard]] Result<std::unique_ptr<KvCache>> makeCacheList(const KvShape& shape,
                                                             std::vector<LayerPlan> plans);
[[nodiscard]] Result<std::unique_ptr<KvCache>> makeCacheList(const KvShape& shape,
                                                             std::vector<LayerPlan> plans,
                                                             SlotAllocator& allocator);
/// Returns true if these bytes start like a saved list.
[[nodiscard]] bool isListState(std::string_view bytes);
/// Loads a saved list for a model that requires `plans` and such rows. Errors: Corrupt,
/// Incompatible (another kind in a layer, naming it; other rotations), Divergent (parts of
/// different lengths).
[[nodiscard]] Result<std::unique_ptr<KvCache>> loadCacheList(std::string_view bytes,
                                                             const std::vector<LayerPlan>& plans,
                                                             const RowsInUse& rows = {});
/// Creates a list of filled caches, in the order of the parts, and of states if the shape has some.
/// Errors: Divergent (naming the first layer of the deviating part, with expected and actual
/// length), InvalidArgument.
[[nodiscard]] Result<std::unique_ptr<KvCache>> joinCacheList(
    const KvShape& shape, std::vector<LayerPlan> plans, std::vector<std::unique_ptr<KvCache>> parts,
    std::unique_ptr<StateStore> states = nullptr);

/// Bytes of keys and values of `tokens` tokens, each layer by its own plan.
[[nodiscard]] std::int64_t estimateBytes(const KvShape& shape, const std::vector<LayerPlan>& plans,
                                         std::int64_t tokens);

}  // namespace lacuna
