#pragma once
/// \file
/// Capacity of a head: growth for new slots, holes that new rows fill and packing closes, and
/// memory returned to the system. The order of slots does not matter to attention. Internal to this
/// directory. docs/cache-contracts.md, "Growth", "Operations"; docs/eviction.md, "Holes".

#include <cstdint>
#include <vector>

#include "engine/base/result.h"
#include "engine/kv/slot/slot_state.h"

namespace lacuna {

struct HeadGrowth {
    HeadStore* head = nullptr;
    std::int64_t capacity = 0;
    /// New rows come after everything that other caches read, so these rows may stay in place.
    bool appends = false;
};

/// Gives every head its capacity and keeps its content: blocks that the system can extend keep
/// their pages, others are copied once. On the thread that owns the cache. Errors: NoMemory, in
/// which case no head has changed.
[[nodiscard]] Status growHeads(const KvShape& shape, const std::vector<HeadGrowth>& heads,
                               SlotAllocator& allocator);

/// Returns true if an append of `tokens` goes into a hole. A single token does; a run of tokens
/// goes to the end, because causality inside a run follows the slots.
[[nodiscard]] bool fillsHole(const HeadStore& head, int tokens);
/// Slot of the first row of an append of `tokens`.
[[nodiscard]] std::int64_t appendSlot(const HeadStore& head, int tokens);
/// Sets position and bias of a written row.
void labelSlot(HeadStore& head, std::int64_t slot, std::int64_t position);
/// Commits the rows of an append, written at appendSlot.
void commitSlots(HeadStore& head, int tokens);
/// Turns the slot of an abandoned single token into a hole again.
void reopenHole(HeadStore& head);
/// Removes every token at `tokens` or later, `removed` in total.
void dropNewest(HeadStore& head, std::int64_t tokens, std::int64_t removed);

/// Returns true if holes and headroom exceed what is reserved for new tokens.
[[nodiscard]] bool holdsSpareMemory(const HeadStore& head);
/// Releases the memory of evicted slots while moving as few rows as possible: the last rows of a
/// head fill its holes, and the end of its blocks is returned to the system, except headroom for
/// new tokens. Returns the bytes moved. Different heads may be packed from different threads.
/// Errors: NoMemory, in which case the head is packed but keeps its capacity. @pre the head has
/// holes
[[nodiscard]] Result<std::int64_t> packHead(const KvShape& shape, HeadStore& head,
                                            SlotAllocator& allocator);
/// Bytes of rows that packing the head would move.
[[nodiscard]] std::int64_t packingBytes(const KvShape& shape, const HeadStore& head);

/// After a trim: returns full pages after the slots of each head to the system, if `removed` slots
/// are worth the call; blocks read by a snapshot are unchanged. The capacity stays, so that the
/// next tokens need no reallocation, but it uses no memory before it is written again.
void releaseSpareRows(SlotState& state, std::int64_t removed);

}  // namespace lacuna
