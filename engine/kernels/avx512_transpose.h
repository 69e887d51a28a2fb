#pragma once
#include "engine/kernels/target_region.h"
/// \file
/// Transposes sixteen rows of eight dwords for the panels of the AVX-512 kernels. Private to them.

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstddef>

namespace lacuna {

/// Eight vectors; lane r of vector g is dword g of row r.
struct TransposedRows {
    __m512i groups[8];
};

}  // namespace lacuna

LACUNA_TARGET_BEGIN("avx2,fma,f16c,avx512f,avx512vl,avx512dq,avx512bw")
namespace lacuna {
namespace {

/// `rows` are sixteen pointers to 32 bytes each.
inline TransposedRows transposeSixteenRows(const std::byte* const* rows) noexcept {
    const auto half = [&](int r) __attribute__((always_inline)) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows[r]));
    };
    __m512i z[8];
#pragma GCC unroll 8
    for (int r = 0; r < 8; ++r)
        z[r] = _mm512_inserti64x4(_mm512_castsi256_si512(half(r)), half(r + 8), 1);
    __m512i u[8];
#pragma GCC unroll 2
    for (int q = 0; q < 2; ++q) {  // rows 4q..4q+3 of both halves
        const __m512i abLow = _mm512_unpacklo_epi32(z[4 * q], z[4 * q + 1]);
        const __m512i abHigh = _mm512_unpackhi_epi32(z[4 * q], z[4 * q + 1]);
        const __m512i cdLow = _mm512_unpacklo_epi32(z[4 * q + 2], z[4 * q + 3]);
        const __m512i cdHigh = _mm512_unpackhi_epi32(z[4 * q + 2], z[4 * q + 3]);
        u[4 * q] = _mm512_unpacklo_epi64(abLow, cdLow);
        u[4 * q + 1] = _mm512_unpackhi_epi64(abLow, cdLow);
        u[4 * q + 2] = _mm512_unpacklo_epi64(abHigh, cdHigh);
        u[4 * q + 3] = _mm512_unpackhi_epi64(abHigh, cdHigh);
    }
    // 128-bit lanes 0 and 2 hold dwords 0..3, lanes 1 and 3 dwords 4..7.
    const __m512i front = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    const __m512i back = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    TransposedRows out;
#pragma GCC unroll 4
    for (int g = 0; g < 4; ++g) {
        out.groups[g] = _mm512_permutex2var_epi64(u[g], front, u[4 + g]);
        out.groups[4 + g] = _mm512_permutex2var_epi64(u[g], back, u[4 + g]);
    }
    return out;
}

}  // namespace
}  // namespace lacuna
LACUNA_TARGET_END
#endif
