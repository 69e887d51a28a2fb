#pragma once
/// \file
/// Blocks of sixteen interleaved rows (row_groups.h) as unsigned bytes, four columns of every row
/// per register, with the scales of the rows: value = scale * code + smallest, or with a centre, as
/// in vnni_octets.h. A `part` is 32 columns of a block, `four` one of its eight groups of four
/// columns. Private to the AVX-512 kernels. Source: ggml format description.

#if defined(__x86_64__)
#include "engine/kernels/target_region.h"
#include "engine/kernels/vnni_octets.h"
#include "engine/tensor/row_groups.h"

LACUNA_TARGET_BEGIN("avx2,fma,f16c,avx512f,avx512vl,avx512dq,avx512bw")
namespace lacuna {
namespace {

constexpr int kVector = 64;  // bytes: four columns of sixteen rows

LACUNA_INLINE __m512i loadVector(const std::byte* at) noexcept {
    return _mm512_loadu_si512(at);
}
/// Loads sixteen halves.
LACUNA_INLINE __m512 sixteenHalves(const std::byte* at) noexcept {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
}
LACUNA_INLINE __m512 negated(__m512 v) noexcept {
    return _mm512_sub_ps(_mm512_setzero_ps(), v);
}
/// Returns the low or the high four bits of every byte.
template <bool high>
LACUNA_INLINE __m512i nibblesOf(__m512i bytes) noexcept {
    const __m512i placed = high ? _mm512_srli_epi16(bytes, 4) : bytes;
    return _mm512_and_si512(placed, _mm512_set1_epi8(0x0F));
}

template <DType type>
struct GroupBlock;

/// Formats of 32 columns with nibbles after the scales (and the smallest values).
template <class Block, int centre>
struct LegacyGroupBlock {
    static constexpr bool kHalves = false;
    static constexpr int kCentre = centre;
    static constexpr int kParts = 1;
    static constexpr int kBytes = kGroupRows * sizeof(Block);
    static constexpr int kCodes = kGroupRows * offsetof(Block, codes);
    const std::byte* at;
    LACUNA_INLINE explicit LegacyGroupBlock(const std::byte* block) noexcept : at(block) {}
    template <int part>
    LACUNA_INLINE __m512 scales(int /*half*/) const noexcept {
        return sixteenHalves(at);
    }
    template <int part>
    LACUNA_INLINE __m512 smallest(int /*half*/) const noexcept {
        return sixteenHalves(at + 2 * kGroupRows);
    }
    template <int four>
    LACUNA_INLINE __m512i nibbles() const noexcept {
        return nibblesOf<(four >= 4)>(loadVector(at + kCodes + kVector * (four % 4)));
    }
};

template <>
struct GroupBlock<DType::Q8_0> : LegacyGroupBlock<BlockQ8_0, 128> {
    LACUNA_INLINE explicit GroupBlock(const std::byte* block) noexcept : LegacyGroupBlock(block) {}
    template <int part, int four>
    LACUNA_INLINE __m512i codes() const noexcept {
        return _mm512_xor_si512(loadVector(at + kCodes + kVector * four), _mm512_set1_epi8(-128));
    }
};

template <>
struct GroupBlock<DType::Q4_0> : LegacyGroupBlock<BlockQ4_0, 8> {
    LACUNA_INLINE explicit GroupBlock(const std::byte* block) noexcept : LegacyGroupBlock(block) {}
    template <int part, int four>
    LACUNA_INLINE __m512i codes() const noexcept {
        return nibbles<four>();
    }
};

template <>
struct GroupBlock<DType::Q4_1> : LegacyGroupBlock<BlockQ4_1, 0> {
    LACUNA_INLINE explicit GroupBlock(const std::byte* block) noexcept : LegacyGroupBlock(block) {}
    template <int part, int four>
    LACUNA_INLINE __m512i codes() const noexcept {
        return nibbles<four>();
    }
};

/// Adds the fifth bits of four columns; a lane of `bits` holds those of all columns of a row.
template <int four>
LACUNA_INLINE __m512i withRowBits(__m512i codes, __m512i bits) noexcept {
    constexpr int k = 0x10;  // expands four bits to four bytes
    const __m512i bytes = _mm512_setr_epi32(
        0, k, k << 8, k << 8 | k, k << 16, k << 16 | k, k << 16 | k << 8, k << 16 | k << 8 | k,
        k << 24, k << 24 | k, k << 24 | k << 8, k << 24 | k << 8 | k, k << 24 | k << 16,
        k << 24 | k << 16 | k, k << 24 | k << 16 | k << 8, k << 24 | k << 16 | k << 8 | k);
    return _mm512_or_si512(codes,
                           _mm512_permutexvar_epi32(_mm512_srli_epi32(bits, 4 * four), bytes));
}

template <>
struct GroupBlock<DType::Q5_0> : LegacyGroupBlock<BlockQ5_0, 16> {
    LACUNA_INLINE explicit GroupBlock(const std::byte* block) noexcept : LegacyGroupBlock(block) {}
    template <int part, int four>
    LACUNA_INLINE __m512i codes() const noexcept {
        return withRowBits<four>(nibbles<four>(), loadVector(at + 2 * kGroupRows));
    }
};

template <>
struct GroupBlock<DType::Q5_1> : LegacyGroupBlock<BlockQ5_1, 0> {
    LACUNA_INLINE explicit GroupBlock(const std::byte* block) noexcept : LegacyGroupBlock(block) {}
    template <int part, int four>
    LACUNA_INLINE __m512i codes() const noexcept {
        return withRowBits<four>(nibbles<four>(), loadVector(at + 4 * kGroupRows));
    }
};

template <>
struct GroupBlock<DType::IQ4_NL> : LegacyGroupBlock<BlockIQ4_NL, 128> {
    LACUNA_INLINE explicit GroupBlock(const std::byte* block) noexcept : LegacyGroupBlock(block) {}
    template <int part, int four>
    LACUNA_INLINE __m512i codes() const noexcept {
        return levelsOf(nibbles<four>());
    }
};

template <>
struct GroupBlock<DType::MXFP4> : LegacyGroupBlock<BlockMXFP4, 16> {
    LACUNA_INLINE explicit GroupBlock(const std::byte* block) noexcept : LegacyGroupBlock(block) {}
    template <int part>
    LACUNA_INLINE __m512 scales(int /*half*/) const noexcept {
        const __m512i bytes = _mm512_cvtepu8_epi32(load16(at));
        const __m512i one = _mm512_set1_epi32(1);
        const __m512i normal = _mm512_slli_epi32(_mm512_sub_epi32(bytes, one), 23);
        // Below 2 half the scale is a denormal number (halfOfE8M0).
        const __mmask16 tiny = _mm512_cmple_epi32_mask(bytes, one);
        return _mm512_castsi512_ps(
            _mm512_mask_sllv_epi32(normal, tiny, _mm512_set1_epi32(0x0020'0000), bytes));
    }
    template <int part, int four>
    LACUNA_INLINE __m512i codes() const noexcept {
        return floatLevelsOf(nibbles<four>());
    }
};

/// Q4_K and Q5_K: eight parts, each with a scale and a smallest value of six bits.
template <class Block>
struct SixBitGroupBlock {
    static constexpr bool kHalves = false;
    static constexpr int kCentre = 0;
    static constexpr int kParts = 8;
    static constexpr int kBytes = kGroupRows * sizeof(Block);
    static constexpr int kCodes = kGroupRows * offsetof(Block, codes);
    const std::byte* at;
    __m512 factor;
    __m512 smallestFactor;
    alignas(64) std::byte six[8][kGroupRows];
    alignas(64) std::byte sixSmallest[8][kGroupRows];

    LACUNA_INLINE explicit SixBitGroupBlock(const std::byte* block) noexcept
        : at(block),
          factor(sixteenHalves(block)),
          smallestFactor(negated(sixteenHalves(block + 2 * kGroupRows))) {
        // Four bytes of every row per register (groupScale).
        const __m512i a = loadVector(block + 4 * kGroupRows);
        const __m512i b = loadVector(block + 8 * kGroupRows);
        const __m512i c = loadVector(block + 12 * kGroupRows);
        const __m512i low = _mm512_set1_epi8(0x3F);
        _mm512_store_si512(six[0], _mm512_and_si512(a, low));
        _mm512_store_si512(six[4], _mm512_or_si512(nibblesOf<false>(c), topBits(a)));
        _mm512_store_si512(sixSmallest[0], _mm512_and_si512(b, low));
        _mm512_store_si512(sixSmallest[4], _mm512_or_si512(nibblesOf<true>(c), topBits(b)));
    }
    LACUNA_INLINE static __m512i topBits(__m512i bytes) noexcept {
        return _mm512_and_si512(_mm512_srli_epi16(bytes, 2), _mm512_set1_epi8(0x30));
    }
    LACUNA_INLINE static __m512 asFloats(const std::byte* bytes) noexcept {
        return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(load16(bytes)));
    }
    template <int part>
    LACUNA_INLINE __m512 scales(int /*half*/) const noexcept {
        return _mm512_mul_ps(asFloats(six[part]), factor);
    }
    template <int part>
    LACUNA_INLINE __m512 smallest(int /*half*/) const noexcept {
        return _mm512_mul_ps(asFloats(sixSmallest[part]), smallestFactor);
    }
    template <int part, int four>
    LACUNA_INLINE __m512i nibbles() const noexcept {
        return nibblesOf<(part % 2 != 0)>(
            loadVector(at + kCodes + kVector * (8 * (part / 2) + four)));
    }
};

template <>
struct GroupBlock<DType::Q4_K> : SixBitGroupBlock<BlockQ4_K> {
    LACUNA_INLINE explicit GroupBlock(const std::byte* block) noexcept : SixBitGroupBlock(block) {}
    template <int part, int four>
    LACUNA_INLINE __m512i codes() const noexcept {
        return nibbles<part, four>();
    }
};

/// Returns `codes` with the bits of `planes` rotated left by `turn`, masked by `mask`.
template <int turn>
LACUNA_INLINE __m512i withPlane(__m512i codes, __m512i planes, int mask) noexcept {
    constexpr int kOrAnd = 0xF8;  // a | (b & c)
    return _mm512_ternarylogic_epi32(codes, _mm512_rol_epi32(planes, turn & 31),
                                     _mm512_set1_epi8(static_cast<char>(mask)), kOrAnd);
}

template <>
struct GroupBlock<DType::Q5_K> : SixBitGroupBlock<BlockQ5_K> {
    LACUNA_INLINE explicit GroupBlock(const std::byte* block) noexcept : SixBitGroupBlock(block) {}
    template <int part, int four>
    LACUNA_INLINE __m512i codes() const noexcept {
        constexpr int kFifth = kGroupRows * offsetof(BlockQ5_K, fifthBits);
        return withPlane<4 - part>(nibbles<part, four>(), loadVector(at + kFifth + kVector * four),
                                   0x10);
    }
};

template <>
struct GroupBlock<DType::Q6_K> {
    static constexpr bool kHalves = true;
    static constexpr int kCentre = 32;
    static constexpr int kParts = 8;
    static constexpr int kBytes = kGroupRows * sizeof(BlockQ6_K);
    const std::byte* at;
    __m512 factor;
    LACUNA_INLINE explicit GroupBlock(const std::byte* block) noexcept
        : at(block), factor(sixteenHalves(block)) {}
    template <int part>
    LACUNA_INLINE __m512 scales(int half) const noexcept {
        const std::byte* small = at + 2 * kGroupRows + kGroupRows * (2 * part + half);
        return _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(load16(small))), factor);
    }
    template <int part, int four>
    LACUNA_INLINE __m512i codes() const noexcept {
        constexpr int kPlane = part % 4;  // index of the plane among the four that share the top
                                          // bits
        const std::byte* three = at + 18 * kGroupRows + 3 * kVector * (8 * (part / 4) + four);
        return withPlane<4 - 2 * kPlane>(
            nibblesOf<(kPlane >= 2)>(loadVector(three + kVector * (kPlane % 2))),
            loadVector(three + 2 * kVector), 0x30);
    }
};

}  // namespace
}  // namespace lacuna
LACUNA_TARGET_END
#endif
