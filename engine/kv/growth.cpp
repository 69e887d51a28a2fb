#include "engine/kv/growth.h"

#include <algorithm>

namespace lacuna {

std::int64_t grownCapacity(std::int64_t capacity, std::int64_t used, std::int64_t more) {
    const std::int64_t needed = used + more;
    if (needed <= capacity) return capacity;
    if (capacity == 0) return std::max(kSlotQuantum, needed);
    return std::max(2 * capacity, needed);
}

std::int64_t compactedCapacity(std::int64_t kept) {
    return (kept / kSlotQuantum + 1) * kSlotQuantum;
}

}  // namespace lacuna
