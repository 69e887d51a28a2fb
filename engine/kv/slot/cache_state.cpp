#include "engine/kv/slot/cache_state.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "engine/base/byte_reader.h"
#include "engine/base/string_format.h"
#include "engine/kv/growth.h"
#include "engine/kv/state_words.h"

namespace lacuna {
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

/// A bias that only marks holes is not saved: holes are not.
HeadLayout savedLayout(const HeadStore& head) {
    HeadLayout layout = head.layout;
    if (!head.loose() || !layout.bias) return layout;
    const float* bias = head.bias.as<float>();
    layout.bias =
        std::any_of(bias, bias + head.slots, [](float x) { return x != 0.0F && x != kHole; });
    return layout;
}

/// The slots that hold a token, in time order.
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

struct HeadHeader {
    HeadLayout layout;
    std::int64_t slots = 0;
};

std::int64_t loadedCapacity(const HeadHeader& head) {
    if (head.layout.positions) return compactedCapacity(head.slots);
    return head.slots == 0 ? 0 : grownCapacity(0, 0, head.slots);
}

/// Everything before the first head.
Result<SlotState> readHeader(ByteReader& reader) {
    LACUNA_TRY_STATUS(readStart(reader, kMagic, kCacheStateVersion));
    SlotState state;
    LACUNA_TRY(state.shape, readShape(reader));
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
    return state;
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
    return head;
}

}  // namespace

std::string writeState(const SlotState& state) {
    std::string out(kMagic);
    putWord(out, kCacheStateVersion);
    putShape(out, state.shape);
    for (const std::int64_t field : {state.tokens, state.settledTokens, state.compactions})
        putWord(out, static_cast<std::uint64_t>(field));
    for (const HeadStore& head : state.heads) {
        putWord(out, static_cast<std::uint32_t>(head.live()));
        putWord(out, columns(savedLayout(head)));
    }
    const SlotSizes sizes = slotSizes(state.shape);
    for (const HeadStore& head : state.heads) {
        if (head.loose()) {
            putLooseHead(out, sizes, head);
            continue;
        }
        const auto slots = static_cast<std::size_t>(head.slots);
        putBlock(out, head.keys, slots * sizes.key);
        putBlock(out, head.values, slots * sizes.value);
        if (head.layout.positions) putBlock(out, head.positions, slots * sizeof(std::int32_t));
        if (head.layout.bias) putBlock(out, head.bias, slots * sizeof(float));
    }
    sealState(out);
    return out;
}

Result<SlotState> readState(std::string_view bytes, SlotAllocator& allocator) {
    LACUNA_TRY(const auto body, unsealState(bytes));
    ByteReader reader(body);
    LACUNA_TRY(SlotState state, readHeader(reader));
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
        if (expected > body.size()) break;  // stays far from overflow
    }
    if (expected != reader.remaining())
        return corruptState(
            format("the slots take {} bytes, {} are there", expected, reader.remaining()));
    for (const HeadHeader& header : headers) {
        LACUNA_TRY(HeadStore head, readHead(reader, state, header, allocator));
        state.heads.push_back(std::move(head));
    }
    return state;
}

}  // namespace lacuna
