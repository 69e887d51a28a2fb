#pragma once
/// \file
/// Two slot caches over the same rows: an original that goes on, and a snapshot that another thread
/// reads, compacts and brings up to date, until the original becomes it. Rows are shared, never
/// locked: the original writes only after what the snapshot reads, and copies a head first where
/// it would not. Private to this room. See
/// docs/cache-contracts.md, "Operations"; docs/attention-matching.md, "In the background".

#include <functional>

#include "engine/base/result.h"
#include "engine/kv/slot/slot_state.h"

namespace lacuna {

/// Whether an append of `tokens` would write where another cache may read.
[[nodiscard]] bool mustCopy(const HeadStore& head, int tokens);
/// A state of its own over the same blocks, holes and all, that owes the other nothing: it neither
/// follows nor is adopted. Errors: NoMemory.
[[nodiscard]] Result<SlotState> twinState(SlotState& state, SlotAllocator& allocator);
/// Copies the heads for which `written` holds where another cache reads them too, so that any of
/// their slots may be written. Errors: NoMemory, then no head has changed.
[[nodiscard]] Status ownHeads(SlotState& state, SlotAllocator& allocator,
                              const std::function<bool(const HeadStore&)>& written);
/// Errors: InvalidArgument (a head has holes, or slots out of order), NoMemory.
[[nodiscard]] Result<SlotState> shareState(SlotState& state, SlotAllocator& allocator);
/// Brings a compacted snapshot up to date with its original, or with the next snapshot of that.
/// Errors: Incompatible, NoMemory; the snapshot is then of no use, the other as it was.
[[nodiscard]] Status followState(SlotState& snapshot, SlotState& longer, SlotAllocator& allocator);
/// Exchanges every head that the successor compacted. Errors: Incompatible; nothing has changed.
[[nodiscard]] Status adoptState(SlotState& state, SlotState& successor);

}  // namespace lacuna
