// Subspace iteration from a fixed start: repeatedly applying the covariance to a few orthogonal
// vectors turns them towards its leading directions. The restriction of the covariance to their
// span is then exact.

#include "engine/compress/matching/query_directions.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/base/random.h"
#include "engine/compress/matching/matrix_products.h"

namespace lacuna {
namespace {

constexpr int kTurns = 4;
constexpr std::uint64_t kStartStream = 0x64697265;  // "dire": separates this use of the seed from
                                                    // all others
// A residual below this share of a vector's square is a rounding error.
constexpr double kSpent = 1e-4;

/// Vectors of keyDim numbers and the covariance applied to them. Rows of both are zero-padded.
class Subspace {
  public:
    Subspace(View<const float, 2> queries, const std::vector<bool>& counts, int rank)
        : rank_(rank),
          dim_(queries.extent(1)),
          stride_(paddedColumns(dim_)),
          covariance_(sized(stride_ * stride_), 0.0F),
          vectors_(sized(rank * stride_), 0.0F),
          turned_(vectors_.size()) {
        takeCovariance(queries, counts);
        RandomStream random(0, kStartStream);
        for (std::int64_t r = 0; r < rank_; ++r)
            for (std::int64_t d = 0; d < dim_; ++d)
                vectors_[sized(r * stride_ + d)] = static_cast<float>(random.normal());
    }
    void turn() {
        multiplyByCovariance();
        vectors_.swap(turned_);
        for (std::int64_t r = 0; r < rank_; ++r) {
            // Repeated, because the first residual may be small and inaccurate.
            makeOrthogonal(r);
            makeOrthogonal(r);
        }
    }
    [[nodiscard]] std::vector<float> rows();

  private:
    [[nodiscard]] float* vector(std::int64_t r) { return vectors_.data() + r * stride_; }
    void takeCovariance(View<const float, 2> queries, const std::vector<bool>& counts);
    void multiplyByCovariance() {
        multiply({.a = vectors_.data(),
                  .aStride = stride_,
                  .b = covariance_.data(),
                  .bStride = stride_,
                  .c = turned_.data(),
                  .cStride = stride_,
                  .rows = rank_,
                  .depth = dim_,
                  .columns = stride_});
    }
    void makeOrthogonal(std::int64_t r);
    [[nodiscard]] static double dot(const float* a, const float* b, std::int64_t count) {
        double sum = 0;
        for (std::int64_t d = 0; d < count; ++d)
            sum += static_cast<double>(a[d]) * static_cast<double>(b[d]);
        return sum;
    }

    std::int64_t rank_, dim_, stride_;
    std::vector<float> covariance_;        ///< [stride, stride]
    std::vector<float> vectors_, turned_;  ///< [rank, stride]
};

void Subspace::takeCovariance(View<const float, 2> queries, const std::vector<bool>& counts) {
    std::vector<double> mean(sized(dim_), 0.0);
    std::int64_t counted = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (!counts[i]) continue;
        const auto row = queries.row(static_cast<std::int64_t>(i));
        for (std::int64_t d = 0; d < dim_; ++d)
            mean[sized(d)] += static_cast<double>(row[sized(d)]);
        ++counted;
    }
    if (counted == 0) return;
    std::vector<float> transposed(sized(dim_ * counted));
    std::int64_t at = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (!counts[i]) continue;
        const auto row = queries.row(static_cast<std::int64_t>(i));
        for (std::int64_t d = 0; d < dim_; ++d)
            transposed[sized(d * counted + at)] =
                row[sized(d)] - static_cast<float>(mean[sized(d)] / static_cast<double>(counted));
        ++at;
    }
    multiplyTransposed({.a = transposed.data(),
                        .aStride = counted,
                        .b = transposed.data(),
                        .bStride = counted,
                        .c = covariance_.data(),
                        .cStride = stride_,
                        .rows = dim_,
                        .depth = counted,
                        .columns = dim_});
    for (float& x : covariance_) x /= static_cast<float>(counted);
}

/// Orthogonalises a vector against the previous ones and normalises it, or sets it to 0 if it
/// depends on them.
void Subspace::makeOrthogonal(std::int64_t r) {
    float* own = vector(r);
    const double whole = dot(own, own, dim_);
    for (std::int64_t before = 0; before < r; ++before) {
        const float* other = vector(before);
        const auto part = static_cast<float>(dot(own, other, dim_));
        for (std::int64_t d = 0; d < dim_; ++d) own[d] -= part * other[d];
    }
    const double left = dot(own, own, dim_);
    const float scale =
        left > kSpent * kSpent * whole ? static_cast<float>(1 / std::sqrt(left)) : 0.0F;
    for (std::int64_t d = 0; d < dim_; ++d) own[d] *= scale;
}

/// With V C V' = L L', returns the rows of L' V: their squares are V' L L' V, which is C within the
/// span.
std::vector<float> Subspace::rows() {
    multiplyByCovariance();
    std::vector<double> factor(sized(rank_ * rank_), 0.0);
    for (std::int64_t r = 0; r < rank_; ++r)
        for (std::int64_t c = 0; c <= r; ++c) {
            double left = dot(vector(r), turned_.data() + c * stride_, dim_);
            for (std::int64_t i = 0; i < c; ++i)
                left -= factor[sized(r * rank_ + i)] * factor[sized(c * rank_ + i)];
            const double diagonal = factor[sized(c * rank_ + c)];
            factor[sized(r * rank_ + c)] = r == c         ? std::sqrt(std::max(left, 0.0))
                                           : diagonal > 0 ? left / diagonal
                                                          : 0.0;
        }
    std::vector<float> out(sized(rank_ * dim_), 0.0F);
    const double scale = std::sqrt(static_cast<double>(rank_));
    for (std::int64_t r = 0; r < rank_; ++r)
        for (std::int64_t c = 0; c <= r; ++c) {
            const auto part = static_cast<float>(scale * factor[sized(r * rank_ + c)]);
            for (std::int64_t d = 0; d < dim_; ++d) out[sized(c * dim_ + d)] += part * vector(r)[d];
        }
    return out;
}

}  // namespace

std::vector<float> queryDirections(View<const float, 2> queries, const std::vector<bool>& counts,
                                   int rank) {
    Subspace subspace(queries, counts, rank);
    for (int i = 0; i < kTurns; ++i) subspace.turn();
    return subspace.rows();
}

}  // namespace lacuna
