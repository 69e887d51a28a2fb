#pragma once
/// \file
/// Groups of 32 neighbours of every quantised type as bytes in one AVX2 register, with their
/// scales: value = scale * code + smallest, first and last sixteen each with their own. Codes are
/// unsigned and at most 63, except where `kSigned` says that they are signed and have no smallest
/// value. Private to the AVX2 kernels. Source: ggml format description (block_formats.h).

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "engine/kernels/target_region.h"
#include "engine/tensor/block_formats.h"

LACUNA_TARGET_BEGIN("avx2,fma,f16c")
namespace lacuna {
namespace avx2 {
namespace {

/// Of the first and the last sixteen columns.
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

/// The low four bits of sixteen bytes and then the high ones.
inline __m256i nibbles(const std::byte* at) noexcept {
    const __m128i both = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    return _mm256_and_si256(_mm256_set_m128i(_mm_srli_epi16(both, 4), both),
                            _mm256_set1_epi8(0x0F));
}
/// Bits `shift`.. of 32 bytes, as far as `mask` goes.
inline __m256i plane(const std::byte* at, int shift, int mask) noexcept {
    return _mm256_and_si256(_mm256_srl_epi16(load32(at), _mm_cvtsi32_si128(shift)),
                            _mm256_set1_epi8(static_cast<char>(mask)));
}
/// `value` in the bytes whose bit is set, bit i for byte i.
inline __m256i whereSet(const std::byte* bits, int value) noexcept {
    std::int32_t all;
    __builtin_memcpy(&all, bits, 4);
    const __m256i bytes = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2,
                                           2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
    const __m256i bit = _mm256_set1_epi64x(static_cast<std::int64_t>(0x8040201008040201));
    const __m256i spread =
        _mm256_and_si256(_mm256_shuffle_epi8(_mm256_set1_epi32(all), bytes), bit);
    return _mm256_and_si256(_mm256_cmpeq_epi8(spread, bit),
                            _mm256_set1_epi8(static_cast<char>(value)));
}
inline __m256i levelsOf(__m256i codes) noexcept {
    const __m128i levels = _mm_loadu_si128(reinterpret_cast<const __m128i*>(kIq4Levels));
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
        return _mm256_or_si256(nibbles(block + 6), whereSet(block + 2, 16));
    }
    GroupScales scales() const noexcept { return same(halfAt(block), -16 * halfAt(block)); }
};

template <>
struct Group<DType::Q5_1> {
    static constexpr bool kSigned = false;
    const std::byte* block;
    Group(const std::byte* row, std::int64_t group) : block(row + group * 24) {}
    __m256i codes() const noexcept {
        return _mm256_or_si256(nibbles(block + 8), whereSet(block + 4, 16));
    }
    GroupScales scales() const noexcept { return same(halfAt(block), halfAt(block + 2)); }
};

template <>
struct Group<DType::IQ4_NL> {
    static constexpr bool kSigned = true;
    const std::byte* block;
    Group(const std::byte* row, std::int64_t group) : block(row + group * 18) {}
    __m256i codes() const noexcept { return levelsOf(nibbles(block + 2)); }
    GroupScales scales() const noexcept { return same(halfAt(block), 0); }
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
        return levelsOf(nibbles(block + offsetof(BlockIQ4_XS, codes) + 16 * index));
    }
    GroupScales scales() const noexcept {
        const int low = byteAt(block + offsetof(BlockIQ4_XS, lowScales) + index / 2);
        const int top = byteAt(block + offsetof(BlockIQ4_XS, topScales) + index / 4);
        const int six = ((low >> (4 * (index % 2))) & 15) | (((top >> (2 * (index % 4))) & 3) << 4);
        return same(halfAt(block) * static_cast<float>(six - 32), 0);
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
