#include "engine/kernels/rotation.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>
#include <utility>

#include "engine/base/random.h"
#include "engine/base/string_format.h"
#include "engine/kernels/cpu_features.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kSignStream = 0x526F74617465;  // distinguishes it from other uses of the
                                                       // seed

using Row = std::array<float, Rotation::kMaxDim>;

/// Returns 1 for squares modulo the prime q, -1 for other numbers, 0 for multiples of q.
int residueSign(int x, int q) {
    x = (x % q + q) % q;
    if (x == 0) return 0;
    for (int i = 1; i < q; ++i)
        if (i * i % q == x) return 1;
    return -1;
}

/// Returns a Paley Hadamard matrix, not normalised. 12 and 20 use his first construction (q = n -
/// 1, of the form 4k + 3), 28 and 36 the second (q = n / 2 - 1, of the form 4k + 1). Paley 1933.
std::vector<float> paley(int n) {
    const bool first = n == 12 || n == 20;
    const int q = first ? n - 1 : n / 2 - 1;
    const int side = q + 1;
    // Bordered matrix of residues: skew for the first construction, symmetric for the second.
    const auto bordered = [&](int i, int j) {
        if (i == 0 && j == 0) return 0;
        if (i == 0) return 1;
        if (j == 0) return first ? -1 : 1;
        return residueSign(i - j, q);
    };
    std::vector<float> matrix(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
    const auto set = [&](int i, int j, int value) {
        matrix[static_cast<std::size_t>(i) * static_cast<std::size_t>(n) +
               static_cast<std::size_t>(j)] = static_cast<float>(value);
    };
    for (int i = 0; i < side; ++i) {
        for (int j = 0; j < side; ++j) {
            const int s = bordered(i, j);
            if (first) {
                set(i, j, i == j ? 1 : s);
                continue;
            }
            // Every entry becomes a 2 x 2 square: (1 -1; -1 -1) on the diagonal, otherwise +-(1 1;
            // 1 -1).
            const int v = i == j ? 1 : s;
            set(2 * i, 2 * j, v);
            set(2 * i, 2 * j + 1, i == j ? -1 : v);
            set(2 * i + 1, 2 * j, i == j ? -1 : v);
            set(2 * i + 1, 2 * j + 1, -v);
        }
    }
    return matrix;
}

/// Orthonormal DCT-II.
std::vector<float> cosines(int n) {
    std::vector<float> matrix;
    matrix.reserve(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
    for (int k = 0; k < n; ++k) {
        const double norm = std::sqrt((k == 0 ? 1.0 : 2.0) / n);
        for (int j = 0; j < n; ++j)
            matrix.push_back(
                static_cast<float>(norm * std::cos(std::numbers::pi * (j + 0.5) * k / n)));
    }
    return matrix;
}

std::vector<float> transposed(const std::vector<float>& matrix, std::size_t n) {
    std::vector<float> out(matrix.size());
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) out[j * n + i] = matrix[i * n + j];
    return out;
}

/// Sylvester's transform over blocks of `width` numbers: pairs are `step` blocks apart.
void butterflies(float* x, std::size_t dim, std::size_t width) {
    for (std::size_t step = width; step < dim; step *= 2) {
        for (std::size_t i = 0; i < dim; i += 2 * step) {
            float* low = x + i;
            float* high = low + step;
            for (std::size_t j = 0; j < step; ++j) {
                const float a = low[j];
                const float b = high[j];
                low[j] = a + b;
                high[j] = a - b;
            }
        }
    }
}

/// Multiplies every block of n numbers by a matrix whose columns are the rows of `columns`.
void multiplyBlocks(const std::vector<float>& columns, std::size_t n, const float* in, float* out,
                    std::size_t dim) {
    for (std::size_t block = 0; block < dim; block += n) {
        float* target = out + block;
        std::memset(target, 0, n * sizeof(float));
        for (std::size_t j = 0; j < n; ++j) {
            const float x = in[block + j];
            const float* column = columns.data() + j * n;
            for (std::size_t i = 0; i < n; ++i) target[i] += x * column[i];
        }
    }
}

/// Processes several rows at a time, so that a matrix is read once for them. The terms of each
/// number and their order do not depend on the other rows.
void multiplyDense(const std::vector<float>& columns, std::size_t n, const RotationRows& rows) {
    constexpr int kTogether = 8;
    std::array<float, kTogether * Rotation::kMaxDim> sums;
    const auto count = static_cast<std::int64_t>(n);
    const RowBlock matrix{reinterpret_cast<const std::byte*>(columns.data()),
                          count * std::int64_t{sizeof(float)}, count, count};
    for (int first = 0; first < rows.count; first += kTogether) {
        const int some = std::min(kTogether, rows.count - first);
        std::fill_n(sums.begin(), count * some, 0.0F);
        // The weights are only read.
        bestKernels().addManyQueries[kernelIndex(DType::F32)](
            matrix, {.weights = const_cast<float*>(rows.in + first * rows.inStride),
                     .weightStride = rows.inStride,
                     .sums = sums.data(),
                     .sumStride = count,
                     .count = some});
        for (int i = 0; i < some; ++i)
            std::copy_n(sums.data() + i * count, count, rows.out + (first + i) * rows.outStride);
    }
}

/// Returns the largest entry of M M' - I; `columns` is M'.
double worstProduct(const std::vector<float>& matrix, const std::vector<float>& columns,
                    std::size_t n) {
    double worst = 0;
    Row products;
    for (std::size_t i = 0; i < n; ++i) {
        const auto stride = static_cast<std::int64_t>(n);
        multiplyDense(columns, n, {matrix.data() + i * n, stride, products.data(), stride, 1});
        for (std::size_t j = 0; j < n; ++j) {
            const double gap = std::fabs(double{products[j]} - (i == j ? 1 : 0));
            if (!(gap <= worst)) worst = std::isfinite(gap) ? gap : 1e30;
        }
    }
    return worst;
}

}  // namespace

