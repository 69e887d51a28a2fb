#include "engine/compress/matching/gathered_span.h"

#include <cstring>

#include "engine/kv/row_format.h"

namespace lacuna {
namespace {

/// Copies the slots listed in `order`.
void gather(const HeadSpan& from, GatheredSpan& out) {
    const std::size_t keyBytes = formatBytes(keyFormat(from.head, from.keyDim));
    const std::size_t valueBytes = formatBytes(valueFormat(from.head, from.valueDim));
    out.keys.resize(out.order.size() * keyBytes);
    out.values.resize(out.order.size() * valueBytes);
    out.bias.resize(out.order.size(), 0.0F);
    for (std::size_t at = 0; at < out.order.size(); ++at) {
        const auto slot = static_cast<std::size_t>(out.order[at]);
        std::memcpy(out.keys.data() + at * keyBytes, from.head.keys + slot * keyBytes, keyBytes);
        std::memcpy(out.values.data() + at * valueBytes,
                    from.head.values + slot * valueStride(from.head, from.valueDim), valueBytes);
        if (from.head.bias != nullptr) out.bias[at] = from.head.bias[slot];
        for (const ExactSlot& row : from.head.exact.within(out.order[at], 1))
            out.exact.push_back({static_cast<std::int32_t>(at), row.place});
    }
    out.span.head.exact.places = out.exact.data();
    out.span.head.exact.count = static_cast<int>(out.exact.size());
    out.span.head.keys = out.keys.data();
    out.span.head.values = out.values.data();
    out.span.head.valueStride = 0;
    out.span.head.bias = out.bias.data();
    out.span.head.slots = static_cast<int>(out.order.size());
    out.span.head.positions = nullptr;  // no fit reads positions
}

}  // namespace

GatheredSpan movedBehind(const HeadSpan& span, std::span<const std::int32_t> slots) {
    GatheredSpan out;
    out.span = span;
    std::size_t next = 0;
    for (int slot = 0; slot < span.last; ++slot) {
        if (next < slots.size() && slots[next] == slot)
            ++next;
        else
            out.order.push_back(slot);
    }
    out.span.last = static_cast<int>(out.order.size());
    out.order.insert(out.order.end(), slots.begin(), slots.end());
    for (int slot = span.last; slot < span.head.slots; ++slot) out.order.push_back(slot);
    gather(span, out);
    return out;
}

GatheredSpan thinned(const HeadSpan& span, int step) {
    GatheredSpan out;
    out.span = span;
    for (int slot = 0; slot < span.first; ++slot) out.order.push_back(slot);
    for (int slot = span.first; slot < span.last; slot += step) out.order.push_back(slot);
    out.span.last = static_cast<int>(out.order.size());
    for (int slot = span.last; slot < span.head.slots; ++slot) out.order.push_back(slot);
    gather(span, out);
    return out;
}

}  // namespace lacuna
