#include "engine/kv/state_words.h"

#include <limits>

#include "engine/base/hash.h"
#include "engine/base/string_format.h"
#include "engine/kv/slot/slot_state.h"

namespace lacuna {
namespace {

constexpr int kGroupUnit = 32;
constexpr std::size_t kMagicBytes = 8;
// Bits of the number type, and of the value length of an extent, that say that values are in keys.
constexpr std::uint32_t kInKeys = 0x80;
constexpr std::uint32_t kExtentInKeys = std::uint32_t{1} << 30;

std::uint32_t packedType(const KvShape& shape) {
    const auto word = [](int value) { return static_cast<std::uint32_t>(value); };
    const auto groups = [&](const KvQuant& quant) {
        return quant.plain() ? 0U : word(quant.group / kGroupUnit);
    };
    return word(static_cast<int>(shape.type)) | (shape.valuesInKeys ? kInKeys : 0U) |
           word(shape.keyQuant.bits) << 8 | word(shape.valueQuant.bits) << 16 |
           groups(shape.keyQuant) << 24 | groups(shape.valueQuant) << 28;
}

KvQuant unpackQuant(std::uint32_t bits, std::uint32_t groups) {
    if ((bits & 0xFF) == 0) return {};  // the caller rejects plain numbers with a group
    return {static_cast<int>(bits & 0xFF), static_cast<int>(groups & 0xF) * kGroupUnit};
}

}  // namespace

void putShape(std::string& out, const KvShape& shape) {
    putWord(out, packedType(shape));
    for (const int field : {shape.layers, shape.kvHeads, shape.keyDim, shape.valueDim})
        putWord(out, static_cast<std::uint32_t>(field));
    for (const KvExtent& one : shape.extents)
        for (const std::uint32_t field :
             {static_cast<std::uint32_t>(one.heads), static_cast<std::uint32_t>(one.keyDim),
              static_cast<std::uint32_t>(one.valueDim) | (one.valuesInKeys ? kExtentInKeys : 0U)})
            putWord(out, field);
}

namespace {

template <std::size_t Count>
Result<std::array<std::uint32_t, Count>> readFields(ByteReader& reader) {
    std::array<std::uint32_t, Count> fields{};
    for (std::uint32_t& field : fields) {
        const auto value = reader.read<std::uint32_t>();
        if (!value) return corruptState("it ends within the header");
        if (*value > std::numeric_limits<std::int32_t>::max())
            return corruptState(format("a count of the shape is {}", *value));
        field = *value;
    }
    return fields;
}

Result<KvShape> readFirstWords(ByteReader& reader) {
    LACUNA_TRY(const auto fields, readFields<5>(reader));
    const std::uint32_t type = fields[0] & 0xFF & ~kInKeys;
    if (type > static_cast<std::uint32_t>(DType::Q8_0))
        return corruptState(format("number type {} is unknown", type));
    KvShape shape{.layers = static_cast<int>(fields[1]),
                  .kvHeads = static_cast<int>(fields[2]),
                  .keyDim = static_cast<int>(fields[3]),
                  .valueDim = static_cast<int>(fields[4]),
                  .type = static_cast<DType>(type),
                  .keyQuant = unpackQuant(fields[0] >> 8, fields[0] >> 24),
                  .valueQuant = unpackQuant(fields[0] >> 16, fields[0] >> 28),
                  .valuesInKeys = (fields[0] & kInKeys) != 0};
    if (packedType(shape) != fields[0])
        return corruptState(format("number format {:#x} contradicts itself", fields[0]));
    return shape;
}

}  // namespace

Result<KvShape> readShape(ByteReader& reader) {
    LACUNA_TRY(KvShape shape, readFirstWords(reader));
    if (auto status = checkShape(shape); !status)
        return tl::unexpected<Error>(withPrefix(status.error(), "saved cache"));
    return shape;
}

Result<KvShape> readMixedShape(ByteReader& reader) {
    LACUNA_TRY(KvShape shape, readFirstWords(reader));
    if (shape.layers < 1 || shape.kvHeads != 0 || shape.keyDim != 0 || shape.valueDim != 0)
        return corruptState(
            "its shape is both that of equal layers and that of layers that differ");
    for (int layer = 0; layer < shape.layers; ++layer) {
        LACUNA_TRY(const auto fields, readFields<3>(reader));
        shape.extents.push_back({.heads = static_cast<int>(fields[0]),
                                 .keyDim = static_cast<int>(fields[1]),
                                 .valueDim = static_cast<int>(fields[2] & ~kExtentInKeys),
                                 .valuesInKeys = (fields[2] & kExtentInKeys) != 0});
    }
    return shape;
}

Result<std::uint32_t> readStart(ByteReader& reader, std::string_view magic, std::uint32_t newest) {
    const auto found = reader.takeText(magic.size());
    if (!found || *found != magic) return corruptState(format("it does not start with {}", magic));
    const auto number = reader.read<std::uint32_t>();
    if (!number) return corruptState("it ends within the header");
    if (*number >= 1 && *number <= newest) return *number;
    return fail(
        ErrorCode::Incompatible,
        format("saved cache: version {} found, this program reads version {}", *number, newest));
}

void sealState(std::string& out) {
    putWord(out, hash64(out));
}

Result<std::span<const std::byte>> unsealState(std::string_view bytes) {
    const auto whole = std::as_bytes(std::span(bytes.data(), bytes.size()));
    if (whole.size() < kMagicBytes + sizeof(std::uint64_t))
        return corruptState(format("{} bytes are too few", whole.size()));
    const auto body = whole.first(whole.size() - sizeof(std::uint64_t));
    std::uint64_t sum = 0;
    std::memcpy(&sum, whole.data() + body.size(), sizeof(sum));
    if (sum != hash64(body))
        return corruptState("the checksum does not match; the file is truncated or damaged");
    return body;
}

}  // namespace lacuna
