#include "engine/kv/head_compaction.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "engine/base/string_format.h"
#include "engine/kv/growth.h"
#include "engine/kv/stored_rows.h"

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

/// Gathers rows, one copy for each run of neighbours.
void gather(const SlotBlock& from, SlotBlock& to, std::span<const std::int32_t> keep,
            std::size_t rowSize) {
    for (std::size_t i = 0; i < keep.size();) {
        std::size_t end = i + 1;
        while (end < keep.size() && keep[end] == keep[end - 1] + 1) ++end;
        std::memcpy(to.data() + i * rowSize,
                    from.data() + static_cast<std::size_t>(keep[i]) * rowSize, (end - i) * rowSize);
        i = end;
    }
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

void writeNewValues(const KvShape& shape, const HeadCompaction& plan, HeadStore& out) {
    const std::size_t rowSize = slotSizes(shape).value;
    const auto dim = static_cast<std::size_t>(shape.valueDim);
    for (std::size_t i = 0; i < plan.keep.size(); ++i)
        storeRowSaturated(shape.type, std::span(plan.values).subspan(i * dim, dim),
                          out.values.data() + i * rowSize);
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
        previous = slot;
    }
    LACUNA_TRY_STATUS(checkCount(plan.bias.size(), plan.keep.size(), "biases"));
    LACUNA_TRY_STATUS(checkCount(plan.values.size(),
                                 plan.keep.size() * static_cast<std::size_t>(shape.valueDim),
                                 "value numbers"));
    LACUNA_TRY_STATUS(checkFinite(plan.bias, "bias"));
    return checkFinite(plan.values, "value");
}

Result<HeadStore> compactHead(const KvShape& shape, const HeadStore& head,
                              const HeadCompaction& plan, SlotAllocator& allocator) {
    const HeadLayout layout{.positions = true, .bias = needsBias(head, plan)};
    const auto kept = static_cast<std::int64_t>(plan.keep.size());
    LACUNA_TRY(HeadStore out, makeHeadStore(shape, layout, compactedCapacity(kept), allocator));
    const SlotSizes sizes = slotSizes(shape);
    gather(head.keys, out.keys, plan.keep, sizes.key);
    if (plan.values.empty()) {
        gather(head.values, out.values, plan.keep, sizes.value);
    } else {
        writeNewValues(shape, plan, out);
    }
    writePositions(head, plan.keep, out);
    if (layout.bias) writeBias(head, plan, out);
    for (const std::int32_t slot : plan.keep) {
        if (static_cast<std::size_t>(slot) >= head.norms.size()) break;
        out.norms.push_back(head.norms[static_cast<std::size_t>(slot)]);
    }
    out.slots = kept;
    return out;
}

}  // namespace lacuna
