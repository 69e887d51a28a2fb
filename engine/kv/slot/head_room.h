#pragma once
/// \file
/// The room of a head: more of it for coming slots, holes that new rows take and packing closes,
/// and memory that goes back to the system. Order among slots means nothing to attention. Private
/// to this room. docs/cache-contracts.md, "Growth", "Operations"; docs/eviction.md, "Holes".

#include <cstdint>
#include <vector>

#include "engine/base/result.h"
#include "engine/kv/slot/slot_state.h"

namespace lacuna {

struct HeadGrowth {
    HeadStore* head = nullptr;
    std::int64_t capacity = 0;
    /// Coming rows stand after all that other caches read, so that these may stay where they are.
    bool appends = false;
};

/// Gives every head its capacity, content as it was: blocks that the system can extend keep their
/// pages, others are copied once. On the thread that owns the cache. Errors: NoMemory, then no head
/// has changed.
[[nodiscard]] Status growHeads(const KvShape& shape, const std::vector<HeadGrowth>& heads,
                               SlotAllocator& allocator);

/// Whether an append of `tokens` goes into a hole: a single token does; a run of tokens stands at
/// the tail, because causality inside a run follows the slots.
[[nodiscard]] bool takesHole(const HeadStore& head, int tokens);
/// Slot of the first row of an append of `tokens`.
[[nodiscard]] std::int64_t appendSlot(const HeadStore& head, int tokens);
/// Position and bias of a row that was written.
void labelSlot(HeadStore& head, std::int64_t slot, std::int64_t position);
/// Takes the rows of an append over, written at appendSlot.
void commitSlots(HeadStore& head, int tokens);
/// Makes the slot of an abandoned single token a hole again.
void reopenHole(HeadStore& head);
/// Removes every token at `tokens` or later, `removed` in all.
void dropNewest(HeadStore& head, std::int64_t tokens, std::int64_t removed);

/// Whether holes and headroom pass what coming tokens should find.
[[nodiscard]] bool holdsSpareMemory(const HeadStore& head);
/// Gives the memory of evicted slots back while moving as few rows as can be: the last rows of a
/// head go into its holes, and the end of its blocks returns to the system, apart from headroom for
/// coming tokens. The bytes that moved. Different heads may be packed from different threads.
/// Errors: NoMemory, then the head is packed and keeps its capacity. @pre the head has holes
[[nodiscard]] Result<std::int64_t> packHead(const KvShape& shape, HeadStore& head,
                                            SlotAllocator& allocator);
/// Rows that packing the head would move, in bytes.
[[nodiscard]] std::int64_t packingBytes(const KvShape& shape, const HeadStore& head);

/// After a trim: gives whole pages after the slots of each head back to the system, where `removed`
/// slots are worth the call; blocks that a snapshot reads stay as they are. The room stays as large
/// as it was, so that the next tokens need no reallocation, but it takes no memory before it is
/// written again.
void giveSpareRowsBack(SlotState& state, std::int64_t removed);

}  // namespace lacuna
