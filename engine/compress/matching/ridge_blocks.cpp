// Cholesky by block columns, each updated by one product with the previous columns. The inverses of
// the diagonal blocks turn the remaining substitutions into products as well.

#include "engine/compress/matching/ridge_blocks.h"

#include <algorithm>
#include <cmath>

#include "engine/compress/matching/matrix_products.h"

namespace lacuna {
namespace {

constexpr std::int64_t kBlock = kColumnQuantum;
// Up to this size the decomposition in double is cheap.
constexpr std::int64_t kSmall = 128;
constexpr int kEscalations = 4;

/// x -= y for rows of at least kBlock numbers.
void subtract(float* x, std::int64_t xStride, const float* y, std::int64_t rows,
              std::int64_t columns) {
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < columns; ++c) x[r * xStride + c] -= y[r * columns + c];
}

/// A system padded to full blocks; the padding is an identity matrix with a right side of 0.
class BlockSystem {
  public:
    BlockSystem(const RidgeProblem& problem, double ridge, float* matrix, float* right)
        : size_(paddedColumns(problem.gram.extent(0))),
          columns_(paddedColumns(problem.right.extent(1))),
          matrix_(matrix),
          right_(right),
          inverses_(static_cast<std::size_t>(size_ * kBlock)),
          work_(static_cast<std::size_t>(std::max(size_, columns_) * kBlock)) {
        copyIn(problem, ridge);
    }
    [[nodiscard]] static std::int64_t matrixNumbers(const RidgeProblem& problem) {
        const std::int64_t size = paddedColumns(problem.gram.extent(0));
        return size * size;
    }
    [[nodiscard]] static std::int64_t rightNumbers(const RidgeProblem& problem) {
        return paddedColumns(problem.gram.extent(0)) * paddedColumns(problem.right.extent(1));
    }
    /// Returns false if the matrix is not positive definite.
    [[nodiscard]] bool solve() {
        for (std::int64_t k = 0; k < size_; k += kBlock)
            if (!factorColumn(k)) return false;
        for (std::int64_t k = 0; k < size_; k += kBlock) substituteDown(k);
        for (std::int64_t k = size_ - kBlock; k >= 0; k -= kBlock) substituteUp(k);
        return true;
    }
    [[nodiscard]] const float* answer(std::int64_t row) const { return right_ + row * columns_; }

  private:
    [[nodiscard]] float* at(std::int64_t row, std::int64_t column) {
        return matrix_ + row * size_ + column;
    }
    [[nodiscard]] float* inverse(std::int64_t k) { return inverses_.data() + k * kBlock; }
    void copyIn(const RidgeProblem& problem, double ridge);
    [[nodiscard]] bool factorColumn(std::int64_t k);
    [[nodiscard]] bool factorDiagonal(std::int64_t k);
    void invertDiagonal(std::int64_t k);
    void substituteDown(std::int64_t k);
    void substituteUp(std::int64_t k);
    void takeSolved(std::int64_t k, const float* factor);

