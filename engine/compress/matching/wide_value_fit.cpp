#include "engine/compress/matching/wide_value_fit.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "engine/compress/matching/float_matrices.h"
#include "engine/compress/matching/matrix_products.h"
#include "engine/compress/matching/ridge_blocks.h"
#include "engine/compress/matching/value_prior.h"
#include "engine/kernels/bfloat_matrix.h"
#include "engine/kernels/cpu_features.h"

namespace lacuna {
namespace {

constexpr int kEscalations = 4;
constexpr std::int64_t kPanel = 32;  // columns per panel

/// A matrix in bfloat16, rows zero-padded to full steps of the matrix unit.
class BfloatMatrix {
  public:
    /// Uninitialised. Errors: NoMemory.
    [[nodiscard]] static Result<BfloatMatrix> make(BufferPool* buffers, std::int64_t rows,
                                                   std::int64_t columns) {
        BfloatMatrix out;
        out.rows_ = rows;
        out.columns_ = columns;
        out.stride_ = (columns + kMatrixDepth - 1) / kMatrixDepth * kMatrixDepth;
        LACUNA_TRY(out.bits_, PooledFloats::take(buffers, (rows * out.stride_ + 1) / 2));
        return out;
    }
    [[nodiscard]] std::int64_t rows() const { return rows_; }
    [[nodiscard]] std::int64_t columns() const { return columns_; }
    [[nodiscard]] std::int64_t stride() const { return stride_; }
    [[nodiscard]] const std::uint16_t* row(std::int64_t r) const {
        return reinterpret_cast<const std::uint16_t*>(bits_.data()) + r * stride_;
    }
    void setRow(std::int64_t r, const float* numbers) {
        std::uint16_t* to = reinterpret_cast<std::uint16_t*>(bits_.data()) + r * stride_;
        bestKernels().toBfloat(numbers, to, columns_);
        std::fill(to + columns_, to + stride_, std::uint16_t{0});
    }

  private:
    BfloatMatrix() = default;

    std::int64_t rows_ = 0, columns_ = 0, stride_ = 0;
    PooledFloats bits_;
};

struct RowRange {
    std::int64_t first = 0;
    std::int64_t count = 0;
};

/// Multiplies some rows of a by one panel, into c [rows, cStride] from column `column` on.
void multiplyPanel(const BfloatMatrix& a, RowRange rows, const std::byte* panel, float* c,
                   std::int64_t cStride, std::int64_t width) {
    multiplyTile({.a = a.row(rows.first),
                  .aStride = a.stride(),
                  .panel = panel,
                  .c = c,
                  .cStride = cStride,
                  .depth = a.stride(),
                  .tokens = rows.count,
                  .width = static_cast<int>(width)});
}

/// c [rows, b.columns] = the given rows of a times b [a.columns, b.columns].
void multiplyRows(const BfloatMatrix& a, RowRange rows, const BfloatMatrix& b, float* c) {
    std::vector<std::byte> panel(sized(a.stride() / 2 * kPanel * 4));
    for (std::int64_t column = 0; column < b.columns(); column += kPanel) {
        const std::int64_t width = std::min(kPanel, b.columns() - column);
        bestKernels().packBfloatPairs(
            {.type = DType::BF16,
             .rows = reinterpret_cast<const std::byte*>(b.row(0) + column),
             .rowStride = b.stride() * 2,
             .columns = width,
             .rowCount = static_cast<int>(a.columns())},
            panel.data());
        multiplyPanel(a, rows, panel.data(), c + column, b.columns(), width);
    }
}

/// Lower triangle of the products of the first `count` rows with each other, [count, count].
void multiplyBySelf(const BfloatMatrix& a, std::int64_t count, float* c) {
    std::vector<std::byte> panel(sized(a.stride() / 2 * kPanel * 4));
    for (std::int64_t first = 0; first < count; first += kPanel) {
        const std::int64_t width = std::min(kPanel, count - first);
        bestKernels().packBfloat({.type = DType::BF16,
                                  .rows = reinterpret_cast<const std::byte*>(a.row(first)),
                                  .rowStride = a.stride() * 2,
                                  .columns = a.stride(),
                                  .rowCount = static_cast<int>(width)},
                                 panel.data());
        multiplyPanel(a, {first, count - first}, panel.data(), c + first * count + first, count,
                      width);
    }
}

Result<BfloatMatrix> rounded(BufferPool* buffers, const float* numbers, std::int64_t rows,
                             std::int64_t columns) {
    LACUNA_TRY(auto out, BfloatMatrix::make(buffers, rows, columns));
    for (std::int64_t r = 0; r < rows; ++r) out.setRow(r, numbers + r * columns);
    return out;
}

double sumOfSquares(const float* numbers, std::int64_t count) {
    float sum = 0;
    bestKernels().dotRows[kernelIndex(DType::F32)](
        {reinterpret_cast<const std::byte*>(numbers), count * 4, 1, count}, numbers, &sum);
    return static_cast<double>(sum);
}

/// The weighted system: one row per query, fitted queries first, then held-out ones.
class WideFit {
  public:
    /// Errors: NoMemory.
    [[nodiscard]] static Result<WideFit> make(const SpanAttention& span, const KeySelection& chosen,
                                              const std::vector<float>& bias) {
        WideFit out(span, chosen, bias);
        LACUNA_TRY(auto rows, BfloatMatrix::make(span.buffers, out.total(), out.kept_));
        out.takeRows(rows);
        out.rows_.emplace(std::move(rows));
        LACUNA_TRY(out.rest_, PooledFloats::take(span.buffers, out.total() * out.dim_));
        return out;
    }
    [[nodiscard]] std::int64_t fitted() const {
        return static_cast<std::int64_t>(queries_.fitted.size());
    }
    [[nodiscard]] std::int64_t held() const {
        return static_cast<std::int64_t>(queries_.held.size());
    }
    /// Returns the relative error of the prior on the held-out queries and stores the residual to
    /// fit.
    [[nodiscard]] Result<double> takePrior(const std::vector<float>& prior);
    /// [kept, dim] correction of the prior; nullopt on failure.
    [[nodiscard]] Result<std::optional<PooledFloats>> correction(float lambda);
    /// Relative held-out error with a correction.
    [[nodiscard]] Result<double> judged(const PooledFloats& correction) const;

