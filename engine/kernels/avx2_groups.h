#pragma once
/// \file
/// Groups of 32 consecutive values of every quantised type as bytes in one AVX2 register, with
/// their scales: value = scale * code + smallest, separately for the first and last sixteen. Codes
/// are unsigned and at most 63; with `kSigned` they are signed and have no smallest value. Private
/// to the AVX2 kernels. Source: ggml format description (block_formats.h).

#if defined(__x86_64__)
#include <immintrin.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/kernels/target_region.h"
#include "engine/tensor/block_formats.h"
#include "engine/tensor/few_level_formats.h"
#include "engine/tensor/grid_formats.h"

LACUNA_TARGET_BEGIN("avx2,fma,f16c")
namespace lacuna {
namespace avx2 {
namespace {

/// Scales of the first and the last sixteen columns.
struct GroupScales {
    float scale[2];
    float smallest[2];
};

inline __m256i load32(const std::byte* at) noexcept {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}
inline int byteAt(const std::byte* at) noexcept {
    return static_cast<int>(*at);
}
inline float halfAt(const std::byte* at) noexcept {
    std::uint16_t bits;
    __builtin_memcpy(&bits, at, 2);
    return _cvtsh_ss(bits);
}
inline GroupScales same(float scale, float smallest) noexcept {
    return {{scale, scale}, {smallest, smallest}};
}
inline GroupScales centred(float first, float second, float centre) noexcept {
    return {{first, second}, {-centre * first, -centre * second}};
}

/// Returns the low four bits of sixteen bytes, followed by the high ones.
inline __m256i nibbles(const std::byte* at) noexcept {
    const __m128i both = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    return _mm256_and_si256(_mm256_set_m128i(_mm_srli_epi16(both, 4), both),
                            _mm256_set1_epi8(0x0F));
}
/// Returns bits `shift`.. of 32 bytes, masked by `mask`.
inline __m256i plane(const std::byte* at, int shift, int mask) noexcept {
    return _mm256_and_si256(_mm256_srl_epi16(load32(at), _mm_cvtsi32_si128(shift)),
                            _mm256_set1_epi8(static_cast<char>(mask)));
}
/// Returns four bytes as a number.
inline std::uint32_t wordAt(const std::byte* at) noexcept {
    std::uint32_t word;
    __builtin_memcpy(&word, at, 4);
    return word;
}
/// Returns `value` in the bytes whose bit is set, bit i for byte i.
inline __m256i selectBytes(std::uint32_t bits, int value) noexcept {
    const auto all = static_cast<std::int32_t>(bits);
    const __m256i bytes = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2,
                                           2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
    const __m256i bit = _mm256_set1_epi64x(static_cast<std::int64_t>(0x8040201008040201));
    const __m256i spread =
        _mm256_and_si256(_mm256_shuffle_epi8(_mm256_set1_epi32(all), bytes), bit);
    return _mm256_and_si256(_mm256_cmpeq_epi8(spread, bit),
                            _mm256_set1_epi8(static_cast<char>(value)));
}
inline __m256i levelsOf(const std::int8_t (&list)[16], __m256i codes) noexcept {
    const __m128i levels = _mm_loadu_si128(reinterpret_cast<const __m128i*>(list));
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(levels), codes);
}

template <DType type>
struct Group;

template <>
struct Group<DType::Q8_0> {
    static constexpr bool kSigned = true;
    const std::byte* block;
    Group(const std::byte* row, std::int64_t group) : block(row + group * 34) {}
    __m256i codes() const noexcept { return load32(block + 2); }
    GroupScales scales() const noexcept { return same(halfAt(block), 0); }
};

template <>
struct Group<DType::Q4_0> {
    static constexpr bool kSigned = false;
    const std::byte* block;
    Group(const std::byte* row, std::int64_t group) : block(row + group * 18) {}
    __m256i codes() const noexcept { return nibbles(block + 2); }
    GroupScales scales() const noexcept { return same(halfAt(block), -8 * halfAt(block)); }
};

template <>
struct Group<DType::Q4_1> {
    static constexpr bool kSigned = false;
    const std::byte* block;
    Group(const std::byte* row, std::int64_t group) : block(row + group * 20) {}
    __m256i codes() const noexcept { return nibbles(block + 4); }
    GroupScales scales() const noexcept { return same(halfAt(block), halfAt(block + 2)); }
};

template <>
struct Group<DType::Q5_0> {
    static constexpr bool kSigned = false;
    const std::byte* block;
    Group(const std::byte* row, std::int64_t group) : block(row + group * 22) {}
    __m256i codes() const noexcept {
        return _mm256_or_si256(nibbles(block + 6), selectBytes(wordAt(block + 2), 16));
    }
    GroupScales scales() const noexcept { return same(halfAt(block), -16 * halfAt(block)); }
};

template <>
struct Group<DType::Q5_1> {
    static constexpr bool kSigned = false;
    const std::byte* block;
    Group(const std::byte* row, std::int64_t group) : block(row + group * 24) {}
    __m256i codes() const noexcept {
        return _mm256_or_si256(nibbles(block + 8), selectBytes(wordAt(block + 4), 16));
    }
    GroupScales scales() const noexcept { return same(halfAt(block), halfAt(block + 2)); }
};

template <>
struct Group<DType::IQ4_NL> {
    static constexpr bool kSigned = true;
    const std::byte* block;
    Group(const std::byte* row, std::int64_t group) : block(row + group * 18) {}
    __m256i codes() const noexcept { return levelsOf(kIq4Levels, nibbles(block + 2)); }
    GroupScales scales() const noexcept { return same(halfAt(block), 0); }
};

template <>
struct Group<DType::MXFP4> {
    static constexpr bool kSigned = true;
    const std::byte* block;
    Group(const std::byte* row, std::int64_t group) : block(row + group * 17) {}
    __m256i codes() const noexcept { return levelsOf(kE2M1Doubled, nibbles(block + 1)); }
    GroupScales scales() const noexcept {
        return same(halfOfE8M0(static_cast<std::uint8_t>(*block)), 0);
    }
};

/// A group of a block of 256 values.
template <class Block>
struct InnerGroup {
    const std::byte* block;
    int index;
    InnerGroup(const std::byte* row, std::int64_t group)
        : block(row + group / 8 * static_cast<std::int64_t>(sizeof(Block))),
          index(static_cast<int>(group % 8)) {}
};

template <>
struct Group<DType::IQ4_XS> : InnerGroup<BlockIQ4_XS> {
    static constexpr bool kSigned = true;
    using InnerGroup::InnerGroup;
    __m256i codes() const noexcept {
        return levelsOf(kIq4Levels, nibbles(block + offsetof(BlockIQ4_XS, codes) + 16 * index));
    }
    GroupScales scales() const noexcept {
        const int low = byteAt(block + offsetof(BlockIQ4_XS, lowScales) + index / 2);
        const int top = byteAt(block + offsetof(BlockIQ4_XS, topScales) + index / 4);
        const int six = ((low >> (4 * (index % 2))) & 15) | (((top >> (2 * (index % 4))) & 3) << 4);
        return same(halfAt(block) * static_cast<float>(six - 32), 0);
    }
};

/// Applies signs, one bit per byte, to the points of a grid.
inline __m256i withSigns(__m256i points, std::uint32_t signs) noexcept {
    const __m256i minus = selectBytes(signs, -1);
    return _mm256_sub_epi8(_mm256_xor_si256(points, minus), minus);
}
/// Returns eight points of four values.
template <std::size_t count>
__m256i pointsOf(const std::array<std::uint32_t, count>& grid,
                 const unsigned (&codes)[8]) noexcept {
    alignas(32) std::uint32_t points[8];
    for (int i = 0; i < 8; ++i) points[i] = grid[codes[i]];
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(points));
}
/// Returns four points of eight values.
template <std::size_t count>
__m256i pointsOf(const std::array<std::uint64_t, count>& grid,
                 const unsigned (&codes)[4]) noexcept {
    alignas(32) std::uint64_t points[4];
    for (int i = 0; i < 4; ++i) points[i] = grid[codes[i]];
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(points));
}
/// Returns evenSigns of four times seven bits.
inline std::uint32_t signsOfWord(std::uint32_t word) noexcept {
    const std::uint32_t sevens = (word & 0x7FU) | (word & 0x3F80U) << 1U |
                                 (word & 0x1FC000U) << 2U | (word & 0xFE00000U) << 3U;
    std::uint32_t odd = sevens ^ (sevens >> 4U);
    odd ^= odd >> 2U;
    odd ^= odd >> 1U;
    return sevens | (odd & 0x01010101U) << 7U;
}
inline float gridScale(float scale, int s, float part) noexcept {
    return scale * (0.5F + static_cast<float>(s)) * part;
}
/// Returns the scales of the two halves of a group, four bits each in a byte.
inline GroupScales gridScales(float scale, int both) noexcept {
    return {{gridScale(scale, both & 15, 0.25F), gridScale(scale, both >> 4, 0.25F)}, {0, 0}};
}

