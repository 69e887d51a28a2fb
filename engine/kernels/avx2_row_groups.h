#pragma once
/// \file
/// Blocks of sixteen interleaved rows (row_groups.h) for AVX2: four columns of eight rows per
/// register, with the scales of the rows: value = scale * code + smallest. A `side` is rows 0..7
/// or 8..15, a `part` 32 columns of a block, `four` one of its eight groups of four columns. Codes
/// are unsigned and at most kMaxCode; with `kSigned` they are signed and have no smallest value.
/// Private to the AVX2 kernels. Source: ggml format description (block_formats.h).

#if defined(__x86_64__)
#include "engine/kernels/avx2_groups.h"
#include "engine/kernels/target_region.h"
#include "engine/tensor/row_groups.h"

#define LACUNA_AVX2_INLINE inline __attribute__((always_inline))

LACUNA_TARGET_BEGIN("avx2,fma,f16c")
namespace lacuna {
namespace avx2 {
namespace {

constexpr int kSideRows = 8;
constexpr int kVector = 64;  // bytes: four columns of sixteen rows

/// Returns four columns of the rows of a side.
LACUNA_AVX2_INLINE __m256i sideOf(const std::byte* vector, int side) noexcept {
    return load32(vector + 4 * kSideRows * side);
}
LACUNA_AVX2_INLINE __m256 eightHalves(const std::byte* at, int side) noexcept {
    const std::byte* const from = at + 2 * kSideRows * side;
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
LACUNA_AVX2_INLINE __m128i eightBytes(const std::byte* at, int side) noexcept {
    return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(at + kSideRows * side));
}
/// Returns the low or the high four bits of every byte.
template <bool high>
LACUNA_AVX2_INLINE __m256i nibblesOf(__m256i bytes) noexcept {
    const __m256i placed = high ? _mm256_srli_epi16(bytes, 4) : bytes;
    return _mm256_and_si256(placed, _mm256_set1_epi8(0x0F));
}
LACUNA_AVX2_INLINE __m256 times(__m256 v, float factor) noexcept {
    return _mm256_mul_ps(v, _mm256_set1_ps(factor));
}
/// Returns the bits of `planes` shifted left by `places` (right if negative), masked by `mask`.
template <int places>
LACUNA_AVX2_INLINE __m256i planeOf(__m256i planes, int mask) noexcept {
    const __m256i placed =
        places >= 0 ? _mm256_slli_epi32(planes, places) : _mm256_srli_epi32(planes, -places);
    return _mm256_and_si256(placed, _mm256_set1_epi8(static_cast<char>(mask)));
}

template <DType type>
struct RowGroup;

/// Formats of 32 columns with codes after the scales (and the smallest values). `centre` is
/// subtracted from the codes of formats without smallest values.
template <class Block, int centre>
struct LegacyRowGroup {
    static constexpr bool kSigned = false;
    static constexpr bool kHalves = false;
    static constexpr int kParts = 1;
    static constexpr int kBytes = kGroupRows * sizeof(Block);
    static constexpr int kCodes = kGroupRows * offsetof(Block, codes);
    const std::byte* at;
    LACUNA_AVX2_INLINE explicit LegacyRowGroup(const std::byte* block) noexcept : at(block) {}
    template <int part>
    LACUNA_AVX2_INLINE __m256 scales(int /*half*/, int side) const noexcept {
        return eightHalves(at, side);
    }
    template <int part>
    LACUNA_AVX2_INLINE __m256 smallest(int /*half*/, int side) const noexcept {
        if constexpr (centre == 0) return eightHalves(at + 2 * kGroupRows, side);
        return times(eightHalves(at, side), -centre);
    }
    template <int four>
    LACUNA_AVX2_INLINE __m256i nibbles(int side) const noexcept {
        return nibblesOf<(four >= 4)>(sideOf(at + kCodes + kVector * (four % 4), side));
    }
};

template <>
struct RowGroup<DType::Q8_0> : LegacyRowGroup<BlockQ8_0, 0> {
    static constexpr bool kSigned = true;
    static constexpr int kMaxCode = 128;
    LACUNA_AVX2_INLINE explicit RowGroup(const std::byte* block) noexcept : LegacyRowGroup(block) {}
    template <int part, int four>
    LACUNA_AVX2_INLINE __m256i codes(int side) const noexcept {
        return sideOf(at + kCodes + kVector * four, side);
    }
};

template <>
struct RowGroup<DType::Q4_0> : LegacyRowGroup<BlockQ4_0, 8> {
    static constexpr int kMaxCode = 15;
    LACUNA_AVX2_INLINE explicit RowGroup(const std::byte* block) noexcept : LegacyRowGroup(block) {}
    template <int part, int four>
    LACUNA_AVX2_INLINE __m256i codes(int side) const noexcept {
        return nibbles<four>(side);
    }
};

template <>
struct RowGroup<DType::Q4_1> : LegacyRowGroup<BlockQ4_1, 0> {
    static constexpr int kMaxCode = 15;
    LACUNA_AVX2_INLINE explicit RowGroup(const std::byte* block) noexcept : LegacyRowGroup(block) {}
    template <int part, int four>
    LACUNA_AVX2_INLINE __m256i codes(int side) const noexcept {
        return nibbles<four>(side);
    }
};

/// Adds the fifth bits of four columns; a lane of `bits` holds those of all columns of a row.
template <int four>
LACUNA_AVX2_INLINE __m256i withRowBits(__m256i codes, __m256i bits) noexcept {
    // Copies the four bits into every byte of the lane; each byte keeps its own.
    const __m256i nibble =
        _mm256_and_si256(_mm256_srli_epi32(bits, 4 * four), _mm256_set1_epi32(0x0F));
    const __m256i each = _mm256_set1_epi32(0x08040201);
    const __m256i everywhere = _mm256_shuffle_epi8(
        nibble, _mm256_setr_epi8(0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12, 0, 0, 0, 0, 4,
                                 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12));
    const __m256i set = _mm256_cmpeq_epi8(_mm256_and_si256(everywhere, each), each);
    return _mm256_or_si256(codes, _mm256_and_si256(set, _mm256_set1_epi8(0x10)));
}

template <>
struct RowGroup<DType::Q5_0> : LegacyRowGroup<BlockQ5_0, 16> {
    static constexpr int kMaxCode = 31;
    LACUNA_AVX2_INLINE explicit RowGroup(const std::byte* block) noexcept : LegacyRowGroup(block) {}
    template <int part, int four>
    LACUNA_AVX2_INLINE __m256i codes(int side) const noexcept {
        return withRowBits<four>(nibbles<four>(side), sideOf(at + 2 * kGroupRows, side));
    }
};

template <>
struct RowGroup<DType::Q5_1> : LegacyRowGroup<BlockQ5_1, 0> {
    static constexpr int kMaxCode = 31;
    LACUNA_AVX2_INLINE explicit RowGroup(const std::byte* block) noexcept : LegacyRowGroup(block) {}
    template <int part, int four>
    LACUNA_AVX2_INLINE __m256i codes(int side) const noexcept {
        return withRowBits<four>(nibbles<four>(side), sideOf(at + 4 * kGroupRows, side));
    }
};

template <>
struct RowGroup<DType::IQ4_NL> : LegacyRowGroup<BlockIQ4_NL, 0> {
    static constexpr bool kSigned = true;
    static constexpr int kMaxCode = 128;
    LACUNA_AVX2_INLINE explicit RowGroup(const std::byte* block) noexcept : LegacyRowGroup(block) {}
    template <int part, int four>
    LACUNA_AVX2_INLINE __m256i codes(int side) const noexcept {
        return levelsOf(kIq4Levels, nibbles<four>(side));
    }
};

template <>
struct RowGroup<DType::MXFP4> : LegacyRowGroup<BlockMXFP4, 0> {
    static constexpr bool kSigned = true;
    static constexpr int kMaxCode = 12;
    LACUNA_AVX2_INLINE explicit RowGroup(const std::byte* block) noexcept : LegacyRowGroup(block) {}
    template <int part>
    LACUNA_AVX2_INLINE __m256 scales(int /*half*/, int side) const noexcept {
        const __m256i bytes = _mm256_cvtepu8_epi32(eightBytes(at, side));
        const __m256i one = _mm256_set1_epi32(1);
        const __m256i normal = _mm256_slli_epi32(_mm256_sub_epi32(bytes, one), 23);
        // Below 2 half the scale is a denormal number (halfOfE8M0).
        const __m256i tiny = _mm256_sllv_epi32(_mm256_set1_epi32(0x0020'0000), bytes);
        return _mm256_castsi256_ps(
            _mm256_blendv_epi8(tiny, normal, _mm256_cmpgt_epi32(bytes, one)));
    }
    template <int part, int four>
    LACUNA_AVX2_INLINE __m256i codes(int side) const noexcept {
        return levelsOf(kE2M1Doubled, nibbles<four>(side));
    }
};

/// Q4_K and Q5_K: eight parts, each with a scale and a smallest value of six bits.
template <class Block>
struct SixBitRowGroup {
    static constexpr bool kSigned = false;
    static constexpr bool kHalves = false;
    static constexpr int kParts = 8;
    static constexpr int kBytes = kGroupRows * sizeof(Block);
    static constexpr int kCodes = kGroupRows * offsetof(Block, codes);
    const std::byte* at;
    alignas(32) std::byte six[8][kGroupRows];
    alignas(32) std::byte sixSmallest[8][kGroupRows];

    LACUNA_AVX2_INLINE explicit SixBitRowGroup(const std::byte* block) noexcept : at(block) {
        // Two bytes of every row per register, twice (groupScale).
        for (int pair = 0; pair < 2; ++pair) {
            const __m256i a = load32(block + 4 * kGroupRows + 32 * pair);
            const __m256i b = load32(block + 8 * kGroupRows + 32 * pair);
            const __m256i c = load32(block + 12 * kGroupRows + 32 * pair);
            const __m256i low = _mm256_set1_epi8(0x3F);
            keep(six[2 * pair], _mm256_and_si256(a, low));
            keep(six[4 + 2 * pair], _mm256_or_si256(nibblesOf<false>(c), topBits(a)));
            keep(sixSmallest[2 * pair], _mm256_and_si256(b, low));
            keep(sixSmallest[4 + 2 * pair], _mm256_or_si256(nibblesOf<true>(c), topBits(b)));
        }
    }
    LACUNA_AVX2_INLINE static void keep(std::byte* to, __m256i bytes) noexcept {
        _mm256_store_si256(reinterpret_cast<__m256i*>(to), bytes);
    }
    LACUNA_AVX2_INLINE static __m256i topBits(__m256i bytes) noexcept {
        return _mm256_and_si256(_mm256_srli_epi16(bytes, 2), _mm256_set1_epi8(0x30));
    }
    LACUNA_AVX2_INLINE static __m256 asFloats(const std::byte* bytes, int side) noexcept {
        return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(eightBytes(bytes, side)));
    }
    template <int part>
    LACUNA_AVX2_INLINE __m256 scales(int /*half*/, int side) const noexcept {
        return _mm256_mul_ps(asFloats(six[part], side), eightHalves(at, side));
    }
    template <int part>
    LACUNA_AVX2_INLINE __m256 smallest(int /*half*/, int side) const noexcept {
        const __m256 factor = times(eightHalves(at + 2 * kGroupRows, side), -1.0F);
        return _mm256_mul_ps(asFloats(sixSmallest[part], side), factor);
    }
    template <int part, int four>
    LACUNA_AVX2_INLINE __m256i nibbles(int side) const noexcept {
        return nibblesOf<(part % 2 != 0)>(
            sideOf(at + kCodes + kVector * (8 * (part / 2) + four), side));
    }
};

template <>
struct RowGroup<DType::Q4_K> : SixBitRowGroup<BlockQ4_K> {
    static constexpr int kMaxCode = 15;
    LACUNA_AVX2_INLINE explicit RowGroup(const std::byte* block) noexcept : SixBitRowGroup(block) {}
    template <int part, int four>
    LACUNA_AVX2_INLINE __m256i codes(int side) const noexcept {
        return nibbles<part, four>(side);
    }
};

template <>
struct RowGroup<DType::Q5_K> : SixBitRowGroup<BlockQ5_K> {
    static constexpr int kMaxCode = 31;
    LACUNA_AVX2_INLINE explicit RowGroup(const std::byte* block) noexcept : SixBitRowGroup(block) {}
    template <int part, int four>
    LACUNA_AVX2_INLINE __m256i codes(int side) const noexcept {
        constexpr int kFifth = kGroupRows * offsetof(BlockQ5_K, fifthBits);
        return _mm256_or_si256(nibbles<part, four>(side),
                               planeOf<4 - part>(sideOf(at + kFifth + kVector * four, side), 0x10));
    }
};

template <>
struct RowGroup<DType::Q6_K> {
    static constexpr bool kSigned = false;
    static constexpr bool kHalves = true;
    static constexpr int kMaxCode = 63;
    static constexpr int kParts = 8;
    static constexpr int kBytes = kGroupRows * sizeof(BlockQ6_K);
    const std::byte* at;
    LACUNA_AVX2_INLINE explicit RowGroup(const std::byte* block) noexcept : at(block) {}
    template <int part>
    LACUNA_AVX2_INLINE __m256 scales(int half, int side) const noexcept {
        const std::byte* small = at + 2 * kGroupRows + kGroupRows * (2 * part + half);
        return _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(eightBytes(small, side))),
                             eightHalves(at, side));
    }
    template <int part>
    LACUNA_AVX2_INLINE __m256 smallest(int half, int side) const noexcept {
        return times(scales<part>(half, side), -32.0F);
    }
    template <int part, int four>
    LACUNA_AVX2_INLINE __m256i codes(int side) const noexcept {
        constexpr int kPlane = part % 4;  // index of the plane among the four that share the top
                                          // bits
        const std::byte* three = at + 18 * kGroupRows + 3 * kVector * (8 * (part / 4) + four);
        return _mm256_or_si256(
            nibblesOf<(kPlane >= 2)>(sideOf(three + kVector * (kPlane % 2), side)),
            planeOf<4 - 2 * kPlane>(sideOf(three + 2 * kVector, side), 0x30));
    }
};

}  // namespace
}  // namespace avx2
}  // namespace lacuna
LACUNA_TARGET_END
#endif
