#pragma once
/// \file
/// One head of a compaction: checked, prepared (all that can fail), then done (nothing can).
/// Private to this room. Pure functions; different heads may be built from different threads.

#include <cstdint>
#include <vector>

#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/slot/slot_state.h"

namespace lacuna {

/// Errors: InvalidArgument, saying which entry of the plan does not fit this head.
[[nodiscard]] Status checkCompaction(const KvShape& shape, const HeadStore& head,
                                     const HeadCompaction& plan);
/// All memory the head will need: everything that can fail. Blocks that can give their end back
/// stay empty, their rows will be moved together in place; that spares half the copying and all
/// page faults.
/// @pre checkCompaction passed, plan.touched. Errors: NoMemory.
[[nodiscard]] Result<HeadStore> prepareHead(const KvShape& shape, const HeadStore& head,
                                            const HeadCompaction& plan, SlotAllocator& allocator);
/// Fills what was prepared from `head`, whose blocks are used up, and returns the head afterwards:
/// with explicit positions and headroom for the next tokens, kept keys bit by bit. Cannot fail.
[[nodiscard]] HeadStore compactHead(const KvShape& shape, HeadStore& head,
                                    const HeadCompaction& plan, HeadStore prepared);

}  // namespace lacuna
