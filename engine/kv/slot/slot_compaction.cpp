#include "engine/kv/slot/slot_compaction.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/kernels/cpu_features.h"
#include "engine/kv/slot/head_room.h"
#include "engine/kv/slot_memory.h"

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

/// Returns true if the head has a nonzero bias after the compaction.
bool needsBias(const HeadStore& head, const HeadCompaction& plan) {
    if (!plan.bias.empty()) return anyNotZero(plan.bias);
    if (!head.layout.bias) return false;
    const float* old = head.bias.as<float>();
    for (int j = 0; j < plan.keep.slots(); ++j)
        if (plan.keep.has(j) && old[j] != 0.0F) return true;
    return false;
}

/// Kept rows of a head, one entry for each slot, oldest token first.
struct KeptRows {
    std::vector<std::int32_t> slots;
    std::span<const float> bias;    ///< empty: unchanged
    std::span<const float> values;  ///< empty: unchanged
    std::vector<float> movedBias;   ///< storage of the two spans if the head is not in order
    std::vector<float> movedValues;
};

/// Moves the kept rows together, one move for each run of adjacent rows; `to` may be `from`.
void gather(const std::byte* from, std::byte* to, std::span<const std::int32_t> keep,
            std::size_t rowSize) {
    for (std::size_t i = 0; rowSize > 0 && i < keep.size();) {
        std::size_t end = i + 1;
        while (end < keep.size() && keep[end] == keep[end - 1] + 1) ++end;
        // Rows only move towards the front, so no kept row is overwritten before it has moved.
        std::memmove(to + i * rowSize, from + static_cast<std::size_t>(keep[i]) * rowSize,
                     (end - i) * rowSize);
        i = end;
    }
}

/// Returns a new block for a column, or an empty one if the old block can be shrunk instead.
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

