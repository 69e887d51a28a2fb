// Columns are queries sorted by fold, so that a fold is one run of columns. The system of the other
// folds is the system of all queries minus that of the fold.

#include "engine/compress/matching/few_key_fit.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "engine/compress/matching/matrix_products.h"
#include "engine/compress/matching/ridge_blocks.h"
#include "engine/compress/matching/value_prior.h"
#include "engine/kernels/cpu_features.h"

namespace lacuna {
namespace {

constexpr std::int64_t kFolds = 8;
constexpr float kLambdas[] = {0.05F, 0.2F, 0.5F};

/// A run of columns.
struct Columns {
    std::int64_t first = 0;
    std::int64_t count = 0;
};

/// Linear system of a correction of the values.
struct System {
    std::vector<float> gram;   ///< [kept, kept]
    std::vector<float> right;  ///< [kept, dim]
};

std::vector<float> difference(std::vector<float> a, const std::vector<float>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
    return a;
}

class FewKeys {
  public:
    FewKeys(const SpanAttention& span, const KeySelection& chosen, const std::vector<float>& bias,
            const ValueFitOptions& options);
    [[nodiscard]] Result<FittedValues> fit() const;

  private:
    void attend(const std::vector<float>& factors);
    /// Product of values' [dim, kept] with a run of columns of the rows: [dim, run length].
    [[nodiscard]] std::vector<float> answered(const std::vector<float>& values, Columns run) const;
    [[nodiscard]] System system(Columns run) const;
    [[nodiscard]] Result<std::optional<std::vector<float>>> correction(const System& system,
                                                                       float lambda) const;
    /// Squared error of a correction on a fold; null means no correction.
    [[nodiscard]] double missed(const std::vector<float>* correction, Columns fold) const;

