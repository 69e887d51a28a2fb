#pragma once
/// \file
/// Blocks of 256 values whose codes are indices of grid points (grid_points.h): one to three bits
/// per value. Source: ggml format description (the IQ formats).

#include <cstdint>

#include "engine/tensor/grid_points.h"

namespace lacuna {

/// 8 groups of 32, each eight points of four: v = scale * (1 + 2 s) * sign * value. s has four bits
/// per group, the even group's in the low ones.
struct BlockIQ3_S {
    std::uint16_t scale;
    std::uint8_t codes[64];
    std::uint8_t topBits[8];  ///< bit i of byte g: ninth bit of the code of point i of group g
    std::uint8_t signs[32];   ///< one bit per value
    std::uint8_t scales[4];
};
static_assert(sizeof(BlockIQ3_S) == 110);

/// 8 groups of 32, each eight points of four: v = scale * (0.5 + s) / 2 * sign * value.
/// signsAndScale: four times seven signs (evenSigns), lowest first, and four bits s.
struct BlockIQ3_XXS {
    std::uint16_t scale;
    std::uint8_t codes[64];
    std::uint8_t signsAndScale[8][4];  ///< little-endian
};
static_assert(sizeof(BlockIQ3_XXS) == 98);

/// 16 groups of 16, each two points of eight: v = scale * (0.5 + s) / 4 * sign * value. s has four
/// bits per group.
struct BlockIQ2_S {
    std::uint16_t scale;
    std::uint8_t codes[32];
    std::uint8_t signs[32];
    std::uint8_t topBits[8];  ///< two bits per point, four points per byte: bits 8 and 9 of its
                              ///< code
    std::uint8_t scales[8];
};
static_assert(sizeof(BlockIQ2_S) == 82);

/// As IQ2_S; a code has nine bits, with seven signs (evenSigns) above them.
struct BlockIQ2_XS {
    std::uint16_t scale;
    std::uint16_t codes[32];
    std::uint8_t scales[8];
};
static_assert(sizeof(BlockIQ2_XS) == 74);

/// 8 groups of 32, each four points of eight: v = scale * (0.5 + s) / 4 * sign * value.
struct BlockIQ2_XXS {
    struct Group {
        std::uint8_t codes[4];
        std::uint8_t signsAndScale[4];  ///< as in IQ3_XXS
    };
    std::uint16_t scale;
    Group groups[8];
};
static_assert(sizeof(BlockIQ2_XXS) == 66);

/// 8 groups of 32, each four points of eight: v = scale * (2 s + 1) * (value + shift). The shift is
/// an eighth, negative if the top bit of topBits is set.
struct BlockIQ1_S {
    std::uint16_t scale;
    std::uint8_t codes[32];
    std::uint16_t topBits[8];  ///< top 3 bits of 4 codes, 3 bits of s, sign of the shift
};
static_assert(sizeof(BlockIQ1_S) == 50);

/// 16 groups of 16, each two points of eight; values as in IQ1_S, with a shift for each point.
struct BlockIQ1_M {
    std::uint8_t codes[32];
    std::uint8_t topBits[16];  ///< two points each: three top bits of a code and the sign of the
                               ///< shift
    std::uint8_t scales[8];    ///< four words: four times three bits s, then four bits of the scale
};
static_assert(sizeof(BlockIQ1_M) == 56);

/// Returns the signs and scale of a group of IQ3_XXS and IQ2_XXS as one word.
[[nodiscard]] constexpr std::uint32_t wordOf(const std::uint8_t (&bytes)[4]) noexcept {
    return bytes[0] | std::uint32_t{bytes[1]} << 8U | std::uint32_t{bytes[2]} << 16U |
           std::uint32_t{bytes[3]} << 24U;
}

/// Each decodes 256 values.
void decodeBlock(const BlockIQ3_S& block, float* out);
void decodeBlock(const BlockIQ3_XXS& block, float* out);
void decodeBlock(const BlockIQ2_S& block, float* out);
void decodeBlock(const BlockIQ2_XS& block, float* out);
void decodeBlock(const BlockIQ2_XXS& block, float* out);
void decodeBlock(const BlockIQ1_S& block, float* out);
void decodeBlock(const BlockIQ1_M& block, float* out);

}  // namespace lacuna