template <>
struct Group<DType::IQ3_S> : InnerGroup<BlockIQ3_S> {
    static constexpr bool kSigned = true;
    using InnerGroup::InnerGroup;
    __m256i codes() const noexcept {
        const std::byte* low = block + offsetof(BlockIQ3_S, codes) + 8 * index;
        const int top = byteAt(block + offsetof(BlockIQ3_S, topBits) + index);
        unsigned points[8];
        for (int i = 0; i < 8; ++i)
            points[i] = static_cast<unsigned>(byteAt(low + i) | ((top >> i & 1) << 8));
        return withSigns(pointsOf(kGridIQ3_S, points),
                         wordAt(block + offsetof(BlockIQ3_S, signs) + 4 * index));
    }
    GroupScales scales() const noexcept {
        const int two = byteAt(block + offsetof(BlockIQ3_S, scales) + index / 2);
        const int odd = 2 * (two >> (4 * (index % 2)) & 15) + 1;
        return same(halfAt(block) * static_cast<float>(odd), 0);
    }
};

template <>
struct Group<DType::IQ3_XXS> : InnerGroup<BlockIQ3_XXS> {
    static constexpr bool kSigned = true;
    using InnerGroup::InnerGroup;
    std::uint32_t word() const noexcept {
        return wordAt(block + offsetof(BlockIQ3_XXS, signsAndScale) + 4 * index);
    }
    __m256i codes() const noexcept {
        const std::byte* from = block + offsetof(BlockIQ3_XXS, codes) + 8 * index;
        unsigned points[8];
        for (int i = 0; i < 8; ++i) points[i] = static_cast<unsigned>(from[i]);
        return withSigns(pointsOf(kGridIQ3_XXS, points), signsOfWord(word()));
    }
    GroupScales scales() const noexcept {
        return same(gridScale(halfAt(block), static_cast<int>(word() >> 28U), 0.5F), 0);
    }
};

