#pragma once
/// \file
/// Rows of up to 5 bits with VBMI, four of them in a vector before any lookup: code shared by
/// products with keys (kernels_vbmi_keys.cpp) and sums of values (kernels_vbmi_values.cpp). A
/// lookup in a table of 64 bytes uses six bits of a byte, so the table can repeat the centroids for
/// every location of a code among them, and codes need neither shifts nor masks. Private to this
/// module; included by files whose target regions enable the instructions.

#include "engine/kernels/rotated_parts.h"
#include "engine/kernels/target_region.h"
#include "engine/tensor/rotated_codes.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstdint>

#include "engine/kernels/vnni_rotated.h"

LACUNA_TARGET_BEGIN(
    "avx2,fma,f16c,avx512f,avx512vl,avx512dq,avx512bw,avx512vnni,avx512vbmi,avx512bitalg")
namespace lacuna {
namespace vnni {

constexpr int kFour = 4;
constexpr int kRowsOfDot = 16;
constexpr std::int64_t kPrefetchDistance = 4096;  // bytes prefetched ahead
constexpr int kChunksAhead = 3;  // the same for values: their scales are read early
constexpr int kLargestBits = 5;
constexpr int kLargestNarrow = 4;  // largest number of code bits with 8-bit weights
/// Number of columns of a unit; the last unit of a row may have half as many.
constexpr int kUnit = 128;
constexpr int kHalfUnit = 64;
/// Number of queries whose sums of values fit the registers for half a unit; half of them for a
/// full one.
constexpr int kQueriesOfHalfUnit = 4;
constexpr std::int64_t kLongestRow = rotatedRowBytes(kLargestBits, kMaxRotatedDim);

inline __m128i load16(const void* at) {
    return _mm_loadu_si128(static_cast<const __m128i*>(at));
}
inline __m256i load32(const void* at) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(at));
}

/// Consecutive rows; nothing between them or after the last is read.
struct Rows {
    const std::uint8_t* at;
    std::int64_t stride;
    const std::uint8_t* operator[](std::int64_t r) const { return at + r * stride; }
    /// Prefetches `bytes`, `ahead` after the first of a row. In rows of several units each unit
    /// prefetches its own size.
    template <std::int64_t bytes>
    [[gnu::always_inline]] void fetch(std::int64_t row, std::int64_t ahead) const {
        constexpr std::int64_t kLine = 64;
        const std::uint8_t* const from = at + row * stride + ahead;
#pragma GCC unroll 8
        for (std::int64_t i = 0; i < bytes; i += kLine) __builtin_prefetch(from + i);
    }
};

/// Returns the scales of sixteen rows. They are gathered in general registers, which are otherwise
/// idle.
[[gnu::always_inline]] inline __m512 sixteenScales(const Rows& scales) {
    const auto four = [&scales](std::int64_t first) __attribute__((always_inline)) {
        const auto half = [&](std::int64_t i) __attribute__((always_inline)) {
            std::uint16_t bits;
            __builtin_memcpy(&bits, scales[first + i], sizeof(bits));
            return static_cast<std::uint64_t>(bits);
        };
        return static_cast<long long>(half(0) | half(1) << 16 | half(2) << 32 | half(3) << 48);
    };
    return _mm512_cvtph_ps(_mm256_set_epi64x(four(12), four(8), four(4), four(0)));
}

/// Centroids as bytes, for codes with and without the bit of the upper plane, for each location of
/// the lower plane's code among six bits.
template <int bits>
struct Tables {
    static constexpr int kWidth = bits & 6;  // of the lower plane
    static constexpr int kPlaces = kWidth == 2 ? 3 : 1;
    __m512i low[kPlaces];
    __m512i high[kPlaces];

    /// `flip` is xored: 128 for signed centroids.
    Tables(const ByteCodebook& book, int flip) {
        for (int place = 0; place < kPlaces; ++place) {
            low[place] = repeated(book.levels, place, flip);
            high[place] = repeated(book.levels + (1 << kWidth), place, flip);
        }
    }
    /// Looks up bytes with the code of the lower plane from bit `place * kWidth` on.
    template <int place>
    __m512i lookUp(__m512i bytes, __mmask64 upper) const {
        if constexpr (bits == 1) return _mm512_mask_blend_epi8(upper, low[0], high[0]);
        const __m512i found = _mm512_permutexvar_epi8(bytes, low[place]);
        if constexpr (bits % 2 == 0) return found;
        return _mm512_mask_permutexvar_epi8(found, upper, bytes, high[place]);
    }
    /// Looks up the code of one part of the plane.
    template <int part>
    __m512i ofPart(__m512i bytes, __mmask64 upper) const {
        if constexpr (part < kPlaces) return lookUp<part>(bytes, upper);
        return lookUp<0>(_mm512_srli_epi16(bytes, part * kWidth), upper);
    }

