// Columns are queries in the order of their folds. A held-out fold has weight 0 in the fit and is
// evaluated on its own columns.

#include "app/bench/thorough_fit.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "engine/compress/matching/few_key_fit.h"
#include "engine/compress/matching/float_matrices.h"
#include "engine/compress/matching/mass_fit.h"
#include "engine/compress/matching/matrix_products.h"
#include "engine/compress/matching/ridge_blocks.h"
#include "engine/compress/matching/value_prior.h"
#include "engine/kernels/cpu_features.h"

namespace lacuna {
namespace {

constexpr std::int64_t kFolds = 4;
// The last two are for many keys only. The prior was built with the held-out queries, so its error
// is too optimistic if there are few keys.
constexpr float kLambdas[] = {0.05F, 0.2F, 0.5F, 1.0F, 2.0F};
constexpr std::size_t kFewLambdas = 3;
// Ridge strength towards the prior values while biases move.
constexpr float kStepLambda = 0.3F;
// Penalty for moving a bias by 1 from its start, relative to the mean squared output per key; from
// nearly fixed to nearly free biases.
constexpr float kHolds[] = {0.1F, 0.01F, 0.001F};
// Factor by which moving biases must reduce the squared error on held-out queries (3 % of the
// error).
constexpr double kClearly = 1.06;
constexpr int kSteps = 8;
constexpr int kTries = 6;
constexpr float kLongestStep = 1.0F;
constexpr double kLeastGain = 1e-4;

class Thorough {
  public:
    Thorough(const SpanAttention& span, const KeySelection& chosen, const Floats& bias,
             const ValueFitOptions& options);
    [[nodiscard]] Result<ThoroughFit> fit();

  private:
    /// Biases with the fitted values, on weighted queries.
    struct Point {
        Floats bias;        ///< [kept]
        Floats rows;        ///< [kept, stride] weighted attention
        Floats rest;        ///< [dim, stride] weighted residual of the prior values
        Floats gram;        ///< [kept, kept]
        Floats correction;  ///< [kept, dim] relative to the prior
        Floats missed;      ///< [dim, stride] weighted residual after the correction
        double loss = 0;
    };
    /// Queries with at most one fold held out; columns with weight 0 do not take part in the fit.
    struct Queries {
        Floats weights;    ///< [stride]
        double whole = 0;  ///< squared norm of the target outputs
    };

    [[nodiscard]] Queries queriesWithout(std::int64_t fold) const;
    [[nodiscard]] Queries queriesOf(std::int64_t fold) const;
    [[nodiscard]] Queries weighed(Floats weights) const;
    [[nodiscard]] Floats attended(const Floats& bias, const Floats& weights) const;
    [[nodiscard]] Floats unanswered(const Floats& rows, const Floats& weights) const;
    [[nodiscard]] Result<std::optional<Floats>> correction(const Floats& gram, const Floats& right,
                                                           float lambda) const;
    [[nodiscard]] double away(const Floats& bias, float hold, const Queries& queries) const;
    [[nodiscard]] Result<std::optional<Point>> pointAt(Floats bias, float hold,
                                                       const Queries& queries) const;
    [[nodiscard]] Result<std::optional<Floats>> step(const Point& at, float hold, float damping,
                                                     const Queries& queries) const;
    [[nodiscard]] Result<Floats> refined(const Floats& from, float hold,
                                         const Queries& queries) const;
    [[nodiscard]] Result<std::vector<double>> judged(const Floats& bias, std::int64_t fold) const;
    [[nodiscard]] Floats slotBias(const Floats& bias) const;

