#include "engine/compress/matrix_products.h"

#include <algorithm>
#include <vector>

#include "engine/kernels/cpu_features.h"

namespace lacuna {
namespace {

/// Which rows of c a block of its columns needs.
enum class Part { Whole, Lower };

void multiplyBlocks(const MatrixProduct& p, Part part) {
    const KernelTable& kernels = bestKernels();
    const std::int64_t width = kernels.panelRows;
    std::vector<float> panel(static_cast<std::size_t>(p.depth * width));
    for (std::int64_t first = 0; first < p.columns; first += width) {
        const auto count = static_cast<int>(std::min(width, p.columns - first));
        kernels.packFloat({.type = DType::F32,
                           .rows = reinterpret_cast<const std::byte*>(p.b + first * p.bStride),
                           .rowStride = p.bStride * static_cast<std::int64_t>(sizeof(float)),
                           .columns = p.depth,
                           .rowCount = count},
                          panel.data());
        const std::int64_t top = part == Part::Lower ? first : 0;
        kernels.tileFloat({.a = p.a + top * p.aStride,
                           .aStride = p.aStride,
                           .panel = panel.data(),
                           .panelStride = width,
                           .c = p.c + top * p.cStride + first,
                           .cStride = p.cStride,
                           .depth = p.depth,
                           .tokens = p.rows - top,
                           .width = count});
    }
}

}  // namespace

void multiply(const MatrixProduct& p) {
    const KernelTable& kernels = bestKernels();
    for (std::int64_t first = 0; first < p.columns; first += kernels.panelRows) {
        const auto count =
            static_cast<int>(std::min<std::int64_t>(kernels.panelRows, p.columns - first));
        kernels.tileFloat({.a = p.a,
                           .aStride = p.aStride,
                           .panel = p.b + first,
                           .panelStride = p.bStride,
                           .c = p.c + first,
                           .cStride = p.cStride,
                           .depth = p.depth,
                           .tokens = p.rows,
                           .width = count});
    }
}

void multiplyTransposed(const MatrixProduct& product) {
    multiplyBlocks(product, Part::Whole);
}

void multiplyBySelf(const MatrixProduct& product) {
    MatrixProduct p = product;
    p.b = p.a;
    p.bStride = p.aStride;
    p.columns = p.rows;
    multiplyBlocks(p, Part::Lower);
}

}  // namespace lacuna
