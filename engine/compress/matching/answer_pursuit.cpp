// Orthogonal least squares: every pick is orthogonalised against the previous picks, and its
// contribution is subtracted from the products of all candidates with the targets. A pick costs one
// pass over the candidates' rows.

#include "engine/compress/matching/answer_pursuit.h"

#include <algorithm>
#include <cmath>

#include "engine/compress/matching/matrix_products.h"
#include "engine/kernels/cpu_features.h"
#include "engine/kv/row_format.h"

namespace lacuna {
namespace {

// Cost of missing all of the mass, relative to missing all of the mean output.
constexpr float kMassPart = 0.3F;
// Share of the mean square of a candidate's row that is added to each residual. A key that only one
// query needs fits that query perfectly and the next one not at all.
constexpr float kDamping = 0.1F;
// A residual below this share of a row's square is a rounding error: the row depends linearly on
// picked ones.
constexpr float kSpent = 1e-4F;

// Compromise between weighting all queries equally and weighting them by slots, as the reference
// implementation does.
constexpr float kSpreadPower = 0.5F;
// Lower bound of the largest probability; a query below it attends to all slots equally.
constexpr float kFaint = 1e-6F;

class Pursuit {
  public:
    /// Errors: NoMemory.
    [[nodiscard]] static Result<Pursuit> begin(const SpanAttention& span,
                                               std::span<const std::int32_t> candidates) {
        Pursuit out(span, static_cast<std::int64_t>(candidates.size()));
        LACUNA_TRY(out.rows_, PooledFloats::take(span.buffers, out.count_ * out.columns_));
        LACUNA_TRY(out.targets_, PooledFloats::take(span.buffers, out.aims_ * out.columns_));
        out.weighQueries(span, candidates);
        out.takeRows(span, candidates);
        out.takeTargets(span);
        return out;
    }
    /// Returns the index of the candidate that explains most, or -1.
    [[nodiscard]] std::int64_t best() const {
        std::int64_t found = -1;
        float top = 0;
        for (std::int64_t j = 0; j < count_; ++j) {
            const auto at = static_cast<std::size_t>(j);
            if (taken_[at] || left_[at] <= kSpent * whole_[at]) continue;
            const float* products = products_.data() + j * aims_;
            float explained = 0;
            for (std::int64_t d = 0; d < aims_; ++d) explained += products[d] * products[d];
            const float score = explained / (left_[at] + damping_);
            if (score > top) {
                top = score;
                found = j;
            }
        }
        return found;
    }
    void take(std::int64_t picked) {
        taken_[static_cast<std::size_t>(picked)] = true;
        std::vector<float> direction(rows_.data() + picked * columns_,
                                     rows_.data() + (picked + 1) * columns_);
        const auto size = static_cast<std::size_t>(columns_);
        for (std::size_t before = 0; before < directions_.size(); before += size) {
            const float* other = directions_.data() + before;
            float part = 0;
            dots(other, 1, direction.data(), &part);
            for (std::size_t i = 0; i < size; ++i) direction[i] -= part * other[i];
        }
        const float length = norm(direction);
        if (!(length > 0)) return;
        for (float& x : direction) x /= length;
        std::vector<float> along(static_cast<std::size_t>(count_));
        std::vector<float> aimed(static_cast<std::size_t>(aims_));
        dots(rows_.data(), count_, direction.data(), along.data());
        dots(targets_.data(), aims_, direction.data(), aimed.data());
        for (std::int64_t j = 0; j < count_; ++j) {
            const float part = along[static_cast<std::size_t>(j)];
            float* products = products_.data() + j * aims_;
            for (std::int64_t d = 0; d < aims_; ++d)
                products[d] -= part * aimed[static_cast<std::size_t>(d)];
            left_[static_cast<std::size_t>(j)] -= part * part;
        }
        directions_.insert(directions_.end(), direction.begin(), direction.end());
    }

  private:
    Pursuit(const SpanAttention& span, std::int64_t count)
        : count_(count),
          columns_(span.columns),
          aims_(static_cast<std::int64_t>(span.outputs.size()) / span.columns + 1),
          taken_(static_cast<std::size_t>(count), false) {}

