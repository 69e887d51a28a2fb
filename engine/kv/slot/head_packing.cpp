#include "engine/kv/slot/head_packing.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "engine/kv/growth.h"

namespace lacuna {
namespace {

constexpr std::int64_t kSpareOneIn = 11;
// Alongside one growth quantum, which is the largest margin a compaction waits for by itself:
// tokens of a run stand after the last slot, whatever holes there are.
constexpr std::int64_t kRunRoom = 64;

/// Slots that coming tokens should find.
std::int64_t headroom(std::int64_t live) {
    return std::max(kSlotQuantum + kRunRoom, live / kSpareOneIn);
}

/// A row that goes into a hole.
struct RowMove {
    std::int32_t from;
    std::int32_t to;
};

/// The last rows of the head for the holes before them.
std::vector<RowMove> movesInto(const HeadStore& head, std::int64_t live) {
    std::vector<RowMove> moves;
    moves.reserve(static_cast<std::size_t>(std::min(head.holes, live)));
    const float* bias = head.bias.as<float>();
    auto last = static_cast<std::int32_t>(head.slots - 1);
    for (auto hole = static_cast<std::int32_t>(head.firstHole); hole < live; ++hole) {
        if (bias[hole] != kHole) continue;
        while (bias[last] == kHole) --last;
        moves.push_back({last--, hole});
    }
    return moves;
}

// Column by column, asking for rows ahead: holes lie anywhere, which the processor cannot foresee.
void moveRows(SlotBlock& block, std::size_t bytes, std::span<const RowMove> moves) {
    constexpr std::size_t kAhead = 6;
    constexpr std::size_t kLine = 64;
    std::byte* const rows = block.data();
    for (std::size_t i = 0; i < moves.size(); ++i) {
        if (i + kAhead < moves.size()) {
            const std::byte* from = rows + static_cast<std::size_t>(moves[i + kAhead].from) * bytes;
            const std::byte* to = rows + static_cast<std::size_t>(moves[i + kAhead].to) * bytes;
            for (std::size_t at = 0; at < bytes; at += kLine) {
                __builtin_prefetch(from + at);
                __builtin_prefetch(to + at, 1);
            }
        }
        std::memcpy(rows + static_cast<std::size_t>(moves[i].to) * bytes,
                    rows + static_cast<std::size_t>(moves[i].from) * bytes, bytes);
    }
}

void moveLabels(HeadStore& head, std::span<const RowMove> moves) {
    auto* positions = head.positions.as<std::int32_t>();
    float* bias = head.bias.as<float>();
    for (const RowMove& move : moves) {
        const auto source = static_cast<std::size_t>(move.from);
        const auto target = static_cast<std::size_t>(move.to);
        positions[target] = positions[source];
        bias[target] = std::exchange(bias[source], kHole);
        if (source < head.norms.size())
            head.norms[target] = head.norms[source];
        else
            head.norms.resize(std::min(head.norms.size(), target));
    }
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
    const std::int64_t live = head.live();
    const std::vector<RowMove> moves = movesInto(head, live);
    moveRows(head.keys, sizes.key, moves);
    moveRows(head.values, sizes.value, moves);
    moveLabels(head, moves);
    const auto moved = static_cast<std::int64_t>(moves.size());
    head.slots = live;
    head.holes = head.firstHole = 0;
    head.inOrder = head.inOrder && moved == 0;
    head.norms.resize(std::min(head.norms.size(), static_cast<std::size_t>(live)));
    const std::int64_t capacity = live + headroom(live);
    if (capacity < head.capacity) LACUNA_TRY_STATUS(shrinkBlocks(shape, head, capacity, allocator));
    return headBytes(shape, head.layout, moved);
}

}  // namespace lacuna
