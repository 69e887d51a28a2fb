#pragma once
/// \file
/// Products of plain float matrices on the kernels' panels, for the compressors. Row-major. Pure
/// functions on one thread with one fixed order of sums, so that results do not depend on threads.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/kernels/kernels.h"

namespace lacuna {

/// A count of rows or numbers as containers take it. @pre count >= 0
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

/// A factor b [columns, depth] as the kernels read it, for many products with it.
class PackedRows {
  public:
    PackedRows(const float* b, std::int64_t bStride, std::int64_t columns, std::int64_t depth);
    /// The panel that column `first` begins, [depth, panelRows].
    [[nodiscard]] const float* panel(std::int64_t first) const {
        return numbers_.get() + first * depth_;
    }

  private:
    std::int64_t depth_ = 0;
    std::unique_ptr<float[]> numbers_;  ///< panels one after the other
};

/// c = a b with b [depth, columns]. @pre bStride >= columns rounded up to kColumnQuantum, all
/// readable
void multiply(const MatrixProduct& product);
/// c = a b' with b [columns, depth].
void multiplyTransposed(const MatrixProduct& product);
/// The same with b packed before, from its column `from` on, a multiple of kColumnQuantum; what the
/// product says of b is not read.
void multiplyTransposed(const MatrixProduct& product, const PackedRows& b, std::int64_t from = 0);
/// The lower triangle of c = a a'; entries above the diagonal may be anything.
void multiplyBySelf(const MatrixProduct& product);

/// As the table's tileBfloat, on the processor's unit for matrices where there is one and the depth
/// suits it. @pre the table has bfloat16 products
void multiplyTile(const BfloatTile& tile);

/// Row lengths that may be read as panels are multiples of this.
constexpr std::int64_t kColumnQuantum = 32;
[[nodiscard]] constexpr std::int64_t paddedColumns(std::int64_t columns) {
    return (columns + kColumnQuantum - 1) / kColumnQuantum * kColumnQuantum;
}

}  // namespace lacuna
