#pragma once
/// \file
/// The heap of the C library. Freed blocks stay with the process, in one arena per thread, until
/// they are trimmed; after a compaction or a change of the model these are hundreds of MiB. Any
/// thread.

#include <cstdint>

namespace lacuna {

/// Returns the free pages of all arenas to the system. Takes some milliseconds during which
/// allocations in other threads may block, so call it only in pauses.
void trimHeap();

/// Returns the bytes of all allocated blocks; 0 if the C library cannot report them.
[[nodiscard]] std::int64_t allocatedHeapBytes();

}  // namespace lacuna
