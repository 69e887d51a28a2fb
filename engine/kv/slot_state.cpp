#include "engine/kv/slot_state.h"

#include <cstring>

#include "engine/base/byte_reader.h"
#include "engine/base/string_format.h"

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

SlotSizes slotSizes(const KvShape& shape) {
    return {
        static_cast<std::size_t>(rowBytes(shape.type, static_cast<std::uint64_t>(shape.keyDim))),
        static_cast<std::size_t>(rowBytes(shape.type, static_cast<std::uint64_t>(shape.valueDim)))};
}

Status checkShape(const KvShape& shape) {
    LACUNA_TRY_STATUS(checkField("layers", shape.layers, kMaxLayers));
    LACUNA_TRY_STATUS(checkField("KV heads", shape.kvHeads, kMaxHeads));
    LACUNA_TRY_STATUS(checkField("key length", shape.keyDim, kMaxDim));
    LACUNA_TRY_STATUS(checkField("value length", shape.valueDim, kMaxDim));
    if (shape.type == DType::F32 || shape.type == DType::F16 || shape.type == DType::BF16)
        return {};
    return fail(ErrorCode::Unsupported,
                format("cache type is {}, expected F32, F16 or BF16", info(shape.type).name));
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
    if (layout.positions) {
        LACUNA_TRY(store.positions, allocator.allocate(rows * sizeof(std::int32_t)));
    }
    if (layout.bias) {
        LACUNA_TRY(store.bias, allocator.allocate(rows * sizeof(float)));
    }
    return store;
}

void copySlots(const KvShape& shape, const HeadStore& from, HeadStore& to) {
    const SlotSizes sizes = slotSizes(shape);
    const auto rows = static_cast<std::size_t>(from.slots);
    copyPart(from.keys, to.keys, rows * sizes.key);
    copyPart(from.values, to.values, rows * sizes.value);
    if (from.layout.positions) copyPart(from.positions, to.positions, rows * sizeof(std::int32_t));
    if (from.layout.bias) copyPart(from.bias, to.bias, rows * sizeof(float));
    to.slots = from.slots;
    to.norms = from.norms;
}

std::int64_t headBytes(const KvShape& shape, HeadLayout layout, std::int64_t slots) {
    const SlotSizes sizes = slotSizes(shape);
    const std::size_t slot = sizes.key + sizes.value +
                             (layout.positions ? sizeof(std::int32_t) : 0) +
                             (layout.bias ? sizeof(float) : 0);
    return slots * static_cast<std::int64_t>(slot);
}

}  // namespace lacuna
