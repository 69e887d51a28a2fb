#include "engine/kv/slot/slot_eviction.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/kernels/cpu_features.h"
#include "engine/kv/slot/head_packing.h"

namespace lacuna {
namespace {

/// Moves the rows of a head together, oldest first; the bytes it then holds. Errors: NoMemory.
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
    head = compactHead(shape, head, keep, std::move(memory));
    return headBytes(shape, head.layout, head.slots);
}

/// Heads from `next` on that have something to tidy, as many as make up the bytes.
std::vector<std::size_t> headsToTidy(const SlotState& state, const TidyWork& work) {
    std::vector<std::size_t> out;
    std::int64_t bytes = 0;
    for (std::size_t seen = 0; seen < state.heads.size() && (bytes < work.bytes || out.empty());
         ++seen) {
        const std::size_t i = (work.next + seen) % state.heads.size();
        const HeadStore& head = state.heads[i];
        if (!(work.all ? head.loose() : holdsSpareMemory(head))) continue;
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

/// What the head does not keep yet: positions as they are, no bias.
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

/// Holes whose key is not finite are cleared, since a bias of minus infinity would not hide them.
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

bool tidyHeads(SlotState& state, const TidyWork& work, SlotAllocator& allocator, ThreadPool& pool) {
    const std::vector<std::size_t> heads = headsToTidy(state, work);
    if (heads.empty()) return false;
    std::atomic<bool> shortOfMemory = false;
    pool.parallelFor(static_cast<int>(heads.size()), [&](int task) {
        HeadStore& head = state.heads[heads[static_cast<std::size_t>(task)]];
        const auto moved = work.all ? sortHead(state.shape, head, allocator)
                                    : packHead(state.shape, head, allocator);
        if (!moved) shortOfMemory = true;
    });
    work.next = (heads.back() + 1) % state.heads.size();
    return !shortOfMemory && !headsToTidy(state, {work.next, 0, work.all}).empty();
}

}  // namespace lacuna
