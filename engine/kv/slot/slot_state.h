#pragma once
/// \file
/// What a slot cache holds, apart from how it is changed: the storage of each head and the scalars
/// of the sequence, what is true of them between two calls, and their bytes in a file. Private to
/// this room (slot_cache.cpp changes it). Owned by one thread.
///
/// The file holds valid slots and every scalar needed to continue, never headroom.
/// Little-endian. Header: "LACUNAKV", u32 version, u32 dtype, u32 layers, KV heads, key length,
/// value length, the rotations where rows are rotated (layer_rotations.h), the window of 16 bits
/// where there is one (exact_rows.h; such a file has version 2, others 1), u64 tokens, settled
/// tokens, compactions. Then per head u32 slots, u32 columns (bit 0 positions, bit 1 bias), in
/// version 2 u32 rows in 16 bits, then per head keys, values, positions, bias, rows in 16 bits.
/// Last u64: XXH3 of all before. Reading checks every count against the bytes that are there before
/// it allocates.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/kv/exact_rows.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/layer_rotations.h"
#include "engine/kv/slot_memory.h"

namespace lacuna {

/// Bytes of one slot of a head, part by part.
struct SlotSizes {
    std::size_t key = 0;
    std::size_t value = 0;
};

/// Which optional columns a head stores.
struct HeadLayout {
    bool positions = false;  ///< off: slot j holds position j
    bool bias = false;       ///< off: all 0
    /// Both are kept up although nobody reads them yet, so that an eviction need not make them.
    bool ready = false;
    [[nodiscard]] bool keepsPositions() const { return positions || ready; }
    [[nodiscard]] bool keepsBias() const { return bias || ready; }
    friend bool operator==(const HeadLayout&, const HeadLayout&) = default;
};

/// Bias of a hole.
constexpr float kHole = -std::numeric_limits<float>::infinity();

/// One (layer, head). Contents past `slots` are headroom and never observable.
struct HeadStore {
    SlotBlock keys;       ///< [capacity, keyDim]
    SlotBlock values;     ///< [capacity, valueDim]
    SlotBlock positions;  ///< int32 [capacity], when the layout keeps them
    SlotBlock bias;       ///< float [capacity], likewise
    ExactRows exact;      ///< of rotated codes
    HeadLayout layout;
    std::int64_t slots = 0;
    std::int64_t capacity = 0;
    std::int64_t holes = 0;      ///< slots whose bias is kHole
    std::int64_t firstHole = 0;  ///< the lowest, when there are holes
    bool inOrder = true;         ///< positions ascend, holes apart
    /// Blocks shared with another cache are read only here, up to this slot (slot_sharing.h).
    std::int64_t frozen = 0;
    bool borrowed = false;  ///< the other cache may write after the slots of this one
    [[nodiscard]] std::int64_t live() const { return slots - holes; }
    [[nodiscard]] bool loose() const { return holes > 0 || !inOrder; }
    std::vector<float> norms;  ///< of the first slots, as far as somebody asked
};

struct SlotState {
    KvShape shape;
    LayerRotations rotations;
    std::vector<HeadStore> heads;    ///< layer * kvHeads + head
    std::int64_t tokens = 0;         ///< logical length
    std::int64_t settledTokens = 0;  ///< logical length that the last compaction spoke for;
                                     ///< rollback stops there
    std::int64_t reallocations = 0;
    std::int64_t compactions = 0;
    std::int64_t lowest = 0;     ///< fewest tokens since the last snapshot (slot_sharing.h)
    std::int64_t snapshots = 0;  ///< taken so far; of a snapshot: its number
    bool twin = false;           ///< a snapshot itself
};

/// Notes a compaction that left the newest `verbatim` tokens as they are.
void settle(SlotState& state, std::int64_t verbatim);
[[nodiscard]] SlotSizes slotSizes(const KvShape& shape);
/// Errors: InvalidArgument, naming the field that is out of range.
[[nodiscard]] Status checkShape(const KvShape& shape);
/// Empty storage with room for `capacity` slots. Errors: NoMemory.
[[nodiscard]] Result<HeadStore> makeHeadStore(const KvShape& shape, HeadLayout layout,
                                              std::int64_t capacity, SlotAllocator& allocator);
/// A deep copy of what is held, as if nothing had been reallocated or shared before. Errors:
/// NoMemory.
[[nodiscard]] Result<SlotState> copyState(const SlotState& state, SlotAllocator& allocator);
/// All figures but the norms computed.
[[nodiscard]] KvStats statsOf(const SlotState& state);
/// Copies the valid slots and kept norms of `from`. @pre same layout, to.capacity >= from.slots
void copySlots(const KvShape& shape, const HeadStore& from, HeadStore& to);
/// The next hole at or after `from`. @pre there is one
[[nodiscard]] std::int64_t nextHole(const HeadStore& head, std::int64_t from);
/// Rows in 16 bits of slots that hold a token no more go.
void dropDeadExact(HeadStore& head);
/// Those that a query at `asking` sees stay.
void dropOldExact(HeadStore& head, const ExactWindow& window, std::int64_t asking);
/// Slots that hold a token, oldest token first.
[[nodiscard]] std::vector<std::int32_t> liveSlots(const HeadStore& head);
/// Bytes of `slots` slots of a head with this layout.
[[nodiscard]] std::int64_t headBytes(const KvShape& shape, HeadLayout layout, std::int64_t slots);
/// Of those, scales and biases of codes.
[[nodiscard]] std::int64_t scaleBytes(const KvShape& shape, std::int64_t slots);
/// Bytes of `tokens` tokens in all heads as plain numbers of the type, dense.
[[nodiscard]] std::int64_t logicalBytes(const KvShape& shape, std::int64_t tokens);

/// The cache of a state that was put together elsewhere in this room (slot_cache.cpp).
[[nodiscard]] std::unique_ptr<KvCache> slotCacheOf(SlotState state, SlotAllocator& allocator);

/// Aborts the program where an invariant is broken, naming it.
void requireSound(const SlotState& state);

constexpr std::uint32_t kCacheStateVersion = 1;

/// To the bytes of a file and back. Errors: those of loadCache.
[[nodiscard]] std::string writeState(const SlotState& state);
[[nodiscard]] Result<SlotState> readState(std::string_view bytes, SlotAllocator& allocator,
                                          const RowsInUse& rows = {});

}  // namespace lacuna
