#include "engine/kv/slot/slot_state.h"

#include <algorithm>
#include <cstring>

#include "engine/base/byte_reader.h"
#include "engine/base/string_format.h"
#include "engine/kv/row_format.h"

namespace lacuna {
namespace {

constexpr int kMaxLayers = 4096;
constexpr int kMaxHeads = 4096;
constexpr int kMaxDim = 65536;

Status checkField(const char* name, int value, int most) {
    if (inRange(value, 1, most)) return {};
    return fail(ErrorCode::InvalidArgument,
                format("cache shape: {} is {}, expected 1 to {}", name, value, most));
}

void copyPart(const SlotBlock& from, SlotBlock& to, std::size_t bytes) {
    if (bytes > 0) std::memcpy(to.data(), from.data(), bytes);
}

}  // namespace

void settle(SlotState& state, std::int64_t verbatim) {
    const std::int64_t settled = std::max<std::int64_t>(state.tokens - verbatim, 0);
    state.settledTokens = std::max(state.settledTokens, settled);
    ++state.compactions;
}

SlotSizes slotSizes(const KvShape& shape) {
    return {formatBytes(keyFormat(shape)), formatBytes(valueFormat(shape))};
}

Status checkShape(const KvShape& shape) {
    LACUNA_TRY_STATUS(checkField("layers", shape.layers, kMaxLayers));
    LACUNA_TRY_STATUS(checkField("KV heads", shape.kvHeads, kMaxHeads));
    LACUNA_TRY_STATUS(checkField("key length", shape.keyDim, kMaxDim));
    LACUNA_TRY_STATUS(checkField("value length", shape.valueDim, kMaxDim));
    if (shape.type != DType::F32 && shape.type != DType::F16 && shape.type != DType::BF16)
        return fail(ErrorCode::Unsupported,
                    format("cache type is {}, expected F32, F16 or BF16", info(shape.type).name));
    LACUNA_TRY_STATUS(checkQuant("key", shape.keyQuant, shape.keyDim));
    return checkQuant("value", shape.valueQuant, shape.valueDim);
}

Result<HeadStore> makeHeadStore(const KvShape& shape, HeadLayout layout, std::int64_t capacity,
                                SlotAllocator& allocator) {
    const SlotSizes sizes = slotSizes(shape);
    const auto rows = static_cast<std::size_t>(capacity);
    HeadStore store;
    store.layout = layout;
    store.capacity = capacity;
    LACUNA_TRY(store.keys, allocator.allocate(rows * sizes.key));
    LACUNA_TRY(store.values, allocator.allocate(rows * sizes.value));
    if (layout.keepsPositions()) {
        LACUNA_TRY(store.positions, allocator.allocate(rows * sizeof(std::int32_t)));
    }
    if (layout.keepsBias()) {
        LACUNA_TRY(store.bias, allocator.allocate(rows * sizeof(float)));
    }
    return store;
}

void copySlots(const KvShape& shape, const HeadStore& from, HeadStore& to) {
    const SlotSizes sizes = slotSizes(shape);
    const auto rows = static_cast<std::size_t>(from.slots);
    copyPart(from.keys, to.keys, rows * sizes.key);
    copyPart(from.values, to.values, rows * sizes.value);
    if (from.layout.keepsPositions())
        copyPart(from.positions, to.positions, rows * sizeof(std::int32_t));
    if (from.layout.keepsBias()) copyPart(from.bias, to.bias, rows * sizeof(float));
    to.slots = from.slots;
    to.holes = from.holes;
    to.firstHole = from.firstHole;
    to.inOrder = from.inOrder;
    to.norms = from.norms;
}

Result<SlotState> copyState(const SlotState& state, SlotAllocator& allocator) {
    SlotState copy;
    copy.shape = state.shape;
    copy.tokens = state.tokens;
    copy.settledTokens = state.settledTokens;
    copy.compactions = state.compactions;
    for (const HeadStore& head : state.heads) {
        LACUNA_TRY(HeadStore twin,
                   makeHeadStore(state.shape, head.layout, head.capacity, allocator));
        copySlots(state.shape, head, twin);
        copy.heads.push_back(std::move(twin));
    }
    return copy;
}

KvStats statsOf(const SlotState& state) {
    KvStats stats;
    stats.tokens = state.tokens;
    stats.reallocations = state.reallocations;
    stats.compactions = state.compactions;
    stats.logicalBytes = logicalBytes(state.shape, state.tokens);
    for (const HeadStore& head : state.heads) {
        const auto norms = static_cast<std::int64_t>(head.norms.size() * sizeof(float));
        stats.slotsTotal += head.live();
        stats.slotsLargestHead = std::max(stats.slotsLargestHead, static_cast<int>(head.live()));
        stats.liveBytes += headBytes(state.shape, head.layout, head.live()) +
                           std::min(norms, head.live() * std::int64_t{sizeof(float)});
        stats.allocatedBytes += headBytes(state.shape, head.layout, head.capacity) + norms;
    }
    return stats;
}

std::int64_t nextHole(const HeadStore& head, std::int64_t from) {
    const float* bias = head.bias.as<float>();
    while (bias[from] != kHole) ++from;
    return from;
}

std::vector<std::int32_t> liveSlots(const HeadStore& head) {
    std::vector<std::int32_t> live;
    live.reserve(static_cast<std::size_t>(head.live()));
    for (std::int32_t j = 0; j < head.slots; ++j)
        if (head.holes == 0 || head.bias.as<float>()[j] != kHole) live.push_back(j);
    if (!head.inOrder) {
        const auto* positions = head.positions.as<std::int32_t>();
        std::sort(live.begin(), live.end(), [positions](std::int32_t a, std::int32_t b) {
            return positions[a] < positions[b];
        });
    }
    return live;
}

std::int64_t headBytes(const KvShape& shape, HeadLayout layout, std::int64_t slots) {
    const SlotSizes sizes = slotSizes(shape);
    const std::size_t slot = sizes.key + sizes.value +
                             (layout.keepsPositions() ? sizeof(std::int32_t) : 0) +
                             (layout.keepsBias() ? sizeof(float) : 0);
    return slots * static_cast<std::int64_t>(slot);
}

std::int64_t logicalBytes(const KvShape& shape, std::int64_t tokens) {
    KvShape plain = shape;
    plain.keyQuant = plain.valueQuant = {};
    return std::int64_t{shape.layers} * shape.kvHeads * headBytes(plain, HeadLayout{}, tokens);
}

}  // namespace lacuna