/// Reuses the old block if no new one was prepared.
void reuse(SlotBlock& old, SlotBlock& prepared, std::size_t bytes) {
    if (prepared.data() != nullptr || bytes == 0) return;
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

/// Returns true if a new value equals the value of the slot, as decoded by readValues with or
/// without its 16-bit row. A fit returns such values for the slots it leaves unchanged.
bool isOldValue(const RowFormat& row, std::span<const float> value, const std::byte* code,
                const std::byte* exact) {
    std::vector<float> old(value.size());
    if (row.quant.rotated()) {
        decodeExact(row, exact, old);
        if (std::ranges::equal(old, value)) return true;
    }
    decodeRow(row, code, old);
    return std::ranges::equal(old, value);
}

/// Moves 16-bit rows with their slots. A row whose rotated value has changed keeps its code
/// only. Marks the kept rows whose codes stay.
std::vector<bool> moveExact(const RowFormat& row, const KvShape& shape, const KeptRows& kept,
                            HeadStore& head) {
    std::vector<bool> stays(kept.slots.size(), false);
    if (head.exact.count() == 0) return stays;
    std::vector<std::int32_t> target(static_cast<std::size_t>(head.slots), -1);
    for (std::size_t i = 0; i < kept.slots.size(); ++i)
        target[static_cast<std::size_t>(kept.slots[i])] = static_cast<std::int32_t>(i);
    const ExactSizes sizes = exactSizes(shape);
    const std::size_t codeBytes = slotSizes(shape).value;
    const auto dim = static_cast<std::size_t>(shape.valueDim);
    for (const ExactSlot& at : head.exact.places()) {
        std::int32_t& to = target[static_cast<std::size_t>(at.slot)];
        if (to < 0 || kept.values.empty() || sizes.value == 0) continue;
        const auto i = static_cast<std::size_t>(to);
        const std::byte* const code =
            head.values.data() + static_cast<std::size_t>(at.slot) * codeBytes;
        if (isOldValue(row, kept.values.subspan(i * dim, dim), code,
                       head.exact.row(shape, at) + sizes.key))
            stays[i] = true;
        else
            to = -1;
    }
    head.exact.move(
        [&target](std::int32_t slot) { return target[static_cast<std::size_t>(slot)]; });
    return stays;
}

void writeNewValues(const RowFormat& row, const KeptRows& kept, const std::vector<bool>& stays,
                    std::byte* out) {
    const std::size_t rowSize = formatBytes(row);
    const auto dim = static_cast<std::size_t>(row.dim);
    for (std::size_t i = 0; i < kept.slots.size(); ++i)
        if (!stays[i])
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
                        format("kept slot {} is a hole; its token was evicted earlier", j));
    LACUNA_TRY_STATUS(checkCount(plan.bias.size(), kept, "biases"));
    if (shape.valuesInKeys && !plan.values.empty())
        return fail(ErrorCode::InvalidArgument,
                    "new values are given for a head whose values are in its keys");
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

HeadStore compactHead(const RowFormat& valueRow, const KvShape& shape, HeadStore& head,
                      const HeadCompaction& plan, HeadStore prepared) {
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
    const std::vector<bool> stays = moveExact(valueRow, shape, kept, head);
    prepared.exact = std::move(head.exact);
    gather(keys, keysTo, kept.slots, sizes.key);
    gather(values, valuesTo, kept.slots, sizes.value);
    if (!kept.values.empty()) writeNewValues(valueRow, kept, stays, valuesTo);
    reuse(head.keys, prepared.keys, rows * sizes.key);
    reuse(head.values, prepared.values, rows * sizes.value);
    for (const std::int32_t slot : kept.slots) {
        if (head.norms.size() < static_cast<std::size_t>(head.slots)) break;
        prepared.norms.push_back(head.norms[static_cast<std::size_t>(slot)]);
    }
    prepared.slots = static_cast<std::int64_t>(kept.slots.size());
    return prepared;
}

namespace {

/// Moves the rows of a head together, oldest first; returns the bytes it then holds. Errors:
/// NoMemory.
Result<std::int64_t> sortHead(const KvShape& shape, HeadStore& head, SlotAllocator& allocator) {
    if (head.live() == 0) {
        head.slots = head.holes = head.firstHole = 0;
        head.inOrder = true;
        head.norms.clear();
        return 0;
    }
    const HeadCompaction keep{
        .keep = {static_cast<int>(head.slots), liveSlots(head)}, .bias = {}, .values = {}};
    LACUNA_TRY(HeadStore memory, prepareHead(shape, head, keep, allocator));
    head = compactHead(valueFormat(shape), shape, head, keep, std::move(memory));
    return headBytes(shape, head.layout, head.slots);
}

/// Heads from `next` on with something to tidy, until their bytes suffice.
std::vector<std::size_t> headsToDefragment(const SlotState& state, const DefragmentWork& work) {
    std::vector<std::size_t> out;
    std::int64_t bytes = 0;
    for (std::size_t seen = 0; seen < state.heads.size() && (bytes < work.bytes || out.empty());
         ++seen) {
        const std::size_t i = (work.next + seen) % state.heads.size();
        const HeadStore& head = state.heads[i];
        if (!(work.all ? head.isFragmented() : holdsSpareMemory(head))) continue;
        out.push_back(i);
        bytes += work.all ? headBytes(state.shape, head.layout, head.live())
                          : packingBytes(state.shape, head);
    }
    return out;
}

}  // namespace

Error atHead(const KvShape& shape, const Error& error, std::size_t index) {
    const auto perLayer = static_cast<std::size_t>(shape.kvHeads);
    return withPrefix(error, format("layer {} head {}", index / perLayer, index % perLayer));
}

bool onlyDrops(const CompactionPlan& plan) {
    return std::all_of(plan.heads.begin(), plan.heads.end(), [](const HeadCompaction& head) {
        return head.bias.empty() && head.values.empty();
    });
}

namespace {

/// Creates the missing columns: current positions, zero bias.
Result<EvictionColumns> missingColumns(const HeadStore& head, SlotAllocator& allocator) {
    const auto rows = static_cast<std::size_t>(head.capacity);
    EvictionColumns columns;
    if (!head.layout.keepsPositions()) {
        LACUNA_TRY(columns.positions, allocator.allocate(rows * sizeof(std::int32_t)));
        auto* positions = columns.positions.as<std::int32_t>();
        std::iota(positions, positions + head.slots, 0);
    }
    if (!head.layout.keepsBias()) {
        LACUNA_TRY(columns.bias, allocator.allocate(rows * sizeof(float)));
        std::fill_n(columns.bias.as<float>(), head.slots, 0.0F);
    }
    return columns;
}

void takeColumns(HeadStore& head, EvictionColumns columns) {
    if (!head.layout.keepsPositions()) head.positions = std::move(columns.positions);
    if (!head.layout.keepsBias()) head.bias = std::move(columns.bias);
}

/// Clears holes whose key is not finite, since a bias of -infinity would not hide them.
void clearUnreadable(const KvShape& shape, HeadStore& head) {
    const KernelTable& kernels = bestKernels();
    const auto count = static_cast<std::int64_t>(head.norms.size());
    const float largest = std::numeric_limits<float>::max();
    const std::int64_t finite = kernels.countAbove(head.norms.data(), -1.0F, count) -
                                kernels.countAbove(head.norms.data(), largest, count);
    if (finite == count) return;
    const SlotSizes sizes = slotSizes(shape);
    for (std::size_t j = 0; j < head.norms.size(); ++j) {
        if (std::isfinite(head.norms[j]) || head.bias.as<float>()[j] != kHole) continue;
        std::memset(head.keys.data() + j * sizes.key, 0, sizes.key);
        std::memset(head.values.data() + j * sizes.value, 0, sizes.value);
        head.norms[j] = 0.0F;
    }
}

void dropFromHead(const KvShape& shape, HeadStore& head, const SlotMarks& marks,
                  EvictionColumns columns) {
    takeColumns(head, std::move(columns));
    head.layout.positions = head.layout.bias = true;
    bestKernels().fillUnmarked(marks.words(), kHole, head.bias.as<float>(), head.slots);
    head.holes = head.slots - marks.count();
    head.firstHole = head.holes > 0 ? marks.firstWithout() : 0;
    dropDeadExact(head);
    clearUnreadable(shape, head);
}

}  // namespace

Result<std::vector<EvictionColumns>> prepareEviction(const SlotState& state,
                                                     const CompactionPlan& plan,
                                                     SlotAllocator& allocator, ThreadPool& pool) {
    std::vector<EvictionColumns> columns(plan.heads.size());
    std::vector<std::optional<Error>> errors(plan.heads.size());
    const auto prepare = [&](std::size_t i) -> Status {
        LACUNA_TRY_STATUS(checkCompaction(state.shape, state.heads[i], plan.heads[i]));
        if (!plan.heads[i].touched()) return {};
        LACUNA_TRY(columns[i], missingColumns(state.heads[i], allocator));
        return {};
    };
    pool.parallelFor(static_cast<int>(plan.heads.size()), [&](int task) {
        const auto i = static_cast<std::size_t>(task);
        if (auto status = prepare(i); !status) errors[i] = status.error();
    });
    for (std::size_t i = 0; i < errors.size(); ++i)
        if (errors[i]) return tl::unexpected<Error>(atHead(state.shape, *errors[i], i));
    return columns;
}

void dropUnmarked(SlotState& state, const CompactionPlan& plan,
                  std::vector<EvictionColumns> columns, ThreadPool& pool) {
    pool.parallelFor(static_cast<int>(plan.heads.size()), [&](int task) {
        const auto i = static_cast<std::size_t>(task);
        if (plan.heads[i].touched())
            dropFromHead(state.shape, state.heads[i], plan.heads[i].keep, std::move(columns[i]));
    });
    if (plan.touched()) settle(state, plan.verbatim);
}

Status keepColumnsReady(SlotState& state, SlotAllocator& allocator) {
    std::vector<EvictionColumns> columns;
    for (const HeadStore& head : state.heads) {
        LACUNA_TRY(columns.emplace_back(), missingColumns(head, allocator));
    }
    for (std::size_t i = 0; i < state.heads.size(); ++i) {
        takeColumns(state.heads[i], std::move(columns[i]));
        state.heads[i].layout.ready = true;
    }
    return {};
}

bool defragmentHeads(SlotState& state, const DefragmentWork& work, SlotAllocator& allocator,
                     ThreadPool& pool) {
    const std::vector<std::size_t> heads = headsToDefragment(state, work);
    if (heads.empty()) return false;
    std::atomic<bool> shortOfMemory = false;
    pool.parallelFor(static_cast<int>(heads.size()), [&](int task) {
        HeadStore& head = state.heads[heads[static_cast<std::size_t>(task)]];
        const auto moved = work.all ? sortHead(state.shape, head, allocator)
                                    : packHead(state.shape, head, allocator);
        if (!moved) shortOfMemory = true;
    });
    work.next = (heads.back() + 1) % state.heads.size();
    return !shortOfMemory && !headsToDefragment(state, {work.next, 0, work.all}).empty();
}

}  // namespace lacuna
