#pragma once
/// \file
/// The slots of a head that a compaction may change: everything between the sinks and the newest
/// tokens by logical position, except slots in between that must be kept. Pure functions.

#include <cstdint>
#include <vector>

#include "engine/base/ids.h"
#include "engine/compress/matching/span_attention.h"
#include "engine/kv/eviction/eviction_plan.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// Returns the span without queries. Empty (first == last) if every slot is protected.
[[nodiscard]] HeadSpan compactableSpan(const KvCache& cache, LayerIndex layer, HeadIndex head,
                                       const SelectionRule& rule);
/// Slots within the span that the rule nevertheless keeps, ascending.
[[nodiscard]] std::vector<std::int32_t> keptSlots(const HeadSpan& span, const SelectionRule& rule);
/// Number of slots of the head before and after the span.
[[nodiscard]] inline int guardedSlots(const HeadSpan& span) {
    return span.head.slots - (span.last - span.first);
}

}  // namespace lacuna
