// The plain reference for rows of group codes: one element after the other, float64 sums.

#include <cstring>

#include "engine/base/half.h"
#include "engine/kernels/coded_rows.h"
#include "engine/kernels/kernel_parts.h"

namespace lacuna {
namespace scalar {
namespace {

float halfAt(const std::byte* at) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, at, sizeof(bits));
    return halfToFloat(bits);
}

float elementOf(const CodedRows& block, const std::byte* row, std::int64_t column) {
    const std::byte* scales = row + block.codeBytes();
    const std::int64_t group = column / block.group;
    unsigned code = 0;
    if (block.bits == 8) {
        code = std::to_integer<unsigned>(row[column]);
    } else {
        code = std::to_integer<unsigned>(row[column / 2]) >> (column % 2 * 4) & 15U;
    }
    return halfAt(scales + 2 * group) * static_cast<float>(code) +
           halfAt(scales + 2 * (block.groups() + group));
}

void decodeCoded(const CodedRows& block, float* out) noexcept {
    for (std::int64_t r = 0; r < block.count; ++r)
        for (std::int64_t c = 0; c < block.columns; ++c)
            out[r * block.columns + c] = elementOf(block, block.row(r), c);
}

void dotManyCoded(const CodedRows& block, const QueryRows& q) noexcept {
    for (int i = 0; i < q.count; ++i) {
        const float* query = q.queries + i * q.queryStride;
        for (std::int64_t r = 0; r < block.count; ++r) {
            double sum = 0;
            for (std::int64_t c = 0; c < block.columns; ++c)
                sum += double{elementOf(block, block.row(r), c)} * double{query[c]};
            q.weights[i * q.weightStride + r] = static_cast<float>(sum);
        }
    }
}

void addManyCoded(const CodedRows& block, const QueryRows& q) noexcept {
    for (int i = 0; i < q.count; ++i) {
        const float* weights = q.weights + i * q.weightStride;
        float* sums = q.sums + i * q.sumStride;
        for (std::int64_t c = 0; c < block.columns; ++c) {
            double sum = double{sums[c]};
            for (std::int64_t r = 0; r < block.count; ++r)
                sum += double{weights[r]} * double{elementOf(block, block.row(r), c)};
            sums[c] = static_cast<float>(sum);
        }
    }
}

}  // namespace
}  // namespace scalar

void fillScalarCodedKernels(KernelTable& table) noexcept {
    table.decodeCoded = scalar::decodeCoded;
    table.dotManyCoded = scalar::dotManyCoded;
    table.addManyCoded = scalar::addManyCoded;
}

}  // namespace lacuna
