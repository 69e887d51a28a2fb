#include "engine/compress/compactable_span.h"

namespace lacuna {

HeadSpan compactableSpan(const KvCache& cache, LayerIndex layer, HeadIndex head,
                         const SelectionRule& rule) {
    HeadSpan span;
    span.head = cache.head(layer, head);
    span.keyDim = cache.shape().keyDim;
    span.valueDim = cache.shape().valueDim;
    const SlotPositions slots{span.head.positions, span.head.slots, cache.offset().value};
    while (span.first < slots.slots && isProtected(rule, slots.at(span.first), slots.tokens))
        ++span.first;
    span.last = slots.slots;
    while (span.last > span.first && isProtected(rule, slots.at(span.last - 1), slots.tokens))
        --span.last;
    return span;
}

}  // namespace lacuna
