#pragma once
/// \file
/// The cache that forgets by age: a rotating window with kept first tokens, or chunks. All heads
/// hold the same tokens; rows may be plain or group codes. Which token stands where:
/// token_window.h. An append keeps what it overwrites until it is committed. Owned by the engine
/// thread. docs/cache-contracts.md, "Rotating windows", "Chunked windows".

#include <memory>
#include <string_view>

#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/slot_memory.h"
#include "engine/kv/token_window.h"

namespace lacuna {

class WindowCache : public KvCache {
  public:
    [[nodiscard]] virtual const TokenWindow& window() const = 0;
    /// Chunked: drops all but the newest `size` tokens now; also done by every append.
    /// Errors: Unsupported (a rotating cache drops by itself).
    [[nodiscard]] virtual Status dropFront() = 0;
    /// A copy with coded rows. Errors: InvalidArgument, NoMemory. @pre rows are plain
    [[nodiscard]] virtual Result<std::unique_ptr<KvCache>> quantised(KvQuant keys,
                                                                     KvQuant values) const = 0;
};

/// An empty cache; allocates nothing yet. Errors: those of makeSlotCache and checkRule.
[[nodiscard]] Result<std::unique_ptr<WindowCache>> makeWindowCache(const KvShape& shape,
                                                                   const WindowRule& rule);
[[nodiscard]] Result<std::unique_ptr<WindowCache>> makeWindowCache(const KvShape& shape,
                                                                   const WindowRule& rule,
                                                                   SlotAllocator& allocator);
/// What WindowCache::save wrote. Errors: as loadCache.
[[nodiscard]] Result<std::unique_ptr<WindowCache>> loadWindowCache(std::string_view bytes,
                                                                   SlotAllocator& allocator);

}  // namespace lacuna