Result<Rotation> Rotation::hadamard(int dim, std::uint64_t seed) {
    if (dim < kMinDim || dim > kMaxDim || dim % 2 != 0)
        return fail(ErrorCode::InvalidArgument,
                    format("rows of {} numbers cannot be rotated: the length must be even and from "
                           "{} to {}",
                           dim, kMinDim, kMaxDim));
    Rotation rotation;
    rotation.dim_ = dim;
    const int odd = dim >> std::countr_zero(static_cast<unsigned>(dim));
    const bool byPaley = odd > 1 && odd <= 9;  // 12, 20, 28, 36: four times the odd factor
    rotation.factor_ = byPaley ? 4 * odd : odd;
    double scale = std::sqrt(static_cast<double>(rotation.factor_) / dim);
    if (byPaley) {
        rotation.matrix_ = paley(rotation.factor_);
        scale = 1 / std::sqrt(static_cast<double>(dim));
    } else if (odd > 1) {
        rotation.matrix_ = cosines(odd);
    }
    rotation.transposed_ =
        transposed(rotation.matrix_,
                   static_cast<std::size_t>(rotation.matrix_.empty() ? 0 : rotation.factor_));
    for (int i = 0; i < dim; ++i) {
        const std::uint64_t word =
            randomBits(seed, kSignStream, static_cast<std::uint64_t>(i / 64));
        const bool negative = ((word >> (i % 64)) & 1U) != 0;
        rotation.signs_.push_back(static_cast<float>(negative ? -scale : scale));
    }
    return rotation;
}

