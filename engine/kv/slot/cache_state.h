#pragma once
/// \file
/// A slot cache as bytes: valid slots and every scalar needed to continue, never headroom.
/// Little-endian. Header: "LACUNAKV", u32 version, u32 dtype, u32 layers, KV heads, key length,
/// value length, u64 tokens, settled tokens, compactions. Then per head u32 slots, u32 columns (bit
/// 0 positions, bit 1 bias), then per head keys, values, positions, bias. Last u64: XXH3 of all
/// before. Reading checks every count against the bytes that are there before it allocates. Pure
/// functions.

#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/kv/slot/slot_state.h"
#include "engine/kv/slot_memory.h"

namespace lacuna {

constexpr std::uint32_t kCacheStateVersion = 1;

/// The two directions on bare storage; private to this room. Errors: those of loadCache.
[[nodiscard]] std::string writeState(const SlotState& state);
[[nodiscard]] Result<SlotState> readState(std::string_view bytes, SlotAllocator& allocator);

}  // namespace lacuna
