#include "engine/compress/value_fit.h"

#include <algorithm>
#include <cmath>

#include "engine/compress/matrix_products.h"
#include "engine/compress/value_correction.h"
#include "engine/kernels/cpu_features.h"
#include "engine/linalg/bounded_least_squares.h"

namespace lacuna {
namespace {

constexpr std::int64_t kHeldOutEvery = 8;
constexpr std::int64_t kFewestQueries = 16;
constexpr float kLeastMass = 1e-6F;
constexpr float kLargestFactor =
    4.0F;  // a value beyond this many times the largest old one is no fit

/// Attention over the kept keys [kept, columns] and which queries count for what.
struct KeptAttention {
    Buffer rows;
    std::int64_t kept = 0;
    std::int64_t columns = 0;
    std::vector<float> fitWeights;   ///< [columns] 0 where held out
    std::vector<float> testWeights;  ///< [columns] 0 where fitted
    [[nodiscard]] float* row(std::int64_t a) { return rows.as<float>().data() + a * columns; }
};

Result<KeptAttention> attendKept(const SpanAttention& span, const KeySelection& chosen,
                                 const std::vector<float>& bias) {
    KeptAttention out;
    out.kept = static_cast<std::int64_t>(chosen.slots.size());
    out.columns = span.columns;
    LACUNA_TRY(out.rows,
               Buffer::allocate(static_cast<std::size_t>(out.kept * out.columns) * sizeof(float)));
    std::vector<float> sums(static_cast<std::size_t>(out.columns), 0.0F);
    for (std::int64_t a = 0; a < out.kept; ++a) {
        const std::int32_t slot = chosen.slots[static_cast<std::size_t>(a)];
        const float weight =
            std::exp(bias[static_cast<std::size_t>(a)] - span.bias[static_cast<std::size_t>(slot)]);
        const float* from = span.row(slot);
        float* to = out.row(a);
        for (std::int64_t i = 0; i < out.columns; ++i) to[i] = from[i] * weight;
        bestKernels().addTo(sums.data(), to, out.columns);
    }
    out.fitWeights = span.weights;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        // Where the kept keys drew next to nothing, what they would answer means nothing.
        if (sums[i] < kLeastMass) out.fitWeights[i] = 0;
        sums[i] = sums[i] > 0 ? 1.0F / sums[i] : 0.0F;
    }
    const float* parts = sums.data();
    const std::int64_t columns = out.columns;
    for (std::int64_t a = 0; a < out.kept; ++a) {
        float* row = out.row(a);
        for (std::int64_t i = 0; i < columns; ++i) row[i] *= parts[i];
    }
    out.testWeights.assign(sums.size(), 0.0F);
    if (span.queries < kFewestQueries) return out;
    for (auto i = static_cast<std::size_t>(kHeldOutEvery) - 1; i < sums.size();
         i += kHeldOutEvery) {
        out.testWeights[i] = span.weights[i];
        out.fitWeights[i] = 0;
    }
    return out;
}

std::vector<float> originalValues(const SpanAttention& span, const KeySelection& chosen,
                                  std::int64_t dim) {
    std::vector<float> values;
    for (const std::int32_t slot : chosen.slots)
        values.insert(values.end(), span.values.begin() + slot * dim,
                      span.values.begin() + (slot + 1) * dim);
    return values;
}

/// Mean of the values each kept key stands in for, weighted by attention, and its own once more
/// where those keys differ from it.
std::vector<float> clusterValues(const SpanAttention& span, const KeySelection& chosen,
                                 std::int64_t dim, float anchorShare) {
    const std::vector<float> own = originalValues(span, chosen, dim);
    std::vector<float> means(own.size(), 0.0F);
    std::vector<float> total(chosen.slots.size(), 0.0F);
    std::vector<bool> mixed(chosen.slots.size(), false);
    float average = 0;
    for (std::int64_t k = 0; k < span.slots; ++k) {
        const auto owner = static_cast<std::size_t>(chosen.owner[static_cast<std::size_t>(k)]);
        const float weight = span.mass[static_cast<std::size_t>(k)];
        average += weight / static_cast<float>(span.slots);
        total[owner] += weight;
        mixed[owner] = mixed[owner] || !sameKey(span, k, chosen.slots[owner]);
        for (std::int64_t d = 0; d < dim; ++d)
            means[owner * static_cast<std::size_t>(dim) + static_cast<std::size_t>(d)] +=
                weight * span.values[static_cast<std::size_t>(k * dim + d)];
    }
    for (std::size_t a = 0; a < total.size(); ++a) {
        const float anchor = mixed[a] ? anchorShare * average : 0.0F;
        const float whole = total[a] + anchor;
        for (std::size_t d = a * static_cast<std::size_t>(dim);
             d < (a + 1) * static_cast<std::size_t>(dim); ++d)
            means[d] = whole > 1e-30F ? (means[d] + anchor * own[d]) / whole : own[d];
    }
    return means;
}

/// What all keys answer less what the kept ones answer with `values`: [dim, columns].
std::vector<float> residual(const SpanAttention& span, KeptAttention& kept,
                            const std::vector<float>& values, std::int64_t dim) {
    std::vector<float> turned(values.size());
    for (std::int64_t a = 0; a < kept.kept; ++a)
        for (std::int64_t d = 0; d < dim; ++d)
            turned[static_cast<std::size_t>(d * kept.kept + a)] =
                values[static_cast<std::size_t>(a * dim + d)];
    std::vector<float> answers(span.outputs.size());
    multiply({.a = turned.data(),
              .aStride = kept.kept,
              .b = kept.row(0),
              .bStride = kept.columns,
              .c = answers.data(),
              .cStride = kept.columns,
              .rows = dim,
              .depth = kept.kept,
              .columns = kept.columns});
    for (std::size_t i = 0; i < answers.size(); ++i) answers[i] = span.outputs[i] - answers[i];
    return answers;
}

double relativeError(const std::vector<float>& residual, const std::vector<float>& outputs,
                     const std::vector<float>& weights) {
    double error = 0;
    double whole = 0;
    for (std::size_t i = 0; i < residual.size(); ++i) {
        const auto weight = static_cast<double>(weights[i % weights.size()]);
        const double e = weight * static_cast<double>(residual[i]);
        const double y = weight * static_cast<double>(outputs[i]);
        error += e * e;
        whole += y * y;
    }
    return whole > 0 ? std::sqrt(error / whole) : 0.0;
}

float largestMagnitude(const std::vector<float>& numbers) {
    float top = 0;
    for (const float x : numbers) top = std::max(top, std::abs(x));
    return top;
}

/// Correction of the prior [kept, dim], or nothing.
Result<std::optional<std::vector<float>>> correction(const SpanAttention& span, KeptAttention& kept,
                                                     std::vector<float> rest, float lambda) {
    LACUNA_TRY(
        Buffer weighted,
        Buffer::allocate(static_cast<std::size_t>(kept.kept * kept.columns) * sizeof(float)));
    float* rows = weighted.as<float>().data();
    const float* weights = kept.fitWeights.data();
    const std::int64_t columns = kept.columns;
    for (std::int64_t a = 0; a < kept.kept; ++a) {
        const float* from = kept.row(a);
        float* to = rows + a * columns;
        for (std::int64_t i = 0; i < columns; ++i) to[i] = from[i] * weights[i];
    }
    const auto dim = static_cast<std::int64_t>(rest.size()) / columns;
    for (std::int64_t d = 0; d < dim; ++d) {
        float* row = rest.data() + d * columns;
        for (std::int64_t i = 0; i < columns; ++i) row[i] *= weights[i];
    }
    return solveCorrection({.rows = rows,
                            .rest = rest.data(),
                            .kept = kept.kept,
                            .columns = kept.columns,
                            .dim = dim,
                            .lambda = lambda,
                            .largest = kLargestFactor * largestMagnitude(span.values)});
}

/// Plain least squares over every query, unless there are fewer than kept keys.
std::optional<std::vector<float>> plainFit(const SpanAttention& span, KeptAttention& kept,
                                           std::int64_t dim) {
    if (span.queries < kept.kept) return std::nullopt;
    std::vector<float> x;
    std::vector<float> y;
    for (std::int64_t i = 0; i < span.queries; ++i) {
        for (std::int64_t a = 0; a < kept.kept; ++a) x.push_back(kept.row(a)[i]);
        for (std::int64_t d = 0; d < dim; ++d)
            y.push_back(span.outputs[static_cast<std::size_t>(d * span.columns + i)]);
    }
    return leastSquares({x.data(), {span.queries, kept.kept}}, {y.data(), {span.queries, dim}});
}

}  // namespace

