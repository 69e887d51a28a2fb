#include "app/bench/matching_pursuit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/kernels/cpu_features.h"
#include "engine/linalg/least_squares.h"

namespace lacuna {
namespace {

constexpr double kWorthless = -7;  // ln weight below which a selected key is dropped
constexpr int kSecondThoughts = 3;

/// Exponentials of a slot's scores relative to each query's largest, [queries].
std::vector<double> exponentials(const SpanAttention& span, std::int32_t slot) {
    const float* row = span.row(slot);
    std::vector<double> out(static_cast<std::size_t>(span.queries));
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<double>(row[i]) * static_cast<double>(span.sums[i]);
    return out;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Columns of the selected keys and their products, extended as keys are added.
class Picked {
  public:
    explicit Picked(const SpanAttention& span)
        : span_(span), target_(span.sums.begin(), span.sums.begin() + span.queries) {}

    void add(std::int32_t slot) {
        std::vector<double> column = exponentials(span_, slot);
        std::vector<double> products;
        for (const auto& other : columns_) products.push_back(dot(column, other));
        products.push_back(dot(column, column));
        right_.push_back(dot(column, target_));
        products_.push_back(std::move(products));
        columns_.push_back(std::move(column));
    }
    [[nodiscard]] std::vector<double> weights(const MassBounds& bounds) const {
        const auto t = static_cast<std::int64_t>(columns_.size());
        std::vector<double> gram(static_cast<std::size_t>(t * t));
        for (std::int64_t a = 0; a < t; ++a)
            for (std::int64_t b = 0; b <= a; ++b) {
                const double value =
                    products_[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
                gram[static_cast<std::size_t>(a * t + b)] = value;
                gram[static_cast<std::size_t>(b * t + a)] = value;
            }
        return solveBounded({.gram = {gram.data(), {t, t}},
                             .right = {right_.data(), {t}},
                             .least = std::exp(bounds.least),
                             .most = std::exp(bounds.most),
                             .steps = bounds.steps})
            .value_or(std::vector<double>());
    }
    /// Returns the mass of each query that the selected keys do not explain, padded to the span's
    /// columns.
    [[nodiscard]] std::vector<float> residual(const std::vector<double>& weights) const {
        std::vector<double> left = target_;
        for (std::size_t a = 0; a < weights.size(); ++a)
            for (std::size_t i = 0; i < left.size(); ++i) left[i] -= weights[a] * columns_[a][i];
        std::vector<float> out(static_cast<std::size_t>(span_.columns), 0.0F);
        for (std::size_t i = 0; i < left.size(); ++i)
            out[i] = static_cast<float>(left[i] * static_cast<double>(span_.sums[i]));
        return out;
    }
    [[nodiscard]] std::size_t size() const { return columns_.size(); }

  private:
    const SpanAttention& span_;
    std::vector<double> target_;
    std::vector<std::vector<double>> columns_;
    std::vector<std::vector<double>> products_;  ///< lower triangle
    std::vector<double> right_;
};

/// Returns the `count` usable, unselected slots with the largest projection on the residual.
std::vector<std::int32_t> nextKeys(const SpanAttention& span, const std::vector<float>& residual,
                                   const std::vector<bool>& taken, int count) {
    std::vector<float> scores(static_cast<std::size_t>(span.slots));
    bestKernels().dotRows[kernelIndex(DType::F32)]({reinterpret_cast<const std::byte*>(span.row(0)),
                                                    span.columns * 4, span.slots, span.columns},
                                                   residual.data(), scores.data());
    std::vector<std::int32_t> order;
    for (std::int32_t j = 0; j < static_cast<std::int32_t>(span.slots); ++j)
        if (!taken[static_cast<std::size_t>(j)] && span.usable[static_cast<std::size_t>(j)])
            order.push_back(j);
    keepHighest(order, scores, count);
    return order;
}

/// Adds keys until there are `count`, refitting in between.
void extend(const SpanAttention& span, int count, const PursuitOptions& options,
            std::vector<bool>& taken, std::vector<std::int32_t>& picks) {
    Picked picked(span);
    for (const std::int32_t slot : picks) picked.add(slot);
    std::vector<double> weights = picked.weights(kPursuitBounds);
    std::vector<float> residual = picked.residual(weights);
    for (int step = 1; static_cast<int>(picks.size()) < count; ++step) {
        const int wanted = std::min(options.perStep, count - static_cast<int>(picks.size()));
        const auto next = nextKeys(span, residual, taken, wanted);
        if (next.empty()) return;
        for (const std::int32_t slot : next) {
            taken[static_cast<std::size_t>(slot)] = true;
            picks.push_back(slot);
            picked.add(slot);
        }
        if (step % options.refitEvery == 0) weights = picked.weights(kPursuitBounds);
        weights.resize(picked.size(), 0.0);
        residual = picked.residual(weights);
    }
}

}  // namespace

std::vector<float> massWeights(const SpanAttention& span, const std::vector<std::int32_t>& slots,
                               const MassBounds& bounds) {
    Picked picked(span);
    for (const std::int32_t slot : slots) picked.add(slot);
    std::vector<float> out;
    for (const double weight : picked.weights(bounds))
        out.push_back(static_cast<float>(std::log(weight)));
    return out;
}

std::vector<std::int32_t> pursueKeys(const SpanAttention& span, int count,
                                     const PursuitOptions& options) {
    std::vector<bool> taken(static_cast<std::size_t>(span.slots), false);
    std::vector<std::int32_t> picks;
    for (int round = 0; round <= kSecondThoughts; ++round) {
        extend(span, count, options, taken, picks);
        if (round == kSecondThoughts) break;
        const std::vector<float> weights = massWeights(span, picks, kPursuitBounds);
        std::vector<std::int32_t> worth;
        for (std::size_t a = 0; a < weights.size(); ++a)
            if (static_cast<double>(weights[a]) >= kWorthless) worth.push_back(picks[a]);
        if (weights.size() != picks.size() || worth.size() == picks.size()) break;
        picks = std::move(worth);
    }
    return picks;
}

}  // namespace lacuna
