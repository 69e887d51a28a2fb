#pragma once
/// \file
/// Compaction of a slot cache. A head whose rows change is checked, prepared (everything that can
/// fail), then compacted (cannot fail). An eviction moves nothing: it is one transaction over all
/// heads, and rows move later, in slices. Internal to this directory; different heads may be built
/// from different threads.

#include <cstdint>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/row_format.h"
#include "engine/kv/slot/slot_state.h"

namespace lacuna {

/// Errors: InvalidArgument, naming the entry of the plan that does not fit this head.
[[nodiscard]] Status checkCompaction(const KvShape& shape, const HeadStore& head,
                                     const HeadCompaction& plan);
/// Allocates all memory the head will need, which is everything that can fail. Blocks that can be
/// shrunk stay empty; their rows will be moved together in place, which saves half the copying and
/// all page faults.
/// @pre checkCompaction passed, plan.touched. Errors: NoMemory.
[[nodiscard]] Result<HeadStore> prepareHead(const KvShape& shape, const HeadStore& head,
                                            const HeadCompaction& plan, SlotAllocator& allocator);
/// Fills the prepared storage from `head`, whose blocks are consumed, and returns the new head:
/// with explicit positions, headroom for the next tokens, and bitwise identical keys. New values
/// are stored in the given format. Cannot fail.
[[nodiscard]] HeadStore compactHead(const RowFormat& valueRow, const KvShape& shape,
                                    HeadStore& head, const HeadCompaction& plan,
                                    HeadStore prepared);

/// Adds layer and number of the head to an error.
[[nodiscard]] Error atHead(const KvShape& shape, const Error& error, std::size_t index);
/// Returns true if a plan has no new bias and no new values.
[[nodiscard]] bool onlyDrops(const CompactionPlan& plan);

/// Columns that a head needs so that slots can become holes.
struct EvictionColumns {
    SlotBlock positions;  ///< empty if the head has them already
    SlotBlock bias;       ///< empty if the head has it already
};
/// Does everything that can fail before a slot is dropped, on all threads: checks, and columns for
/// heads that have none; the state is unchanged. Errors: those of checkCompaction with layer and
/// head, NoMemory.
[[nodiscard]] Result<std::vector<EvictionColumns>> prepareEviction(const SlotState& state,
                                                                   const CompactionPlan& plan,
                                                                   SlotAllocator& allocator,
                                                                   ThreadPool& pool);
/// Turns every slot that is not kept into a hole and counts the compaction. Cannot fail.
void dropUnmarked(SlotState& state, const CompactionPlan& plan,
                  std::vector<EvictionColumns> columns, ThreadPool& pool);
/// Adds the columns to heads in advance of an eviction. Errors: NoMemory, which leaves the state
/// unchanged.
[[nodiscard]] Status keepColumnsReady(SlotState& state, SlotAllocator& allocator);

struct DefragmentWork {
    std::size_t& next;       ///< first head to examine; updated
    std::int64_t bytes = 0;  ///< amount to move in this call
    bool all = false;        ///< also closes holes that new tokens would fill
};
/// Closes holes, several heads at a time; returns true while work is left. Without memory holes
/// remain.
[[nodiscard]] bool defragmentHeads(SlotState& state, const DefragmentWork& work,
                                   SlotAllocator& allocator, ThreadPool& pool);

}  // namespace lacuna
