#pragma once
/// \file
/// The one rule by which cache buffers grow. Pure functions on slot counts.
/// Doubling turns the 128 reallocations of a fixed step of 256 over 32 K tokens into 7.
/// docs/cache-contracts.md, "Growth".

#include <cstdint>

namespace lacuna {

/// Slots of the first allocation and the step of headroom left after a compaction.
constexpr std::int64_t kSlotQuantum = 256;

/// Capacity for `used + more` slots: unchanged when they fit, max(256, more) at first, then
/// max(2 * capacity, used + more). Never smaller than `capacity`.
[[nodiscard]] std::int64_t grownCapacity(std::int64_t capacity, std::int64_t used,
                                         std::int64_t more);

/// Capacity right after a compaction: always at least one free slot, so that the next token does
/// not reallocate, and at most 256 unused ones.
[[nodiscard]] std::int64_t compactedCapacity(std::int64_t kept);

}  // namespace lacuna
