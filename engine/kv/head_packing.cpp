#include "engine/kv/head_packing.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/kv/growth.h"

namespace lacuna {
namespace {

constexpr std::int64_t kSpareOneIn = 11;
// Beside one growth quantum, which is the largest margin a compaction waits for by itself: tokens
// of a run stand behind the last slot, whatever holes there are.
constexpr std::int64_t kRunRoom = 64;

/// Slots that coming tokens should find.
std::int64_t headroom(std::int64_t live) {
    return std::max(kSlotQuantum + kRunRoom, live / kSpareOneIn);
}

void moveSlot(const SlotSizes& sizes, HeadStore& head, std::int64_t from, std::int64_t to) {
    const auto source = static_cast<std::size_t>(from);
    const auto target = static_cast<std::size_t>(to);
    std::memcpy(head.keys.data() + target * sizes.key, head.keys.data() + source * sizes.key,
                sizes.key);
    std::memcpy(head.values.data() + target * sizes.value,
                head.values.data() + source * sizes.value, sizes.value);
    head.positions.as<std::int32_t>()[target] = head.positions.as<std::int32_t>()[source];
    float* bias = head.bias.as<float>();
    bias[target] = std::exchange(bias[source], kHole);
    if (source < head.norms.size())
        head.norms[target] = head.norms[source];
    else
        head.norms.resize(std::min(head.norms.size(), target));
}

/// The block with its first `bytes` in no more memory than that. Errors: NoMemory.
Result<SlotBlock> shorter(SlotBlock& block, std::size_t bytes, std::size_t used,
                          SlotAllocator& allocator) {
    if (block.canShrink(bytes)) {
        block.shrink(bytes);
        return std::move(block);
    }
    LACUNA_TRY(SlotBlock small, allocator.allocate(bytes));
    if (used > 0) std::memcpy(small.data(), block.data(), used);
    return small;
}

/// Every block with room for `capacity` slots. Blocks that shrink in place go last, since they
/// cannot fail.
Status shrinkBlocks(const KvShape& shape, HeadStore& head, std::int64_t capacity,
                    SlotAllocator& allocator) {
    const SlotSizes sizes = slotSizes(shape);
    struct Column {
        SlotBlock* block;
        std::size_t slot;
    };
    const Column columns[] = {{&head.positions, sizeof(std::int32_t)},
                              {&head.bias, sizeof(float)},
                              {&head.keys, sizes.key},
                              {&head.values, sizes.value}};
    const auto rows = static_cast<std::size_t>(capacity);
    const auto used = static_cast<std::size_t>(head.slots);
    SlotBlock made[std::size(columns)];
    for (const bool inPlace : {false, true})
        for (std::size_t i = 0; i < std::size(columns); ++i) {
            const auto [block, slot] = columns[i];
            if (block->canShrink(rows * slot) != inPlace) continue;
            LACUNA_TRY(made[i], shorter(*block, rows * slot, used * slot, allocator));
        }
    for (std::size_t i = 0; i < std::size(columns); ++i) *columns[i].block = std::move(made[i]);
    head.capacity = capacity;
    return {};
}

}  // namespace

bool holdsSpareMemory(const HeadStore& head) {
    return head.holes > 0 && head.capacity - head.live() > headroom(head.live());
}

std::int64_t packingBytes(const KvShape& shape, const HeadStore& head) {
    return headBytes(shape, head.layout, std::min(head.holes, head.live()) / 2);
}

Result<std::int64_t> packHead(const KvShape& shape, HeadStore& head, SlotAllocator& allocator) {
    const SlotSizes sizes = slotSizes(shape);
    const float* bias = head.bias.as<float>();
    const std::int64_t live = head.live();
    std::int64_t moved = 0;
    std::int64_t last = head.slots - 1;
    for (std::int64_t hole = head.firstHole; hole < live; ++hole) {
        if (bias[hole] != kHole) continue;
        while (bias[last] == kHole) --last;
        moveSlot(sizes, head, last, hole);
        ++moved;
    }
    head.slots = live;
    head.holes = head.firstHole = 0;
    head.inOrder = head.inOrder && moved == 0;
    head.norms.resize(std::min(head.norms.size(), static_cast<std::size_t>(live)));
    const std::int64_t capacity = live + headroom(live);
    if (capacity < head.capacity) LACUNA_TRY_STATUS(shrinkBlocks(shape, head, capacity, allocator));
    return headBytes(shape, head.layout, moved);
}

}  // namespace lacuna
