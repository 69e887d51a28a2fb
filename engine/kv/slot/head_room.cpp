#include "engine/kv/slot/head_room.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "engine/kv/slot_memory.h"

namespace lacuna {
namespace {

struct Column {
    SlotBlock* block;
    std::size_t slot;  ///< bytes per slot
};

std::array<Column, 4> columnsOf(const KvShape& shape, HeadStore& head) {
    const SlotSizes sizes = slotSizes(shape);
    const bool positions = head.layout.keepsPositions();
    const bool bias = head.layout.keepsBias();
    return {{{&head.keys, sizes.key},
             {&head.values, sizes.value},
             {&head.positions, positions ? sizeof(std::int32_t) : 0},
             {&head.bias, bias ? sizeof(float) : 0}}};
}

/// One column of a head with its new size.
struct GrownBlock {
    SlotBlock* block;
    std::size_t used;       ///< bytes to keep
    std::size_t before;     ///< previous size in bytes
    std::size_t after;      ///< new size in bytes
    bool appends;           ///< as HeadGrowth
    SlotBlock copy;         ///< used if the block cannot be extended
    bool extended = false;  ///< true once extended in place
};

std::vector<GrownBlock> blocksOf(const KvShape& shape, const std::vector<HeadGrowth>& heads) {
    std::vector<GrownBlock> blocks;
    for (const HeadGrowth& growth : heads)
        for (const Column& column : columnsOf(shape, *growth.head)) {
            const auto used = static_cast<std::size_t>(growth.head->slots) * column.slot;
            const auto after = static_cast<std::size_t>(growth.capacity) * column.slot;
            if (after > 0)
                blocks.push_back(
                    {column.block, used, column.block->size(), after, growth.appends, {}, false});
        }
    return blocks;
}

bool extends(const GrownBlock& grown) {
    if (grown.after <= grown.before) return false;
    return SlotAllocator::canExtend(*grown.block, grown.after) ||
           (grown.appends && SlotAllocator::canExtendShared(*grown.block, grown.after));
}

/// Errors: NoMemory; `blocks` record what has been done until then.
Status allocateAll(std::vector<GrownBlock>& blocks, SlotAllocator& allocator) {
    for (GrownBlock& grown : blocks) {
        if (extends(grown)) {
            LACUNA_TRY_STATUS(allocator.extend(*grown.block, grown.after));
            grown.extended = true;
        } else if (grown.block->shared()) {
            LACUNA_TRY(grown.copy, allocator.copy(*grown.block, grown.used, grown.after));
        } else {
            LACUNA_TRY(grown.copy, allocator.allocate(grown.after));
        }
    }
    return {};
}

void undo(std::vector<GrownBlock>& blocks) {
    for (GrownBlock& grown : blocks)
        if (grown.extended && grown.block->canShrink(grown.before))
            grown.block->shrink(grown.before);
}

}  // namespace

Status growHeads(const KvShape& shape, const std::vector<HeadGrowth>& heads,
                 SlotAllocator& allocator) {
    std::vector<GrownBlock> blocks = blocksOf(shape, heads);
    if (Status status = allocateAll(blocks, allocator); !status) {
        undo(blocks);
        return status;
    }
    for (GrownBlock& grown : blocks) {
        if (grown.extended) continue;
        if (grown.used > 0 && !grown.block->shared())
            std::memcpy(grown.copy.data(), std::as_const(*grown.block).data(), grown.used);
        *grown.block = std::move(grown.copy);  // frees the old block before the next is copied
    }
    for (const HeadGrowth& growth : heads) {
        growth.head->capacity = growth.capacity;
        if (growth.appends) continue;
        growth.head->frozen = 0;
        growth.head->borrowed = false;
    }
    return {};
}

namespace {

void dropNormsFrom(HeadStore& head, std::int64_t slot) {
    head.norms.resize(std::min(head.norms.size(), static_cast<std::size_t>(slot)));
}

}  // namespace

bool fillsHole(const HeadStore& head, int tokens) {
    return tokens == 1 && head.holes > 0;
}

std::int64_t appendSlot(const HeadStore& head, int tokens) {
    return fillsHole(head, tokens) ? head.firstHole : head.slots;
}

void labelSlot(HeadStore& head, std::int64_t slot, std::int64_t position) {
    if (head.layout.keepsPositions())
        head.positions.as<std::int32_t>()[slot] = static_cast<std::int32_t>(position);
    if (head.layout.keepsBias()) head.bias.as<float>()[slot] = 0.0F;
}

void commitSlots(HeadStore& head, int tokens) {
    if (!fillsHole(head, tokens)) {
        head.slots += tokens;
        return;
    }
    --head.holes;
    head.inOrder = false;
    if (head.holes > 0) head.firstHole = nextHole(head, head.firstHole + 1);
}

void reopenHole(HeadStore& head) {
    head.bias.as<float>()[head.firstHole] = kHole;
}

void dropNewest(HeadStore& head, std::int64_t tokens, std::int64_t removed) {
    if (!head.isFragmented()) {
        head.slots -= removed;
        dropDeadExact(head);
        dropNormsFrom(head, head.slots);
        return;
    }
    const auto* positions = head.positions.as<std::int32_t>();
    float* bias = head.bias.as<float>();
    for (std::int64_t slot = 0; slot < head.slots; ++slot) {
        if (positions[slot] < tokens || bias[slot] == kHole) continue;
        bias[slot] = kHole;
        ++head.holes;
    }
    while (head.slots > 0 && bias[head.slots - 1] == kHole) {
        --head.slots;
        --head.holes;
    }
    head.firstHole = head.holes > 0 ? nextHole(head, 0) : 0;
    dropDeadExact(head);
    dropNormsFrom(head, head.slots);
}

namespace {

constexpr std::int64_t kSpareOneIn = 11;
// Added to one growth quantum, the largest automatic margin of a compaction, because the tokens of
// a run go after the last slot, even if there are holes.
constexpr std::int64_t kRunRoom = 64;

/// Number of slots reserved for new tokens.
std::int64_t headroom(std::int64_t live) {
    return std::max(kSlotQuantum + kRunRoom, live / kSpareOneIn);
}

/// Move of a row into a hole.
struct RowMove {
    std::int32_t from;
    std::int32_t to;
};

/// Moves of the last rows of the head into the holes before them.
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

// Works column by column and prefetches rows, because the processor cannot predict the positions of
// holes.
void moveRows(SlotBlock& block, std::size_t bytes, std::span<const RowMove> moves) {
    constexpr std::size_t kAhead = 6;
    constexpr std::size_t kLine = 64;
    if (bytes == 0) return;  // values that are in the keys
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

/// Returns the block reduced to its first `bytes`. Errors: NoMemory.
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

/// Resizes every block to `capacity` slots. Blocks that shrink in place come last, since they
/// cannot fail.
Status shrinkBlocks(const KvShape& shape, HeadStore& head, std::int64_t capacity,
                    SlotAllocator& allocator) {
    const SlotSizes sizes = slotSizes(shape);
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
    head.exact.move([&moves](std::int32_t slot) {
        const auto at = std::ranges::lower_bound(moves, slot, std::greater{}, &RowMove::from);
        return at != moves.end() && at->from == slot ? at->to : slot;
    });
    const auto moved = static_cast<std::int64_t>(moves.size());
    head.slots = live;
    head.holes = head.firstHole = 0;
    head.inOrder = head.inOrder && moved == 0;
    head.norms.resize(std::min(head.norms.size(), static_cast<std::size_t>(live)));
    const std::int64_t capacity = live + headroom(live);
    if (capacity < head.capacity) LACUNA_TRY_STATUS(shrinkBlocks(shape, head, capacity, allocator));
    return headBytes(shape, head.layout, moved);
}

namespace {

// Rejected speculative tokens are removed with every step; a trim that is worth a system call frees
// much more.
constexpr std::size_t kWorthIt = 64 * 1024;

}  // namespace

void releaseSpareRows(SlotState& state, std::int64_t removed) {
    const SlotSizes sizes = slotSizes(state.shape);
    if (static_cast<std::size_t>(removed) * sizes.key < kWorthIt) return;
    for (HeadStore& head : state.heads) {
        const auto rows = static_cast<std::size_t>(head.slots);
        head.keys.releaseAfter(rows * sizes.key);
        head.values.releaseAfter(rows * sizes.value);
    }
}

}  // namespace lacuna
