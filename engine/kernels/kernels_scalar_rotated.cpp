// The plain reference for rows of rotated codes: one row after the other, float64 sums.

#include <array>
#include <span>

#include "engine/kernels/kernel_parts.h"
#include "engine/kernels/rotated_rows.h"
#include "engine/tensor/rotated_codes.h"

namespace lacuna {
namespace scalar {
namespace {

using Row = std::array<float, kMaxRotatedDim>;

std::span<const float> decodedRow(const RotatedRows& block, std::int64_t r, Row& space) {
    const std::span<float> row = std::span(space).first(static_cast<std::size_t>(block.columns));
    lacuna::decodeRotated(block.row(r), block.bits, row);
    return row;
}

void decodeRotated(const RotatedRows& block, float* out) noexcept {
    for (std::int64_t r = 0; r < block.count; ++r)
        lacuna::decodeRotated(block.row(r), block.bits,
                              {out + r * block.columns, static_cast<std::size_t>(block.columns)});
}

void dotManyRotated(const RotatedRows& block, const QueryRows& q) noexcept {
    Row space;
    for (std::int64_t r = 0; r < block.count; ++r) {
        const std::span<const float> row = decodedRow(block, r, space);
        for (int i = 0; i < q.count; ++i) {
            const float* query = q.queries + i * q.queryStride;
            double sum = 0;
            for (std::size_t c = 0; c < row.size(); ++c) sum += double{row[c]} * double{query[c]};
            q.weights[i * q.weightStride + r] = static_cast<float>(sum);
        }
    }
}

void addManyRotated(const RotatedRows& block, const QueryRows& q) noexcept {
    Row space;
    for (int i = 0; i < q.count; ++i) {
        const float* weights = q.weights + i * q.weightStride;
        float* sums = q.sums + i * q.sumStride;
        std::array<double, kMaxRotatedDim> total;
        for (std::int64_t c = 0; c < block.columns; ++c)
            total[static_cast<std::size_t>(c)] = double{sums[c]};
        for (std::int64_t r = 0; r < block.count; ++r) {
            const std::span<const float> row = decodedRow(block, r, space);
            for (std::size_t c = 0; c < row.size(); ++c)
                total[c] += double{weights[r]} * double{row[c]};
        }
        for (std::int64_t c = 0; c < block.columns; ++c)
            sums[c] = static_cast<float>(total[static_cast<std::size_t>(c)]);
    }
}

}  // namespace
}  // namespace scalar

const float* rotatedCodebook(int bits) noexcept {
    return codeCentroids(bits).data();
}

void fillScalarRotatedKernels(KernelTable& table) noexcept {
    table.decodeRotated = scalar::decodeRotated;
    table.dotManyRotated = scalar::dotManyRotated;
    table.addManyRotated = scalar::addManyRotated;
}

}  // namespace lacuna
