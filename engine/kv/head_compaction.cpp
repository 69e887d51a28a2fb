#include "engine/kv/head_compaction.h"

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
    return std::any_of(plan.keep.begin(), plan.keep.end(),
                       [&](std::int32_t j) { return old[j] != 0.0F; });
}

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

/// Entries of the plan from the oldest token to the newest.
std::vector<std::size_t> timeOrder(const HeadStore& head, std::span<const std::int32_t> keep) {
    std::vector<std::size_t> order(keep.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (head.inOrder) return order;
    const auto* positions = head.positions.as<std::int32_t>();
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return positions[keep[a]] < positions[keep[b]];
    });
    return order;
}

/// The plan with its entries in that order.
HeadCompaction reordered(const HeadCompaction& plan, std::span<const std::size_t> order,
                         std::size_t valueDim) {
    HeadCompaction out;
    out.touched = true;
    for (const std::size_t i : order) {
        out.keep.push_back(plan.keep[i]);
        if (!plan.bias.empty()) out.bias.push_back(plan.bias[i]);
        const auto row = plan.values.begin() + static_cast<std::ptrdiff_t>(i * valueDim);
        if (!plan.values.empty())
            out.values.insert(out.values.end(), row, row + static_cast<std::ptrdiff_t>(valueDim));
    }
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

void writeBias(const HeadStore& head, const HeadCompaction& plan, HeadStore& out) {
    auto* bias = out.bias.as<float>();
    for (std::size_t i = 0; i < plan.keep.size(); ++i) {
        const float old = head.layout.bias ? head.bias.as<float>()[plan.keep[i]] : 0.0F;
        bias[i] = plan.bias.empty() ? old : plan.bias[i];
    }
}

void writeNewValues(const KvShape& shape, const HeadCompaction& plan, std::byte* out) {
    const RowFormat row = valueFormat(shape);
    const std::size_t rowSize = slotSizes(shape).value;
    const auto dim = static_cast<std::size_t>(shape.valueDim);
    for (std::size_t i = 0; i < plan.keep.size(); ++i)
        encodeRowSaturated(row, std::span(plan.values).subspan(i * dim, dim), out + i * rowSize);
}

}  // namespace

Status checkCompaction(const KvShape& shape, const HeadStore& head, const HeadCompaction& plan) {
    if (!plan.touched) {
        if (plan.keep.empty() && plan.bias.empty() && plan.values.empty()) return {};
        return fail(ErrorCode::InvalidArgument,
                    "slots to keep are listed for a head marked as untouched");
    }
    if (plan.keep.empty())
        return fail(ErrorCode::InvalidArgument, "no slot is kept, a head needs at least one");
    std::int32_t previous = -1;
    for (const std::int32_t slot : plan.keep) {
        if (slot <= previous)
            return fail(
                ErrorCode::InvalidArgument,
                format("kept slot {} follows slot {}, expected strictly ascending slots from 0",
                       slot, previous));
        if (slot >= head.slots)
            return fail(
                ErrorCode::InvalidArgument,
                format("kept slot {} is out of range, the head has {} slots", slot, head.slots));
        if (head.holes > 0 && head.bias.as<float>()[slot] == kHole)
            return fail(ErrorCode::InvalidArgument,
                        format("kept slot {} is a hole, its token was evicted before", slot));
        previous = slot;
    }
    LACUNA_TRY_STATUS(checkCount(plan.bias.size(), plan.keep.size(), "biases"));
    LACUNA_TRY_STATUS(checkCount(plan.values.size(),
                                 plan.keep.size() * static_cast<std::size_t>(shape.valueDim),
                                 "value numbers"));
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
    out.capacity = compactedCapacity(static_cast<std::int64_t>(plan.keep.size()));
    const auto rows = static_cast<std::size_t>(out.capacity);
    LACUNA_TRY(out.keys, prepareColumn(head, head.keys, rows * sizes.key, allocator));
    LACUNA_TRY(out.values, prepareColumn(head, head.values, rows * sizes.value, allocator));
    LACUNA_TRY(out.positions, allocator.allocate(rows * sizeof(std::int32_t)));
    if (out.layout.bias) {
        LACUNA_TRY(out.bias, allocator.allocate(rows * sizeof(float)));
    }
    return out;
}

HeadStore compactHead(const KvShape& shape, HeadStore& head, const HeadCompaction& original,
                      HeadStore prepared) {
    HeadCompaction inTime;
    if (!head.inOrder)
        inTime = reordered(original, timeOrder(head, original.keep),
                           static_cast<std::size_t>(shape.valueDim));
    const HeadCompaction& plan = head.inOrder ? original : inTime;
    const SlotSizes sizes = slotSizes(shape);
    const auto rows = static_cast<std::size_t>(prepared.capacity);
    writePositions(head, plan.keep, prepared);
    if (prepared.layout.bias) writeBias(head, plan, prepared);
    const std::byte* keys = head.keys.data();
    const std::byte* values = head.values.data();
    std::byte* keysTo = prepared.keys.data() == nullptr ? head.keys.data() : prepared.keys.data();
    std::byte* valuesTo =
        prepared.values.data() == nullptr ? head.values.data() : prepared.values.data();
    gather(keys, keysTo, plan.keep, sizes.key);
    if (plan.values.empty()) {
        gather(values, valuesTo, plan.keep, sizes.value);
    } else {
        writeNewValues(shape, plan, valuesTo);
    }
    reuse(head.keys, prepared.keys, rows * sizes.key);
    reuse(head.values, prepared.values, rows * sizes.value);
    for (const std::int32_t slot : plan.keep) {
        if (head.norms.size() < static_cast<std::size_t>(head.slots)) break;
        prepared.norms.push_back(head.norms[static_cast<std::size_t>(slot)]);
    }
    prepared.slots = static_cast<std::int64_t>(plan.keep.size());
    return prepared;
}

}  // namespace lacuna
