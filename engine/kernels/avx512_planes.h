#pragma once
/// \file
/// Expands planes of rotated codes to one code per byte with AVX-512, or to the entries of a table
/// of sixteen. Private to this module; included by files whose target regions enable the
/// instructions.

#include "engine/kernels/target_region.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstdint>

LACUNA_TARGET_BEGIN("avx2,fma,f16c,avx512f,avx512vl,avx512dq,avx512bw")
namespace lacuna {
namespace avx512 {

constexpr std::int64_t kVector = 64;

inline __m512i load(const void* at) {
    return _mm512_loadu_si512(at);
}

inline void store(void* at, __m512i v) {
    _mm512_storeu_si512(at, v);
}

template <int width, int part, bool look>
inline void spreadPart(const std::uint8_t* plane, std::int64_t bytes, __m512i table,
                       std::uint8_t* out) {
    const __m512i mask = _mm512_set1_epi8((1 << width) - 1);
    for (std::int64_t i = 0; i < bytes; i += kVector) {
        __m512i v = _mm512_and_si512(_mm512_srli_epi16(load(plane + i), part * width), mask);
        if constexpr (look) v = _mm512_shuffle_epi8(table, v);
        store(out + i, v);
    }
}

template <int width, int part, bool look>
inline void spreadShortPart(__m256i plane, __m512i table, std::uint8_t* out) {
    const __m256i mask = _mm256_set1_epi8((1 << width) - 1);
    __m256i v = _mm256_and_si256(_mm256_srli_epi16(plane, part * width), mask);
    if constexpr (look) v = _mm256_shuffle_epi8(_mm512_castsi512_si256(table), v);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), v);
}

// Each part may write past its end; the next one overwrites the excess.
template <int width, bool look>
inline void spreadPlane(const std::uint8_t* plane, std::int64_t bytes, __m512i table,
                        std::uint8_t* out) {
    if (bytes <= 32) {
        const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(plane));
        spreadShortPart<width, 0, look>(v, table, out);
        spreadShortPart<width, 1, look>(v, table, out + bytes);
        if constexpr (width == 2) {
            spreadShortPart<width, 2, look>(v, table, out + 2 * bytes);
            spreadShortPart<width, 3, look>(v, table, out + 3 * bytes);
        }
        return;
    }
    spreadPart<width, 0, look>(plane, bytes, table, out);
    spreadPart<width, 1, look>(plane, bytes, table, out + bytes);
    if constexpr (width == 2) {
        spreadPart<width, 2, look>(plane, bytes, table, out + 2 * bytes);
        spreadPart<width, 3, look>(plane, bytes, table, out + 3 * bytes);
    }
}

/// Returns the codes of 64 neighbouring columns of a plane whose parts are 16 or 32 bytes long or
/// full vectors. Stays in registers, because a long load of recent short stores would stall.
template <int width>
inline __m512i codesOfPlane(const std::uint8_t* plane, std::int64_t bytes, std::int64_t column) {
    constexpr long long kStep = 0x0001000100010001LL * width;
    long long part = 0;
    std::int64_t at = column;
    for (; at >= bytes; at -= bytes) ++part;
    __m512i shifts = _mm512_set1_epi64(part * kStep);
    __m512i codes;
    if (bytes == 16) {
        codes = _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(plane)));
        shifts = _mm512_add_epi64(shifts, _mm512_set_epi64(3 * kStep, 3 * kStep, 2 * kStep,
                                                           2 * kStep, kStep, kStep, 0, 0));
    } else if (bytes == 32) {
        codes = _mm512_broadcast_i64x4(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(plane)));
        shifts = _mm512_add_epi64(shifts, _mm512_set_epi64(kStep, kStep, kStep, kStep, 0, 0, 0, 0));
    } else {
        codes = load(plane + at);
    }
    return _mm512_and_si512(_mm512_srlv_epi16(codes, shifts), _mm512_set1_epi8((1 << width) - 1));
}

/// Returns whether codesOfPlane can read the planes of such rows.
inline bool hasWholePlanes(std::int64_t columns) {
    const auto fits = [](std::int64_t bytes) {
        return bytes == 16 || bytes == 32 || bytes % kVector == 0;
    };
    return columns % kVector == 0 && fits(columns / 2) && fits(columns / 4);
}

}  // namespace avx512
}  // namespace lacuna
LACUNA_TARGET_END
#endif
