#include "engine/kv/slot/slot_state.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "engine/base/byte_reader.h"
#include "engine/base/check.h"
#include "engine/base/string_format.h"
#include "engine/kv/row_format.h"
#include "engine/kv/slot_memory.h"
#include "engine/kv/state_words.h"

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

/// A value is read as a part of its key, so both are plain numbers.
Status checkValuesInKeys(const KvShape& shape) {
    if (!shape.valuesInKeys) return {};
    if (shape.coded())
        return fail(ErrorCode::Unsupported,
                    "cache shape: keys that contain their values cannot be codes; use f16, bf16 or "
                    "f32");
    if (shape.valueDim <= shape.keyDim) return {};
    return fail(ErrorCode::InvalidArgument,
                format("cache shape: value length {} exceeds the key length {}", shape.valueDim,
                       shape.keyDim));
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
    LACUNA_TRY_STATUS(checkValuesInKeys(shape));
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
    copy.rotations = state.rotations;
    copy.tokens = state.tokens;
    copy.settledTokens = state.settledTokens;
    copy.compactions = state.compactions;
    for (const HeadStore& head : state.heads) {
        LACUNA_TRY(HeadStore twin,
                   makeHeadStore(state.shape, head.layout, head.capacity, allocator));
        copySlots(state.shape, head, twin);
        LACUNA_TRY(twin.exact, head.exact.copy(state.shape, allocator));
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
                           std::min(norms, head.live() * std::int64_t{sizeof(float)}) +
                           exactBytes(state.shape, head.exact.count());
        stats.exactBytes += exactBytes(state.shape, head.exact.count());
        stats.allocatedBytes += headBytes(state.shape, head.layout, head.capacity) + norms +
                                exactBytes(state.shape, head.exact.capacity());
    }
    stats.scaleBytes = scaleBytes(state.shape, stats.slotsTotal);
    stats.numbers = stats.slotsTotal * state.shape.extent(LayerIndex(0)).elements();
    return stats;
}

std::int64_t nextHole(const HeadStore& head, std::int64_t from) {
    const float* bias = head.bias.as<float>();
    while (bias[from] != kHole) ++from;
    return from;
}

void dropDeadExact(HeadStore& head) {
    head.exact.move([&head](std::int32_t slot) {
        const bool hole =
            slot < head.slots && head.holes > 0 && head.bias.as<float>()[slot] == kHole;
        return slot >= head.slots || hole ? -1 : slot;
    });
}

