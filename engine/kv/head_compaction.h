#pragma once
/// \file
/// One head of a compaction: checked, then built beside the old one. Private to this room.
/// Pure functions; different heads may be built from different threads.

#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/slot_state.h"

namespace lacuna {

/// Errors: InvalidArgument, saying which entry of the plan does not fit this head.
[[nodiscard]] Status checkCompaction(const KvShape& shape, const HeadStore& head,
                                     const HeadCompaction& plan);
/// The head after the compaction, with explicit positions and headroom for the next tokens. Kept
/// keys are copied bit by bit. @pre checkCompaction passed, plan.touched. Errors: NoMemory.
[[nodiscard]] Result<HeadStore> compactHead(const KvShape& shape, const HeadStore& head,
                                            const HeadCompaction& plan, SlotAllocator& allocator);

}  // namespace lacuna
