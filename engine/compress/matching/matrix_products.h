#pragma once
/// \file
/// Products of plain float matrices on the kernels' panels, for the compressors. Row-major. Pure
/// functions on one thread; the order of summation is fixed, so results do not depend on the number
/// of threads.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/kernels/kernels.h"

namespace lacuna {

/// Converts a count to a container size. @pre count >= 0
[[nodiscard]] constexpr std::size_t sized(std::int64_t count) {
    return static_cast<std::size_t>(count);
}

struct MatrixProduct {
    const float* a = nullptr;  ///< [rows, depth]
    std::int64_t aStride = 0;
    const float* b = nullptr;
    std::int64_t bStride = 0;
    float* c = nullptr;  ///< [rows, columns]
    std::int64_t cStride = 0;
    std::int64_t rows = 0;
    std::int64_t depth = 0;
    std::int64_t columns = 0;
    bool accumulate = false;  ///< c += instead of c =; multiply only
};

/// A factor b [columns, depth] packed for the kernels, for repeated products with it.
class PackedRows {
  public:
    PackedRows(const float* b, std::int64_t bStride, std::int64_t columns, std::int64_t depth);
    /// Panel [depth, panelRows] that starts at column `first`.
    [[nodiscard]] const float* panel(std::int64_t first) const {
        return numbers_.get() + first * depth_;
    }

  private:
    std::int64_t depth_ = 0;
    std::unique_ptr<float[]> numbers_;  ///< consecutive panels
};

/// c = a b with b [depth, columns]. @pre bStride >= columns rounded up to kColumnQuantum, and all
/// of it is readable
void multiply(const MatrixProduct& product);
/// c = a b' with b [columns, depth].
void multiplyTransposed(const MatrixProduct& product);
/// The same with a packed b, starting at its column `from`, a multiple of kColumnQuantum; the b of
/// `product` is not read.
void multiplyTransposed(const MatrixProduct& product, const PackedRows& b, std::int64_t from = 0);
/// The lower triangle of c = a a'; entries above the diagonal are unspecified.
void multiplyBySelf(const MatrixProduct& product);

/// Like tileBfloat of the kernel table, on the matrix unit of the processor if there is one and the
/// depth suits it. @pre the table has bfloat16 products
void multiplyTile(const BfloatTile& tile);

/// Row lengths that can be read as panels are multiples of this.
constexpr std::int64_t kColumnQuantum = 32;
[[nodiscard]] constexpr std::int64_t paddedColumns(std::int64_t columns) {
    return (columns + kColumnQuantum - 1) / kColumnQuantum * kColumnQuantum;
}

}  // namespace lacuna