    const SpanAttention& span_;
    std::int64_t kept_, dim_, stride_ = 0;
    std::vector<float> lambdas_;
    std::vector<Columns> folds_;
    std::vector<float> rows_;     ///< [kept, stride] weighted attention of the kept keys
    std::vector<float> rest_;     ///< [dim, stride] weighted residual of the prior
    std::vector<float> weights_;  ///< [stride]
    std::vector<float> prior_;    ///< [kept, dim]
    double whole_ = 0;            ///< squared norm of the targets
};

FewKeys::FewKeys(const SpanAttention& span, const KeySelection& chosen,
                 const std::vector<float>& bias, const ValueFitOptions& options)
    : span_(span),
      kept_(static_cast<std::int64_t>(chosen.slots.size())),
      dim_(span.values.size() / span.slots),
      lambdas_(std::begin(kLambdas), std::end(kLambdas)),
      prior_(clusterValues(span, chosen, dim_, options.anchor)) {
    if (options.lambda) lambdas_ = {*options.lambda};
    std::vector<std::int64_t> order;
    for (std::int64_t fold = 0; fold < kFolds; ++fold) {
        const auto first = static_cast<std::int64_t>(order.size());
        for (std::int64_t i = fold; i < span.queries; i += kFolds)
            if (span.weights[sized(i)] > 0) order.push_back(i);
        folds_.push_back({first, static_cast<std::int64_t>(order.size()) - first});
    }
    // A fold is read in full panels, so there is padding behind the last one.
    stride_ = paddedColumns(static_cast<std::int64_t>(order.size())) + kColumnQuantum;
    const auto gather = [&](const float* row, std::vector<float>& to) {
        const std::size_t end = to.size() + sized(stride_);
        for (const std::int64_t i : order) to.push_back(row[i]);
        to.resize(end, 0.0F);
    };
    std::vector<float> factors;
    for (std::size_t a = 0; a < bias.size(); ++a) {
        gather(span.row(chosen.slots[a]), rows_);
        factors.push_back(std::exp(bias[a] - span.bias[sized(chosen.slots[a])]));
    }
    gather(span.weights.data(), weights_);
    attend(factors);
    const std::vector<float> answers = answered(prior_, {0, stride_});
    for (std::int64_t d = 0; d < dim_; ++d) gather(span.outputs.data() + d * span.columns, rest_);
    for (std::size_t n = 0; n < rest_.size(); ++n) {
        const float right = rest_[n] * weights_[n % sized(stride_)];
        whole_ += static_cast<double>(right * right);
        rest_[n] = right - answers[n];
    }
}

/// Normalises probabilities to attention among the kept keys, each query scaled by its weight.
void FewKeys::attend(const std::vector<float>& factors) {
    std::vector<float> sums(sized(stride_), 0.0F);
    for (std::int64_t a = 0; a < kept_; ++a) {
        float* row = rows_.data() + a * stride_;
        for (std::int64_t i = 0; i < stride_; ++i) row[i] *= factors[sized(a)];
        bestKernels().addTo(sums.data(), row, stride_);
    }
    // The output of the kept keys is meaningless if they get almost no attention.
    for (std::size_t i = 0; i < sums.size(); ++i)
        sums[i] = sums[i] >= kMinPriorMass ? weights_[i] / sums[i] : 0.0F;
    const float* parts = sums.data();
    for (std::int64_t a = 0; a < kept_; ++a) {
        float* row = rows_.data() + a * stride_;
        for (std::int64_t i = 0; i < stride_; ++i) row[i] *= parts[i];
    }
}

std::vector<float> FewKeys::answered(const std::vector<float>& values, Columns run) const {
    std::vector<float> transposed(values.size());
    for (std::int64_t a = 0; a < kept_; ++a)
        for (std::int64_t d = 0; d < dim_; ++d)
            transposed[sized(d * kept_ + a)] = values[sized(a * dim_ + d)];
    std::vector<float> out(sized(dim_ * run.count));
    multiply({.a = transposed.data(),
              .aStride = kept_,
              .b = rows_.data() + run.first,
              .bStride = stride_,
              .c = out.data(),
              .cStride = run.count,
              .rows = dim_,
              .depth = kept_,
              .columns = run.count});
    return out;
}

System FewKeys::system(Columns run) const {
    const auto product = [&](const std::vector<float>& b, std::int64_t columns) {
        std::vector<float> out(sized(kept_ * columns));
        multiplyTransposed({.a = rows_.data() + run.first,
                            .aStride = stride_,
                            .b = b.data() + run.first,
                            .bStride = stride_,
                            .c = out.data(),
                            .cStride = columns,
                            .rows = kept_,
                            .depth = run.count,
                            .columns = columns});
        return out;
    };
    return {.gram = product(rows_, kept_), .right = product(rest_, dim_)};
}

Result<std::optional<std::vector<float>>> FewKeys::correction(const System& system,
                                                              float lambda) const {
    LACUNA_TRY(auto solved, solveRidgeBlocks({.gram = {system.gram.data(), {kept_, kept_}},
                                              .right = {system.right.data(), {kept_, dim_}},
                                              .lambda = lambda,
                                              .largest = largestFitted(span_)},
                                             span_.buffers));
    if (!solved) return std::optional<std::vector<float>>{};
    return std::optional(std::move(solved->values));
}

double FewKeys::missed(const std::vector<float>* correction, Columns fold) const {
    std::vector<float> more;
    if (correction != nullptr) more = answered(*correction, fold);
    double error = 0;
    for (std::int64_t d = 0; d < dim_; ++d)
        for (std::int64_t i = 0; i < fold.count; ++i) {
            float rest = rest_[sized(d * stride_ + fold.first + i)];
            if (correction != nullptr) rest -= more[sized(d * fold.count + i)];
            error += static_cast<double>(rest * rest);
        }
    return error;
}

Result<FittedValues> FewKeys::fit() const {
    FittedValues out{.values = prior_};
    const System all = system({0, stride_});
    double ofPrior = 0;
    std::vector<double> errors(lambdas_.size(), 0.0);
    for (const Columns fold : folds_) {
        if (fold.count == 0) continue;
        const System held = system(fold);
        const System others{.gram = difference(all.gram, held.gram),
                            .right = difference(all.right, held.right)};
        ofPrior += missed(nullptr, fold);
        for (std::size_t l = 0; l < lambdas_.size(); ++l) {
            LACUNA_TRY(const auto found, correction(others, lambdas_[l]));
            errors[l] += missed(found ? &*found : nullptr, fold);
        }
    }
    if (!(whole_ > 0)) return out;
    out.priorError = std::sqrt(ofPrior / whole_);
    out.heldOutError = out.priorError;
    const auto best = std::ranges::min_element(errors);
    if (!(*best < ofPrior)) return out;
    LACUNA_TRY(const auto found, correction(all, lambdas_[sized(best - errors.begin())]));
    if (!found) return out;
    for (std::size_t i = 0; i < prior_.size(); ++i) out.values[i] += (*found)[i];
    out.heldOutError = std::sqrt(*best / whole_);
    out.fitUsed = true;
    return out;
}

}  // namespace

Result<FittedValues> fitFewKeys(const SpanAttention& span, const KeySelection& chosen,
                                const std::vector<float>& bias, const ValueFitOptions& options) {
    return FewKeys(span, chosen, bias, options).fit();
}

}  // namespace lacuna
