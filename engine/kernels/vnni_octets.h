#pragma once
/// \file
/// Eight groups of 32 neighbours (256 columns) of every quantised type as unsigned bytes, two
/// groups per register, with their scales: value = scale * code + smallest. Formats without a
/// smallest value have a centre instead: smallest = -centre * scale. Types with `kHalves` have a
/// scale for every sixteen columns. Private to the AVX-512 kernels. Source: ggml format description
/// (block_formats.h).

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "engine/kernels/target_region.h"
#include "engine/tensor/block_formats.h"
#include "engine/tensor/few_level_formats.h"
#include "engine/tensor/grid_formats.h"

#define LACUNA_INLINE inline __attribute__((always_inline))

LACUNA_TARGET_BEGIN("avx2,fma,f16c,avx512f,avx512vl,avx512dq,avx512bw")
namespace lacuna {
namespace {

template <class T>
LACUNA_INLINE T loadAs(const std::byte* at) noexcept {
    T value;
    __builtin_memcpy(&value, at, sizeof value);
    return value;
}

LACUNA_INLINE __m128i load16(const std::byte* at) noexcept {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}
LACUNA_INLINE __m512i loadTwice32(const std::byte* at) noexcept {
    return _mm512_broadcast_i64x4(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
}
LACUNA_INLINE __m256 halfEverywhere(const std::byte* at) noexcept {
    return _mm256_cvtph_ps(_mm_set1_epi16(loadAs<std::int16_t>(at)));
}
LACUNA_INLINE __m512 halfEverywhere16(const std::byte* at) noexcept {
    return _mm512_cvtph_ps(_mm256_set1_epi16(loadAs<std::int16_t>(at)));
}

/// Loads eight halves, `stride` bytes apart.
template <int stride>
LACUNA_INLINE __m256 eightHalves(const std::byte* at) noexcept {
    __m128i v = _mm_cvtsi32_si128(loadAs<std::uint16_t>(at));
    v = _mm_insert_epi16(v, loadAs<std::int16_t>(at + stride), 1);
    v = _mm_insert_epi16(v, loadAs<std::int16_t>(at + 2 * stride), 2);
    v = _mm_insert_epi16(v, loadAs<std::int16_t>(at + 3 * stride), 3);
    v = _mm_insert_epi16(v, loadAs<std::int16_t>(at + 4 * stride), 4);
    v = _mm_insert_epi16(v, loadAs<std::int16_t>(at + 5 * stride), 5);
    v = _mm_insert_epi16(v, loadAs<std::int16_t>(at + 6 * stride), 6);
    v = _mm_insert_epi16(v, loadAs<std::int16_t>(at + 7 * stride), 7);
    return _mm256_cvtph_ps(v);
}

/// Returns the low four bits of sixteen bytes, followed by the high ones, for each of two groups.
LACUNA_INLINE __m512i nibblesOfTwo(const std::byte* first, const std::byte* second) noexcept {
    constexpr std::int64_t kFour = 0x0004000400040004;
    const __m512i shifts = _mm512_set_epi64(kFour, kFour, 0, 0, kFour, kFour, 0, 0);
    const __m512i both =
        _mm512_mask_broadcast_i32x4(_mm512_broadcast_i32x4(load16(first)), 0xFF00, load16(second));
    return _mm512_and_si512(_mm512_srlv_epi16(both, shifts), _mm512_set1_epi8(0x0F));
}

/// Returns 32 bytes shifted right by `low` bits, followed by the same shifted by `high` bits,
/// masked by `mask`.
template <int low, int high>
LACUNA_INLINE __m512i planesOfTwo(__m512i bytes, int mask) noexcept {
    constexpr std::int64_t kLow = low * 0x0001000100010001;
    constexpr std::int64_t kHigh = high * 0x0001000100010001;
    const __m512i shifts = _mm512_set_epi64(kHigh, kHigh, kHigh, kHigh, kLow, kLow, kLow, kLow);
    return _mm512_and_si512(_mm512_srlv_epi16(bytes, shifts),
                            _mm512_set1_epi8(static_cast<char>(mask)));
}

/// Adds further bits to `codes`: those of `planes` rotated left by `low` in the first 32 bytes, by
/// `high` in the others, masked by `mask`.
template <int low, int high>
LACUNA_INLINE __m512i withBits(__m512i codes, __m512i planes, int mask) noexcept {
    constexpr std::int64_t kLow = (low & 31) * 0x0000000100000001;
    constexpr std::int64_t kHigh = (high & 31) * 0x0000000100000001;
    const __m512i turns = _mm512_set_epi64(kHigh, kHigh, kHigh, kHigh, kLow, kLow, kLow, kLow);
    constexpr int kOrAnd = 0xF8;  // a | (b & c)
    return _mm512_ternarylogic_epi32(codes, _mm512_rolv_epi32(planes, turns),
                                     _mm512_set1_epi8(static_cast<char>(mask)), kOrAnd);
}

/// Returns the levels of the IQ4 formats plus 128.
LACUNA_INLINE __m512i levelsOf(__m512i codes) noexcept {
    const __m128i levels = _mm_loadu_si128(reinterpret_cast<const __m128i*>(kIq4Levels));
    const __m512i table = _mm512_broadcast_i32x4(_mm_xor_si128(levels, _mm_set1_epi8(-128)));
    return _mm512_shuffle_epi8(table, codes);
}

/// Returns the levels of MXFP4, doubled, plus 16.
LACUNA_INLINE __m512i floatLevelsOf(__m512i codes) noexcept {
    const __m128i levels = _mm_loadu_si128(reinterpret_cast<const __m128i*>(kE2M1Doubled));
    const __m512i table = _mm512_broadcast_i32x4(_mm_add_epi8(levels, _mm_set1_epi8(16)));
    return _mm512_shuffle_epi8(table, codes);
}

/// Returns halfOfE8M0 of eight bytes.
LACUNA_INLINE __m256 halvesOfE8M0(__m256i scales) noexcept {
    const __m256i one = _mm256_set1_epi32(1);
    const __m256i normal = _mm256_slli_epi32(_mm256_sub_epi32(scales, one), 23);
    const __m256i tiny = _mm256_sllv_epi32(_mm256_set1_epi32(0x0020'0000), scales);
    return _mm256_castsi256_ps(_mm256_blendv_epi8(tiny, normal, _mm256_cmpgt_epi32(scales, one)));
}

template <DType type>
struct Octet;

/// Common part of the formats with 32 columns per block.
template <class Block>
struct LegacyOctet {
    static constexpr bool kHalves = false;
    static constexpr int kBytes = 8 * sizeof(Block);
    const std::byte* at;
    LACUNA_INLINE const std::byte* block(int i) const noexcept { return at + i * sizeof(Block); }
    LACUNA_INLINE __m256 scales() const noexcept { return eightHalves<sizeof(Block)>(at); }
    LACUNA_INLINE __m512i nibbles(int pair) const noexcept {
        constexpr std::size_t kCodes = offsetof(Block, codes);
        return nibblesOfTwo(block(2 * pair) + kCodes, block(2 * pair + 1) + kCodes);
    }
};

template <>
struct Octet<DType::Q8_0> : LegacyOctet<BlockQ8_0> {
    static constexpr int kCentre = 128;
    template <int pair>
    LACUNA_INLINE __m512i codes() const noexcept {
        const auto part = [this](int i) __attribute__((always_inline)) {
            return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block(i) + 2));
        };
        const __m512i both =
            _mm512_inserti64x4(_mm512_castsi256_si512(part(2 * pair)), part(2 * pair + 1), 1);
        return _mm512_xor_si512(both, _mm512_set1_epi8(-128));
    }
};

template <>
struct Octet<DType::Q4_0> : LegacyOctet<BlockQ4_0> {
    static constexpr int kCentre = 8;
    template <int pair>
    LACUNA_INLINE __m512i codes() const noexcept {
        return nibbles(pair);
    }
};

template <>
struct Octet<DType::Q4_1> : LegacyOctet<BlockQ4_1> {
    static constexpr int kCentre = 0;
    LACUNA_INLINE __m256 smallest() const noexcept {
        return eightHalves<sizeof(BlockQ4_1)>(at + offsetof(BlockQ4_1, smallest));
    }
    template <int pair>
    LACUNA_INLINE __m512i codes() const noexcept {
        return nibbles(pair);
    }
};

/// Adds the fifth bits of two blocks.
LACUNA_INLINE __m512i withFifthBits(__m512i codes, const std::byte* first,
                                    const std::byte* second) noexcept {
    const std::uint64_t bits =
        loadAs<std::uint32_t>(first) | std::uint64_t{loadAs<std::uint32_t>(second)} << 32U;
    return _mm512_mask_add_epi8(codes, bits, codes, _mm512_set1_epi8(16));
}

template <>
struct Octet<DType::Q5_0> : LegacyOctet<BlockQ5_0> {
    static constexpr int kCentre = 16;
    template <int pair>
    LACUNA_INLINE __m512i codes() const noexcept {
        return withFifthBits(nibbles(pair), block(2 * pair) + 2, block(2 * pair + 1) + 2);
    }
};

template <>
struct Octet<DType::Q5_1> : LegacyOctet<BlockQ5_1> {
    static constexpr int kCentre = 0;
    LACUNA_INLINE __m256 smallest() const noexcept {
        return eightHalves<sizeof(BlockQ5_1)>(at + offsetof(BlockQ5_1, smallest));
    }
    template <int pair>
    LACUNA_INLINE __m512i codes() const noexcept {
        return withFifthBits(nibbles(pair), block(2 * pair) + 4, block(2 * pair + 1) + 4);
    }
};

template <>
struct Octet<DType::IQ4_NL> : LegacyOctet<BlockIQ4_NL> {
    static constexpr int kCentre = 128;
    template <int pair>
    LACUNA_INLINE __m512i codes() const noexcept {
        return levelsOf(nibbles(pair));
    }
};

template <>
struct Octet<DType::IQ4_XS> {
    static constexpr bool kHalves = false;
    static constexpr int kCentre = 128;
    static constexpr int kBytes = sizeof(BlockIQ4_XS);
    const std::byte* at;
    LACUNA_INLINE __m256 scales() const noexcept {
        const __m256i groups = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        const __m256i twice = _mm256_add_epi32(groups, groups);
        const auto low = loadAs<std::int32_t>(at + offsetof(BlockIQ4_XS, lowScales));
        const auto top = loadAs<std::uint16_t>(at + offsetof(BlockIQ4_XS, topScales));
        const __m256i lows = _mm256_and_si256(
            _mm256_srlv_epi32(_mm256_set1_epi32(low), _mm256_add_epi32(twice, twice)),
            _mm256_set1_epi32(15));
        const __m256i tops = _mm256_and_si256(_mm256_srlv_epi32(_mm256_set1_epi32(top), twice),
                                              _mm256_set1_epi32(3));
        const __m256i six = _mm256_or_si256(lows, _mm256_slli_epi32(tops, 4));
        return _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_sub_epi32(six, _mm256_set1_epi32(32))),
                             halfEverywhere(at));
    }
    template <int pair>
    LACUNA_INLINE __m512i codes() const noexcept {
        const std::byte* from = at + offsetof(BlockIQ4_XS, codes) + 32 * pair;
        return levelsOf(nibblesOfTwo(from, from + 16));
    }
};

template <>
struct Octet<DType::MXFP4> : LegacyOctet<BlockMXFP4> {
    static constexpr int kCentre = 16;
    LACUNA_INLINE __m256 scales() const noexcept {
        constexpr int k = sizeof(BlockMXFP4);
        const __m256i places = _mm256_setr_epi32(0, k, 2 * k, 3 * k, 4 * k, 5 * k, 6 * k, 7 * k);
        const __m256i words = _mm256_i32gather_epi32(reinterpret_cast<const int*>(at), places, 1);
        return halvesOfE8M0(_mm256_and_si256(words, _mm256_set1_epi32(0xFF)));
    }
    template <int pair>
    LACUNA_INLINE __m512i codes() const noexcept {
        return floatLevelsOf(nibbles(pair));
    }
};

/// Applies signs, one bit per byte, to the points of a grid and adds `centre`.
LACUNA_INLINE __m512i withSigns(__m512i points, std::uint64_t signs, int centre) noexcept {
    const __m512i centres = _mm512_set1_epi8(static_cast<char>(centre));
    return _mm512_mask_sub_epi8(_mm512_add_epi8(centres, points), signs, centres, points);
}
/// Returns evenSigns of eight bytes that hold seven signs each.
LACUNA_INLINE std::uint64_t evenSignsOfEight(std::uint64_t sevens) noexcept {
    std::uint64_t odd = sevens ^ (sevens >> 4U);
    odd ^= odd >> 2U;
    odd ^= odd >> 1U;
    return sevens | (odd & 0x0101010101010101U) << 7U;
}
/// Returns four times seven bits, one byte for each.
LACUNA_INLINE std::uint64_t sevensOf(std::uint64_t word) noexcept {
    return (word & 0x7FU) | (word & 0x3F80U) << 1U | (word & 0x1FC000U) << 2U |
           (word & 0xFE00000U) << 3U;
}
/// Returns the signs of the two groups of a pair, from their words (BlockIQ3_XXS::signsAndScale).
LACUNA_INLINE std::uint64_t signsOfWords(const std::byte* first, const std::byte* second) noexcept {
    return evenSignsOfEight(sevensOf(loadAs<std::uint32_t>(first)) |
                            sevensOf(loadAs<std::uint32_t>(second)) << 32U);
}
/// Returns (0.5 + s) * part * scale, in the order of the formats.
LACUNA_INLINE __m256 gridScales(__m256i s, __m256 scale, float part) noexcept {
    const __m256 shifted = _mm256_add_ps(_mm256_cvtepi32_ps(s), _mm256_set1_ps(0.5F));
    return _mm256_mul_ps(_mm256_mul_ps(scale, shifted), _mm256_set1_ps(part));
}
/// The same for sixteen groups, from four bits each in eight bytes.
LACUNA_INLINE __m512 gridScalesOfNibbles(const std::byte* nibbles, __m512 scale) noexcept {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(nibbles));
    const __m128i four =
        _mm_and_si128(_mm_unpacklo_epi8(bytes, _mm_srli_epi16(bytes, 4)), _mm_set1_epi8(0x0F));
    const __m512 shifted =
        _mm512_add_ps(_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(four)), _mm512_set1_ps(0.5F));
    return _mm512_mul_ps(_mm512_mul_ps(scale, shifted), _mm512_set1_ps(0.25F));
}

