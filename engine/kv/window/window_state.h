#pragma once
/// \file
/// State of a window cache: the token of each slot, the rows, and the file format. All heads hold
/// the same tokens. Slot assignment is pure arithmetic on positions without rows; the rest is
/// internal to this directory.
///
/// A ring: the first `keep` tokens and the newest others, `size` in total. A single token
/// overwrites the oldest evictable token. A run of tokens first sorts the slots, drops all but the
/// newest size - 1, so that its first query still sees a full window, and is appended: the cache
/// then holds up to size - 1 + run slots until the next single token. docs/cache-contracts.md,
/// "Rotating windows" (RO).
///
/// The file is little-endian: "LACUNAKW", u32 version, five words of the shape (state_words.h), the
/// rotations if rows are rotated (layer_rotations.h), the 16-bit window if there is one
/// (exact_rows.h; such a file has version 2, others 1), u32 0, size, keep, slots, next, u64 offset,
/// int32 positions [slots], in version 2 u32 16-bit rows of each head, then per head keys and
/// values of the slots and 16-bit rows. Last u64: XXH3 of everything before.

#include <cstdint>
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

struct WindowRule {
    int size = 0;  ///< number of tokens
    int keep = 0;  ///< number of first tokens that are never dropped
    friend bool operator==(const WindowRule&, const WindowRule&) = default;
};

/// Errors: InvalidArgument (size below 2, keep outside 0 to size - 1).
[[nodiscard]] Status checkRule(const WindowRule& rule);

struct TokenWindow {
    WindowRule rule;
    std::int64_t offset = 0;  ///< number of tokens ever appended, minus those rolled back
    std::vector<std::int32_t> positions;  ///< [slots]
    int next = 0;  ///< slot after the newest token; the slot count before the first wrap
    [[nodiscard]] int slots() const { return static_cast<int>(positions.size()); }
    [[nodiscard]] bool inOrder() const { return next == slots(); }
};

/// Steps of an append before its rows are written.
struct WindowStep {
    TokenWindow after;
    bool gathers = false;             ///< moves the slots of `order` to the front of new memory
    std::vector<std::int32_t> order;  ///< old slots that are kept, oldest token first
    int firstSlot = 0;                ///< first slot of the new rows, after the move
    bool overwrites = false;          ///< the new row overwrites an old token
};

enum class AppendMode { Plain, Speculative, SpeculativeFirst };

/// While speculation is open, only its first append may drop or overwrite tokens, and only those
/// that no query after the start of the span can see.
/// @pre tokens >= 1
[[nodiscard]] WindowStep planAppend(const TokenWindow& window, int tokens, AppendMode mode);
/// Slots from the oldest token to the newest.
[[nodiscard]] std::vector<std::int32_t> temporalOrder(const TokenWindow& window);
/// Number of newest tokens that can be removed exactly outside of speculation.
[[nodiscard]] int trimmable(const TokenWindow& window);
/// @pre tokens <= slots, and in order
void removeNewest(TokenWindow& window, int tokens);

struct WindowRows {
    SlotBlock keys;    ///< [capacity, keyDim]
    SlotBlock values;  ///< [capacity, valueDim]
};

struct WindowState {
    KvShape shape;
    LayerRotations rotations;
    TokenWindow window;
    std::vector<WindowRows> heads;  ///< layer * kvHeads + head
    std::vector<ExactRows> exact;   ///< 16-bit rows of rotated codes, in the same order
    std::int64_t capacity = 0;
    std::int64_t reallocations = 0;
};

constexpr std::string_view kWindowMagic = "LACUNAKW";
constexpr std::uint32_t kWindowStateVersion = 1;

/// Rows with room for `capacity` slots. Errors: NoMemory.
[[nodiscard]] Result<std::vector<WindowRows>> makeWindowRows(const KvShape& shape,
                                                             std::int64_t capacity,
                                                             SlotAllocator& allocator);
/// Makes room for `tokens` rows after the slots; allocates everything before the first row moves.
/// Errors: NoMemory.
[[nodiscard]] Status growRows(WindowState& state, int tokens, SlotAllocator& allocator);
[[nodiscard]] KvStats statsOf(const WindowState& state);
/// A deep copy. Errors: NoMemory.
[[nodiscard]] Result<WindowState> copyState(const WindowState& state, SlotAllocator& allocator);
[[nodiscard]] std::string writeWindowState(const WindowState& state);
[[nodiscard]] Result<WindowState> readWindowState(std::string_view bytes, SlotAllocator& allocator,
                                                  const RowsInUse& rows = {});
/// Creates a cache from a state assembled in this directory (window_cache.cpp).
[[nodiscard]] std::unique_ptr<KvCache> windowCacheOf(WindowState state, SlotAllocator& allocator);
/// Keeps only the 16-bit rows that a query at `asking` sees.
void dropOldExact(WindowState& state, std::int64_t asking);

}  // namespace lacuna
