#include "engine/compress/score_tiles.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/kernels/cpu_features.h"

namespace lacuna {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::int64_t kTileNumbers = 1 << 16;  // 256 KiB
constexpr std::int64_t kFewestSlots = 16;

PackedRows scaledQueries(const HeadSpan& span) {
    std::vector<float> rows(span.queries.data(), span.queries.data() + span.queries.size());
    for (float& x : rows) x *= span.scale;
    return {rows.data(), span.keyDim, span.queries.extent(0), span.keyDim};
}

/// Largest score of each query in rows [count, columns].
std::vector<float> columnTops(const float* rows, std::int64_t count, std::int64_t columns) {
    std::vector<float> top(static_cast<std::size_t>(columns), -kInfinity);
    float* tops = top.data();
    for (std::int64_t j = 0; j < count; ++j) {
        const float* row = rows + j * columns;
        for (std::int64_t i = 0; i < columns; ++i) tops[i] = row[i] > tops[i] ? row[i] : tops[i];
    }
    return top;
}

}  // namespace

ScoreMass joinedMass(std::span<const ScoreMass> tiles, std::int64_t columns) {
    const auto count = static_cast<std::size_t>(columns);
    ScoreMass whole{.tops = std::vector<float>(count, -kInfinity),
                    .sums = std::vector<float>(count, 0.0F)};
    for (const ScoreMass& tile : tiles)
        for (std::size_t i = 0; i < count; ++i)
            whole.tops[i] = std::max(whole.tops[i], tile.tops[i]);
    for (float& top : whole.tops) top = std::isfinite(top) ? top : 0.0F;
    for (const ScoreMass& tile : tiles) {
        const std::vector<float> factors = tileFactors(tile, whole);
        for (std::size_t i = 0; i < count; ++i) whole.sums[i] += tile.sums[i] * factors[i];
    }
    return whole;
}

std::vector<float> tileFactors(const ScoreMass& tile, const ScoreMass& whole) {
    std::vector<float> factors(tile.tops);
    for (std::size_t i = 0; i < factors.size(); ++i)
        factors[i] = std::exp(factors[i] - whole.tops[i]);
    return factors;
}

std::vector<float> logMass(const ScoreMass& whole) {
    std::vector<float> log(whole.tops);
    for (std::size_t i = 0; i < log.size(); ++i) log[i] += std::log(whole.sums[i]);
    return log;
}

ScoreTiles::ScoreTiles(const HeadSpan& span, const float* keys, const std::vector<bool>& usable)
    : span_(span),
      keys_(keys),
      usable_(usable),
      columns_(paddedColumns(span.queries.extent(0))),
      queries_(scaledQueries(span)) {}

std::int64_t ScoreTiles::tileSlots() const {
    return std::max(kTileNumbers / columns_, kFewestSlots);
}

void ScoreTiles::finishRow(std::int64_t slot, float* row) const {
    const std::int64_t n = span_.queries.extent(0);
    std::fill(row + n, row + columns_, 0.0F);
    if (!usable_[static_cast<std::size_t>(slot)]) {
        std::fill(row, row + columns_, -kInfinity);
        return;
    }
    if (span_.softcap > 0) bestKernels().softCap(row, span_.softcap, n);
    const float bias = span_.head.bias == nullptr ? 0.0F : span_.head.bias[slot];
    if (bias == 0) return;
    for (std::int64_t i = 0; i < n; ++i) row[i] += bias;
}

ScoreMass ScoreTiles::exponentiate(std::int64_t first, std::int64_t last, float* rows,
                                   const Watch& watch) const {
    const KernelTable& kernels = bestKernels();
    const std::int64_t count = last - first;
    multiplyTransposed({.a = keys_ + first * span_.keyDim,
                        .aStride = span_.keyDim,
                        .c = rows,
                        .cStride = columns_,
                        .rows = count,
                        .depth = span_.keyDim,
                        .columns = span_.queries.extent(0)},
                       queries_);
    for (std::int64_t j = 0; j < count; ++j) {
        finishRow(first + j, rows + j * columns_);
        if (watch) watch(first + j, rows + j * columns_);
    }
    ScoreMass mass{.tops = columnTops(rows, count, columns_),
                   .sums = std::vector<float>(static_cast<std::size_t>(columns_), 0.0F)};
    std::vector<float> from(mass.tops);
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (std::isfinite(from[i])) continue;
        // An infinite score makes an infinite mass, which says that the query counts for nothing.
        if (from[i] > 0) mass.tops[i] = 0;
        from[i] = 0;
    }
    const float* tops = from.data();
    for (std::int64_t j = 0; j < count; ++j) {
        float* row = rows + j * columns_;
        for (std::int64_t i = 0; i < columns_; ++i) row[i] -= tops[i];
        static_cast<void>(kernels.expSum(row, 0.0F, columns_));
        kernels.addTo(mass.sums.data(), row, columns_);
    }
    return mass;
}

}  // namespace lacuna