template <>
struct Octet<DType::IQ3_S> {
    static constexpr bool kHalves = false;
    static constexpr int kCentre = 16;
    static constexpr int kBytes = sizeof(BlockIQ3_S);
    const std::byte* at;
    LACUNA_INLINE __m256 scales() const noexcept {
        const __m256i places = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
        const auto all = loadAs<std::int32_t>(at + offsetof(BlockIQ3_S, scales));
        const __m256i four = _mm256_and_si256(_mm256_srlv_epi32(_mm256_set1_epi32(all), places),
                                              _mm256_set1_epi32(15));
        const __m256i odd = _mm256_add_epi32(_mm256_add_epi32(four, four), _mm256_set1_epi32(1));
        return _mm256_mul_ps(halfEverywhere(at), _mm256_cvtepi32_ps(odd));
    }
    template <int pair>
    LACUNA_INLINE __m512i codes() const noexcept {
        const __m512i low =
            _mm512_cvtepu8_epi32(load16(at + offsetof(BlockIQ3_S, codes) + 16 * pair));
        const auto top = loadAs<std::uint16_t>(at + offsetof(BlockIQ3_S, topBits) + 2 * pair);
        const __m512i indices = _mm512_mask_add_epi32(low, top, low, _mm512_set1_epi32(256));
        return withSigns(_mm512_i32gather_epi32(indices, kGridIQ3_S.data(), 4),
                         loadAs<std::uint64_t>(at + offsetof(BlockIQ3_S, signs) + 8 * pair),
                         kCentre);
    }
};

