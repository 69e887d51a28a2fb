#include "engine/kv/cache_state.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <span>

#include "engine/base/byte_reader.h"
#include "engine/base/hash.h"
#include "engine/base/string_format.h"
#include "engine/kv/growth.h"

namespace lacuna {
namespace {

constexpr std::string_view kMagic = "LACUNAKV";
constexpr std::uint32_t kHasPositions = 1;
constexpr std::uint32_t kHasBias = 2;

tl::unexpected<Error> corrupt(std::string what, int line = __builtin_LINE()) {
    return fail(ErrorCode::Corrupt, "saved cache: " + what, __FILE__, line);
}

template <class T>
void put(std::string& out, T value) {
    std::array<char, sizeof(T)> bytes{};
    std::memcpy(bytes.data(), &value, sizeof(T));
    out.append(bytes.data(), bytes.size());
}

void putBlock(std::string& out, const SlotBlock& block, std::size_t bytes) {
    if (bytes > 0) out.append(reinterpret_cast<const char*>(block.data()), bytes);
}

std::uint32_t columns(HeadLayout layout) {
    return (layout.positions ? kHasPositions : 0U) | (layout.bias ? kHasBias : 0U);
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
    const auto magic = reader.takeText(kMagic.size());
    if (!magic || *magic != kMagic) return corrupt(format("it does not start with {}", kMagic));
    const auto version = reader.read<std::uint32_t>();
    if (!version) return corrupt("it ends within the header");
    if (*version != kCacheStateVersion)
        return fail(ErrorCode::Incompatible,
                    format("saved cache: version {} found, this program reads version {}", *version,
                           kCacheStateVersion));
    std::array<std::uint32_t, 5> fields{};
    for (std::uint32_t& field : fields) {
        const auto value = reader.read<std::uint32_t>();
        if (!value) return corrupt("it ends within the header");
        if (*value > std::numeric_limits<std::int32_t>::max())
            return corrupt(format("a count of the shape is {}", *value));
        field = *value;
    }
    if (fields[0] > static_cast<std::uint32_t>(DType::Q8_0))
        return corrupt(format("number type {} is unknown", fields[0]));
    SlotState state;
    state.shape = {.layers = static_cast<int>(fields[1]),
                   .kvHeads = static_cast<int>(fields[2]),
                   .keyDim = static_cast<int>(fields[3]),
                   .valueDim = static_cast<int>(fields[4]),
                   .type = static_cast<DType>(fields[0])};
    if (auto status = checkShape(state.shape); !status)
        return tl::unexpected<Error>(withPrefix(status.error(), "saved cache"));
    for (std::int64_t* field : {&state.tokens, &state.settledTokens, &state.compactions}) {
        const auto value = reader.read<std::uint64_t>();
        if (!value) return corrupt("it ends within the header");
        if (*value > std::numeric_limits<std::int32_t>::max())
            return corrupt(format("a token count is {}", *value));
        *field = static_cast<std::int64_t>(*value);
    }
    if (state.settledTokens > state.tokens || (state.compactions == 0 && state.settledTokens != 0))
        return corrupt(format("compacted at token {} of {} in {} compactions", state.settledTokens,
                              state.tokens, state.compactions));
    return state;
}

Result<HeadHeader> readHeadHeader(ByteReader& reader, const SlotState& state) {
    const auto slots = reader.read<std::uint32_t>();
    const auto bits = reader.read<std::uint32_t>();
    if (!slots || !bits) return corrupt("it ends within the table of heads");
    HeadHeader head;
    head.slots = *slots;
    head.layout = {.positions = (*bits & kHasPositions) != 0, .bias = (*bits & kHasBias) != 0};
    if (*bits > (kHasPositions | kHasBias))
        return corrupt(format("a head has columns {:#x}", *bits));
    if (head.slots > state.tokens)
        return corrupt(format("a head has {} slots of {} tokens", head.slots, state.tokens));
    if (!head.layout.positions && (head.layout.bias || head.slots != state.tokens))
        return corrupt(
            format("a head without positions has {} slots of {} tokens", head.slots, state.tokens));
    if (head.layout.positions && head.slots < state.tokens - state.settledTokens)
        return corrupt(format("a head has {} slots, {} tokens came after the compaction",
                              head.slots, state.tokens - state.settledTokens));
    return head;
}

Status readBlock(ByteReader& reader, SlotBlock& block, std::size_t bytes) {
    const auto part = reader.take(bytes);
    if (!part) return corrupt("it ends within the slots");
    if (bytes > 0) std::memcpy(block.data(), part->data(), bytes);
    return {};
}

Status checkColumns(const HeadStore& head, const SlotState& state) {
    for (std::int64_t j = 0; j < head.slots; ++j) {
        if (head.layout.positions) {
            const auto* positions = head.positions.as<std::int32_t>();
            if (positions[j] < 0 || positions[j] >= state.tokens ||
                (j > 0 && positions[j] <= positions[j - 1]))
                return corrupt(
                    format("slot {} has position {}, expected ascending positions below {}", j,
                           positions[j], state.tokens));
        }
        if (head.layout.bias && !std::isfinite(head.bias.as<float>()[j]))
            return corrupt(format("slot {} has bias {}", j, head.bias.as<float>()[j]));
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

/// The bytes without their checksum, once it matches.
Result<std::span<const std::byte>> checkedBody(std::string_view bytes) {
    const auto whole = std::as_bytes(std::span(bytes.data(), bytes.size()));
    if (whole.size() < kMagic.size() + sizeof(std::uint64_t))
        return corrupt(format("{} bytes are too few", whole.size()));
    const auto body = whole.first(whole.size() - sizeof(std::uint64_t));
    std::uint64_t sum = 0;
    std::memcpy(&sum, whole.data() + body.size(), sizeof(sum));
    if (sum != hash64(body))
        return corrupt("the checksum does not match, the bytes were cut or altered");
    return body;
}

}  // namespace

std::string writeState(const SlotState& state) {
    std::string out(kMagic);
    put(out, kCacheStateVersion);
    for (const int field : {static_cast<int>(state.shape.type), state.shape.layers,
                            state.shape.kvHeads, state.shape.keyDim, state.shape.valueDim})
        put(out, static_cast<std::uint32_t>(field));
    for (const std::int64_t field : {state.tokens, state.settledTokens, state.compactions})
        put(out, static_cast<std::uint64_t>(field));
    for (const HeadStore& head : state.heads) {
        put(out, static_cast<std::uint32_t>(head.slots));
        put(out, columns(head.layout));
    }
    const SlotSizes sizes = slotSizes(state.shape);
    for (const HeadStore& head : state.heads) {
        const auto slots = static_cast<std::size_t>(head.slots);
        putBlock(out, head.keys, slots * sizes.key);
        putBlock(out, head.values, slots * sizes.value);
        if (head.layout.positions) putBlock(out, head.positions, slots * sizeof(std::int32_t));
        if (head.layout.bias) putBlock(out, head.bias, slots * sizeof(float));
    }
    put(out, hash64(out));
    return out;
}

Result<SlotState> readState(std::string_view bytes, SlotAllocator& allocator) {
    LACUNA_TRY(const auto body, checkedBody(bytes));
    ByteReader reader(body);
    LACUNA_TRY(SlotState state, readHeader(reader));
    const auto count = static_cast<std::size_t>(state.shape.layers) *
                       static_cast<std::size_t>(state.shape.kvHeads);
    if (reader.remaining() / (2 * sizeof(std::uint32_t)) < count)
        return corrupt(format("{} heads do not fit {} bytes", count, reader.remaining()));
    std::vector<HeadHeader> headers;
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < count; ++i) {
        LACUNA_TRY(const HeadHeader header, readHeadHeader(reader, state));
        headers.push_back(header);
        expected += static_cast<std::uint64_t>(headBytes(state.shape, header.layout, header.slots));
        if (expected > body.size()) break;  // stays far from overflow
    }
    if (expected != reader.remaining())
        return corrupt(
            format("the slots take {} bytes, {} are there", expected, reader.remaining()));
    for (const HeadHeader& header : headers) {
        LACUNA_TRY(HeadStore head, readHead(reader, state, header, allocator));
        state.heads.push_back(std::move(head));
    }
    return state;
}

}  // namespace lacuna
