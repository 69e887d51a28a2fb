// The plain reference for the passes of a selection by score.

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/kernels/kernel_parts.h"

namespace lacuna {
namespace scalar {
namespace {

FiniteRange scaleFinite(const float* x, float factor, float substitute, float* out,
                        std::int64_t n) noexcept {
    FiniteRange range;
    for (std::int64_t i = 0; i < n; ++i) {
        const bool finite = std::isfinite(x[i]);
        out[i] = finite ? factor * x[i] : substitute;
        if (!finite) continue;
        range.low = std::min(range.low, out[i]);
        range.high = std::max(range.high, out[i]);
        ++range.count;
    }
    return range;
}

std::int64_t countAbove(const float* x, float limit, std::int64_t n) noexcept {
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < n; ++i) count += x[i] > limit ? 1 : 0;
    return count;
}

void markAbove(const float* x, float limit, std::uint64_t* bits, std::int64_t n) noexcept {
    for (std::int64_t first = 0; first < n; first += 64) {
        std::uint64_t word = 0;
        for (std::int64_t i = first; i < std::min<std::int64_t>(first + 64, n); ++i)
            word |= std::uint64_t{x[i] > limit ? 1U : 0U} << (i - first);
        bits[first / 64] = word;
    }
}

void fillUnmarked(const std::uint64_t* bits, float value, float* x, std::int64_t n) noexcept {
    for (std::int64_t i = 0; i < n; ++i)
        if ((bits[i / 64] >> (i % 64) & 1U) == 0) x[i] = value;
}

}  // namespace
}  // namespace scalar

void fillScalarSelectionKernels(KernelTable& table) noexcept {
    table.scaleFinite = scalar::scaleFinite;
    table.countAbove = scalar::countAbove;
    table.markAbove = scalar::markAbove;
    table.fillUnmarked = scalar::fillUnmarked;
}

}  // namespace lacuna