template <>
struct Octet<DType::IQ3_XXS> {
    static constexpr bool kHalves = false;
    static constexpr int kCentre = 64;
    static constexpr int kBytes = sizeof(BlockIQ3_XXS);
    static constexpr int kWords = offsetof(BlockIQ3_XXS, signsAndScale);
    const std::byte* at;
    LACUNA_INLINE __m256 scales() const noexcept {
        const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + kWords));
        return gridScales(_mm256_srli_epi32(words, 28), halfEverywhere(at), 0.5F);
    }
    template <int pair>
    LACUNA_INLINE __m512i codes() const noexcept {
        const __m512i indices =
            _mm512_cvtepu8_epi32(load16(at + offsetof(BlockIQ3_XXS, codes) + 16 * pair));
        const std::byte* words = at + kWords + 8 * pair;
        return withSigns(_mm512_i32gather_epi32(indices, kGridIQ3_XXS.data(), 4),
                         signsOfWords(words, words + 4), kCentre);
    }
};

template <>
struct Octet<DType::IQ2_S> {
    static constexpr bool kHalves = true;
    static constexpr int kCentre = 64;
    static constexpr int kBytes = sizeof(BlockIQ2_S);
    const std::byte* at;
    LACUNA_INLINE __m512 scales() const noexcept {
        return gridScalesOfNibbles(at + offsetof(BlockIQ2_S, scales), halfEverywhere16(at));
    }
    template <int pair>
    LACUNA_INLINE __m512i codes() const noexcept {
        const auto low = loadAs<std::int64_t>(at + offsetof(BlockIQ2_S, codes) + 8 * pair);
        const auto top = loadAs<std::uint16_t>(at + offsetof(BlockIQ2_S, topBits) + 2 * pair);
        // Two bits per point, moved to bits 8 and 9.
        const __m512i places = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
        const __m512i tops =
            _mm512_and_si512(_mm512_srlv_epi64(_mm512_set1_epi64(std::int64_t{top} << 8), places),
                             _mm512_set1_epi64(0x300));
        const __m512i indices = _mm512_or_si512(_mm512_cvtepu8_epi64(_mm_cvtsi64_si128(low)), tops);
        return withSigns(_mm512_i64gather_epi64(indices, kGridIQ2_S.data(), 8),
                         loadAs<std::uint64_t>(at + offsetof(BlockIQ2_S, signs) + 8 * pair),
                         kCentre);
    }
};

