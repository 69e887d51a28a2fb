#pragma once
/// \file
/// A compaction that moves nothing: all heads in one transaction, and the moving later, in slices.
/// Private to this room; changes the state of a slot cache for its owner.

#include <cstdint>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/kv/head_compaction.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/slot_state.h"

namespace lacuna {

/// The error of one head, with its layer and number.
[[nodiscard]] Error atHead(const KvShape& shape, const Error& error, std::size_t index);
/// Whether a plan brings no new bias and no new values.
[[nodiscard]] bool onlyDrops(const CompactionPlan& plan);
/// New columns for every touched head, made by all threads; the state is as it was. Errors: those
/// of the first head that has one.
[[nodiscard]] Result<std::vector<EvictedColumns>> prepareEvictions(const SlotState& state,
                                                                   const CompactionPlan& plan,
                                                                   SlotAllocator& allocator,
                                                                   ThreadPool& pool);
/// Takes the columns over and counts the compaction. Cannot fail.
void takeEvictions(SlotState& state, const CompactionPlan& plan,
                   std::vector<EvictedColumns> prepared);

struct TidyWork {
    std::size_t& next;       ///< head to look at first; moves on
    std::int64_t bytes = 0;  ///< enough for this time
    bool all = false;        ///< also what coming tokens would fill
};
/// Closes holes head by head; true while more is to be done. Without memory holes stay as they are.
[[nodiscard]] bool tidyHeads(SlotState& state, const TidyWork& work, SlotAllocator& allocator);

}  // namespace lacuna