Result<Rotation> Rotation::dense(int dim, std::vector<float> matrix, RowFit fit) {
    if (dim < 2 || dim > kMaxDim)
        return fail(ErrorCode::InvalidArgument,
                    format("a rotation of {} numbers: from 2 to {} are possible", dim, kMaxDim));
    const auto n = static_cast<std::size_t>(dim);
    if (matrix.size() != n * n)
        return fail(ErrorCode::InvalidArgument,
                    format("a rotation of {} numbers has {} entries instead of {}", dim,
                           matrix.size(), n * n));
    for (const float x : matrix)
        if (!std::isfinite(x))
            return fail(ErrorCode::InvalidArgument,
                        format("a rotation of {} numbers has an entry that is not finite", dim));
    if (!fit.centre.empty() && fit.centre.size() != n)
        return fail(ErrorCode::InvalidArgument,
                    format("a rotation of {} numbers has a centre of {}", dim, fit.centre.size()));
    for (const float x : fit.centre)
        if (!std::isfinite(x))
            return fail(ErrorCode::InvalidArgument,
                        format("a rotation of {} numbers has a centre that is not finite", dim));
    for (const float range : fit.ranges)
        if (!(range >= kMinRange && range <= kMaxRange))
            return fail(
                ErrorCode::InvalidArgument,
                format("a rotation of {} numbers has a range of codes of {}; expected {} to "
                       "{}",
                       dim, range, kMinRange, kMaxRange));
    constexpr double kTolerance = 1e-4;
    std::vector<float> columns = transposed(matrix, n);
    const double worst = worstProduct(matrix, columns, n);
    if (worst > kTolerance)
        return fail(ErrorCode::InvalidArgument,
                    format("a rotation of {} numbers is not orthogonal: its rows are off by {:.2g}",
                           dim, worst));
    Rotation rotation;
    rotation.dim_ = dim;
    rotation.factor_ = dim;
    rotation.transposed_ = std::move(columns);
    rotation.matrix_ = std::move(matrix);
    rotation.fit_ = std::move(fit);
    return rotation;
}

void Rotation::apply(const RotationRows& rows) const {
    turn(rows);
    for (int r = 0; r < rows.count; ++r)
        for (std::size_t i = 0; i < fit_.centre.size(); ++i)
            rows.out[r * rows.outStride + static_cast<std::int64_t>(i)] -= fit_.centre[i];
}

void Rotation::turn(const RotationRows& rows) const {
    if (signs_.empty()) return multiplyDense(transposed_, static_cast<std::size_t>(dim_), rows);
    for (int r = 0; r < rows.count; ++r)
        turnRow(rows.in + r * rows.inStride, rows.out + r * rows.outStride);
}

void Rotation::undo(const RotationRows& rows) const {
    if (!fit_.centre.empty()) {
        Row whole;
        for (int r = 0; r < rows.count; ++r) {
            const float* const in = rows.in + r * rows.inStride;
            for (std::size_t i = 0; i < fit_.centre.size(); ++i) whole[i] = in[i] + fit_.centre[i];
            multiplyDense(matrix_, fit_.centre.size(),
                          {whole.data(), dim_, rows.out + r * rows.outStride, dim_, 1});
        }
        return;
    }
    if (signs_.empty()) return multiplyDense(matrix_, static_cast<std::size_t>(dim_), rows);
    for (int r = 0; r < rows.count; ++r)
        undoRow(rows.in + r * rows.inStride, rows.out + r * rows.outStride);
}

void Rotation::turnRow(const float* in, float* out) const {
    if (factor_ == 1) return bestKernels().signThenHadamard(in, signs_.data(), out, dim_);
    const auto n = static_cast<std::size_t>(dim_);
    const auto factor = static_cast<std::size_t>(factor_);
    Row row;
    for (std::size_t i = 0; i < n; ++i) row[i] = signs_[i] * in[i];
    multiplyBlocks(transposed_, factor, row.data(), out, n);
    butterflies(out, n, factor);
}

void Rotation::undoRow(const float* in, float* out) const {
    if (factor_ == 1) return bestKernels().hadamardThenSign(in, signs_.data(), out, dim_);
    const auto n = static_cast<std::size_t>(dim_);
    const auto factor = static_cast<std::size_t>(factor_);
    Row row;
    std::memcpy(row.data(), in, n * sizeof(float));
    butterflies(row.data(), n, factor);
    multiplyBlocks(matrix_, factor, row.data(), out, n);
    for (std::size_t i = 0; i < n; ++i) out[i] *= signs_[i];
}

}  // namespace lacuna
