#include "engine/tensor/scale_fit.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace lacuna {
namespace {

// Sums run in four lanes of a vector type of the compiler: the same order, and so the same bits,
// on every processor.
using Lanes = float __attribute__((vector_size(16)));
constexpr int kLanes = 4;
constexpr float kNothing = 1e-20F;  // below every scale that a half can hold

// Adding and taking away 1.5 * 2^23 rounds to the nearest integer, ties to even.
constexpr float kRounder = 12582912.0F;

Lanes load(const float* x) {
    Lanes lanes;
    std::memcpy(&lanes, x, sizeof lanes);
    return lanes;
}

float sumOf(Lanes lanes) {
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

template <int n>
float sumOfAll(const float* x) {
    Lanes sum{};
    for (int i = 0; i < n; i += kLanes) sum += load(x + i);
    return sumOf(sum);
}

/// Turns of rounding and solving from one start; keeps the best fit met on the way.
template <int n, int kTurns, class Solve>
void improve(const float* x, AffineScale start, int lowest, int highest, Solve solve,
             AffineScale& best, float& bestError) {
    float codes[n];
    AffineScale fit = start;
    for (int turn = 0; turn <= kTurns; ++turn) {
        const CodeSums sums = roundToCodes<n>(x, fit, lowest, highest, codes);
        if (sums.error < bestError) {
            bestError = sums.error;
            best = fit;
        }
        if (turn < kTurns) fit = solve(sums);
    }
}

}  // namespace

template <int n>
CodeSums roundToCodes(const float* x, AffineScale fit, int lowest, int highest, float* codes) {
    const float inverse = std::fabs(fit.scale) > kNothing ? 1.0F / fit.scale : 0.0F;
    const auto low = static_cast<float>(lowest);
    const auto high = static_cast<float>(highest);
    Lanes error{};
    Lanes sum{};
    Lanes squares{};
    Lanes products{};
    for (int i = 0; i < n; i += kLanes) {
        const Lanes v = load(x + i);
        const Lanes wanted = (v + fit.smallest) * inverse;
        const Lanes raised = wanted > low ? wanted : Lanes{} + low;
        const Lanes clamped = raised < high ? raised : Lanes{} + high;
        const Lanes code = (clamped + kRounder) - kRounder;
        const Lanes off = v - (fit.scale * code - fit.smallest);
        std::memcpy(codes + i, &code, sizeof code);
        error += off * off;
        sum += code;
        squares += code * code;
        products += v * code;
    }
    return {sumOf(error), sumOf(sum), sumOf(squares), sumOf(products)};
}

AffineScale solveAffine(const CodeSums& sums, float sumOfX, int n, OffsetSign sign) {
    const auto count = static_cast<float>(n);
    const float determinant = count * sums.squares - sums.codes * sums.codes;
    if (determinant <= 0) return {0, sign == OffsetSign::Any || sumOfX < 0 ? -sumOfX / count : 0};
    const float scale = (count * sums.products - sumOfX * sums.codes) / determinant;
    const float smallest = (sums.codes * sums.products - sums.squares * sumOfX) / determinant;
    if (sign == OffsetSign::Any || smallest >= 0) return {scale, smallest};
    return {sums.squares > 0 ? sums.products / sums.squares : 0, 0};
}

template <int n>
AffineScale fitAffine(const float* x, int levels, OffsetSign sign) {
    const auto [low, high] = std::minmax_element(x, x + n);
    const float lowest = sign == OffsetSign::Any ? *low : std::min(*low, 0.0F);
    const float range = *high - lowest;
    if (range < kNothing) return {0, -lowest};
    const float sumOfX = sumOfAll<n>(x);
    AffineScale best{range / static_cast<float>(levels), -lowest};
    float bestError = INFINITY;
    // The extremes may be rounded beyond the last code, or leave it unused.
    constexpr int kStarts = 4;
    const auto solve = [&](const CodeSums& sums) { return solveAffine(sums, sumOfX, n, sign); };
    for (int start = -kStarts; start <= kStarts; ++start) {
        const float steps = static_cast<float>(levels) + 0.3F * static_cast<float>(start);
        improve<n, 2>(x, {range / steps, -lowest}, 0, levels, solve, best, bestError);
    }
    improve<n, 4>(x, best, 0, levels, solve, best, bestError);
    return best;
}

template <int n>
float fitSymmetric(const float* x, int lowest, int highest) {
    const float extreme =
        *std::max_element(x, x + n, [](float a, float b) { return std::fabs(a) < std::fabs(b); });
    if (std::fabs(extreme) < kNothing) return 0;
    AffineScale best;
    float bestError = INFINITY;
    const auto solve = [](const CodeSums& sums) {
        return AffineScale{sums.squares > 0 ? sums.products / sums.squares : 0, 0};
    };
    // The extreme lies near the last code of either side.
    constexpr int kStarts = 3;
    for (const int end : {lowest, highest}) {
        for (int start = -kStarts; start <= kStarts; ++start) {
            const float steps = static_cast<float>(end) + 0.3F * static_cast<float>(start);
            improve<n, 1>(x, {extreme / steps, 0}, lowest, highest, solve, best, bestError);
        }
    }
    improve<n, 2>(x, best, lowest, highest, solve, best, bestError);
    return best.scale;
}

template CodeSums roundToCodes<16>(const float*, AffineScale, int, int, float*);
template CodeSums roundToCodes<32>(const float*, AffineScale, int, int, float*);
template AffineScale fitAffine<16>(const float*, int, OffsetSign);
template AffineScale fitAffine<32>(const float*, int, OffsetSign);
template float fitSymmetric<16>(const float*, int, int);
template float fitSymmetric<32>(const float*, int, int);

}  // namespace lacuna
