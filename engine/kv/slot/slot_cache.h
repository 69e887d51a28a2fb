#pragma once
/// \file
/// The default cache. It starts dense (slot j holds position j, nothing stored besides keys and
/// values) and becomes explicit head by head at the first compaction: positions, and a bias if one
/// is not zero. Heads may then differ in length. Owned by the engine thread.
/// docs/cache-contracts.md, "Slots", "Operations"; growth: slot_memory.h.

#include <memory>
#include <optional>
#include <string_view>

#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/slot_memory.h"

namespace lacuna {

/// Returns an empty cache; allocates nothing yet. Errors: InvalidArgument (a count out of range),
/// Unsupported (type other than F32, F16, BF16).
[[nodiscard]] Result<std::unique_ptr<KvCache>> makeSlotCache(const KvShape& shape);
/// The same with memory from `allocator`, which must outlive the cache and its clones.
[[nodiscard]] Result<std::unique_ptr<KvCache>> makeSlotCache(const KvShape& shape,
                                                             SlotAllocator& allocator);
/// Loads a saved slot cache. Errors: as loadCache (kv_factory.h).
[[nodiscard]] Result<std::unique_ptr<KvCache>> loadSlotCache(std::string_view bytes,
                                                             SlotAllocator& allocator,
                                                             const RowsInUse& rows = {});

}  // namespace lacuna
