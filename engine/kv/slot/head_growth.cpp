#include "engine/kv/slot/head_growth.h"

#include <array>
#include <cstring>
#include <utility>

namespace lacuna {
namespace {

struct Column {
    SlotBlock* block;
    std::size_t slot;  ///< bytes of one
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
    std::size_t used;       ///< bytes that are kept
    std::size_t before;     ///< bytes it had
    std::size_t after;      ///< bytes it gets
    SlotBlock copy;         ///< where it cannot be extended
    bool extended = false;  ///< it was
};

std::vector<GrownBlock> blocksOf(const KvShape& shape, const std::vector<HeadGrowth>& heads) {
    std::vector<GrownBlock> blocks;
    for (const HeadGrowth& growth : heads)
        for (const Column& column : columnsOf(shape, *growth.head)) {
            const auto used = static_cast<std::size_t>(growth.head->slots) * column.slot;
            const auto after = static_cast<std::size_t>(growth.capacity) * column.slot;
            if (after > 0)
                blocks.push_back({column.block, used, column.block->size(), after, {}, false});
        }
    return blocks;
}

bool extends(const GrownBlock& grown) {
    return grown.after > grown.before && SlotAllocator::canExtend(*grown.block, grown.after);
}

/// Errors: NoMemory; `blocks` say what has been done until then.
Status allocateAll(std::vector<GrownBlock>& blocks, SlotAllocator& allocator) {
    for (GrownBlock& grown : blocks) {
        if (extends(grown)) {
            LACUNA_TRY_STATUS(allocator.extend(*grown.block, grown.after));
            grown.extended = true;
        } else {
            LACUNA_TRY(grown.copy, allocator.allocate(grown.after));
        }
    }
    return {};
}

void undo(std::vector<GrownBlock>& blocks) {
    for (GrownBlock& grown : blocks)
        if (grown.extended) grown.block->shrink(grown.before);
}

}  // namespace

Status growHeads(const KvShape& shape, const std::vector<HeadGrowth>& heads,
                 SlotAllocator& allocator) {
    std::vector<GrownBlock> blocks = blocksOf(shape, heads);
    if (const Status status = allocateAll(blocks, allocator); !status) {
        undo(blocks);
        return status;
    }
    for (GrownBlock& grown : blocks) {
        if (grown.extended) continue;
        if (grown.used > 0) std::memcpy(grown.copy.data(), grown.block->data(), grown.used);
        *grown.block = std::move(grown.copy);  // frees the old one before the next is copied
    }
    for (const HeadGrowth& growth : heads) {
        growth.head->capacity = growth.capacity;
        growth.head->frozen = 0;
        growth.head->borrowed = false;
    }
    return {};
}

}  // namespace lacuna
