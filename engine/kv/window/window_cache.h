#pragma once
/// \file
/// The cache that forgets by age: a rotating window with kept first tokens. All heads hold the same
/// tokens; rows may be plain or group codes. Which token stands where: window_state.h. An append
/// keeps what it overwrites until it is committed. Owned by the engine thread.
/// docs/cache-contracts.md, "Rotating windows".

#include <memory>
#include <string_view>

#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/slot_memory.h"
#include "engine/kv/window/window_state.h"

namespace lacuna {

/// An empty cache; allocates nothing yet. Errors: those of makeSlotCache and checkRule.
[[nodiscard]] Result<std::unique_ptr<KvCache>> makeWindowCache(const KvShape& shape,
                                                               const WindowRule& rule);
[[nodiscard]] Result<std::unique_ptr<KvCache>> makeWindowCache(const KvShape& shape,
                                                               const WindowRule& rule,
                                                               SlotAllocator& allocator);
/// Whether these bytes begin as those of a window do.
[[nodiscard]] bool isWindowState(std::string_view bytes);
/// What the save of such a cache wrote. Errors: as loadCache (kv_factory.h).
[[nodiscard]] Result<std::unique_ptr<KvCache>> loadWindowCache(std::string_view bytes,
                                                               SlotAllocator& allocator,
                                                               const RowsInUse& rows = {});
/// A window of the same rule, `tokens` long, that shows no row: what a snapshot of a list has in
/// its place. Not to be appended to.
[[nodiscard]] std::unique_ptr<KvCache> windowOutline(const KvCache& window, Position tokens);

}  // namespace lacuna