template <>
struct Octet<DType::IQ2_XS> {
    static constexpr bool kHalves = true;
    static constexpr int kCentre = 64;
    static constexpr int kBytes = sizeof(BlockIQ2_XS);
    const std::byte* at;
    LACUNA_INLINE __m512 scales() const noexcept {
        return gridScalesOfNibbles(at + offsetof(BlockIQ2_XS, scales), halfEverywhere16(at));
    }
    template <int pair>
    LACUNA_INLINE __m512i codes() const noexcept {
        const __m512i words =
            _mm512_cvtepu16_epi64(load16(at + offsetof(BlockIQ2_XS, codes) + 16 * pair));
        const __m128i sevens = _mm512_cvtepi64_epi8(_mm512_srli_epi64(words, 9));
        const __m512i indices = _mm512_and_si512(words, _mm512_set1_epi64(511));
        return withSigns(_mm512_i64gather_epi64(indices, kGridIQ2_XS.data(), 8),
                         evenSignsOfEight(static_cast<std::uint64_t>(_mm_cvtsi128_si64(sevens))),
                         kCentre);
    }
};

template <>
struct Octet<DType::IQ2_XXS> {
    static constexpr bool kHalves = false;
    static constexpr int kCentre = 64;
    static constexpr int kBytes = sizeof(BlockIQ2_XXS);
    static constexpr int kGroups = offsetof(BlockIQ2_XXS, groups);
    const std::byte* at;
    LACUNA_INLINE __m256 scales() const noexcept {
        const __m512i groups = _mm512_loadu_si512(at + kGroups);  // four codes followed by the word
        return gridScales(_mm512_cvtepi64_epi32(_mm512_srli_epi64(groups, 60)), halfEverywhere(at),
                          0.25F);
    }
    template <int pair>
    LACUNA_INLINE __m512i codes() const noexcept {
        const std::byte* two = at + kGroups + 16 * pair;
        const std::uint64_t eight =
            loadAs<std::uint32_t>(two) | std::uint64_t{loadAs<std::uint32_t>(two + 8)} << 32U;
        const __m512i indices =
            _mm512_cvtepu8_epi64(_mm_cvtsi64_si128(static_cast<std::int64_t>(eight)));
        return withSigns(_mm512_i64gather_epi64(indices, kGridIQ2_XXS.data(), 8),
                         signsOfWords(two + 4, two + 12), kCentre);
    }
};

