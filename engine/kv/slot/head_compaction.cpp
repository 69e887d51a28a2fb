#include "engine/kv/slot/head_compaction.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/kv/growth.h"
#include "engine/kv/row_format.h"

namespace lacuna {
namespace {

Status checkFinite(std::span<const float> numbers, const char* what) {
    const auto bad =
        std::find_if(numbers.begin(), numbers.end(), [](float x) { return !std::isfinite(x); });
    if (bad == numbers.end()) return {};
    return fail(ErrorCode::InvalidArgument,
                format("new {} number {} is {}, expected a finite number", what,
                       bad - numbers.begin(), *bad));
}

Status checkCount(std::size_t found, std::size_t expected, const char* what) {
    if (found == 0 || found == expected) return {};
    return fail(ErrorCode::InvalidArgument,
                format("{} new {} given, expected {}", found, what, expected));
}

bool anyNotZero(std::span<const float> numbers) {
    return std::any_of(numbers.begin(), numbers.end(), [](float x) { return x != 0.0F; });
}

/// Whether the head carries a bias after the compaction: only when one is not zero.
bool needsBias(const HeadStore& head, const HeadCompaction& plan) {
    if (!plan.bias.empty()) return anyNotZero(plan.bias);
    if (!head.layout.bias) return false;
    const float* old = head.bias.as<float>();
    for (int j = 0; j < plan.keep.slots(); ++j)
        if (plan.keep.has(j) && old[j] != 0.0F) return true;
    return false;
}

/// What stays of a head, one entry for each slot, oldest token first.
struct KeptRows {
    std::vector<std::int32_t> slots;
    std::span<const float> bias;    ///< or empty: as it was
    std::span<const float> values;  ///< likewise
    std::vector<float> movedBias;   ///< what the two show where the head is not in order
    std::vector<float> movedValues;
};

/// Moves the kept rows together, one move for each run of neighbours; `to` may be `from`.
void gather(const std::byte* from, std::byte* to, std::span<const std::int32_t> keep,
            std::size_t rowSize) {
    for (std::size_t i = 0; i < keep.size();) {
        std::size_t end = i + 1;
        while (end < keep.size() && keep[end] == keep[end - 1] + 1) ++end;
        // Rows only ever move toward the front, so no kept row is overwritten before it has moved.
        std::memmove(to + i * rowSize, from + static_cast<std::size_t>(keep[i]) * rowSize,
                     (end - i) * rowSize);
        i = end;
    }
}

/// A new block for a column, or an empty one when the old block can shrink to its place.
Result<SlotBlock> prepareColumn(const HeadStore& head, const SlotBlock& old, std::size_t bytes,
                                SlotAllocator& allocator) {
    if (head.inOrder && old.canShrink(bytes)) return SlotBlock{};
    return allocator.allocate(bytes);
}

KeptRows inTimeOrder(const HeadStore& head, const HeadCompaction& plan, std::size_t valueDim) {
    KeptRows kept;
    kept.slots = plan.keep.list();
    kept.bias = plan.bias;
    kept.values = plan.values;
    if (head.inOrder) return kept;
    const auto* positions = head.positions.as<std::int32_t>();
    std::vector<std::size_t> order(kept.slots.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return positions[kept.slots[a]] < positions[kept.slots[b]];
    });
    KeptRows out;
    for (const std::size_t i : order) {
        out.slots.push_back(kept.slots[i]);
        if (!plan.bias.empty()) out.movedBias.push_back(plan.bias[i]);
        if (plan.values.empty()) continue;
        const auto row = kept.values.subspan(i * valueDim, valueDim);
        out.movedValues.insert(out.movedValues.end(), row.begin(), row.end());
    }
    out.bias = out.movedBias;
    out.values = out.movedValues;
    return out;
}

/// Lets the old block become the prepared one where nothing was prepared.
void reuse(SlotBlock& old, SlotBlock& prepared, std::size_t bytes) {
    if (prepared.data() != nullptr) return;
    old.shrink(bytes);
    prepared = std::move(old);
}

void writePositions(const HeadStore& head, std::span<const std::int32_t> keep, HeadStore& out) {
    auto* positions = out.positions.as<std::int32_t>();
    for (std::size_t i = 0; i < keep.size(); ++i)
        positions[i] = head.layout.positions ? head.positions.as<std::int32_t>()[keep[i]] : keep[i];
}

void writeBias(const HeadStore& head, const KeptRows& kept, HeadStore& out) {
    auto* bias = out.bias.as<float>();
    for (std::size_t i = 0; i < kept.slots.size(); ++i) {
        const float old = head.layout.bias ? head.bias.as<float>()[kept.slots[i]] : 0.0F;
        bias[i] = kept.bias.empty() ? old : kept.bias[i];
    }
}

void writeNewValues(const KvShape& shape, const KeptRows& kept, std::byte* out) {
    const RowFormat row = valueFormat(shape);
    const std::size_t rowSize = slotSizes(shape).value;
    const auto dim = static_cast<std::size_t>(shape.valueDim);
    for (std::size_t i = 0; i < kept.slots.size(); ++i)
        encodeRowSaturated(row, kept.values.subspan(i * dim, dim), out + i * rowSize);
}

}  // namespace

