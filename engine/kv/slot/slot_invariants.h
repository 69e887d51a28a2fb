#pragma once
/// \file
/// What is true of a slot cache between two calls. Private to this room.

#include "engine/kv/slot/slot_state.h"

namespace lacuna {

/// Aborts the program, naming the invariant that is broken.
void requireSound(const SlotState& state);

}  // namespace lacuna