/// Scales and offsets of eight groups of Q4_K and Q5_K, six bits each (groupScale).
struct SixBitScales {
    std::uint64_t scales;
    std::uint64_t smallest;
    LACUNA_INLINE explicit SixBitScales(const std::byte* packed) noexcept {
        const auto a = loadAs<std::uint32_t>(packed);
        const auto b = loadAs<std::uint32_t>(packed + 4);
        const auto c = loadAs<std::uint32_t>(packed + 8);
        constexpr std::uint32_t kSix = 0x3F3F3F3F;
        constexpr std::uint32_t kFour = 0x0F0F0F0F;
        constexpr std::uint32_t kTop = 0x30303030;
        scales = (a & kSix) | std::uint64_t{(c & kFour) | ((a >> 2U) & kTop)} << 32U;
        smallest = (b & kSix) | std::uint64_t{((c >> 4U) & kFour) | ((b >> 2U) & kTop)} << 32U;
    }
    LACUNA_INLINE static __m256 asFloats(std::uint64_t bytes) noexcept {
        return _mm256_cvtepi32_ps(
            _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<std::int64_t>(bytes))));
    }
};

template <class Block>
struct SixBitOctet {
    static constexpr bool kHalves = false;
    static constexpr int kCentre = 0;
    static constexpr int kBytes = sizeof(Block);
    const std::byte* at;
    LACUNA_INLINE SixBitScales six() const noexcept {
        return SixBitScales(at + offsetof(Block, scales));
    }
    LACUNA_INLINE __m256 scales() const noexcept {
        return _mm256_mul_ps(SixBitScales::asFloats(six().scales), halfEverywhere(at));
    }
    LACUNA_INLINE __m256 smallest() const noexcept {
        const __m256 factor = halfEverywhere(at + offsetof(Block, smallest));
        return _mm256_mul_ps(SixBitScales::asFloats(six().smallest),
                             _mm256_xor_ps(factor, _mm256_set1_ps(-0.0F)));
    }
    template <int pair>
    LACUNA_INLINE __m512i nibbles() const noexcept {
        return planesOfTwo<0, 4>(loadTwice32(at + offsetof(Block, codes) + 32 * pair), 0x0F);
    }
};