void dropOldExact(HeadStore& head, const ExactWindow& window, std::int64_t asking) {
    const auto* positions = head.layout.positions ? head.positions.as<std::int32_t>() : nullptr;
    head.exact.move([=](std::int32_t slot) {
        return window.covers(positions == nullptr ? slot : positions[slot], asking) ? slot : -1;
    });
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

std::int64_t scaleBytes(const KvShape& shape, std::int64_t slots) {
    return slots *
           static_cast<std::int64_t>(scaleBytes(keyFormat(shape)) + scaleBytes(valueFormat(shape)));
}

std::int64_t logicalBytes(const KvShape& shape, std::int64_t tokens) {
    KvShape plain = shape;
    plain.keyQuant = plain.valueQuant = {};
    return std::int64_t{shape.layers} * shape.kvHeads * headBytes(plain, HeadLayout{}, tokens);
}

void requireConsistent(const SlotState& state) {
    for (const HeadStore& head : state.heads) {
        LACUNA_REQUIRE(head.slots >= 0 && head.slots <= head.capacity, "slots within capacity");
        LACUNA_REQUIRE(head.slots <= state.tokens, "no more slots than tokens");
        LACUNA_REQUIRE(head.norms.size() <= static_cast<std::size_t>(head.slots),
                       "norms of valid slots");
        LACUNA_REQUIRE(head.holes >= 0 && head.holes <= head.slots, "holes among the slots");
        LACUNA_REQUIRE(!head.isFragmented() || head.layout.bias, "holes are marked in the bias");
        head.exact.requireConsistent(head.slots);
        for (const ExactSlot& at : head.exact.places())
            LACUNA_REQUIRE(head.holes == 0 || head.bias.as<float>()[at.slot] != kHole,
                           "a hole has no row in 16 bits");
        if (!head.layout.positions) {
            LACUNA_REQUIRE(head.slots == state.tokens, "a dense head holds every token");
            LACUNA_REQUIRE(!head.layout.bias, "a dense head has no bias");
            continue;
        }
        const auto* positions = head.positions.as<std::int32_t>();
        const std::vector<std::int32_t> live = liveSlots(head);
        LACUNA_REQUIRE(static_cast<std::int64_t>(live.size()) == head.live(), "holes are counted");
        std::int32_t previous = -1;
        for (const std::int32_t j : live) {
            LACUNA_REQUIRE(positions[j] < state.tokens, "position was seen");
            LACUNA_REQUIRE(previous < positions[j], "positions ascend");
            LACUNA_REQUIRE(!head.layout.bias || std::isfinite(head.bias.as<float>()[j]),
                           "finite bias");
            previous = positions[j];
        }
    }
    LACUNA_REQUIRE(state.settledTokens <= state.tokens, "settled tokens were seen");
}

namespace {

constexpr std::string_view kMagic = "LACUNAKV";
constexpr std::uint32_t kHasPositions = 1;
constexpr std::uint32_t kHasBias = 2;

void putBlock(std::string& out, const SlotBlock& block, std::size_t bytes) {
    if (bytes > 0) out.append(reinterpret_cast<const char*>(block.data()), bytes);
}

std::uint32_t columns(HeadLayout layout) {
    return (layout.positions ? kHasPositions : 0U) | (layout.bias ? kHasBias : 0U);
}

/// Holes are not saved, and neither is a bias that only marks holes.
HeadLayout savedLayout(const HeadStore& head) {
    HeadLayout layout = head.layout;
    if (!head.isFragmented() || !layout.bias) return layout;
    const float* bias = head.bias.as<float>();
    layout.bias =
        std::any_of(bias, bias + head.slots, [](float x) { return x != 0.0F && x != kHole; });
    return layout;
}

/// Writes the slots that hold a token, in position order.
void putLooseHead(std::string& out, const SlotSizes& sizes, const HeadStore& head) {
    const std::vector<std::int32_t> live = liveSlots(head);
    const auto putRows = [&](const SlotBlock& block, std::size_t size) {
        for (const std::int32_t slot : live)
            out.append(
                reinterpret_cast<const char*>(block.data()) + static_cast<std::size_t>(slot) * size,
                size);
    };
    putRows(head.keys, sizes.key);
    putRows(head.values, sizes.value);
    putRows(head.positions, sizeof(std::int32_t));
    if (savedLayout(head).bias) putRows(head.bias, sizeof(float));
}

/// Writes the 16-bit rows with slots numbered as saved, without holes.
void putExact(std::string& out, const KvShape& shape, const HeadStore& head) {
    if (!shape.keepsExact()) return;
    if (!head.isFragmented())
        return putExactRows(out, shape, head.exact, [](std::int32_t slot) { return slot; });
    const std::vector<std::int32_t> live = liveSlots(head);
    std::vector<std::int32_t> saved(static_cast<std::size_t>(head.slots), -1);
    for (std::size_t i = 0; i < live.size(); ++i)
        saved[static_cast<std::size_t>(live[i])] = static_cast<std::int32_t>(i);
    putExactRows(out, shape, head.exact,
                 [&saved](std::int32_t slot) { return saved[static_cast<std::size_t>(slot)]; });
}

struct HeadHeader {
    HeadLayout layout;
    std::int64_t slots = 0;
    int exact = 0;  ///< 16-bit rows
};

std::int64_t loadedCapacity(const HeadHeader& head) {
    if (head.layout.positions) return compactedCapacity(head.slots);
    return head.slots == 0 ? 0 : grownCapacity(0, 0, head.slots);
}

/// Data before the first head.
struct StateHeader {
    SlotState state;
    std::uint64_t rotationSeed = 0;
};

Result<StateHeader> readHeader(ByteReader& reader,
                               const std::shared_ptr<const CalibratedRotations>& rotations) {
    LACUNA_TRY(const std::uint32_t version, readStart(reader, kMagic, kExactStateVersion));
    StateHeader header;
    SlotState& state = header.state;
    LACUNA_TRY(state.shape, readShape(reader));
    LACUNA_TRY(header.rotationSeed, readRotations(reader, state.shape, rotations));
    if (version == kExactStateVersion) {
        if (!state.shape.rotated())
            return corruptState("it has rows in 16 bits but no rotated codes");
        LACUNA_TRY(state.shape.exact, readExactWindow(reader));
    }
    for (std::int64_t* field : {&state.tokens, &state.settledTokens, &state.compactions}) {
        const auto value = reader.read<std::uint64_t>();
        if (!value) return corruptState("it ends within the header");
        if (*value > std::numeric_limits<std::int32_t>::max())
            return corruptState(format("a token count is {}", *value));
        *field = static_cast<std::int64_t>(*value);
    }
    if (state.settledTokens > state.tokens || (state.compactions == 0 && state.settledTokens != 0))
        return corruptState(format("compacted at token {} of {} in {} compactions",
                                   state.settledTokens, state.tokens, state.compactions));
    return header;
}

Result<HeadHeader> readHeadHeader(ByteReader& reader, const SlotState& state) {
    const auto slots = reader.read<std::uint32_t>();
    const auto bits = reader.read<std::uint32_t>();
    if (!slots || !bits) return corruptState("it ends within the table of heads");
    HeadHeader head;
    head.slots = *slots;
    head.layout = {.positions = (*bits & kHasPositions) != 0, .bias = (*bits & kHasBias) != 0};
    if (*bits > (kHasPositions | kHasBias))
        return corruptState(format("a head has columns {:#x}", *bits));
    if (head.slots > state.tokens)
        return corruptState(format("a head has {} slots of {} tokens", head.slots, state.tokens));
    if (!head.layout.positions && (head.layout.bias || head.slots != state.tokens))
        return corruptState(
            format("a head without positions has {} slots of {} tokens", head.slots, state.tokens));
    if (head.layout.positions && head.slots < state.tokens - state.settledTokens)
        return corruptState(format("a head has {} slots, {} tokens came after the compaction",
                                   head.slots, state.tokens - state.settledTokens));
    if (state.shape.keepsExact()) {
        const auto exact = reader.read<std::uint32_t>();
        if (!exact) return corruptState("it ends within the table of heads");
        if (*exact > head.slots)
            return corruptState(
                format("a head has {} rows in 16 bits of {} slots", *exact, head.slots));
        head.exact = static_cast<int>(*exact);
    }
    return head;
}

Status readBlock(ByteReader& reader, SlotBlock& block, std::size_t bytes) {
    const auto part = reader.take(bytes);
    if (!part) return corruptState("it ends within the slots");
    if (bytes > 0) std::memcpy(block.data(), part->data(), bytes);
    return {};
}

Status checkColumns(const HeadStore& head, const SlotState& state) {
    for (std::int64_t j = 0; j < head.slots; ++j) {
        if (head.layout.positions) {
            const auto* positions = head.positions.as<std::int32_t>();
            if (positions[j] < 0 || positions[j] >= state.tokens ||
                (j > 0 && positions[j] <= positions[j - 1]))
                return corruptState(
                    format("slot {} has position {}, expected ascending positions below {}", j,
                           positions[j], state.tokens));
        }
        if (head.layout.bias && !std::isfinite(head.bias.as<float>()[j]))
            return corruptState(format("slot {} has bias {}", j, head.bias.as<float>()[j]));
    }
    return {};
}

Result<HeadStore> readHead(ByteReader& reader, const SlotState& state, const HeadHeader& header,
                           SlotAllocator& allocator) {
    LACUNA_TRY(HeadStore head,
               makeHeadStore(state.shape, header.layout, loadedCapacity(header), allocator));
    const SlotSizes sizes = slotSizes(state.shape);
    const auto slots = static_cast<std::size_t>(header.slots);
    head.slots = header.slots;
    LACUNA_TRY_STATUS(readBlock(reader, head.keys, slots * sizes.key));
    LACUNA_TRY_STATUS(readBlock(reader, head.values, slots * sizes.value));
    if (header.layout.positions)
        LACUNA_TRY_STATUS(readBlock(reader, head.positions, slots * sizeof(std::int32_t)));
    if (header.layout.bias) LACUNA_TRY_STATUS(readBlock(reader, head.bias, slots * sizeof(float)));
    LACUNA_TRY_STATUS(checkColumns(head, state));
    LACUNA_TRY(head.exact,
               ExactRows::read(reader, state.shape, header.exact, header.slots, allocator));
    return head;
}

}  // namespace

std::string writeState(const SlotState& state) {
    std::string out(kMagic);
    putWord(out, state.shape.keepsExact() ? kExactStateVersion : kCacheStateVersion);
    putShape(out, state.shape);
    putRotations(out, state.shape, state.rotations);
    putExactWindow(out, state.shape);
    for (const std::int64_t field : {state.tokens, state.settledTokens, state.compactions})
        putWord(out, static_cast<std::uint64_t>(field));
    for (const HeadStore& head : state.heads) {
        putWord(out, static_cast<std::uint32_t>(head.live()));
        putWord(out, columns(savedLayout(head)));
        if (state.shape.keepsExact()) putWord(out, static_cast<std::uint32_t>(head.exact.count()));
    }
    const SlotSizes sizes = slotSizes(state.shape);
    for (const HeadStore& head : state.heads) {
        if (head.isFragmented()) {
            putLooseHead(out, sizes, head);
            putExact(out, state.shape, head);
            continue;
        }
        const auto slots = static_cast<std::size_t>(head.slots);
        putBlock(out, head.keys, slots * sizes.key);
        putBlock(out, head.values, slots * sizes.value);
        if (head.layout.positions) putBlock(out, head.positions, slots * sizeof(std::int32_t));
        if (head.layout.bias) putBlock(out, head.bias, slots * sizeof(float));
        putExact(out, state.shape, head);
    }
    sealState(out);
    return out;
}

Result<SlotState> readState(std::string_view bytes, SlotAllocator& allocator,
                            const RowsInUse& rows) {
    LACUNA_TRY(const auto body, unsealState(bytes));
    ByteReader reader(body);
    LACUNA_TRY(StateHeader start, readHeader(reader, rows.rotations));
    SlotState& state = start.state;
    const auto count = static_cast<std::size_t>(state.shape.layers) *
                       static_cast<std::size_t>(state.shape.kvHeads);
    if (reader.remaining() / (2 * sizeof(std::uint32_t)) < count)
        return corruptState(format("{} heads do not fit {} bytes", count, reader.remaining()));
    std::vector<HeadHeader> headers;
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < count; ++i) {
        LACUNA_TRY(const HeadHeader header, readHeadHeader(reader, state));
        headers.push_back(header);
        expected += static_cast<std::uint64_t>(headBytes(state.shape, header.layout, header.slots));
        expected += static_cast<std::uint64_t>(header.exact) *
                    (sizeof(std::int32_t) + exactSizes(state.shape).row());
        if (expected > body.size()) break;  // avoids overflow
    }
    if (expected != reader.remaining())
        return corruptState(
            format("the slots take {} bytes, but there are {}", expected, reader.remaining()));
    LACUNA_TRY(state.rotations, LayerRotations::make(state.shape, start.rotationSeed));
    for (const HeadHeader& header : headers) {
        LACUNA_TRY(HeadStore head, readHead(reader, state, header, allocator));
        state.heads.push_back(std::move(head));
    }
    if (rows.exact && state.shape.rotated()) {
        state.shape.exact = *rows.exact;
        for (HeadStore& head : state.heads) {
            if (!state.shape.keepsExact()) head.exact = {};
            dropOldExact(head, *rows.exact, state.tokens - 1);
        }
    }
    return std::move(start.state);
}

}  // namespace lacuna
