#pragma once
/// \file
/// Where the rows of an append go in a head with holes, and how the newest tokens leave it again.
/// Order among slots means nothing to attention, so a single token takes a hole; a run of tokens
/// stands at the tail, because causality inside a run follows the slots. Private to this room.
/// docs/cache-contracts.md, "Operations"; docs/eviction.md, "Holes".

#include <cstdint>

#include "engine/kv/slot/slot_state.h"

namespace lacuna {

/// Whether an append of `tokens` goes into a hole.
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

}  // namespace lacuna
