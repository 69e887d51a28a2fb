#pragma once
/// \file
/// A compaction of a slot cache. A head whose rows change is checked, prepared (all that can fail),
/// then done (nothing can); an eviction moves nothing: all heads in one transaction, and the moving
/// later, in slices. Private to this room; different heads may be built from different threads.

#include <cstdint>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/row_format.h"
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
/// with explicit positions and headroom for the next tokens, kept keys bit by bit. New values are
/// stored in the format given. Cannot fail.
[[nodiscard]] HeadStore compactHead(const RowFormat& valueRow, const KvShape& shape,
                                    HeadStore& head, const HeadCompaction& plan,
                                    HeadStore prepared);

/// The error of one head, with its layer and number.
[[nodiscard]] Error atHead(const KvShape& shape, const Error& error, std::size_t index);
/// Whether a plan brings no new bias and no new values.
[[nodiscard]] bool onlyDrops(const CompactionPlan& plan);

/// The columns that a head needs so that slots can become holes.
struct EvictionColumns {
    SlotBlock positions;  ///< empty: it keeps them already
    SlotBlock bias;       ///< likewise
};
/// Everything that can fail before a slot is dropped, by all threads: checks, and columns where a
/// head keeps none; the state is as it was. Errors: those of checkCompaction with layer and head,
/// NoMemory.
[[nodiscard]] Result<std::vector<EvictionColumns>> prepareEviction(const SlotState& state,
                                                                   const CompactionPlan& plan,
                                                                   SlotAllocator& allocator,
                                                                   ThreadPool& pool);
/// Makes every slot that is not kept a hole and counts the compaction. Cannot fail.
void dropUnmarked(SlotState& state, const CompactionPlan& plan,
                  std::vector<EvictionColumns> columns, ThreadPool& pool);
/// Columns for heads that will be evicted from, before that is due. Errors: NoMemory; then nothing
/// has changed.
[[nodiscard]] Status keepColumnsReady(SlotState& state, SlotAllocator& allocator);

struct TidyWork {
    std::size_t& next;       ///< head to look at first; moves on
    std::int64_t bytes = 0;  ///< enough for this time
    bool all = false;        ///< also what coming tokens would fill
};
/// Closes holes, several heads at a time; true while more is to be done. Without memory holes stay
/// as they are.
[[nodiscard]] bool tidyHeads(SlotState& state, const TidyWork& work, SlotAllocator& allocator,
                             ThreadPool& pool);

}  // namespace lacuna
