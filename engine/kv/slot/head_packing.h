#pragma once
/// \file
/// Gives the memory of evicted slots back while moving as few rows as can be: the last rows of
/// a head go into its holes, and the end of its blocks returns to the system. Order among slots
/// means nothing to attention. Private to this room; different heads may be packed from different
/// threads. docs/eviction.md, "Holes".

#include "engine/base/result.h"
#include "engine/kv/slot/slot_state.h"

namespace lacuna {

/// Whether holes and headroom pass what coming tokens should find.
[[nodiscard]] bool holdsSpareMemory(const HeadStore& head);
/// Moves rows into the holes and keeps headroom for coming tokens; the bytes that moved. Errors:
/// NoMemory, then the head is packed and keeps its capacity. @pre the head has holes
[[nodiscard]] Result<std::int64_t> packHead(const KvShape& shape, HeadStore& head,
                                            SlotAllocator& allocator);
/// Rows that packing the head would move, in bytes.
[[nodiscard]] std::int64_t packingBytes(const KvShape& shape, const HeadStore& head);

}  // namespace lacuna