template <>
struct Group<DType::IQ2_S> : InnerGroup<BlockIQ2_S> {
    static constexpr bool kSigned = true;
    using InnerGroup::InnerGroup;
    __m256i codes() const noexcept {
        const std::byte* low = block + offsetof(BlockIQ2_S, codes) + 4 * index;
        const int top = byteAt(block + offsetof(BlockIQ2_S, topBits) + index);
        unsigned points[4];
        for (int i = 0; i < 4; ++i)
            points[i] = static_cast<unsigned>(byteAt(low + i) | ((top >> (2 * i) & 3) << 8));
        return withSigns(pointsOf(kGridIQ2_S, points),
                         wordAt(block + offsetof(BlockIQ2_S, signs) + 4 * index));
    }
    GroupScales scales() const noexcept {
        return gridScales(halfAt(block), byteAt(block + offsetof(BlockIQ2_S, scales) + index));
    }
};

template <>
struct Group<DType::IQ2_XS> : InnerGroup<BlockIQ2_XS> {
    static constexpr bool kSigned = true;
    using InnerGroup::InnerGroup;
    __m256i codes() const noexcept {
        const std::byte* words = block + offsetof(BlockIQ2_XS, codes) + 8 * index;
        unsigned points[4];
        std::uint32_t signs = 0;
        for (int i = 0; i < 4; ++i) {
            const auto word =
                static_cast<unsigned>(byteAt(words + 2 * i) | byteAt(words + 2 * i + 1) << 8);
            points[i] = word & 511U;
            signs |= evenSigns(word >> 9U) << (8 * i);
        }
        return withSigns(pointsOf(kGridIQ2_XS, points), signs);
    }
    GroupScales scales() const noexcept {
        return gridScales(halfAt(block), byteAt(block + offsetof(BlockIQ2_XS, scales) + index));
    }
};

template <>
struct Group<DType::IQ2_XXS> : InnerGroup<BlockIQ2_XXS> {
    static constexpr bool kSigned = true;
    using InnerGroup::InnerGroup;
    const std::byte* group() const noexcept {
        return block + offsetof(BlockIQ2_XXS, groups) + 8 * index;
    }
    __m256i codes() const noexcept {
        unsigned points[4];
        for (int i = 0; i < 4; ++i) points[i] = static_cast<unsigned>(group()[i]);
        return withSigns(pointsOf(kGridIQ2_XXS, points), signsOfWord(wordAt(group() + 4)));
    }
    GroupScales scales() const noexcept {
        const auto s = static_cast<int>(wordAt(group() + 4) >> 28U);
        return same(gridScale(halfAt(block), s, 0.25F), 0);
    }
};

