#pragma once
/// \file
/// The heap of the C library. Freed blocks stay with the process, in one arena for each thread,
/// until they are released: after a compaction or a change of the model that is hundreds of MiB.
/// Any thread.

#include <cstdint>

namespace lacuna {

/// Releases the whole pages of freed blocks of all arenas to the system. Costs some milliseconds,
/// in which other threads can wait to allocate: for pauses only.
void trimHeap();

/// Bytes of all blocks that are allocated and not freed; 0 where the C library cannot tell.
[[nodiscard]] std::int64_t allocatedHeapBytes();

}  // namespace lacuna