template <>
struct Octet<DType::Q4_K> : SixBitOctet<BlockQ4_K> {
    template <int pair>
    LACUNA_INLINE __m512i codes() const noexcept {
        return nibbles<pair>();
    }
};

template <>
struct Octet<DType::Q5_K> : SixBitOctet<BlockQ5_K> {
    template <int pair>
    LACUNA_INLINE __m512i codes() const noexcept {
        const __m512i fifth = loadTwice32(at + offsetof(BlockQ5_K, fifthBits));
        return withBits<4 - 2 * pair, 3 - 2 * pair>(nibbles<pair>(), fifth, 0x10);
    }
};

template <>
struct Octet<DType::Q6_K> {
    static constexpr bool kHalves = true;
    static constexpr int kCentre = 32;
    static constexpr int kBytes = sizeof(BlockQ6_K);
    const std::byte* at;
    LACUNA_INLINE __m512 scales() const noexcept {
        const __m512i small = _mm512_cvtepi8_epi32(load16(at + offsetof(BlockQ6_K, scales)));
        return _mm512_mul_ps(_mm512_cvtepi32_ps(small),
                             halfEverywhere16(at + offsetof(BlockQ6_K, scale)));
    }
    template <int pair>
    LACUNA_INLINE __m512i codes() const noexcept {
        constexpr int kPlane = 2 * (pair % 2);
        const __m512i low = _mm512_loadu_si512(at + 64 * (pair / 2));
        const __m512i top = loadTwice32(at + offsetof(BlockQ6_K, topBits) + 32 * (pair / 2));
        return withBits<4 - 2 * kPlane, 2 - 2 * kPlane>(
            planesOfTwo<2 * kPlane, 2 * kPlane>(low, 0x0F), top, 0x30);
    }
};