  private:
    static __m512i repeated(const std::uint8_t* levels, int place, int flip) {
        const __m512i sign = _mm512_set1_epi8(static_cast<char>(flip));
        if constexpr (kWidth == 4)
            return _mm512_xor_si512(_mm512_broadcast_i32x4(load16(levels)), sign);
        if constexpr (kWidth == 0)
            return _mm512_xor_si512(_mm512_set1_epi8(static_cast<char>(*levels)), sign);
        std::int32_t four;
        __builtin_memcpy(&four, levels, sizeof(four));
        const __m512i all = _mm512_xor_si512(_mm512_set1_epi32(four), sign);
        if (place == 0) return all;
        const __m512i quarters = _mm512_set4_epi32(0x03030303, 0x02020202, 0x01010101, 0);
        if (place == 1) return _mm512_shuffle_epi8(all, quarters);
        const __m512i lanes = _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
        return _mm512_shuffle_epi8(all, _mm512_mullo_epi32(lanes, _mm512_set1_epi32(0x01010101)));
    }
};

/// Columns of a row that are processed together: groups of sixteen, those of one part of the lower
/// plane first.
template <int bits, int columns>
struct Unit {
    static constexpr int kWidth = bits & 6;  // of the lower plane
    static constexpr int kParts = kWidth == 0 ? 1 : 8 / kWidth;
    static constexpr int kSixteens = columns / 16;
    static constexpr int kOfPart = kSixteens / kParts;
    static constexpr int kBytes = kWidth == 0 ? 0 : 16 * kOfPart;  ///< bytes of the lower plane

    std::int64_t at = 0;     ///< its first byte in the lower plane
    std::int64_t plane = 0;  ///< bytes of the lower plane, and columns of each of its parts

    std::int64_t column(int sixteen) const {
        return sixteen / kOfPart * plane + at + sixteen % kOfPart * 16;
    }
    /// Returns the index of the sixteen columns in a quarter of a block of SideBySide.
    static constexpr int sixteen(int block, int quarter) {
        if (kWidth == 2 && columns == kUnit) return quarter / 2 * 4 + block * 2 + quarter % 2;
        return block * 4 + quarter;
    }
    /// Returns the bits of the upper plane of four rows: sixteen columns of each in every 64 bits.
    /// Rows with such a plane are one unit.
    __m512i uppers(const std::uint8_t* const* rows) const {
        constexpr int kWords = columns / 16;
        const auto of = [&](int r) __attribute__((always_inline)) {
            const std::uint8_t* from = rows[r] + plane;
            return kWords == 8 ? load16(from)
                               : _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
        };
        __m512i all = _mm512_castsi128_si512(of(0));
        all = _mm512_inserti32x4(all, of(1), 1);
        all = _mm512_inserti32x4(all, of(2), 2);
        all = _mm512_inserti32x4(all, of(3), 3);
        alignas(64) static constexpr std::uint16_t kTransposed[32] = {
            0, 8,  16, 24, 1, 9,  17, 25, 2, 10, 18, 26, 3, 11, 19, 27,
            4, 12, 20, 28, 5, 13, 21, 29, 6, 14, 22, 30, 7, 15, 23, 31};
        return _mm512_permutexvar_epi16(load(kTransposed), all);
    }
};

/// Sums of sixteen rows and one query. Vector g holds those of rows g, g + 4, g + 8 and g + 12,
/// each in the four lanes of a quarter; `joined` returns sixteen rows in order.
struct SumsOfRows {
    __m512i at[kFour];

    [[gnu::always_inline]] __m512i joined() const {
        const __m512i ab = pair(at[0], at[1]);
        const __m512i cd = pair(at[2], at[3]);
        return _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    }

  private:
    [[gnu::always_inline]] static __m512i pair(__m512i a, __m512i b) {
        return _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    }
};

/// Returns whether rows consist of full units; an upper plane is supported only in a single unit.
inline bool fits(const RotatedRows& block) {
    if (block.bits > kLargestBits || block.columns % kHalfUnit != 0) return false;
    return block.bits % 2 == 0 || block.columns <= kUnit;
}

}  // namespace vnni
}  // namespace lacuna
LACUNA_TARGET_END
#endif
