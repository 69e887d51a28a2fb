#pragma once
/// \file
/// Code shared by the VNNI kernels of rotated codes: queries and weights rounded to integers.
/// Private to this module; included by files whose target regions enable the instructions.

#include "engine/kernels/rotated_parts.h"
#include "engine/kernels/target_region.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/avx512_planes.h"

LACUNA_TARGET_BEGIN("avx2,fma,f16c,avx512f,avx512vl,avx512dq,avx512bw,avx512vnni")
namespace lacuna {
namespace vnni {

using avx512::kVector;
using avx512::load;
using avx512::store;
/// bytes of one row; vectors may read and write past its end
constexpr std::int64_t kSpace = kMaxRotatedDim + 2 * kVector;
constexpr int kRowsOfAdd = 64;
constexpr int kQueriesOfBatch = 12;
constexpr int kNotFinite = 0x99;        // class bits for infinities and NaN
constexpr float kSmallestTop = 1e-30F;  // a smaller value could have an infinite reciprocal

inline std::int64_t roundUp(std::int64_t n) {
    return (n + kVector - 1) / kVector * kVector;
}

inline float floatOf(std::uint16_t half) {
    return _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(half)));
}

inline __mmask16 firstLanes(std::int64_t n) {
    return n >= 16 ? __mmask16{0xFFFF} : static_cast<__mmask16>((1U << n) - 1U);
}

/// x = scale * code, zeros after the columns. The offset compensates for reading levels as level +
/// 128.
struct IntegerQuery {
    alignas(64) std::int8_t codes[kSpace];
    float scale;
    std::int32_t offset;
};

struct Magnitude {
    float top;    ///< largest absolute value
    bool finite;  ///< no number is infinite or NaN
    /// Returns the factor that scales the largest value to `code`; 0 if there is none.
    [[nodiscard]] float factor(float code) const {
        return top > kSmallestTop && finite ? code / top : 0.0F;
    }
    /// Returns the value of one code unit; NaN if a value is not finite.
    [[nodiscard]] float step(float code) const { return finite ? top / code : __builtin_nanf(""); }
};

inline Magnitude magnitudeOf(const float* x, std::int64_t columns) {
    __m512 largest = _mm512_setzero_ps();
    __mmask16 bad = 0;
    for (std::int64_t c = 0; c < columns; c += 16) {
        const __m512 v = _mm512_maskz_loadu_ps(firstLanes(columns - c), x + c);
        largest = _mm512_max_ps(largest, _mm512_abs_ps(v));
        bad |= _mm512_fpclass_ps_mask(v, kNotFinite);
    }
    return {.top = _mm512_reduce_max_ps(largest), .finite = bad == 0};
}

inline void quantise(const float* x, std::int64_t columns, IntegerQuery& out) {
    constexpr float kLargestCode = 127.0F;
    const Magnitude magnitude = magnitudeOf(x, columns);
    const __m512 factor = _mm512_set1_ps(magnitude.factor(kLargestCode));
    __m512i sum = _mm512_setzero_si512();
    for (std::int64_t c = 0; c < roundUp(columns); c += 16) {
        const __m512 v =
            _mm512_maskz_loadu_ps(c < columns ? firstLanes(columns - c) : __mmask16{0}, x + c);
        const __m512i codes = _mm512_cvtps_epi32(_mm512_mul_ps(v, factor));
        sum = _mm512_add_epi32(sum, codes);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out.codes + c), _mm512_cvtsepi32_epi8(codes));
    }
    out.scale = magnitude.step(kLargestCode);
    out.offset = 128 * _mm512_reduce_add_epi32(sum);
}

/// weight * scale of a row = step * (256 high + low).
struct IntegerWeights {
    alignas(64) std::int8_t high[kRowsOfAdd];
    alignas(64) std::int8_t low[kRowsOfAdd];
    float step;
    std::int32_t offset;      ///< 128 times their sum
    std::int32_t wideOffset;  ///< the same for centroids of 16 bits, less the mean of the omitted
                              ///< products
};

