#pragma once
/// \file
/// Room for more slots in the heads of a cache: blocks that the system can extend keep their pages,
/// others are copied once. All heads or none. Private to this room; on the thread that owns the
/// cache. docs/cache-contracts.md, "Growth"; the rule: growth.h.

#include <cstdint>
#include <vector>

#include "engine/base/result.h"
#include "engine/kv/slot/slot_state.h"

namespace lacuna {

struct HeadGrowth {
    HeadStore* head = nullptr;
    std::int64_t capacity = 0;
};

/// Gives every head its capacity, content as it was. Errors: NoMemory, then no head has changed.
[[nodiscard]] Status growHeads(const KvShape& shape, const std::vector<HeadGrowth>& heads,
                               SlotAllocator& allocator);

}  // namespace lacuna