Status checkCompaction(const KvShape& shape, const HeadStore& head, const HeadCompaction& plan) {
    if (!plan.touched()) {
        if (plan.bias.empty() && plan.values.empty()) return {};
        return fail(ErrorCode::InvalidArgument,
                    "new biases or values are given for a head of which no slot is marked");
    }
    if (plan.keep.slots() != head.slots)
        return fail(ErrorCode::InvalidArgument,
                    format("marks for {} slots, the head has {}", plan.keep.slots(), head.slots));
    const auto kept = static_cast<std::size_t>(plan.keep.count());
    if (kept == 0)
        return fail(ErrorCode::InvalidArgument, "no slot is kept, a head needs at least one");
    const float* bias = head.bias.as<float>();
    for (std::int64_t j = head.firstHole; head.holes > 0 && j < head.slots; ++j)
        if (bias[j] == kHole && plan.keep.has(static_cast<int>(j)))
            return fail(ErrorCode::InvalidArgument,
                        format("kept slot {} is a hole, its token was evicted before", j));
    LACUNA_TRY_STATUS(checkCount(plan.bias.size(), kept, "biases"));
    LACUNA_TRY_STATUS(checkCount(plan.values.size(),
                                 kept * static_cast<std::size_t>(shape.valueDim), "value numbers"));
    LACUNA_TRY_STATUS(checkFinite(plan.bias, "bias"));
    return checkFinite(plan.values, "value");
}

Result<HeadStore> prepareHead(const KvShape& shape, const HeadStore& head,
                              const HeadCompaction& plan, SlotAllocator& allocator) {
    const SlotSizes sizes = slotSizes(shape);
    HeadStore out;
    out.layout = {.positions = true,
                  .bias = head.layout.ready || needsBias(head, plan),
                  .ready = head.layout.ready};
    out.capacity = compactedCapacity(plan.keep.count());
    const auto rows = static_cast<std::size_t>(out.capacity);
    LACUNA_TRY(out.keys, prepareColumn(head, head.keys, rows * sizes.key, allocator));
    LACUNA_TRY(out.values, prepareColumn(head, head.values, rows * sizes.value, allocator));
    LACUNA_TRY(out.positions, allocator.allocate(rows * sizeof(std::int32_t)));
    if (out.layout.bias) {
        LACUNA_TRY(out.bias, allocator.allocate(rows * sizeof(float)));
    }
    return out;
}

HeadStore compactHead(const KvShape& shape, HeadStore& head, const HeadCompaction& plan,
                      HeadStore prepared) {
    const KeptRows kept = inTimeOrder(head, plan, static_cast<std::size_t>(shape.valueDim));
    const SlotSizes sizes = slotSizes(shape);
    const auto rows = static_cast<std::size_t>(prepared.capacity);
    writePositions(head, kept.slots, prepared);
    if (prepared.layout.bias) writeBias(head, kept, prepared);
    const std::byte* keys = head.keys.data();
    const std::byte* values = head.values.data();
    std::byte* keysTo = prepared.keys.data() == nullptr ? head.keys.data() : prepared.keys.data();
    std::byte* valuesTo =
        prepared.values.data() == nullptr ? head.values.data() : prepared.values.data();
    gather(keys, keysTo, kept.slots, sizes.key);
    if (kept.values.empty()) {
        gather(values, valuesTo, kept.slots, sizes.value);
    } else {
        writeNewValues(shape, kept, valuesTo);
    }
    reuse(head.keys, prepared.keys, rows * sizes.key);
    reuse(head.values, prepared.values, rows * sizes.value);
    for (const std::int32_t slot : kept.slots) {
        if (head.norms.size() < static_cast<std::size_t>(head.slots)) break;
        prepared.norms.push_back(head.norms[static_cast<std::size_t>(slot)]);
    }
    prepared.slots = static_cast<std::int64_t>(kept.slots.size());
    return prepared;
}

}  // namespace lacuna
