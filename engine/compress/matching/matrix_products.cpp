#include "engine/compress/matching/matrix_products.h"

#include <algorithm>

#include "engine/kernels/bfloat_matrix.h"
#include "engine/kernels/cpu_features.h"

namespace lacuna {
namespace {

/// Rows of c needed for a block of its columns.
enum class Part { Whole, Lower };

// A block of a (kBlockRows rows) or of b (kBlockDepth of its rows, one panel wide) stays in the L2
// cache while all panels, or all rows, are processed.
constexpr std::int64_t kBlockRows = 256;
constexpr std::int64_t kBlockDepth = 1024;

void multiplyBlocks(const MatrixProduct& p, const PackedRows& b, std::int64_t from, Part part) {
    const KernelTable& kernels = bestKernels();
    const std::int64_t width = kernels.panelRows;
    for (std::int64_t row = 0; row < p.rows; row += kBlockRows) {
        const std::int64_t end = std::min(row + kBlockRows, p.rows);
        for (std::int64_t first = 0; first < p.columns; first += width) {
            const std::int64_t top = part == Part::Lower ? std::max(first, row) : row;
            if (top >= end) break;
            kernels.tileFloat({.a = p.a + top * p.aStride,
                               .aStride = p.aStride,
                               .panel = b.panel(from + first),
                               .panelStride = width,
                               .c = p.c + top * p.cStride + first,
                               .cStride = p.cStride,
                               .depth = p.depth,
                               .tokens = end - top,
                               .width = static_cast<int>(std::min(width, p.columns - first))});
        }
    }
}

}  // namespace

PackedRows::PackedRows(const float* b, std::int64_t bStride, std::int64_t columns,
                       std::int64_t depth)
    : depth_(depth) {
    const KernelTable& kernels = bestKernels();
    const std::int64_t width = kernels.panelRows;
    const std::int64_t panels = (columns + width - 1) / width;
    numbers_ =
        std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(panels * depth * width));
    for (std::int64_t i = 0; i < panels; ++i)
        kernels.packFloat({.type = DType::F32,
                           .rows = reinterpret_cast<const std::byte*>(b + i * width * bStride),
                           .rowStride = bStride * static_cast<std::int64_t>(sizeof(float)),
                           .columns = depth,
                           .rowCount = static_cast<int>(std::min(width, columns - i * width))},
                          numbers_.get() + i * depth * width);
}

void multiply(const MatrixProduct& p) {
    const KernelTable& kernels = bestKernels();
    for (std::int64_t level = 0; level < p.depth; level += kBlockDepth)
        for (std::int64_t first = 0; first < p.columns; first += kernels.panelRows)
            kernels.tileFloat({.a = p.a + level,
                               .aStride = p.aStride,
                               .panel = p.b + level * p.bStride + first,
                               .panelStride = p.bStride,
                               .c = p.c + first,
                               .cStride = p.cStride,
                               .depth = std::min(kBlockDepth, p.depth - level),
                               .tokens = p.rows,
                               .width = static_cast<int>(
                                   std::min<std::int64_t>(kernels.panelRows, p.columns - first)),
                               .store = level == 0 && !p.accumulate ? TileStore::Replace
                                                                    : TileStore::Accumulate});
}

void multiplyTransposed(const MatrixProduct& p) {
    multiplyTransposed(p, {p.b, p.bStride, p.columns, p.depth});
}

void multiplyTransposed(const MatrixProduct& product, const PackedRows& b, std::int64_t from) {
    multiplyBlocks(product, b, from, Part::Whole);
}

void multiplyBySelf(const MatrixProduct& product) {
    MatrixProduct p = product;
    p.b = p.a;
    p.bStride = p.aStride;
    p.columns = p.rows;
    multiplyBlocks(p, {p.b, p.bStride, p.columns, p.depth}, 0, Part::Lower);
}

void multiplyTile(const BfloatTile& tile) {
    const MatrixTile matrix = matrixTileBfloat();
    if (matrix != nullptr && tile.depth % kMatrixDepth == 0) return matrix(tile);
    bestKernels().tileBfloat(tile);
}

}  // namespace lacuna
