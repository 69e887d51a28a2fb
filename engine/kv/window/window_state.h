#pragma once
/// \file
/// What a window cache holds, and its bytes in a file. Private to this room.
/// Little-endian: "LACUNAKW", u32 version, five words of the shape (state_words.h), u32 0, size,
/// keep, slots, next, u64 offset, int32 positions [slots], then per head keys and values of the
/// slots. Last u64: XXH3 of all before.

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/slot_memory.h"
#include "engine/kv/window/token_window.h"

namespace lacuna {

struct WindowRows {
    SlotBlock keys;    ///< [capacity, keyDim]
    SlotBlock values;  ///< [capacity, valueDim]
};

struct WindowState {
    KvShape shape;
    TokenWindow window;
    std::vector<WindowRows> heads;  ///< layer * kvHeads + head
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
[[nodiscard]] Result<WindowState> readWindowState(std::string_view bytes, SlotAllocator& allocator);

}  // namespace lacuna