    std::int64_t size_, columns_;
    float* matrix_;  ///< [size, size], the lower triangle is overwritten by the factor
    float* right_;   ///< [size, columns]
    std::vector<float> inverses_;  ///< [size / kBlock, kBlock, kBlock] inverses of the diagonal
                                   ///< blocks
    std::vector<float> work_;
};

void BlockSystem::copyIn(const RidgeProblem& problem, double ridge) {
    const std::int64_t n = problem.gram.extent(0);
    const std::int64_t m = problem.right.extent(1);
    for (std::int64_t r = 0; r < size_; ++r) {
        // Entries to the right of the diagonal block are never read.
        std::fill_n(at(r, 0), r / kBlock * kBlock + kBlock, 0.0F);
        std::fill_n(right_ + r * columns_, columns_, 0.0F);
        if (r >= n) {
            *at(r, r) = 1;
            continue;
        }
        std::copy_n(problem.gram.data() + r * n, r + 1, at(r, 0));
        *at(r, r) += static_cast<float>(ridge);
        std::copy_n(problem.right.data() + r * m, m, right_ + r * columns_);
    }
}

/// Computes column block k of the factor, from the diagonal down.
bool BlockSystem::factorColumn(std::int64_t k) {
    const std::int64_t rows = size_ - k;
    if (k > 0) {
        multiplyTransposed({.a = at(k, 0),
                            .aStride = size_,
                            .b = at(k, 0),
                            .bStride = size_,
                            .c = work_.data(),
                            .cStride = kBlock,
                            .rows = rows,
                            .depth = k,
                            .columns = kBlock});
        subtract(at(k, k), size_, work_.data(), rows, kBlock);
    }
    if (!factorDiagonal(k)) return false;
    invertDiagonal(k);
    const std::int64_t below = rows - kBlock;
    if (below == 0) return true;
    for (std::int64_t r = 0; r < below; ++r)
        std::copy_n(at(k + kBlock + r, k), kBlock, work_.data() + r * kBlock);
    multiplyTransposed({.a = work_.data(),
                        .aStride = kBlock,
                        .b = inverse(k),
                        .bStride = kBlock,
                        .c = at(k + kBlock, k),
                        .cStride = size_,
                        .rows = below,
                        .depth = kBlock,
                        .columns = kBlock});
    return true;
}

bool BlockSystem::factorDiagonal(std::int64_t k) {
    for (std::int64_t c = 0; c < kBlock; ++c) {
        float* row = at(k + c, k);
        float square = row[c];
        for (std::int64_t i = 0; i < c; ++i) square -= row[i] * row[i];
        if (!(square > 0) || !std::isfinite(square)) return false;
        row[c] = std::sqrt(square);
        const float part = 1.0F / row[c];
        for (std::int64_t r = c + 1; r < kBlock; ++r) {
            float* other = at(k + r, k);
            float sum = other[c];
            for (std::int64_t i = 0; i < c; ++i) sum -= other[i] * row[i];
            other[c] = sum * part;
        }
    }
    return true;
}

/// The inverse is lower triangular, row-major.
void BlockSystem::invertDiagonal(std::int64_t k) {
    float* out = inverse(k);
    std::fill_n(out, kBlock * kBlock, 0.0F);
    for (std::int64_t r = 0; r < kBlock; ++r) {
        const float* row = at(k + r, k);
        const float part = 1.0F / row[r];
        float* to = out + r * kBlock;
        for (std::int64_t i = 0; i < r; ++i)
            for (std::int64_t c = 0; c <= i; ++c) to[c] -= row[i] * out[i * kBlock + c];
        for (std::int64_t c = 0; c < r; ++c) to[c] *= part;
        to[r] = part;
    }
}

/// Replaces row block k of the right side by its product with `factor` [kBlock, kBlock].
void BlockSystem::takeSolved(std::int64_t k, const float* factor) {
    float* rows = right_ + k * columns_;
    multiply({.a = factor,
              .aStride = kBlock,
              .b = rows,
              .bStride = columns_,
              .c = work_.data(),
              .cStride = columns_,
              .rows = kBlock,
              .depth = kBlock,
              .columns = columns_});
    std::copy_n(work_.data(), kBlock * columns_, rows);
}

void BlockSystem::substituteDown(std::int64_t k) {
    if (k > 0) {
        multiply({.a = at(k, 0),
                  .aStride = size_,
                  .b = right_,
                  .bStride = columns_,
                  .c = work_.data(),
                  .cStride = columns_,
                  .rows = kBlock,
                  .depth = k,
                  .columns = columns_});
        subtract(right_ + k * columns_, columns_, work_.data(), kBlock, columns_);
    }
    takeSolved(k, inverse(k));
}

void BlockSystem::substituteUp(std::int64_t k) {
    const std::int64_t below = size_ - k - kBlock;
    if (below > 0) {
        std::vector<float> transposed(static_cast<std::size_t>(kBlock * below));
        for (std::int64_t r = 0; r < below; ++r)
            for (std::int64_t c = 0; c < kBlock; ++c)
                transposed[static_cast<std::size_t>(c * below + r)] = *at(k + kBlock + r, k + c);
        multiply({.a = transposed.data(),
                  .aStride = below,
                  .b = right_ + (k + kBlock) * columns_,
                  .bStride = columns_,
                  .c = work_.data(),
                  .cStride = columns_,
                  .rows = kBlock,
                  .depth = below,
                  .columns = columns_});
        subtract(right_ + k * columns_, columns_, work_.data(), kBlock, columns_);
    }
    float turnedInverse[kBlock * kBlock];
    for (std::int64_t r = 0; r < kBlock; ++r)
        for (std::int64_t c = 0; c < kBlock; ++c)
            turnedInverse[c * kBlock + r] = inverse(k)[r * kBlock + c];
    takeSolved(k, turnedInverse);
}

/// Solution [n, m] without padding; nullopt if a number is too large or not finite.
std::optional<std::vector<float>> acceptable(const BlockSystem& system, std::int64_t n,
                                             std::int64_t m, float largest) {
    std::vector<float> out;
    out.reserve(static_cast<std::size_t>(n * m));
    for (std::int64_t r = 0; r < n; ++r)
        out.insert(out.end(), system.answer(r), system.answer(r) + m);
    for (const float x : out)
        if (!std::isfinite(x) || (largest > 0 && std::abs(x) > largest)) return std::nullopt;
    return out;
}

}  // namespace

Result<std::optional<RidgeSolution>> solveRidgeBlocks(const RidgeProblem& problem,
                                                      BufferPool* buffers) {
    const std::int64_t n = problem.gram.extent(0);
    const std::int64_t m = problem.right.extent(1);
    if (n <= kSmall || m == 0) return solveRidge(problem);
    double scale = 0;
    for (std::int64_t i = 0; i < n; ++i)
        scale += static_cast<double>(problem.gram.data()[i * n + i]) / static_cast<double>(n);
    if (!std::isfinite(scale) || scale <= 0) return std::optional<RidgeSolution>{};
    LACUNA_TRY(PooledFloats matrix,
               PooledFloats::take(buffers, BlockSystem::matrixNumbers(problem)));
    LACUNA_TRY(PooledFloats right, PooledFloats::take(buffers, BlockSystem::rightNumbers(problem)));
    float lambda = problem.lambda;
    for (int attempt = 0; attempt <= kEscalations; ++attempt, lambda *= 10) {
        BlockSystem system(problem, static_cast<double>(lambda) * scale, matrix.data(),
                           right.data());
        if (!system.solve()) continue;
        if (auto answer = acceptable(system, n, m, problem.largest))
            return std::optional(RidgeSolution{std::move(*answer), lambda, attempt});
    }
    return std::optional<RidgeSolution>{};
}

}  // namespace lacuna
