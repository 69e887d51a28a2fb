#include "engine/compress/matching/compactable_span.h"

namespace lacuna {

HeadSpan compactableSpan(const KvCache& cache, LayerIndex layer, HeadIndex head,
                         const SelectionRule& rule) {
    HeadSpan span;
    span.head = cache.head(layer, head);
    const KvExtent extent = cache.shape().extent(layer);
    span.keyDim = extent.keyDim;
    span.valueDim = extent.valueDim;
    span.valuesInKeys = extent.valuesInKeys;
    const SlotPositions slots{span.head.positions, span.head.slots, cache.offset().value};
    while (span.first < slots.slots && isProtected(rule, slots.at(span.first), slots.tokens))
        ++span.first;
    span.last = slots.slots;
    while (span.last > span.first && isProtected(rule, slots.at(span.last - 1), slots.tokens))
        --span.last;
    return span;
}

std::vector<std::int32_t> keptSlots(const HeadSpan& span, const SelectionRule& rule) {
    std::vector<std::int32_t> kept;
    if (rule.kept == nullptr) return kept;
    for (int slot = span.first; slot < span.last; ++slot) {
        const std::int32_t position =
            span.head.positions == nullptr ? slot : span.head.positions[slot];
        if (keeps(*rule.kept, position)) kept.push_back(slot);
    }
    return kept;
}

}  // namespace lacuna
