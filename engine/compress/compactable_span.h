#pragma once
/// \file
/// The slots of a head that a compaction may change: everything between the sinks and the newest
/// tokens, by logical position, but for those that are to stay among them. Pure functions.

#include <cstdint>
#include <vector>

#include "engine/base/ids.h"
#include "engine/compress/span_attention.h"
#include "engine/kv/eviction/eviction_plan.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// Without queries. Empty (first == last) when every slot is protected.
[[nodiscard]] HeadSpan compactableSpan(const KvCache& cache, LayerIndex layer, HeadIndex head,
                                       const SelectionRule& rule);
/// Slots of the span that the rule keeps all the same, ascending.
[[nodiscard]] std::vector<std::int32_t> keptSlots(const HeadSpan& span, const SelectionRule& rule);
/// Slots of the head before and after the span.
[[nodiscard]] inline int guardedSlots(const HeadSpan& span) {
    return span.head.slots - (span.last - span.first);
}

}  // namespace lacuna
