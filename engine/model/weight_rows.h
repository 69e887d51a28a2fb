#pragma once
/// \file
/// Reads single rows of a matrix in any row order. Private to this module.

#include <cstdint>

#include "engine/format/weights.h"
#include "engine/kernels/kernels.h"

namespace lacuna {

/// Decodes row `row` into target [columns]; `scratch` holds as many floats.
inline void decodeWeightRow(const KernelTable& kernels, const WeightMatrix& matrix,
                            std::int64_t row, float* scratch, float* target) {
    const auto stride = static_cast<std::int64_t>(
        rowBytes(matrix.type, static_cast<std::uint64_t>(matrix.columns)));
    const std::byte* from = matrix.data + row * stride;
    if (matrix.order == RowLayout::Groups) {
        auto* const plain = reinterpret_cast<std::byte*>(scratch);
        const std::int64_t group = row / kGroupRows * kGroupRows;
        ungroupRow(matrix.type, matrix.data + group * stride, matrix.columns,
                   static_cast<int>(row - group), plain);
        from = plain;
    }
    kernels.toFloat[kernelIndex(matrix.type)](from, target, matrix.columns);
    if (matrix.scale != 1.0F) kernels.scale(target, matrix.scale, matrix.columns);
}

}  // namespace lacuna
