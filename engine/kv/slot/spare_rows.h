#pragma once
/// \file
/// Memory after the rows of a head after a trim: the room stays as large as it was, so that the
/// next tokens need no reallocation, but it takes no memory before it is written again. Private to
/// this room.

#include "engine/kv/slot/slot_state.h"

namespace lacuna {

/// Gives whole pages after the slots of each head back to the system, where `removed` slots are
/// worth the call; blocks that a snapshot reads stay as they are.
void giveSpareRowsBack(SlotState& state, std::int64_t removed);

}  // namespace lacuna
