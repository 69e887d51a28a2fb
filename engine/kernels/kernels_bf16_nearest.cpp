// Targets against packed rows with the AVX-512 BF16 dot product: the product tile of
// kernels_avx512_bf16, but only the smallest distance of each row leaves the registers.

#include "engine/kernels/nearest_targets.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include "engine/kernels/target_region.h"

LACUNA_TARGET_BEGIN("avx2,fma,f16c,avx512f,avx512vl,avx512dq,avx512bw,avx512bf16")
namespace lacuna {
namespace bf16 {
namespace {

constexpr int kPanelRows = 32;
constexpr int kTargets = 12;

inline __m512bh pairsAt(const void* source) {
    __m512bh v;
    __builtin_memcpy(&v, source, sizeof v);
    return v;
}

struct Nearest {
    float* least;
    std::int32_t* which;
};

/// Updates the nearest target of sixteen rows with the products of `count` targets from `first` on.
template <int count>
inline void lowerAll(const BfloatTargetRows& targets, int first, const __m512* products,
                     Nearest nearest) {
    __m512 least = _mm512_loadu_ps(nearest.least);
    __m512i which = _mm512_loadu_si512(nearest.which);
#pragma GCC unroll 12
    for (int t = 0; t < count; ++t) {
        const __m512 distance = _mm512_fnmadd_ps(_mm512_set1_ps(2.0F), products[t],
                                                 _mm512_set1_ps(targets.own[first + t]));
        const __mmask16 nearer = _mm512_cmp_ps_mask(distance, least, _CMP_LT_OQ);
        least = _mm512_mask_mov_ps(least, nearer, distance);
        which = _mm512_mask_mov_epi32(which, nearer, _mm512_set1_epi32(first + t));
    }
    _mm512_storeu_ps(nearest.least, least);
    _mm512_storeu_si512(nearest.which, which);
}

template <int count>
void compare(const BfloatTargetRows& targets, int first, const std::byte* panel, Nearest nearest) {
    __m512 low[count];
    __m512 high[count];
#pragma GCC unroll 12
    for (int t = 0; t < count; ++t) low[t] = high[t] = _mm512_setzero_ps();
    const std::uint16_t* rows = targets.rows + first * targets.stride;
    const std::int64_t pairs = (targets.depth + 1) / 2;
    for (std::int64_t p = 0; p < pairs; ++p, panel += 128) {
        const __m512bh b0 = pairsAt(panel);
        const __m512bh b1 = pairsAt(panel + 64);
#pragma GCC unroll 12
        for (int t = 0; t < count; ++t) {
            std::int32_t pair;
            __builtin_memcpy(&pair, rows + t * targets.stride + 2 * p, 4);
            const __m512i both = _mm512_set1_epi32(pair);
            const __m512bh x = pairsAt(&both);
            low[t] = _mm512_dpbf16_ps(low[t], b0, x);
            high[t] = _mm512_dpbf16_ps(high[t], b1, x);
        }
    }
    lowerAll<count>(targets, first, low, nearest);
    lowerAll<count>(targets, first, high, {nearest.least + 16, nearest.which + 16});
}

template <int count>
void compareRest(const BfloatTargetRows& targets, int first, const std::byte* panel,
                 Nearest nearest) {
    if constexpr (count > 0) {
        if (targets.count - first == count) return compare<count>(targets, first, panel, nearest);
        compareRest<count - 1>(targets, first, panel, nearest);
    }
}

/// Returns a mask of the rows within their bounds, of sixteen from `first` on.
inline std::uint32_t withinBounds(const RowBounds& bounds, int first, const float* least) {
    const int left = bounds.rows - first;
    if (left <= 0) return 0;
    const auto there = left >= 16
                           ? static_cast<__mmask16>(0xFFFF)
                           : static_cast<__mmask16>((1U << static_cast<unsigned>(left)) - 1U);
    const __m512 squares = _mm512_maskz_loadu_ps(there, bounds.squares + first);
    const __m512 distance = _mm512_add_ps(squares, _mm512_loadu_ps(least + first));
    const __mmask16 nearer = _mm512_mask_cmp_ps_mask(
        there, distance, _mm512_maskz_loadu_ps(there, bounds.distances + first), _CMP_LT_OQ);
    const __mmask16 copies = _mm512_mask_cmp_ps_mask(
        there, distance, _mm512_mul_ps(squares, _mm512_set1_ps(bounds.copies)), _CMP_LE_OQ);
    return static_cast<std::uint32_t>(nearer | copies) << static_cast<unsigned>(first);
}

std::uint32_t nearestOfPanel(const BfloatTargetRows& targets, const std::byte* panel,
                             const RowBounds& bounds, float* least, std::int32_t* which) noexcept {
    for (int row = 0; row < kPanelRows; ++row) {
        least[row] = __builtin_inff();
        which[row] = 0;
    }
    int first = 0;
    for (; first + kTargets <= targets.count; first += kTargets)
        compare<kTargets>(targets, first, panel, {least, which});
    compareRest<kTargets - 1>(targets, first, panel, {least, which});
    return withinBounds(bounds, 0, least) | withinBounds(bounds, 16, least);
}

}  // namespace
}  // namespace bf16
}  // namespace lacuna
LACUNA_TARGET_END
#endif

namespace lacuna {

NearestBfloatTargets nearestBfloatTargets([[maybe_unused]] const KernelTable& table) {
#if defined(__x86_64__)
    if (table.packBfloat != nullptr) return bf16::nearestOfPanel;
#endif
    return nullptr;
}

}  // namespace lacuna
