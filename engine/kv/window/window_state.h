#pragma once
/// \file
/// What a window cache holds: which tokens in which slots, their rows, and its bytes in a file. All
/// heads of such a cache hold the same tokens. Which token stands where is arithmetic on positions
/// without rows, in pure functions; the rest is private to this room.
///
/// A ring: the first `keep` tokens and the newest others, `size` in all. A single token overwrites
/// the oldest that may go; a run of tokens first puts the slots in order and drops all but the
/// newest size - 1, so that its first query still has a whole window, and stands after them: the
/// cache then holds up to size - 1 + run slots until the next single token.
/// docs/cache-contracts.md, "Rotating windows" (RO).
///
/// The file is little-endian: "LACUNAKW", u32 version, five words of the shape (state_words.h), the
/// rotations where rows are rotated (layer_rotations.h), the window of 16 bits where there is one
/// (exact_rows.h; such a file has version 2, others 1), u32 0, size, keep, slots, next, u64 offset,
/// int32 positions [slots], in version 2 u32 rows in 16 bits of each head, then per head keys and
/// values of the slots and rows in 16 bits. Last u64: XXH3 of all before.

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
    int size = 0;  ///< tokens
    int keep = 0;  ///< first tokens among them that never go
    friend bool operator==(const WindowRule&, const WindowRule&) = default;
};

/// Errors: InvalidArgument (size below 2, keep outside 0 to size - 1).
[[nodiscard]] Status checkRule(const WindowRule& rule);

struct TokenWindow {
    WindowRule rule;
    std::int64_t offset = 0;              ///< tokens ever appended, less those taken back
    std::vector<std::int32_t> positions;  ///< [slots]
    int next = 0;  ///< slot after the newest token; the slot count while nothing wrapped
    [[nodiscard]] int slots() const { return static_cast<int>(positions.size()); }
    [[nodiscard]] bool inOrder() const { return next == slots(); }
};

/// What an append does before its rows are written.
struct WindowStep {
    TokenWindow after;
    bool gathers = false;             ///< the slots of `order` move to the front of new memory
    std::vector<std::int32_t> order;  ///< old slots that stay, oldest token first
    int firstSlot = 0;                ///< of the new rows, counted after the move
    bool overwrites = false;          ///< the new row takes the slot of a token that goes
};

enum class AppendMode { Plain, Speculative, SpeculativeFirst };

/// While speculation is open nothing is dropped or overwritten, except by its first append, and
/// then only what no query after the span began can see.
/// @pre tokens >= 1
[[nodiscard]] WindowStep planAppend(const TokenWindow& window, int tokens, AppendMode mode);
/// Slots from the oldest token to the newest.
[[nodiscard]] std::vector<std::int32_t> temporalOrder(const TokenWindow& window);
/// Newest tokens that can go without a trace outside speculation.
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
    std::vector<ExactRows> exact;   ///< of rotated codes, likewise
    std::int64_t capacity = 0;
    std::int64_t reallocations = 0;
};

constexpr std::string_view kWindowMagic = "LACUNAKW";
constexpr std::uint32_t kWindowStateVersion = 1;

/// Rows with room for `capacity` slots. Errors: NoMemory.
[[nodiscard]] Result<std::vector<WindowRows>> makeWindowRows(const KvShape& shape,
                                                             std::int64_t capacity,
                                                             SlotAllocator& allocator);
/// Room for `tokens` rows after the slots; all memory is there before the first row moves. Errors:
/// NoMemory.
[[nodiscard]] Status growRows(WindowState& state, int tokens, SlotAllocator& allocator);
[[nodiscard]] KvStats statsOf(const WindowState& state);
/// A deep copy. Errors: NoMemory.
[[nodiscard]] Result<WindowState> copyState(const WindowState& state, SlotAllocator& allocator);
[[nodiscard]] std::string writeWindowState(const WindowState& state);
[[nodiscard]] Result<WindowState> readWindowState(std::string_view bytes, SlotAllocator& allocator,
                                                  const RowsInUse& rows = {});
/// The cache of a state that was put together elsewhere in this room (window_cache.cpp).
[[nodiscard]] std::unique_ptr<KvCache> windowCacheOf(WindowState state, SlotAllocator& allocator);
/// Rows in 16 bits that a query at `asking` sees stay.
void dropOldExact(WindowState& state, std::int64_t asking);

}  // namespace lacuna
