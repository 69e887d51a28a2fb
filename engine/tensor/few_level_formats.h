#pragma once
/// \file
/// Blocks with two to sixteen levels: floats of four bits (OCP microscaling, MXFP4 and NVFP4),
/// ternary and one-bit weights. Source: ggml format description.

#include <bit>
#include <cstdint>

namespace lacuna {

/// Twice the values of E2M1, a float of a sign bit, two exponent bits and one mantissa bit.
inline constexpr std::int8_t kE2M1Doubled[16] = {0, 1,  2,  3,  4,  6,  8,  12,
                                                 0, -1, -2, -3, -4, -6, -8, -12};

/// 32 values: v = 2^(scale - 127) * E2M1 code; value i in the low, i + 16 in the high bits of byte
/// i.
struct BlockMXFP4 {
    std::uint8_t scale;
    std::uint8_t codes[16];
};
static_assert(sizeof(BlockMXFP4) == 17);

/// 4 groups of 16: v = UE4M3 scale * E2M1 code; value i of a group in the low, i + 8 in the high
/// bits of its byte i.
struct BlockNVFP4 {
    std::uint8_t scales[4];
    std::uint8_t codes[4][8];
};
static_assert(sizeof(BlockNVFP4) == 36);

/// 256 values: v = scale * (digit - 1). A byte q holds five ternary digits, the bytes of `fours`
/// only four: digit n is the top of three times the lowest eight bits of q * 3^n.
struct BlockTQ1_0 {
    std::uint8_t fives[48];  ///< digits of values 32 n + i (i < 32), then of 160 + 16 n + i
    std::uint8_t fours[4];   ///< digits of values 240 + 4 n + i
    std::uint16_t scale;
};
static_assert(sizeof(BlockTQ1_0) == 54);

/// 256 values: v = scale * (code - 1), codes 0..3.
struct BlockTQ2_0 {
    std::uint8_t codes[64];  ///< [128-half][32], four values per byte, 32 apart
    std::uint16_t scale;
};
static_assert(sizeof(BlockTQ2_0) == 66);

/// 128 values: scale if the bit is set, otherwise -scale; lowest bits first.
struct BlockQ1_0 {
    std::uint16_t scale;
    std::uint8_t bits[16];
};
static_assert(sizeof(BlockQ1_0) == 18);

/// 64 values: v = scale * (code - 1), codes 0..3, four neighbours per byte.
struct BlockQ2_0 {
    std::uint16_t scale;
    std::uint8_t codes[16];
};
static_assert(sizeof(BlockQ2_0) == 18);

/// Returns 2^(scale - 128): half the scale of MXFP4, to match the doubled codes. No byte is a NaN
/// (unlike 255 in OCP): 255 is the next power of two, as in ggml.
[[nodiscard]] constexpr float halfOfE8M0(std::uint8_t scale) noexcept {
    const std::uint32_t bits =
        scale < 2 ? 0x0020'0000U << scale : static_cast<std::uint32_t>(scale - 1) << 23U;
    return std::bit_cast<float>(bits);
}

/// Returns half the scale of NVFP4: four exponent bits (bias 7) and three mantissa bits; 0x7F is 0,
/// and the top bit is ignored.
[[nodiscard]] constexpr float halfOfUE4M3(std::uint8_t scale) noexcept {
    if (scale == 0x7F) return 0.0F;
    const int exponent = (scale >> 3) & 15;
    const auto fraction = static_cast<float>(scale & 7);
    // 2^(exponent - 8) and 2^-10, exactly
    const auto power = [](int e) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(127 + e) << 23U);
    };
    return exponent == 0 ? fraction * power(-10) : (1.0F + fraction / 8.0F) * power(exponent - 8);
}

void decodeBlock(const BlockMXFP4& block, float* out);  ///< 32 values
void decodeBlock(const BlockNVFP4& block, float* out);  ///< 64 values
void decodeBlock(const BlockTQ1_0& block, float* out);  ///< 256 values
void decodeBlock(const BlockTQ2_0& block, float* out);  ///< 256 values
void decodeBlock(const BlockQ1_0& block, float* out);   ///< 128 values
void decodeBlock(const BlockQ2_0& block, float* out);   ///< 64 values

}  // namespace lacuna