/// Returns pairs of bits of Q2_K and Q3_K.
template <int pair>
LACUNA_INLINE __m512i twoBits(const std::byte* codes) noexcept {
    constexpr int kShift = 4 * (pair % 2);
    return planesOfTwo<kShift, kShift + 2>(loadTwice32(codes + 32 * (pair / 2)), 3);
}

template <>
struct Octet<DType::Q3_K> {
    static constexpr bool kHalves = true;
    static constexpr int kCentre = 4;
    static constexpr int kBytes = sizeof(BlockQ3_K);
    const std::byte* at;
    LACUNA_INLINE __m512 scales() const noexcept {
        // Low four bits of groups 0..7 and 8..15, then two bits of every fourth group
        // (groupScaleQ3).
        const std::byte* packed = at + offsetof(BlockQ3_K, scales);
        constexpr std::uint64_t kLow = 0x0F0F0F0F0F0F0F0F;
        constexpr std::uint32_t kTop = 0x03030303;
        const auto low = loadAs<std::uint64_t>(packed);
        const auto top = loadAs<std::uint32_t>(packed + 8);
        const auto topsOf = [top](unsigned shift) __attribute__((always_inline)) {
            return std::uint64_t{(top >> shift) & kTop} << 4U |
                   std::uint64_t{(top >> (shift + 2U)) & kTop} << 36U;
        };
        const std::uint64_t first = (low & kLow) | topsOf(0);
        const std::uint64_t second = ((low >> 4U) & kLow) | topsOf(4);
        const __m128i six = _mm_sub_epi8(
            _mm_set_epi64x(static_cast<std::int64_t>(second), static_cast<std::int64_t>(first)),
            _mm_set1_epi8(32));
        return _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(six)),
                             halfEverywhere16(at + offsetof(BlockQ3_K, scale)));
    }
    template <int pair>
    LACUNA_INLINE __m512i codes() const noexcept {
        return withBits<2 - 2 * pair, 1 - 2 * pair>(twoBits<pair>(at + offsetof(BlockQ3_K, codes)),
                                                    loadTwice32(at), 4);
    }
};

template <>
struct Octet<DType::Q2_K> {
    static constexpr bool kHalves = true;
    static constexpr int kCentre = 0;
    static constexpr int kBytes = sizeof(BlockQ2_K);
    const std::byte* at;
    LACUNA_INLINE __m512 scales() const noexcept {
        const __m128i low = _mm_and_si128(load16(at), _mm_set1_epi8(0x0F));
        return _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(low)),
                             halfEverywhere16(at + offsetof(BlockQ2_K, scale)));
    }
    LACUNA_INLINE __m512 smallest() const noexcept {
        const __m128i high = _mm_and_si128(_mm_srli_epi16(load16(at), 4), _mm_set1_epi8(0x0F));
        const __m512 factor = halfEverywhere16(at + offsetof(BlockQ2_K, smallest));
        return _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(high)),
                             _mm512_sub_ps(_mm512_setzero_ps(), factor));
    }
    template <int pair>
    LACUNA_INLINE __m512i codes() const noexcept {
        return twoBits<pair>(at + offsetof(BlockQ2_K, codes));
    }
};

}  // namespace
}  // namespace lacuna
LACUNA_TARGET_END
#endif