  private:
    WideFit(const SpanAttention& span, const KeySelection& chosen, const std::vector<float>& bias)
        : span_(span),
          kept_(static_cast<std::int64_t>(chosen.slots.size())),
          dim_(span.values.size() / span.slots),
          queries_(takeQueries(chosen, bias)) {}
    [[nodiscard]] std::int64_t total() const { return fitted() + held(); }
    QueryDivision takeQueries(const KeySelection& chosen, const std::vector<float>& bias);
    void takeRows(BfloatMatrix& rows) const;
    [[nodiscard]] std::int32_t queryOf(std::int64_t row) const {
        return row < fitted() ? queries_.fitted[sized(row)] : queries_.held[sized(row - fitted())];
    }

    const SpanAttention& span_;
    std::int64_t kept_, dim_;
    std::vector<float> factors_;  ///< [row stride] factors of each kept key's probabilities
    std::vector<float> sums_;     ///< [queries] attention of the kept keys
    QueryDivision queries_;
    std::optional<BfloatMatrix> rows_;  ///< [fitted + held, kept] weighted
    PooledFloats rest_;                 ///< [fitted + held, dim] weighted residual of the prior
    double whole_ = 0;                  ///< squared norm of the held-out targets
};

QueryDivision WideFit::takeQueries(const KeySelection& chosen, const std::vector<float>& bias) {
    factors_.assign(sized(span_.byQueryStride), 0.0F);
    for (std::size_t a = 0; a < bias.size(); ++a)
        factors_[a] = std::exp(bias[a] - span_.bias[static_cast<std::size_t>(chosen.slots[a])]);
    sums_.assign(sized(span_.queries), 0.0F);
    bestKernels().dotRows[kernelIndex(DType::F32)](
        {reinterpret_cast<const std::byte*>(span_.byQuery.data()), span_.byQueryStride * 4,
         span_.queries, span_.byQueryStride},
        factors_.data(), sums_.data());
    return divideQueries(span_, sums_);
}

void WideFit::takeRows(BfloatMatrix& rows) const {
    std::vector<float> row(sized(kept_));
    for (std::int64_t r = 0; r < total(); ++r) {
        const std::int64_t query = queryOf(r);
        const float part = span_.weights[sized(query)] * inverseOf(sums_[sized(query)]);
        const float* from = span_.byQuery.data() + query * span_.byQueryStride;
        const float* factors = factors_.data();
        float* to = row.data();
        for (std::int64_t a = 0; a < kept_; ++a) to[a] = from[a] * factors[a] * part;
        rows.setRow(r, to);
    }
}

Result<double> WideFit::takePrior(const std::vector<float>& prior) {
    LACUNA_TRY(const auto values, rounded(span_.buffers, prior.data(), kept_, dim_));
    multiplyRows(*rows_, {0, total()}, values, rest_.data());
    double error = 0;
    for (std::int64_t r = 0; r < total(); ++r) {
        const std::int64_t query = queryOf(r);
        const float weight = span_.weights[sized(query)];
        const float* right = span_.source.outputs.data() + query * dim_;
        float* rest = rest_.data() + r * dim_;
        for (std::int64_t d = 0; d < dim_; ++d) rest[d] = weight * right[d] - rest[d];
        if (r < fitted()) continue;
        error += sumOfSquares(rest, dim_);
        whole_ +=
            static_cast<double>(weight) * static_cast<double>(weight) * sumOfSquares(right, dim_);
    }
    return whole_ > 0 ? std::sqrt(error / whole_) : 0.0;
}

Result<std::optional<PooledFloats>> WideFit::correction(float lambda) {
    const std::int64_t n = fitted();
    if (n == 0) return std::optional<PooledFloats>{};
    LACUNA_TRY(PooledFloats gram, PooledFloats::take(span_.buffers, n * n));
    multiplyBySelf(*rows_, n, gram.data());
    LACUNA_TRY(PooledFloats byDim, PooledFloats::take(span_.buffers, dim_ * kept_));
    const float largest = largestFitted(span_);
    // Lambda is relative to the mean over keys, and there are more keys than queries.
    lambda *= static_cast<float>(n) / static_cast<float>(kept_);
    for (int attempt = 0; attempt <= kEscalations; ++attempt, lambda *= 10) {
        LACUNA_TRY(const auto solved, solveRidgeBlocks({.gram = {gram.data(), {n, n}},
                                                        .right = {rest_.data(), {n, dim_}},
                                                        .lambda = lambda,
                                                        .largest = 0},
                                                       span_.buffers));
        if (!solved) break;
        lambda = solved->lambda;
        const Floats transposedValues = transposed(solved->values, dim_);
        LACUNA_TRY(const auto overQueries,
                   rounded(span_.buffers, transposedValues.data(), dim_, n));
        multiplyRows(overQueries, {0, dim_}, *rows_, byDim.data());
        const std::span<const float> found(byDim.data(), sized(byDim.size()));
        if (!std::ranges::all_of(found, [&](float x) { return std::abs(x) <= largest; })) continue;
        LACUNA_TRY(PooledFloats out, PooledFloats::take(span_.buffers, kept_ * dim_));
        turn({byDim.data(), dim_, kept_}, out.data());
        return std::optional(std::move(out));
    }
    return std::optional<PooledFloats>{};
}

Result<double> WideFit::judged(const PooledFloats& correction) const {
    std::vector<float> answers(sized(held() * dim_));
    LACUNA_TRY(const auto values, rounded(span_.buffers, correction.data(), kept_, dim_));
    multiplyRows(*rows_, {fitted(), held()}, values, answers.data());
    const float* rest = rest_.data() + fitted() * dim_;
    for (std::size_t i = 0; i < answers.size(); ++i) answers[i] = rest[i] - answers[i];
    const double error = sumOfSquares(answers.data(), static_cast<std::int64_t>(answers.size()));
    return whole_ > 0 ? std::sqrt(error / whole_) : 0.0;
}

}  // namespace

bool fitsWide(const SpanAttention& span, const ValueFitOptions& options) {
    return span.byQueryStride > 0 && span.queries >= kMinFitQueries &&
           (options.fit == ValueFit::RidgeCluster || options.fit == ValueFit::RidgeOriginal);
}

Result<FittedValues> fitWideValues(const SpanAttention& span, const KeySelection& chosen,
                                   const std::vector<float>& bias, const ValueFitOptions& options) {
    const std::int64_t dim = span.values.size() / span.slots;
    FittedValues out;
    out.values = options.fit == ValueFit::RidgeCluster
                     ? clusterValues(span, chosen, dim, options.anchor)
                     : originalValues(span, chosen, dim);
    LACUNA_TRY(WideFit fit, WideFit::make(span, chosen, bias));
    LACUNA_TRY(out.priorError, fit.takePrior(out.values));
    out.heldOutError = out.priorError;
    LACUNA_TRY(const auto correction, fit.correction(options.lambda.value_or(kValueLambda)));
    if (!correction) return out;
    LACUNA_TRY(const double error, fit.judged(*correction));
    if (!(error < out.priorError)) return out;
    bestKernels().addTo(out.values.data(), correction->data(), correction->size());
    out.heldOutError = error;
    out.fitUsed = true;
    return out;
}

}  // namespace lacuna