    const SpanAttention& span_;
    const KeySelection& chosen_;
    std::int64_t kept_, dim_, stride_ = 0;
    std::vector<float> lambdas_;
    std::vector<std::int32_t> order_;  ///< index of the query in each column
    Floats probabilities_;             ///< [kept, stride]
    Floats outputs_;                   ///< [dim, stride]
    Floats weights_;                   ///< [stride]
    Floats prior_, priorByDim_;        ///< [kept, dim], [dim, kept]
    Floats start_;                     ///< [kept] initial biases relative to those of the slots
};

Thorough::Thorough(const SpanAttention& span, const KeySelection& chosen, const Floats& bias,
                   const ValueFitOptions& options)
    : span_(span),
      chosen_(chosen),
      kept_(static_cast<std::int64_t>(chosen.slots.size())),
      dim_(span.values.size() / span.slots),
      lambdas_(std::begin(kLambdas), std::end(kLambdas)),
      prior_(clusterValues(span, chosen, dim_, options.anchor)),
      priorByDim_(transposed(prior_, dim_)) {
    if (kept_ <= kFewKeys) lambdas_.resize(kFewLambdas);
    if (options.lambda) lambdas_ = {*options.lambda};
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(span.queries); ++i)
        if (span.weights[sized(i)] > 0) order_.push_back(i);
    stride_ = paddedColumns(static_cast<std::int64_t>(order_.size()));
    const auto gather = [&](const float* row, Floats& to) {
        const std::size_t end = to.size() + sized(stride_);
        for (const std::int32_t i : order_) to.push_back(row[i]);
        to.resize(end, 0.0F);
    };
    for (std::size_t a = 0; a < bias.size(); ++a) {
        gather(span.row(chosen.slots[a]), probabilities_);
        start_.push_back(bias[a] - span.bias[sized(chosen.slots[a])]);
    }
    for (std::int64_t d = 0; d < dim_; ++d)
        gather(span.outputs.data() + d * span.columns, outputs_);
    gather(span.weights.data(), weights_);
}

Thorough::Queries Thorough::weighed(Floats weights) const {
    Queries out{.weights = std::move(weights)};
    for (std::size_t n = 0; n < outputs_.size(); ++n) {
        const double x = static_cast<double>(outputs_[n] * out.weights[n % sized(stride_)]);
        out.whole += x * x;
    }
    return out;
}

/// A negative fold holds out no queries.
Thorough::Queries Thorough::queriesWithout(std::int64_t fold) const {
    Floats weights = weights_;
    if (fold >= 0)
        for (std::int64_t i = fold; i < stride_; i += kFolds) weights[sized(i)] = 0;
    return weighed(std::move(weights));
}

Thorough::Queries Thorough::queriesOf(std::int64_t fold) const {
    Floats weights(weights_.size(), 0.0F);
    for (std::int64_t i = fold; i < stride_; i += kFolds) weights[sized(i)] = weights_[sized(i)];
    return weighed(std::move(weights));
}

/// Attention over the kept keys, each query multiplied by its weight.
Floats Thorough::attended(const Floats& bias, const Floats& weights) const {
    Floats rows = probabilities_;
    Floats sums(sized(stride_), 0.0F);
    for (std::int64_t a = 0; a < kept_; ++a) {
        float* row = rows.data() + a * stride_;
        bestKernels().scale(row, std::exp(bias[sized(a)]), stride_);
        bestKernels().addTo(sums.data(), row, stride_);
    }
    // If the kept keys have almost no mass, their output is meaningless.
    for (std::size_t i = 0; i < sums.size(); ++i)
        sums[i] = sums[i] >= kMinPriorMass ? weights[i] / sums[i] : 0.0F;
    const float* parts = sums.data();
    for (std::int64_t a = 0; a < kept_; ++a) {
        float* row = rows.data() + a * stride_;
        for (std::int64_t i = 0; i < stride_; ++i) row[i] *= parts[i];
    }
    return rows;
}

Floats Thorough::unanswered(const Floats& rows, const Floats& weights) const {
    Floats rest = timesPlain(priorByDim_, rows, kept_);
    for (std::size_t n = 0; n < rest.size(); ++n)
        rest[n] = outputs_[n] * weights[n % sized(stride_)] - rest[n];
    return rest;
}

Result<std::optional<Floats>> Thorough::correction(const Floats& gram, const Floats& right,
                                                   float lambda) const {
    LACUNA_TRY(auto solved, solveRidgeBlocks({.gram = {gram.data(), {kept_, kept_}},
                                              .right = {right.data(), {kept_, dim_}},
                                              .lambda = lambda,
                                              .largest = largestFitted(span_)},
                                             span_.buffers));
    if (!solved) return std::optional<Floats>{};
    return std::optional(std::move(solved->values));
}

/// Penalty for the distance of the biases from their start.
double Thorough::away(const Floats& bias, float hold, const Queries& queries) const {
    double sum = 0;
    for (std::size_t a = 0; a < bias.size(); ++a) {
        const double way = static_cast<double>(bias[a] - start_[a]);
        sum += way * way;
    }
    return static_cast<double>(hold) * queries.whole / static_cast<double>(kept_) * sum;
}

Result<std::optional<Thorough::Point>> Thorough::pointAt(Floats bias, float hold,
                                                         const Queries& queries) const {
    Point out;
    out.bias = std::move(bias);
    out.rows = attended(out.bias, queries.weights);
    out.rest = unanswered(out.rows, queries.weights);
    out.gram = timesTransposed(out.rows, out.rows, stride_);
    LACUNA_TRY(auto found,
               correction(out.gram, timesTransposed(out.rows, out.rest, stride_), kStepLambda));
    if (!found) return std::optional<Point>{};
    out.correction = std::move(*found);
    out.missed = timesPlain(transposed(out.correction, dim_), out.rows, kept_);
    for (std::size_t n = 0; n < out.missed.size(); ++n) out.missed[n] = out.rest[n] - out.missed[n];
    double trace = 0;
    for (std::int64_t a = 0; a < kept_; ++a)
        trace += static_cast<double>(out.gram[sized(a * kept_ + a)]);
    out.loss = squares(out.missed) +
               static_cast<double>(kStepLambda) * trace / static_cast<double>(kept_) *
                   squares(out.correction) +
               away(out.bias, hold, queries);
    return std::optional(std::move(out));
}

/// Computes a damped Gauss-Newton step. A bias changes a query's output O by X_a (C_a - O).
Result<std::optional<Floats>> Thorough::step(const Point& at, float hold, float damping,
                                             const Queries& queries) const {
    Floats values = prior_;
    for (std::size_t n = 0; n < values.size(); ++n) values[n] += at.correction[n];
    Floats answers(at.missed.size());
    Floats lengths(sized(stride_), 0.0F);
    Floats along(sized(stride_), 0.0F);
    for (std::int64_t d = 0; d < dim_; ++d)
        for (std::int64_t i = 0; i < stride_; ++i) {
            const std::size_t n = sized(d * stride_ + i);
            const float weight = queries.weights[sized(i)];
            const float answer = weight > 0 ? outputs_[n] - at.missed[n] / weight : 0.0F;
            answers[n] = answer;
            lengths[sized(i)] += answer * answer;
            along[sized(i)] += answer * at.missed[n];
        }
    const Floats towards = timesPlain(values, at.missed, dim_);
    Floats side = timesPlain(values, answers, dim_);
    Floats right(sized(kept_));
    const float pull = hold * static_cast<float>(queries.whole / static_cast<double>(kept_));
    for (std::int64_t a = 0; a < kept_; ++a) {
        float sum = 0;
        for (std::int64_t i = 0; i < stride_; ++i) {
            const std::size_t n = sized(a * stride_ + i);
            sum += at.rows[n] * (towards[n] - along[sized(i)]);
            side[n] = at.rows[n] * (0.5F * lengths[sized(i)] - side[n]);
        }
        right[sized(a)] = sum - pull * (at.bias[sized(a)] - start_[sized(a)]);
    }
    const Floats mixed = timesTransposed(at.rows, side, stride_);
    const Floats products = timesTransposed(values, values, dim_);
    Floats system(mixed.size());
    for (std::int64_t a = 0; a < kept_; ++a)
        for (std::int64_t b = 0; b < kept_; ++b) {
            const std::size_t n = sized(a * kept_ + b);
            system[n] = at.gram[n] * products[n] + mixed[n] + mixed[sized(b * kept_ + a)];
            if (a == b) system[n] += pull + damping * std::max(system[n], 0.0F);
        }
    LACUNA_TRY(auto solved, solveRidgeBlocks({.gram = {system.data(), {kept_, kept_}},
                                              .right = {right.data(), {kept_, 1}},
                                              .lambda = 1e-6F,
                                              .largest = 0},
                                             span_.buffers));
    if (!solved) return std::optional<Floats>{};
    Floats out = at.bias;
    for (std::size_t a = 0; a < out.size(); ++a)
        out[a] += std::clamp(solved->values[a], -kLongestStep, kLongestStep);
    return std::optional(std::move(out));
}

Result<Floats> Thorough::refined(const Floats& from, float hold, const Queries& queries) const {
    LACUNA_TRY(auto at, pointAt(from, hold, queries));
    if (!at) return from;
    float damping = 0.01F;
    for (int steps = 0; steps < kSteps; ++steps) {
        std::optional<Point> next;
        for (int tries = 0; tries < kTries && !next; ++tries) {
            LACUNA_TRY(auto bias, step(*at, hold, damping, queries));
            if (!bias) break;
            LACUNA_TRY(next, pointAt(std::move(*bias), hold, queries));
            if (next && next->loss < at->loss) continue;
            next.reset();
            damping *= 5;
        }
        if (!next) break;
        const bool done = at->loss - next->loss < kLeastGain * at->loss;
        at = std::move(next);
        damping = std::max(damping / 5, 1e-4F);
        if (done) break;
    }
    return at->bias;
}

/// Returns the squared error on a fold of values fitted without it: for the prior first, then for
/// each lambda.
Result<std::vector<double>> Thorough::judged(const Floats& bias, std::int64_t fold) const {
    const Floats weights = queriesWithout(fold).weights;
    const Floats rows = attended(bias, weights);
    const Floats gram = timesTransposed(rows, rows, stride_);
    const Floats right = timesTransposed(rows, unanswered(rows, weights), stride_);
    const Floats held = queriesOf(fold).weights;
    const Floats heldRows = attended(bias, held);
    const Floats rest = unanswered(heldRows, held);
    std::vector<double> errors{squares(rest)};
    for (const float lambda : lambdas_) {
        LACUNA_TRY(const auto found, correction(gram, right, lambda));
        if (!found) {
            errors.push_back(errors.front());
            continue;
        }
        Floats missed = timesPlain(transposed(*found, dim_), heldRows, kept_);
        for (std::size_t n = 0; n < missed.size(); ++n) missed[n] -= rest[n];
        errors.push_back(squares(missed));
    }
    return errors;
}

Floats Thorough::slotBias(const Floats& bias) const {
    Floats out = bias;
    for (std::size_t a = 0; a < out.size(); ++a) out[a] += span_.bias[sized(chosen_.slots[a])];
    return out;
}

Result<ThoroughFit> Thorough::fit() {
    constexpr std::size_t kWays = std::size(kHolds) + 1;
    std::vector<std::vector<double>> errors(kWays, std::vector<double>(lambdas_.size() + 1, 0.0));
    for (std::int64_t fold = 0; fold < kFolds; ++fold) {
        const Queries queries = queriesWithout(fold);
        Floats bias = start_;
        for (std::size_t way = 0; way < kWays; ++way) {
            if (way > 0) {
                LACUNA_TRY(bias, refined(bias, kHolds[way - 1], queries));
            }
            LACUNA_TRY(const std::vector<double> found, judged(bias, fold));
            for (std::size_t l = 0; l < found.size(); ++l) errors[way][l] += found[l];
        }
    }
    std::size_t bestWay = 0;
    std::size_t bestLambda = 0;
    for (std::size_t way = 0; way < kWays; ++way)
        for (std::size_t l = 0; l <= lambdas_.size(); ++l) {
            const double handicap = way > 0 && bestWay == 0 ? kClearly : 1.0;
            if (errors[way][l] * handicap >= errors[bestWay][bestLambda]) continue;
            bestWay = way;
            bestLambda = l;
        }
    const Queries all = queriesWithout(-1);
    Floats bias = start_;
    for (std::size_t way = 1; way <= bestWay; ++way) {
        LACUNA_TRY(bias, refined(bias, kHolds[way - 1], all));
    }
    ThoroughFit out{.bias = slotBias(bias), .values = {.values = prior_}};
    if (bestWay > 0) {
        // The steps do not determine the common offset of all biases.
        out.bias = levelled(span_, chosen_, std::move(out.bias));
        for (std::size_t a = 0; a < bias.size(); ++a)
            bias[a] = out.bias[a] - span_.bias[sized(chosen_.slots[a])];
    }
    if (!(all.whole > 0)) return out;
    out.values.priorError = std::sqrt(errors[0][0] / all.whole);
    out.values.heldOutError = std::sqrt(errors[bestWay][bestLambda] / all.whole);
    if (bestLambda == 0) return out;
    const Floats rows = attended(bias, all.weights);
    LACUNA_TRY(const auto found,
               correction(timesTransposed(rows, rows, stride_),
                          timesTransposed(rows, unanswered(rows, all.weights), stride_),
                          lambdas_[bestLambda - 1]));
    if (!found) return out;
    for (std::size_t n = 0; n < prior_.size(); ++n) out.values.values[n] += (*found)[n];
    out.values.fitUsed = true;
    return out;
}

}  // namespace

Result<ThoroughFit> fitThoroughly(const SpanAttention& span, const KeySelection& chosen,
                                  const std::vector<float>& bias, const ValueFitOptions& options) {
    return Thorough(span, chosen, bias, options).fit();
}

}  // namespace lacuna