template <class Block>
GroupScales sixBitScales(const std::byte* block, int index) noexcept {
    std::uint8_t packed[12];
    __builtin_memcpy(packed, block + offsetof(Block, scales), sizeof packed);
    const GroupScale found = groupScale(packed, index);
    return same(halfAt(block) * static_cast<float>(found.scale),
                -halfAt(block + offsetof(Block, smallest)) * static_cast<float>(found.smallest));
}

template <>
struct Group<DType::Q4_K> : InnerGroup<BlockQ4_K> {
    static constexpr bool kSigned = false;
    using InnerGroup::InnerGroup;
    __m256i codes() const noexcept {
        return plane(block + offsetof(BlockQ4_K, codes) + index / 2 * 32, index % 2 * 4, 15);
    }
    GroupScales scales() const noexcept { return sixBitScales<BlockQ4_K>(block, index); }
};

template <>
struct Group<DType::Q5_K> : InnerGroup<BlockQ5_K> {
    static constexpr bool kSigned = false;
    using InnerGroup::InnerGroup;
    __m256i codes() const noexcept {
        const __m256i fifth = plane(block + offsetof(BlockQ5_K, fifthBits), index, 1);
        return _mm256_or_si256(
            plane(block + offsetof(BlockQ5_K, codes) + index / 2 * 32, index % 2 * 4, 15),
            _mm256_slli_epi16(fifth, 4));
    }
    GroupScales scales() const noexcept { return sixBitScales<BlockQ5_K>(block, index); }
};

template <>
struct Group<DType::Q6_K> : InnerGroup<BlockQ6_K> {
    static constexpr bool kSigned = false;
    using InnerGroup::InnerGroup;
    __m256i codes() const noexcept {
        const __m256i low = plane(block + index / 4 * 64 + index % 2 * 32, index % 4 / 2 * 4, 15);
        const __m256i top =
            plane(block + offsetof(BlockQ6_K, topBits) + index / 4 * 32, index % 4 * 2, 3);
        return _mm256_or_si256(low, _mm256_slli_epi16(top, 4));
    }
    GroupScales scales() const noexcept {
        const float scale = halfAt(block + offsetof(BlockQ6_K, scale));
        const std::byte* both = block + offsetof(BlockQ6_K, scales) + 2 * index;
        const auto part = [&](int i) {
            return scale * static_cast<float>(static_cast<std::int8_t>(both[i]));
        };
        return centred(part(0), part(1), 32);
    }
};

template <>
struct Group<DType::Q3_K> : InnerGroup<BlockQ3_K> {
    static constexpr bool kSigned = false;
    using InnerGroup::InnerGroup;
    __m256i codes() const noexcept {
        const __m256i low =
            plane(block + offsetof(BlockQ3_K, codes) + index / 4 * 32, index % 4 * 2, 3);
        return _mm256_or_si256(low, _mm256_slli_epi16(plane(block, index, 1), 2));
    }
    GroupScales scales() const noexcept {
        std::uint8_t packed[12];
        __builtin_memcpy(packed, block + offsetof(BlockQ3_K, scales), sizeof packed);
        const float scale = halfAt(block + offsetof(BlockQ3_K, scale));
        return centred(scale * static_cast<float>(groupScaleQ3(packed, 2 * index)),
                       scale * static_cast<float>(groupScaleQ3(packed, 2 * index + 1)), 4);
    }
};

template <>
struct Group<DType::Q2_K> : InnerGroup<BlockQ2_K> {
    static constexpr bool kSigned = false;
    using InnerGroup::InnerGroup;
    __m256i codes() const noexcept {
        return plane(block + offsetof(BlockQ2_K, codes) + index / 4 * 32, index % 4 * 2, 3);
    }
    GroupScales scales() const noexcept {
        const float scale = halfAt(block + offsetof(BlockQ2_K, scale));
        const float smallest = -halfAt(block + offsetof(BlockQ2_K, smallest));
        const int first = byteAt(block + 2 * index);
        const int second = byteAt(block + 2 * index + 1);
        return {{scale * static_cast<float>(first & 15), scale * static_cast<float>(second & 15)},
                {smallest * static_cast<float>(first >> 4),
                 smallest * static_cast<float>(second >> 4)}};
    }
};

}  // namespace
}  // namespace avx2
}  // namespace lacuna
LACUNA_TARGET_END
#endif
