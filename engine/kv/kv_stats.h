#pragma once
/// \file
/// How much a cache holds, in tokens, slots and bytes. Plain data.

#include <cstdint>

namespace lacuna {

/// Bytes are of keys, values, and explicit positions, bias and norms where a head stores them.
struct KvStats {
    std::int64_t tokens = 0;      ///< logical length
    std::int64_t slotsTotal = 0;  ///< over layers and heads
    int slotsLargestHead = 0;
    std::int64_t logicalBytes = 0;    ///< every token as plain numbers of the type
    std::int64_t liveBytes = 0;       ///< valid slots
    std::int64_t allocatedBytes = 0;  ///< capacity
    std::int64_t reallocations = 0;  ///< growth steps after the first allocation, one for all heads
    std::int64_t compactions = 0;
    std::int64_t normsComputed = 0;  ///< lengths of keys ever computed; 0 while nobody asks
};

}  // namespace lacuna
