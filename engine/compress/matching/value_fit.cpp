#include "engine/compress/matching/value_fit.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "engine/compress/matching/matrix_products.h"
#include "engine/compress/matching/value_correction.h"
#include "engine/compress/matching/value_prior.h"
#include "engine/compress/matching/wide_value_fit.h"
#include "engine/kernels/cpu_features.h"
#include "engine/linalg/least_squares.h"

namespace lacuna {
namespace {

/// Attention over the kept keys [kept, columns] and the division of the queries.
struct KeptAttention {
    PooledFloats rows;
    std::int64_t kept = 0;
    std::int64_t columns = 0;
    QueryDivision queries;
    [[nodiscard]] float* row(std::int64_t a) { return rows.data() + a * columns; }
};

Result<KeptAttention> attendKept(const SpanAttention& span, const KeySelection& chosen,
                                 const std::vector<float>& bias) {
    const auto kept = static_cast<std::int64_t>(chosen.slots.size());
    LACUNA_TRY(PooledFloats rows, PooledFloats::take(span.buffers, kept * span.columns));
    KeptAttention out{
        .rows = std::move(rows), .kept = kept, .columns = span.columns, .queries = {}};
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
    out.queries = divideQueries(span, sums);
    for (float& sum : sums) sum = inverseOf(sum);
    const float* parts = sums.data();
    const std::int64_t columns = out.columns;
    for (std::int64_t a = 0; a < out.kept; ++a) {
        float* row = out.row(a);
        for (std::int64_t i = 0; i < columns; ++i) row[i] *= parts[i];
    }
    return out;
}

/// Outputs [dim, stride] of the kept keys with `values` and attention `rows` [kept, stride].
std::vector<float> answered(const float* rows, std::int64_t stride, std::int64_t kept,
                            const std::vector<float>& values) {
    const auto dim = static_cast<std::int64_t>(values.size()) / kept;
    std::vector<float> transposed(values.size());
    for (std::int64_t a = 0; a < kept; ++a)
        for (std::int64_t d = 0; d < dim; ++d)
            transposed[static_cast<std::size_t>(d * kept + a)] =
                values[static_cast<std::size_t>(a * dim + d)];
    std::vector<float> answers(static_cast<std::size_t>(dim * stride));
    multiply({.a = transposed.data(),
              .aStride = kept,
              .b = rows,
              .bStride = stride,
              .c = answers.data(),
              .cStride = stride,
              .rows = dim,
              .depth = kept,
              .columns = stride});
    return answers;
}

/// Relative error of outputs [dim, stride] on the held-out queries; query held[h] is in column
/// `columnOf(h)`.
template <class ColumnOf>
double relativeError(const SpanAttention& span, std::span<const std::int32_t> held,
                     const std::vector<float>& answers, std::int64_t stride, ColumnOf columnOf) {
    double error = 0;
    double whole = 0;
    const auto dim = static_cast<std::int64_t>(span.outputs.size()) / span.columns;
    for (std::int64_t d = 0; d < dim; ++d)
        for (std::size_t h = 0; h < held.size(); ++h) {
            const auto weight =
                static_cast<double>(span.weights[static_cast<std::size_t>(held[h])]);
            const auto right = static_cast<double>(
                span.outputs[static_cast<std::size_t>(d * span.columns + held[h])]);
            const auto answer =
                static_cast<double>(answers[static_cast<std::size_t>(d * stride + columnOf(h))]);
            error += weight * weight * (right - answer) * (right - answer);
            whole += weight * weight * right * right;
        }
    return whole > 0 ? std::sqrt(error / whole) : 0.0;
}

/// Relative error of new values on the held-out queries.
double heldOutError(const SpanAttention& span, KeptAttention& kept,
                    const std::vector<float>& values) {
    const std::int64_t stride = paddedColumns(static_cast<std::int64_t>(kept.queries.held.size()));
    std::vector<float> rows(static_cast<std::size_t>(kept.kept * stride), 0.0F);
    for (std::int64_t a = 0; a < kept.kept; ++a)
        for (std::size_t h = 0; h < kept.queries.held.size(); ++h)
            rows[static_cast<std::size_t>(a * stride) + h] = kept.row(a)[kept.queries.held[h]];
    const std::vector<float> answers = answered(rows.data(), stride, kept.kept, values);
    return relativeError(span, kept.queries.held, answers, stride,
                         [](std::size_t h) { return static_cast<std::int64_t>(h); });
}

/// Residual of the prior's outputs `answers`, [dim, columns].
std::vector<float> unanswered(const SpanAttention& span, std::vector<float> answers) {
    for (std::size_t i = 0; i < answers.size(); ++i) answers[i] = span.outputs[i] - answers[i];
    return answers;
}

/// Prior corrected by the residual `rest` of the given queries, [kept, dim]; nullopt on failure.
Result<std::optional<std::vector<float>>> corrected(const SpanAttention& span, KeptAttention& kept,
                                                    std::span<const std::int32_t> queries,
                                                    const std::vector<float>& rest,
                                                    const std::vector<float>& prior, float lambda) {
    LACUNA_TRY(auto values,
               solveCorrection({.rows = kept.row(0),
                                .rest = rest.data(),
                                .columns = kept.columns,
                                .chosen = queries,
                                .weights = span.weights,
                                .kept = kept.kept,
                                .dim = static_cast<std::int64_t>(rest.size()) / kept.columns,
                                .lambda = lambda,
                                .largest = largestFitted(span),
                                .buffers = span.buffers}));
    if (!values) return std::optional<std::vector<float>>{};
    for (std::size_t i = 0; i < prior.size(); ++i) (*values)[i] += prior[i];
    return values;
}

/// Plain least squares over all queries, unless there are fewer queries than kept keys.
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
    if (fitsWide(span, options)) return fitWideValues(span, chosen, bias, options);
    const auto dim = span.values.size() / span.slots;
    LACUNA_TRY(KeptAttention kept, attendKept(span, chosen, bias));
    FittedValues out;
    out.values = options.fit == ValueFit::RidgeCluster
                     ? clusterValues(span, chosen, dim, options.anchor)
                     : originalValues(span, chosen, dim);
    std::vector<float> answers = answered(kept.row(0), kept.columns, kept.kept, out.values);
    out.priorError =
        relativeError(span, kept.queries.held, answers, kept.columns,
                      [&](std::size_t h) { return std::int64_t{kept.queries.held[h]}; });
    out.heldOutError = out.priorError;
    if (options.fit == ValueFit::Direct || span.queries < kMinFitQueries) return out;
    if (options.fit == ValueFit::LeastSquares) {
        auto plain = plainFit(span, kept, dim);
        if (!plain) return out;
        out.values = std::move(*plain);
        out.heldOutError = heldOutError(span, kept, out.values);
        out.fitUsed = true;
        return out;
    }
    const std::vector<float> rest = unanswered(span, std::move(answers));
    const std::vector<float> prior = out.values;
    LACUNA_TRY(auto judged, corrected(span, kept, kept.queries.fitted, rest, prior,
                                      options.lambda.value_or(kValueLambda)));
    if (!judged) return out;
    const double error = heldOutError(span, kept, *judged);
    if (!(error < out.priorError)) return out;
    out.values = std::move(*judged);
    out.heldOutError = error;
    out.fitUsed = true;
    // Held-out queries also carry information. If there are fewer queries than keys, the prior
    // dominates the output, and a second fit would cost a quarter of the first for an improvement
    // of one hundredth.
    if (std::ssize(kept.queries.usable) < kept.kept) return out;
    LACUNA_TRY(auto whole, corrected(span, kept, kept.queries.usable, rest, prior,
                                     options.lambda.value_or(kValueLambda)));
    if (whole) out.values = std::move(*whole);
    return out;
}

}  // namespace lacuna