inline void quantiseWeights(const float* weights, const float* scales, int rows,
                            IntegerWeights& out) {
    constexpr float kLargest = 32512.0F;  // 127 * 256
    __m512 products[kRowsOfAdd / 16];
    __m512 largest = _mm512_setzero_ps();
    __mmask16 bad = 0;
#pragma GCC unroll 4
    for (int k = 0; k < kRowsOfAdd / 16; ++k) {
        const __mmask16 lanes = rows > 16 * k ? firstLanes(rows - 16 * k) : __mmask16{0};
        products[k] = _mm512_maskz_mul_ps(lanes, _mm512_maskz_loadu_ps(lanes, weights + 16 * k),
                                          _mm512_maskz_loadu_ps(lanes, scales + 16 * k));
        largest = _mm512_max_ps(largest, _mm512_abs_ps(products[k]));
        bad |= _mm512_fpclass_ps_mask(products[k], kNotFinite);
    }
    const float top = _mm512_reduce_max_ps(largest);
    const __m512 factor = _mm512_set1_ps(top > kSmallestTop && bad == 0 ? kLargest / top : 0.0F);
    __m512i sum = _mm512_setzero_si512();
    __m512i lows = _mm512_setzero_si512();
#pragma GCC unroll 4
    for (int k = 0; k < kRowsOfAdd / 16; ++k) {
        const __m512i code = _mm512_cvtps_epi32(_mm512_mul_ps(products[k], factor));
        sum = _mm512_add_epi32(sum, code);
        const __m512i high = _mm512_srai_epi32(_mm512_add_epi32(code, _mm512_set1_epi32(128)), 8);
        const __m512i low = _mm512_sub_epi32(code, _mm512_slli_epi32(high, 8));
        lows = _mm512_add_epi32(lows, low);
        _mm_store_si128(reinterpret_cast<__m128i*>(out.high + 16 * k), _mm512_cvtepi32_epi8(high));
        _mm_store_si128(reinterpret_cast<__m128i*>(out.low + 16 * k), _mm512_cvtepi32_epi8(low));
    }
    out.step = bad != 0 ? __builtin_nanf("") : top / kLargest;
    out.offset = 128 * _mm512_reduce_add_epi32(sum);
    out.wideOffset = out.offset - _mm512_reduce_add_epi32(lows) / 2;
}

/// Returns four weights of neighbouring rows, in every lane.
inline __m512i fourWeights(const std::int8_t* codes) {
    std::int32_t four;
    __builtin_memcpy(&four, codes, sizeof(four));
    return _mm512_set1_epi32(four);
}

/// Interleaved bytes of four rows: vector t has columns 16 l + 4 t to 16 l + 4 t + 3 in its quarter
/// l.
struct Quads {
    __m512i at[4];
};

inline Quads interleaved(__m512i r0, __m512i r1, __m512i r2, __m512i r3) {
    const __m512i front01 = _mm512_unpacklo_epi8(r0, r1);
    const __m512i back01 = _mm512_unpackhi_epi8(r0, r1);
    const __m512i front23 = _mm512_unpacklo_epi8(r2, r3);
    const __m512i back23 = _mm512_unpackhi_epi8(r2, r3);
    return {{_mm512_unpacklo_epi16(front01, front23), _mm512_unpackhi_epi16(front01, front23),
             _mm512_unpacklo_epi16(back01, back23), _mm512_unpackhi_epi16(back01, back23)}};
}

/// 64 sums, with sixteen neighbouring columns per vector.
struct Sixteens {
    __m512 at[4];
};

inline __m512i joined(__m512i high, __m512i low, std::int32_t offset) {
    return _mm512_sub_epi32(_mm512_add_epi32(_mm512_slli_epi32(high, 8), low),
                            _mm512_set1_epi32(offset));
}

/// Returns 256 high + low - offset for sums in the order of Quads.
inline Sixteens inOrder(const __m512i* high, const __m512i* low, std::int32_t offset) {
    __m512 t[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) t[k] = _mm512_cvtepi32_ps(joined(high[k], low[k], offset));
    const __m512 a = _mm512_shuffle_f32x4(t[0], t[1], 0x44);
    const __m512 b = _mm512_shuffle_f32x4(t[2], t[3], 0x44);
    const __m512 c = _mm512_shuffle_f32x4(t[0], t[1], 0xEE);
    const __m512 d = _mm512_shuffle_f32x4(t[2], t[3], 0xEE);
    return {{_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xDD),
             _mm512_shuffle_f32x4(c, d, 0x88), _mm512_shuffle_f32x4(c, d, 0xDD)}};
}

/// Returns the sums of four vectors, in four lanes.
inline __m128i sumsOfFour(__m512i a, __m512i b, __m512i c, __m512i d) {
    const __m512i ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    const __m512i cd = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    const __m512i all =
        _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    const __m256i half =
        _mm256_add_epi32(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64(all, 1));
    return _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}

/// Adds 64 sums of interleaved rows.
inline void addSums(const __m512i* high, const __m512i* low, std::int32_t offset, float factor,
                    float* out, std::int64_t left) {
    const Sixteens columns = inOrder(high, low, offset);
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
        if (left <= 16 * k) return;
        const __mmask16 lanes = firstLanes(left - 16 * k);
        const __m512 sums = _mm512_maskz_loadu_ps(lanes, out + 16 * k);
        _mm512_mask_storeu_ps(out + 16 * k, lanes,
                              _mm512_fmadd_ps(columns.at[k], _mm512_set1_ps(factor), sums));
    }
}

}  // namespace vnni
}  // namespace lacuna
LACUNA_TARGET_END
#endif
