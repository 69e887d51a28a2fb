// Interleaved rows of halves and bfloats with AVX-512: two columns of sixteen rows per register. A
// single token is multiplied in float.

#include "engine/kernels/kernel_parts.h"
#include "engine/kernels/target_region.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include "engine/tensor/row_groups.h"

LACUNA_TARGET_BEGIN("avx2,fma,f16c,avx512f,avx512vl,avx512dq,avx512bw")
namespace lacuna {
namespace avx512 {
namespace {

constexpr std::int64_t kPairBytes = 4;
constexpr std::int64_t kVector = kGroupRows * kPairBytes;

/// Sums of sixteen rows. For halves: rows 0..7 and 8..15 with the columns of a pair adjacent; for
/// bfloats: the first and the second column of a pair.
struct PairSums {
    __m512 low;
    __m512 high;
};

inline __m512 pairEverywhere(const float* x) {
    double pair;
    __builtin_memcpy(&pair, x, sizeof pair);
    return _mm512_castpd_ps(_mm512_set1_pd(pair));
}

inline __m512 eightRows(const std::byte* at) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
}

template <DType type>
inline __attribute__((always_inline)) void addPair(const std::byte* at, const float* x,
                                                   PairSums& sums) {
    if constexpr (type == DType::F16) {
        const __m512 pair = pairEverywhere(x);
        sums.low = _mm512_fmadd_ps(eightRows(at), pair, sums.low);
        sums.high = _mm512_fmadd_ps(eightRows(at + kVector / 2), pair, sums.high);
    } else {
        const __m512i both = _mm512_loadu_si512(at);
        const __m512i second = _mm512_and_si512(both, _mm512_set1_epi32(-65536));
        sums.low = _mm512_fmadd_ps(_mm512_castsi512_ps(_mm512_slli_epi32(both, 16)),
                                   _mm512_set1_ps(x[0]), sums.low);
        sums.high = _mm512_fmadd_ps(_mm512_castsi512_ps(second), _mm512_set1_ps(x[1]), sums.high);
    }
}

template <DType type>
inline __m512 rowsOf(const PairSums& sums) {
    if constexpr (type == DType::BF16) return _mm512_add_ps(sums.low, sums.high);
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    return _mm512_add_ps(_mm512_permutex2var_ps(sums.low, even, sums.high),
                         _mm512_permutex2var_ps(sums.low, odd, sums.high));
}

template <DType type>
inline __m512 dotGroup(const std::byte* group, std::int64_t columns, const float* x) {
    constexpr int kInFlight = 4;  // independent sums
    PairSums sums[kInFlight];
    for (PairSums& sum : sums) sum.low = sum.high = _mm512_setzero_ps();
    std::int64_t column = 0;
    for (; column + 2 * kInFlight <= columns; column += 2 * kInFlight)
#pragma GCC unroll 4
        for (int i = 0; i < kInFlight; ++i, group += kVector)
            addPair<type>(group, x + column + 2 * i, sums[i]);
    for (; column < columns; column += 2, group += kVector)
        addPair<type>(group, x + column, sums[0]);
    for (int i = 1; i < kInFlight; ++i) {
        sums[0].low = _mm512_add_ps(sums[0].low, sums[i].low);
        sums[0].high = _mm512_add_ps(sums[0].high, sums[i].high);
    }
    return rowsOf<type>(sums[0]);
}

template <DType type>
void dotGroups(const RowBlock& block, const float* x, float* out) noexcept {
    for (std::int64_t row = 0; row < block.count; row += kGroupRows) {
        const std::int64_t left = block.count - row;
        const auto mask = left >= kGroupRows
                              ? static_cast<__mmask16>(0xFFFF)
                              : static_cast<__mmask16>((1U << static_cast<unsigned>(left)) - 1U);
        _mm512_mask_storeu_ps(out + row, mask,
                              dotGroup<type>(block.rows + row * block.rowStride, block.columns, x));
    }
}

}  // namespace
}  // namespace avx512
}  // namespace lacuna
LACUNA_TARGET_END

namespace lacuna {

void fillAvx512HalfKernels(KernelTable& table) noexcept {
    table.dotGroups[kernelIndex(DType::F16)] = avx512::dotGroups<DType::F16>;
    table.dotGroups[kernelIndex(DType::BF16)] = avx512::dotGroups<DType::BF16>;
}

}  // namespace lacuna
#endif