    void dots(const float* rows, std::int64_t count, const float* with, float* out) const {
        bestKernels().dotRows[kernelIndex(DType::F32)](
            {reinterpret_cast<const std::byte*>(rows), columns_ * 4, count, columns_}, with, out);
    }
    /// Weights a query by a power of the number of slots it attends to, the reciprocal of its
    /// largest probability. Many similar slots indicate many similar queries, as a sample of
    /// queries would.
    void weighQueries(const SpanAttention& span, std::span<const std::int32_t> candidates) {
        std::vector<float> top(static_cast<std::size_t>(columns_), 0.0F);
        float* tops = top.data();
        for (const std::int32_t slot : candidates) {
            const float* row = span.row(slot);
            for (std::int64_t i = 0; i < columns_; ++i)
                tops[i] = row[i] > tops[i] ? row[i] : tops[i];
        }
        weights_ = span.weights;
        for (std::size_t i = 0; i < weights_.size(); ++i)
            if (weights_[i] > 0) weights_[i] /= std::pow(std::max(top[i], kFaint), kSpreadPower);
    }
    /// Copies the candidates' probabilities, each query scaled by its weight.
    void takeRows(const SpanAttention& span, std::span<const std::int32_t> candidates) {
        float* to = rows_.data();
        double squares = 0;
        for (const std::int32_t slot : candidates) {
            const float* row = span.row(slot);
            for (std::int64_t i = 0; i < columns_; ++i)
                to[i] = row[i] * weights_[static_cast<std::size_t>(i)];
            const float length = norm({to, static_cast<std::size_t>(columns_)});
            whole_.push_back(length * length);
            squares += static_cast<double>(whole_.back());
            to += columns_;
        }
        left_ = whole_;
        damping_ = kDamping * static_cast<float>(squares / static_cast<double>(count_));
    }
    /// Sets the targets: the outputs of all slots, and one row for their mass, which is 1 for every
    /// query.
    void takeTargets(const SpanAttention& span) {
        double squares = 0;
        double weights = 0;
        for (std::int64_t d = 0; d + 1 < aims_; ++d)
            for (std::int64_t i = 0; i < columns_; ++i) {
                const float x = span.outputs[static_cast<std::size_t>(d * columns_ + i)] *
                                weights_[static_cast<std::size_t>(i)];
                targets_.data()[d * columns_ + i] = x;
                squares += static_cast<double>(x) * static_cast<double>(x);
            }
        for (const float w : weights_) weights += static_cast<double>(w) * static_cast<double>(w);
        const auto size =
            static_cast<float>(weights > 0 ? std::sqrt(squares / weights) : 0.0) * kMassPart;
        float* mass = targets_.data() + (aims_ - 1) * columns_;
        for (std::int64_t i = 0; i < columns_; ++i)
            mass[i] = size * weights_[static_cast<std::size_t>(i)];
        products_.resize(static_cast<std::size_t>(count_ * aims_));
        multiplyTransposed({.a = rows_.data(),
                            .aStride = columns_,
                            .b = targets_.data(),
                            .bStride = columns_,
                            .c = products_.data(),
                            .cStride = aims_,
                            .rows = count_,
                            .depth = columns_,
                            .columns = aims_});
    }

    std::int64_t count_, columns_, aims_;
    std::vector<bool> taken_;
    std::vector<float> weights_;       ///< [columns]
    PooledFloats rows_, targets_;      ///< [count, columns], [aims, columns]
    std::vector<float> products_;      ///< [count, aims] products with the residual of the targets
    std::vector<float> whole_, left_;  ///< [count] squares of rows, and of their residuals
    std::vector<float> directions_;    ///< [picks, columns]
    float damping_ = 0;
};

}  // namespace

Result<std::vector<std::int32_t>> pursueAnswers(const SpanAttention& span,
                                                std::span<const std::int32_t> candidates,
                                                int count) {
    LACUNA_TRY(Pursuit pursuit, Pursuit::begin(span, candidates));
    std::vector<std::int32_t> picks;
    while (static_cast<int>(picks.size()) < count) {
        const std::int64_t found = pursuit.best();
        if (found < 0) break;
        pursuit.take(found);
        picks.push_back(candidates[static_cast<std::size_t>(found)]);
    }
    return picks;
}

}  // namespace lacuna
