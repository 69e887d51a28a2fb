#pragma once
/// \file
/// State of a slot cache: the storage of each head and the scalars of the sequence, their
/// invariants between calls, and the file format. Internal to this directory (slot_cache.cpp
/// changes it). Owned by one thread.
///
/// The file holds valid slots and every scalar needed to continue, without headroom. Little-endian.
/// Header: "LACUNAKV", u32 version, u32 dtype, u32 layers, KV heads, key length, value length, the
/// rotations if rows are rotated (layer_rotations.h), the 16-bit window if there is one
/// (exact_rows.h; such a file has version 2, others 1), u64 tokens, settled tokens, compactions.
/// Then per head u32 slots, u32 columns (bit 0 positions, bit 1 bias), in version 2 u32 rows in 16
/// bits, then per head keys, values, positions, bias, 16-bit rows. Last u64: XXH3 of everything
/// before. Reading checks every count against the available bytes before it allocates.

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

/// Bytes of the parts of one slot of a head.
struct SlotSizes {
    std::size_t key = 0;
    std::size_t value = 0;
};

/// Optional columns stored by a head.
struct HeadLayout {
    bool positions = false;  ///< false: slot j holds position j
    bool bias = false;       ///< false: all 0
    /// Both columns are maintained although they are not read yet, so that an eviction need not
    /// create them.
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
    SlotBlock positions;  ///< int32 [capacity], if the layout has positions
    SlotBlock bias;       ///< float [capacity], if the layout has a bias
    ExactRows exact;      ///< 16-bit rows of rotated codes
    HeadLayout layout;
    std::int64_t slots = 0;
    std::int64_t capacity = 0;
    std::int64_t holes = 0;      ///< number of slots whose bias is kHole
    std::int64_t firstHole = 0;  ///< lowest hole, if there are holes
    bool inOrder = true;         ///< positions ascend, except for holes
    /// Blocks shared with another cache are read-only here up to this slot (slot_sharing.h).
    std::int64_t frozen = 0;
    bool borrowed = false;  ///< the other cache may write after the slots of this one
    [[nodiscard]] std::int64_t live() const { return slots - holes; }
    [[nodiscard]] bool isFragmented() const { return holes > 0 || !inOrder; }
    std::vector<float> norms;  ///< norms of the first slots, as far as requested
};

struct SlotState {
    KvShape shape;
    LayerRotations rotations;
    std::vector<HeadStore> heads;    ///< layer * kvHeads + head
    std::int64_t tokens = 0;         ///< logical length
    std::int64_t settledTokens = 0;  ///< logical length covered by the last compaction, which
                                     ///< limits rollback
    std::int64_t reallocations = 0;
    std::int64_t compactions = 0;
    std::int64_t lowest = 0;     ///< smallest number of tokens since the last snapshot
                                 ///< (slot_sharing.h)
    std::int64_t snapshots = 0;  ///< number taken so far; in a snapshot: its own number
    bool isSnapshot = false;     ///< true in a snapshot
};

/// Records a compaction that left the newest `verbatim` tokens unchanged.
void settle(SlotState& state, std::int64_t verbatim);
[[nodiscard]] SlotSizes slotSizes(const KvShape& shape);
/// Errors: InvalidArgument, naming the field that is out of range.
[[nodiscard]] Status checkShape(const KvShape& shape);
/// Empty storage with room for `capacity` slots. Errors: NoMemory.
[[nodiscard]] Result<HeadStore> makeHeadStore(const KvShape& shape, HeadLayout layout,
                                              std::int64_t capacity, SlotAllocator& allocator);
/// Returns a deep copy of the content, without the history of reallocations and sharing. Errors:
/// NoMemory.
[[nodiscard]] Result<SlotState> copyState(const SlotState& state, SlotAllocator& allocator);
/// All figures except the number of computed norms.
[[nodiscard]] KvStats statsOf(const SlotState& state);
/// Copies the valid slots and cached norms of `from`. @pre same layout, to.capacity >= from.slots
void copySlots(const KvShape& shape, const HeadStore& from, HeadStore& to);
/// The next hole at or after `from`. @pre there is one
[[nodiscard]] std::int64_t nextHole(const HeadStore& head, std::int64_t from);
/// Drops 16-bit rows of slots that no longer hold a token.
void dropDeadExact(HeadStore& head);
/// Keeps only 16-bit rows that a query at `asking` sees.
void dropOldExact(HeadStore& head, const ExactWindow& window, std::int64_t asking);
/// Slots that hold a token, oldest token first.
[[nodiscard]] std::vector<std::int32_t> liveSlots(const HeadStore& head);
/// Bytes of `slots` slots of a head with this layout.
[[nodiscard]] std::int64_t headBytes(const KvShape& shape, HeadLayout layout, std::int64_t slots);
/// Bytes of the scales and biases of codes in `slots` slots.
[[nodiscard]] std::int64_t scaleBytes(const KvShape& shape, std::int64_t slots);
/// Bytes of `tokens` tokens in all heads as plain numbers of the type, dense.
[[nodiscard]] std::int64_t logicalBytes(const KvShape& shape, std::int64_t tokens);

/// Creates a cache from a state assembled in this directory (slot_cache.cpp).
[[nodiscard]] std::unique_ptr<KvCache> slotCacheOf(SlotState state, SlotAllocator& allocator);

/// Aborts the program if an invariant is broken, naming it.
void requireConsistent(const SlotState& state);

constexpr std::uint32_t kCacheStateVersion = 1;

/// Serialisation. Errors: those of loadCache.
[[nodiscard]] std::string writeState(const SlotState& state);
[[nodiscard]] Result<SlotState> readState(std::string_view bytes, SlotAllocator& allocator,
                                          const RowsInUse& rows = {});

}  // namespace lacuna
