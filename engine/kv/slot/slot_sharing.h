#pragma once
/// \file
/// Two slot caches over the same rows: an original in use, and a snapshot that another thread
/// reads, compacts and brings up to date until the original adopts it. Rows are shared, never
/// locked: the original writes only after everything the snapshot reads, and otherwise copies a
/// head first. Internal to this directory. docs/cache-contracts.md, "Operations";
/// docs/attention-matching.md, "In the background".

#include <functional>

#include "engine/base/result.h"
#include "engine/kv/slot/slot_state.h"

namespace lacuna {

/// Returns true if an append of `tokens` would write where another cache may read.
[[nodiscard]] bool mustCopy(const HeadStore& head, int tokens);
/// Returns an independent state over the same blocks, including holes, which neither follows the
/// other nor is adopted by it. Errors: NoMemory.
[[nodiscard]] Result<SlotState> copyOnWriteState(SlotState& state, SlotAllocator& allocator);
/// Copies the shared heads for which `written` is true, so that any of their slots may be written.
/// Errors: NoMemory, in which case no head has changed.
[[nodiscard]] Status ownHeads(SlotState& state, SlotAllocator& allocator,
                              const std::function<bool(const HeadStore&)>& written);
/// Errors: InvalidArgument (a head has holes, or slots out of order), NoMemory.
[[nodiscard]] Result<SlotState> shareState(SlotState& state, SlotAllocator& allocator);
/// Brings a compacted snapshot up to date with its original, or with the original's next snapshot.
/// Errors: Incompatible, NoMemory; the snapshot is then unusable, `longer` unchanged.
[[nodiscard]] Status followState(SlotState& snapshot, SlotState& longer, SlotAllocator& allocator);
/// Checks that the successor is a compacted snapshot of this state, up to date. Errors:
/// Incompatible.
[[nodiscard]] Status checkSuccessor(const SlotState& state, const SlotState& successor);
/// Swaps every head that the successor compacted. @pre checkSuccessor
void adoptState(SlotState& state, SlotState& successor);

}  // namespace lacuna