Result<FittedValues> fitValues(const SpanAttention& span, const KeySelection& chosen,
                               const std::vector<float>& bias, const ValueFitOptions& options) {
    const auto dim = static_cast<std::int64_t>(span.values.size()) / span.slots;
    LACUNA_TRY(KeptAttention kept, attendKept(span, chosen, bias));
    FittedValues out;
    out.values = options.fit == ValueFit::RidgeCluster
                     ? clusterValues(span, chosen, dim, options.anchor)
                     : originalValues(span, chosen, dim);
    const std::vector<float> rest = residual(span, kept, out.values, dim);
    out.priorError = relativeError(rest, span.outputs, kept.testWeights);
    out.heldOutError = out.priorError;
    if (options.fit == ValueFit::Direct || span.queries < kFewestQueries) return out;
    if (options.fit == ValueFit::LeastSquares) {
        auto plain = plainFit(span, kept, dim);
        if (!plain) return out;
        out.values = std::move(*plain);
        out.heldOutError =
            relativeError(residual(span, kept, out.values, dim), span.outputs, kept.testWeights);
        out.fitUsed = true;
        return out;
    }
    LACUNA_TRY(const auto change, correction(span, kept, rest, options.lambda));
    if (!change) return out;
    std::vector<float> fitted = out.values;
    for (std::size_t i = 0; i < fitted.size(); ++i) fitted[i] += (*change)[i];
    const double error =
        relativeError(residual(span, kept, fitted, dim), span.outputs, kept.testWeights);
    if (error >= out.priorError) return out;
    out.values = std::move(fitted);
    out.heldOutError = error;
    out.fitUsed = true;
    return out;
}

}  // namespace lacuna
