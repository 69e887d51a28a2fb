#include "engine/compress/matching/score_tiles.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/kernels/cpu_features.h"

namespace lacuna {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::int64_t kTileNumbers = 1 << 16;  // 256 KiB
constexpr std::int64_t kMinSlots = 16;

PackedRows scaledQueries(const HeadSpan& span) {
    std::vector<float> rows(span.queries.data(), span.queries.data() + span.queries.size());
    for (float& x : rows) x *= span.scale;
    return {rows.data(), span.keyDim, span.queries.extent(0), span.keyDim};
}

/// Raises tops [columns] to the largest score of each query in rows [count, columns].
void raiseTops(const float* rows, std::int64_t count, std::vector<float>& top) {
    const auto columns = static_cast<std::int64_t>(top.size());
    float* tops = top.data();
    for (std::int64_t j = 0; j < count; ++j) {
        const float* row = rows + j * columns;
        for (std::int64_t i = 0; i < columns; ++i) tops[i] = row[i] > tops[i] ? row[i] : tops[i];
    }
}

/// Factors exp(before - after) for sums relative to the previous tops.
std::vector<float> shrinkage(const std::vector<float>& before, const std::vector<float>& after) {
    std::vector<float> factors(before.size(), 1.0F);
    for (std::size_t i = 0; i < factors.size(); ++i)
        if (before[i] != after[i]) factors[i] = std::exp(before[i] - after[i]);
    return factors;
}

}  // namespace

ScoreMass::ScoreMass(std::int64_t columns)
    : tops(static_cast<std::size_t>(columns), -kInfinity),
      sums(static_cast<std::size_t>(columns), 0.0F) {}

std::vector<float> logMass(const ScoreMass& mass) {
    std::vector<float> log(mass.tops);
    for (std::size_t i = 0; i < log.size(); ++i) log[i] += std::log(mass.sums[i]);
    return log;
}

ScoreTiles::ScoreTiles(const HeadSpan& span, const float* keys, const std::vector<bool>& usable)
    : span_(span),
      keys_(keys),
      usable_(usable),
      columns_(paddedColumns(span.queries.extent(0))),
      queries_(scaledQueries(span)) {}

std::int64_t ScoreTiles::tileSlots() const {
    return std::max(kTileNumbers / columns_, kMinSlots);
}

void ScoreTiles::finishRow(std::int64_t slot, float* row) const {
    const std::int64_t n = span_.queries.extent(0);
    std::fill(row + n, row + columns_, 0.0F);
    if (!usable_[static_cast<std::size_t>(slot)]) {
        std::fill(row, row + columns_, -kInfinity);
        return;
    }
    if (span_.softCap > 0) bestKernels().softCap(row, span_.softCap, n);
    const float bias = span_.head.bias == nullptr ? 0.0F : span_.head.bias[slot];
    if (bias == 0) return;
    for (std::int64_t i = 0; i < n; ++i) row[i] += bias;
}

void ScoreTiles::score(std::int64_t first, std::int64_t last, float* rows) const {
    multiplyTransposed({.a = keys_ + first * span_.keyDim,
                        .aStride = span_.keyDim,
                        .c = rows,
                        .cStride = columns_,
                        .rows = last - first,
                        .depth = span_.keyDim,
                        .columns = span_.queries.extent(0)},
                       queries_);
    for (std::int64_t slot = first; slot < last; ++slot)
        finishRow(slot, rows + (slot - first) * columns_);
}

std::vector<float> ScoreTiles::exponentiate(std::int64_t first, std::int64_t last, float* rows,
                                            ScoreMass& mass, const Watch& watch) const {
    const KernelTable& kernels = bestKernels();
    const std::int64_t count = last - first;
    score(first, last, rows);
    if (watch)
        for (std::int64_t j = 0; j < count; ++j) watch(first + j, rows + j * columns_);
    const std::vector<float> before = mass.tops;
    raiseTops(rows, count, mass.tops);
    // An infinite score makes the mass infinite, which marks the query as ignored.
    for (std::size_t i = 0; i < before.size(); ++i)
        if (mass.tops[i] == kInfinity) mass.tops[i] = std::max(before[i], 0.0F);
    std::vector<float> factors = shrinkage(before, mass.tops);
    std::vector<float> from(mass.tops);
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (!std::isfinite(from[i])) from[i] = 0;
        mass.sums[i] *= factors[i];
    }
    const float* tops = from.data();
    for (std::int64_t j = 0; j < count; ++j) {
        float* row = rows + j * columns_;
        for (std::int64_t i = 0; i < columns_; ++i) row[i] -= tops[i];
        static_cast<void>(kernels.expSum(row, 0.0F, columns_));
        kernels.addTo(mass.sums.data(), row, columns_);
    }
    return factors;
}

}  // namespace lacuna
