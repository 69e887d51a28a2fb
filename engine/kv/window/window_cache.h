#pragma once
/// \file
/// Cache that drops tokens by age: a rotating window with permanently kept first tokens. All heads
/// hold the same tokens; rows may be plain or group codes. Slot assignment: window_state.h. An
/// append keeps the rows it overwrites until it is committed. Owned by the engine thread.
/// docs/cache-contracts.md, "Rotating windows".

#include <memory>
#include <string_view>

#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/slot_memory.h"
#include "engine/kv/window/window_state.h"

namespace lacuna {

/// Returns an empty cache; allocates nothing yet. Errors: those of makeSlotCache and checkRule.
[[nodiscard]] Result<std::unique_ptr<KvCache>> makeWindowCache(const KvShape& shape,
                                                               const WindowRule& rule);
[[nodiscard]] Result<std::unique_ptr<KvCache>> makeWindowCache(const KvShape& shape,
                                                               const WindowRule& rule,
                                                               SlotAllocator& allocator);
/// Returns true if these bytes start like a saved window cache.
[[nodiscard]] bool isWindowState(std::string_view bytes);
/// Loads a saved window cache. Errors: as loadCache (kv_factory.h).
[[nodiscard]] Result<std::unique_ptr<KvCache>> loadWindowCache(std::string_view bytes,
                                                               SlotAllocator& allocator,
                                                               const RowsInUse& rows = {});
/// Returns a window of the same rule, `tokens` long, without rows, which represents it in a
/// snapshot of a list. Must not be appended to.
[[nodiscard]] std::unique_ptr<KvCache> windowOutline(const KvCache& window, Position tokens);

}  // namespace lacuna
