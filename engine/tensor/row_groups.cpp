#include "engine/tensor/row_groups.h"

#include <array>
#include <cstring>

#include "engine/base/check.h"
#include "engine/tensor/block_formats.h"

namespace lacuna {
namespace {

constexpr BlockField kPairs[] = {{0, 4, 4}};  // two columns of 16 bits
constexpr BlockField kQ8_0[] = {{0, 2, 2}, {2, 32, 4}};
constexpr BlockField kQ4_0[] = {{0, 2, 2}, {2, 16, 4}};
constexpr BlockField kQ4_1[] = {{0, 4, 2}, {4, 16, 4}};
constexpr BlockField kQ5_0[] = {{0, 2, 2}, {2, 20, 4}};
constexpr BlockField kQ5_1[] = {{0, 4, 2}, {4, 20, 4}};
constexpr BlockField kQ2_K[] = {{0, 16, 1}, {16, 64, 4}, {80, 4, 2}};
constexpr BlockField kQ3_K[] = {{0, 96, 4}, {96, 12, 1}, {108, 2, 2}};
constexpr BlockField kQ4_K[] = {{0, 4, 2}, {4, 12, 1}, {16, 128, 4}};
constexpr BlockField kQ5_K[] = {{0, 4, 2}, {4, 12, 1}, {16, 160, 4}};
constexpr BlockField kMXFP4[] = {{0, 1, 1}, {1, 16, 4}};
constexpr BlockField kIQ4_XS[] = {{0, 4, 2}, {4, 4, 1}, {8, 128, 4}};
constexpr int kPairBytes = 4;

// The low bits and the top bits of the same values of Q6_K are read together, so they are stored
// together and a block is read sequentially.
constexpr std::array<BlockField, 50> fieldsOfQ6K() {
    std::array<BlockField, 50> fields{};
    fields[0] = {offsetof(BlockQ6_K, scale), 2, 2};
    fields[1] = {offsetof(BlockQ6_K, scales), 16, 1};
    for (int i = 0; i < 16; ++i) {
        const int low = 64 * (i / 8) + 4 * (i % 8);
        const auto at = static_cast<std::size_t>(2 + 3 * i);
        fields[at] = {low, 4, 4};
        fields[at + 1] = {low + 32, 4, 4};
        fields[at + 2] = {static_cast<int>(offsetof(BlockQ6_K, topBits)) + 4 * i, 4, 4};
    }
    return fields;
}
constexpr std::array<BlockField, 50> kQ6_K = fieldsOfQ6K();

std::int64_t blockBytesOf(DType type) {
    return info(type).blockLength == 1 ? kPairBytes : std::int64_t{info(type).blockBytes};
}

template <int unit>
void spread(const PlainRows& source, const std::byte* from, int bytes, std::byte* to) {
    for (int at = 0; at < bytes; at += unit)
        for (int row = 0; row < kGroupRows; ++row, to += unit) {
            if (row < source.count) {
                std::memcpy(to, from + row * source.rowStride + at, unit);
            } else {
                std::memset(to, 0, unit);
            }
        }
}

// Handles a full group: no row is missing, and the loop over rows is unrolled.
template <int unit>
void spreadAll(const PlainRows& source, const std::byte* from, int bytes, std::byte* to) {
    const std::int64_t stride = source.rowStride;
    for (int at = 0; at < bytes; at += unit, to += kGroupRows * unit)
#pragma GCC unroll 16
        for (int row = 0; row < kGroupRows; ++row)
            std::memcpy(to + row * unit, from + row * stride + at, unit);
}

template <int unit>
void spreadField(const PlainRows& source, const std::byte* from, int bytes, std::byte* to) {
    if (source.count == kGroupRows) return spreadAll<unit>(source, from, bytes, to);
    spread<unit>(source, from, bytes, to);
}

template <int unit>
void collect(const std::byte* from, int bytes, std::byte* to) {
    for (int at = 0; at < bytes; at += unit)
        std::memcpy(to + at, from + std::int64_t{at} * kGroupRows, unit);
}

}  // namespace

std::span<const BlockField> blockFields(DType type) {
    switch (type) {
        case DType::F32:
        case DType::NVFP4:
        case DType::IQ3_S:
        case DType::IQ3_XXS:
        case DType::IQ2_S:
        case DType::IQ2_XS:
        case DType::IQ2_XXS:
        case DType::IQ1_S:
        case DType::IQ1_M:
        case DType::TQ1_0:
        case DType::TQ2_0:
        case DType::Q1_0:
        case DType::Q2_0:
            return {};
        case DType::F16:
        case DType::BF16:
            return kPairs;
        case DType::Q8_0:
            return kQ8_0;
        case DType::Q4_0:
        case DType::IQ4_NL:
            return kQ4_0;
        case DType::Q4_1:
            return kQ4_1;
        case DType::Q5_0:
            return kQ5_0;
        case DType::Q5_1:
            return kQ5_1;
        case DType::Q2_K:
            return kQ2_K;
        case DType::Q3_K:
            return kQ3_K;
        case DType::Q4_K:
            return kQ4_K;
        case DType::Q5_K:
            return kQ5_K;
        case DType::Q6_K:
            return kQ6_K;
        case DType::IQ4_XS:
            return kIQ4_XS;
        case DType::MXFP4:
            return kMXFP4;
    }
    return {};
}

int groupBlockColumns(DType type) {
    if (blockFields(type).empty()) return 0;
    return info(type).blockLength == 1 ? 2 : static_cast<int>(info(type).blockLength);
}

bool canGroup(DType type, std::int64_t columns) {
    const int block = groupBlockColumns(type);
    return block != 0 && columns % block == 0;
}

void groupRows(const PlainRows& source, std::byte* group) {
    LACUNA_ASSERT(canGroup(source.type, source.columns), "columns are whole blocks");
    const std::span<const BlockField> fields = blockFields(source.type);
    const std::int64_t blocks = source.columns / groupBlockColumns(source.type);
    const std::int64_t blockBytes = blockBytesOf(source.type);
    for (std::int64_t block = 0; block < blocks; ++block)
        for (const BlockField& field : fields) {
            const std::byte* from = source.rows + block * blockBytes + field.offset;
            if (field.unit == 4) spreadField<4>(source, from, field.bytes, group);
            if (field.unit == 2) spreadField<2>(source, from, field.bytes, group);
            if (field.unit == 1) spreadField<1>(source, from, field.bytes, group);
            group += std::int64_t{field.bytes} * kGroupRows;
        }
}

void ungroupRow(DType type, const std::byte* group, std::int64_t columns, int row,
                std::byte* target) {
    const std::span<const BlockField> fields = blockFields(type);
    const std::int64_t blocks = columns / groupBlockColumns(type);
    const std::int64_t blockBytes = blockBytesOf(type);
    for (std::int64_t block = 0; block < blocks; ++block)
        for (const BlockField& field : fields) {
            const std::byte* from = group + std::int64_t{row} * field.unit;
            std::byte* to = target + block * blockBytes + field.offset;
            if (field.unit == 4) collect<4>(from, field.bytes, to);
            if (field.unit == 2) collect<2>(from, field.bytes, to);
            if (field.unit == 1) collect<1>(from, field.bytes, to);
            group += std::int64_t{field.bytes} * kGroupRows;
        }
}

void ungroupRows(DType type, const std::byte* group, std::int64_t columns, int count,
                 std::byte* rows, std::int64_t rowStride) {
    const std::int64_t block = groupBlockColumns(type);
    const std::int64_t bytes = blockBytesOf(type);
    for (std::int64_t at = 0; at < columns; at += block, group += bytes * kGroupRows, rows += bytes)
        for (int row = 0; row < count; ++row)
            ungroupRow(type, group, block, row, rows + row * rowStride);
}

}  // namespace lacuna
