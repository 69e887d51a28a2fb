#include "engine/compress/matching/value_correction.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/compress/matching/matrix_products.h"
#include "engine/compress/matching/ridge_blocks.h"

namespace lacuna {
namespace {

constexpr int kEscalations = 4;

std::int64_t queriesOf(const CorrectionSystem& s) {
    return static_cast<std::int64_t>(s.chosen.size());
}

/// Writes the selected columns of `count` rows, weighted: [count, queries].
void weighted(const CorrectionSystem& s, const float* rows, std::int64_t count, float* to) {
    for (std::int64_t r = 0; r < count; ++r) {
        const float* row = rows + r * s.columns;
        for (const std::int32_t i : s.chosen)
            *to++ = row[i] * s.weights[static_cast<std::size_t>(i)];
    }
}

/// The same transposed: [queries, stride], zero after the rows.
void weightedTransposed(const CorrectionSystem& s, const float* rows, std::int64_t count,
                        std::int64_t stride, float* to) {
    constexpr std::int64_t kBlock = 32;
    for (std::int64_t i = 0; i < queriesOf(s); ++i)
        std::fill(to + i * stride + count, to + (i + 1) * stride, 0.0F);
    for (std::int64_t first = 0; first < count; first += kBlock) {
        const std::int64_t end = std::min(first + kBlock, count);
        float* line = to;
        for (const std::int32_t i : s.chosen) {
            const float weight = s.weights[static_cast<std::size_t>(i)];
            for (std::int64_t r = first; r < end; ++r) line[r] = rows[r * s.columns + i] * weight;
            line += stride;
        }
    }
}

Result<std::optional<std::vector<float>>> solveOverKeys(const CorrectionSystem& s) {
    const std::int64_t n = queriesOf(s);
    LACUNA_TRY(PooledFloats rows, PooledFloats::take(s.buffers, s.kept * n));
    LACUNA_TRY(PooledFloats rest, PooledFloats::take(s.buffers, s.dim * n));
    LACUNA_TRY(PooledFloats gram, PooledFloats::take(s.buffers, s.kept * s.kept));
    weighted(s, s.rows, s.kept, rows.data());
    weighted(s, s.rest, s.dim, rest.data());
    multiplyBySelf({.a = rows.data(),
                    .aStride = n,
                    .c = gram.data(),
                    .cStride = s.kept,
                    .rows = s.kept,
                    .depth = n});
    std::vector<float> right(static_cast<std::size_t>(s.kept * s.dim));
    multiplyTransposed({.a = rows.data(),
                        .aStride = n,
                        .b = rest.data(),
                        .bStride = n,
                        .c = right.data(),
                        .cStride = s.dim,
                        .rows = s.kept,
                        .depth = n,
                        .columns = s.dim});
    LACUNA_TRY(auto solved, solveRidgeBlocks({.gram = {gram.data(), {s.kept, s.kept}},
                                              .right = {right.data(), {s.kept, s.dim}},
                                              .lambda = s.lambda,
                                              .largest = s.largest},
                                             s.buffers));
    if (!solved) return std::optional<std::vector<float>>{};
    return std::optional(std::move(solved->values));
}

/// Correction [kept, dim] that corresponds to the solution over queries [queries, dim].
std::vector<float> appliedToKeys(const CorrectionSystem& s, const float* transposed,
                                 std::int64_t stride, const std::vector<float>& overQueries) {
    const std::int64_t n = queriesOf(s);
    std::vector<float> byDim(overQueries.size());
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t d = 0; d < s.dim; ++d)
            byDim[static_cast<std::size_t>(d * n + i)] =
                overQueries[static_cast<std::size_t>(i * s.dim + d)];
    std::vector<float> answer(static_cast<std::size_t>(s.dim * s.kept));
    multiply({.a = byDim.data(),
              .aStride = n,
              .b = transposed,
              .bStride = stride,
              .c = answer.data(),
              .cStride = s.kept,
              .rows = s.dim,
              .depth = n,
              .columns = s.kept});
    std::vector<float> out(answer.size());
    for (std::int64_t d = 0; d < s.dim; ++d)
        for (std::int64_t a = 0; a < s.kept; ++a)
            out[static_cast<std::size_t>(a * s.dim + d)] =
                answer[static_cast<std::size_t>(d * s.kept + a)];
    return out;
}

/// X'(XX' + c)^-1 R, which is (X'X + c)^-1 X'R.
Result<std::optional<std::vector<float>>> solveOverQueries(const CorrectionSystem& s) {
    const std::int64_t n = queriesOf(s);
    const std::int64_t stride = paddedColumns(s.kept);
    LACUNA_TRY(PooledFloats transposed, PooledFloats::take(s.buffers, n * stride));
    LACUNA_TRY(PooledFloats right, PooledFloats::take(s.buffers, n * s.dim));
    LACUNA_TRY(PooledFloats gram, PooledFloats::take(s.buffers, n * n));
    weightedTransposed(s, s.rows, s.kept, stride, transposed.data());
    weightedTransposed(s, s.rest, s.dim, s.dim, right.data());
    multiplyBySelf({.a = transposed.data(),
                    .aStride = stride,
                    .c = gram.data(),
                    .cStride = n,
                    .rows = n,
                    .depth = s.kept});
    // Lambda is relative to the mean over keys, and there are more keys than queries.
    float lambda = s.lambda * static_cast<float>(n) / static_cast<float>(s.kept);
    for (int attempt = 0; attempt <= kEscalations; ++attempt, lambda *= 10) {
        LACUNA_TRY(const auto solved, solveRidgeBlocks({.gram = {gram.data(), {n, n}},
                                                        .right = {right.data(), {n, s.dim}},
                                                        .lambda = lambda,
                                                        .largest = 0},
                                                       s.buffers));
        if (!solved) break;
        lambda = solved->lambda;
        std::vector<float> out = appliedToKeys(s, transposed.data(), stride, solved->values);
        if (std::ranges::all_of(
                out, [&](float x) { return s.largest <= 0 || std::abs(x) <= s.largest; }))
            return std::optional(std::move(out));
    }
    return std::optional<std::vector<float>>{};
}

}  // namespace

Result<std::optional<std::vector<float>>> solveCorrection(const CorrectionSystem& system) {
    if (system.chosen.empty()) return std::optional<std::vector<float>>{};
    return queriesOf(system) < system.kept ? solveOverQueries(system) : solveOverKeys(system);
}

}  // namespace lacuna
