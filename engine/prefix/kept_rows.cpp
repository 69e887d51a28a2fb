#include "engine/prefix/kept_rows.h"

#include <array>
#include <cstring>

#include "engine/compress/transform/entropy_coder.h"

namespace lacuna {
namespace {

constexpr int kShortGroup = 32;
constexpr int kLongGroup = 64;

RowFormat formatWith(RowFormat format, RowKeeping keeping) {
    if (keeping == RowKeeping::EightBits)
        format.quant = {.bits = 8,
                        .group = format.dim % kLongGroup == 0 ? kLongGroup : kShortGroup};
    return format;
}

}  // namespace

bool hasEightBitRows(const KvShape& shape) {
    return shape.keyDim % kShortGroup == 0 && shape.valueDim % kShortGroup == 0;
}

KeptRows::KeptRows(const KvShape& shape, RowKeeping keeping, std::int64_t tokens)
    : shape_(shape),
      keys_(formatWith(keyFormat(shape), keeping)),
      values_(formatWith(valueFormat(shape), keeping)),
      tokens_(tokens) {
    bytes_.resize(offsetOf(shape.layers, KvSide::Keys, 0));
}

std::size_t KeptRows::offsetOf(int layer, KvSide side, std::int64_t index) const {
    const auto heads = static_cast<std::size_t>(shape_.kvHeads);
    const auto all = static_cast<std::size_t>(tokens_) * heads;
    const std::size_t keyRow = formatBytes(keys_);
    const std::size_t valueRow = formatBytes(values_);
    const std::size_t layers = static_cast<std::size_t>(layer) * all * (keyRow + valueRow);
    const std::size_t before = static_cast<std::size_t>(index) * heads;
    return layers + (side == KvSide::Keys ? before * keyRow : all * keyRow + before * valueRow);
}

void KeptRows::take(const KvHeadView& view, int layer, int head, KvSide side, std::int64_t index,
                    int slot) {
    const RowFormat& format = formatOf(side);
    const std::size_t row = formatBytes(format);
    std::byte* const to =
        bytes_.data() + offsetOf(layer, side, index) + static_cast<std::size_t>(head) * row;
    if (!coded()) {
        const std::byte* const rows = side == KvSide::Keys ? view.keys : view.values;
        std::memcpy(to, rows + static_cast<std::size_t>(slot) * row, row);
        return;
    }
    std::vector<float> numbers(static_cast<std::size_t>(format.dim));
    (side == KvSide::Keys ? readKeys : readValues)(view, format.dim, slot, 1, numbers.data());
    encodeRow(format, numbers, to);
}

void KeptRows::read(int layer, KvSide side, std::int64_t index, std::span<float> out) const {
    const RowFormat& format = formatOf(side);
    const auto dim = static_cast<std::size_t>(format.dim);
    const std::byte* row = bytes_.data() + offsetOf(layer, side, index);
    for (std::size_t at = 0; at < out.size(); at += dim, row += formatBytes(format))
        decodeRow(format, row, out.subspan(at, dim));
}

/// Plain numbers have one plane per byte of a number; codes have one plane for the codes and one
/// for each byte of the scales.
std::size_t KeptRows::planes() const {
    return coded() ? 3 : static_cast<std::size_t>(rowBytes(shape_.type, 1));
}

template <class Each>
void KeptRows::eachByte(std::size_t plane, const Each& each) const {
    const std::size_t rows =
        static_cast<std::size_t>(tokens_) * static_cast<std::size_t>(shape_.kvHeads);
    std::size_t at = 0;
    for (int layer = 0; layer < shape_.layers; ++layer)
        for (const KvSide side : kKvSides) {
            const std::size_t row = formatBytes(formatOf(side));
            const std::size_t codes = coded() ? row - scaleBytes(formatOf(side)) : 0;
            const bool ofCodes = coded() && plane == 0;
            const std::size_t first = ofCodes ? 0 : codes + plane - (coded() ? 1 : 0);
            const std::size_t last = ofCodes ? codes : row;
            const std::size_t stride = ofCodes ? 1 : coded() ? 2 : planes();
            for (std::size_t i = 0; i < rows; ++i, at += row)
                for (std::size_t byte = first; byte < last; byte += stride) each(at + byte);
        }
}

void KeptRows::write(std::string& out) const {
    for (std::size_t plane = 0; plane < planes(); ++plane) {
        std::vector<std::byte> bytes;
        bytes.reserve(bytes_.size());
        eachByte(plane, [&](std::size_t at) { bytes.push_back(bytes_[at]); });
        packBytes(out, bytes);
    }
}

Status KeptRows::readFrom(ByteReader& reader) {
    for (std::size_t plane = 0; plane < planes(); ++plane) {
        std::size_t count = 0;
        eachByte(plane, [&](std::size_t) { ++count; });
        std::vector<std::byte> bytes(count);
        LACUNA_TRY_STATUS(unpackBytes(reader, bytes));
        auto next = bytes.begin();
        eachByte(plane, [&](std::size_t at) { bytes_[at] = *next++; });
    }
    return {};
}

}  // namespace lacuna
