#pragma once
/// \file
/// Plain conversion of rows of any number format to float and back, the oracle of the kernels; and
/// the block layouts of Q8_0 to IQ4_XS (the others: grid_formats.h, few_level_formats.h). Source:
/// ggml format description.

#include <cstdint>
#include <span>

#include "engine/tensor/dtype.h"

namespace lacuna {

// Blocks of 32 values with one scale, and one smallest value in the `_1` formats. Scales are IEEE
// halves. Value i is in the low four bits of byte i, value i + 16 in the high four bits.

inline constexpr int kLegacyLength = 32;

/// v[i] = scale * code[i].
struct BlockQ8_0 {
    std::uint16_t scale;
    std::int8_t codes[32];
};
static_assert(sizeof(BlockQ8_0) == 34 && alignof(BlockQ8_0) == 2);

/// v[i] = scale * (code[i] - 8), codes 0..15.
struct BlockQ4_0 {
    std::uint16_t scale;
    std::uint8_t codes[16];
};
static_assert(sizeof(BlockQ4_0) == 18);

/// v[i] = scale * code[i] + smallest, codes 0..15.
struct BlockQ4_1 {
    std::uint16_t scale;
    std::uint16_t smallest;
    std::uint8_t codes[16];
};
static_assert(sizeof(BlockQ4_1) == 20);

/// v[i] = scale * (code[i] - 16), codes 0..31; bit i of `fifthBits` (little-endian) is their top
/// bit.
struct BlockQ5_0 {
    std::uint16_t scale;
    std::uint8_t fifthBits[4];
    std::uint8_t codes[16];
};
static_assert(sizeof(BlockQ5_0) == 22);

/// v[i] = scale * code[i] + smallest, codes 0..31 as in Q5_0.
struct BlockQ5_1 {
    std::uint16_t scale;
    std::uint16_t smallest;
    std::uint8_t fifthBits[4];
    std::uint8_t codes[16];
};
static_assert(sizeof(BlockQ5_1) == 24);

/// Each decodes kLegacyLength values.
void decodeBlock(const BlockQ8_0& block, float* out);
void decodeBlock(const BlockQ4_0& block, float* out);
void decodeBlock(const BlockQ4_1& block, float* out);
void decodeBlock(const BlockQ5_0& block, float* out);
void decodeBlock(const BlockQ5_1& block, float* out);

// Blocks of 256 values in groups of 16 or 32 ("k-quants"); each group has a small integer scale
// (and offset) that is multiplied by a half of the block. Codes are stored in planes: a byte holds
// values that are 32 apart, lower bits first, so that 32 bytes shifted and masked at once give 32
// neighbours.

inline constexpr int kBlockLengthK = 256;

/// 16 groups of 16: v = scale * s * code - smallest * m, codes 0..3; s in the low four bits and m
/// in the high four bits of scales[group].
struct BlockQ2_K {
    std::uint8_t scales[16];
    std::uint8_t codes[64];  ///< [128-half][32], four values per byte
    std::uint16_t scale;
    std::uint16_t smallest;
};
static_assert(sizeof(BlockQ2_K) == 84);

/// 16 groups of 16: v = scale * (s - 32) * code, codes -4..3; s has six bits (groupScaleQ3).
struct BlockQ3_K {
    std::uint8_t thirdBits[32];  ///< bit p of byte i: value 32 p + i is not lowered by 4
    std::uint8_t codes[64];      ///< [128-half][32], four values per byte
    std::uint8_t scales[12];
    std::uint16_t scale;
};
static_assert(sizeof(BlockQ3_K) == 110);

/// 8 groups of 32: v = scale * s * code - smallest * m, codes 0..15; s and m in groupScale.
struct BlockQ4_K {
    std::uint16_t scale;
    std::uint16_t smallest;
    std::uint8_t scales[12];
    std::uint8_t codes[128];  ///< [pair of groups][32], two values per byte
};
static_assert(sizeof(BlockQ4_K) == 144);

/// As Q4_K with codes 0..31.
struct BlockQ5_K {
    std::uint16_t scale;
    std::uint16_t smallest;
    std::uint8_t scales[12];
    std::uint8_t fifthBits[32];  ///< bit g of byte i: top bit of value i of group g
    std::uint8_t codes[128];
};
static_assert(sizeof(BlockQ5_K) == 176);

/// 16 groups of 16: v = scale * scales[group] * (code - 32), codes 0..63.
struct BlockQ6_K {
    std::uint8_t lowBits[128];  ///< [128-half][64]: low four bits of two values per byte, 64 apart
    std::uint8_t topBits[64];   ///< [128-half][32]: top two bits of four values per byte, 32 apart
    std::int8_t scales[16];
    std::uint16_t scale;
};
static_assert(sizeof(BlockQ6_K) == 210);

/// Scale and offset of one group of Q4_K and Q5_K, 0..63 each.
struct GroupScale {
    int scale;
    int smallest;
};
/// Groups 0..3 hold six bits in bytes 0..3 (scales) and 4..7 (offsets); groups 4..7 have their low
/// four bits in bytes 8..11 and their top two in the upper bits of bytes 0..7.
[[nodiscard]] constexpr GroupScale groupScale(const std::uint8_t* scales, int group) {
    if (group < 4) return {scales[group] & 63, scales[group + 4] & 63};
    const int low = scales[group + 4];
    return {(low & 0x0F) | ((scales[group - 4] >> 6) << 4),
            (low >> 4) | ((scales[group] >> 6) << 4)};
}
/// Returns s - 32 of one group of Q3_K, -32..31: low four bits in bytes 0..7, top two in
/// bytes 8..11.
[[nodiscard]] constexpr int groupScaleQ3(const std::uint8_t* scales, int group) {
    const int low = group < 8 ? scales[group] & 0x0F : scales[group - 8] >> 4;
    const int top = (scales[8 + group % 4] >> (2 * (group / 4))) & 3;
    return (low | (top << 4)) - 32;
}

/// Returns the code of value `at` (0..255) of a block, without its scale; the unpacking rule of
/// each format.
[[nodiscard]] constexpr int codeAt(const BlockQ2_K& block, int at) {
    return (block.codes[at / 128 * 32 + at % 32] >> (2 * (at % 128 / 32))) & 3;
}
[[nodiscard]] constexpr int codeAt(const BlockQ3_K& block, int at) {
    const int low = (block.codes[at / 128 * 32 + at % 32] >> (2 * (at % 128 / 32))) & 3;
    return low - (((block.thirdBits[at % 32] >> (at / 32)) & 1) != 0 ? 0 : 4);
}
[[nodiscard]] constexpr int codeAt(const BlockQ4_K& block, int at) {
    return (block.codes[at / 64 * 32 + at % 32] >> (4 * (at % 64 / 32))) & 15;
}
[[nodiscard]] constexpr int codeAt(const BlockQ5_K& block, int at) {
    const int low = (block.codes[at / 64 * 32 + at % 32] >> (4 * (at % 64 / 32))) & 15;
    return low | (((block.fifthBits[at % 32] >> (at / 32)) & 1) << 4);
}
[[nodiscard]] constexpr int codeAt(const BlockQ6_K& block, int at) {
    const int low = (block.lowBits[at / 128 * 64 + at % 64] >> (4 * (at % 128 / 64))) & 15;
    const int top = (block.topBits[at / 128 * 32 + at % 32] >> (2 * (at % 128 / 32))) & 3;
    return (low | (top << 4)) - 32;
}

/// Each decodes kBlockLengthK values.
void decodeBlock(const BlockQ2_K& block, float* out);
void decodeBlock(const BlockQ3_K& block, float* out);
void decodeBlock(const BlockQ4_K& block, float* out);
void decodeBlock(const BlockQ5_K& block, float* out);
void decodeBlock(const BlockQ6_K& block, float* out);

// Four-bit codes for sixteen uneven levels, which are denser around zero like weights.

inline constexpr std::int8_t kIq4Levels[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                               1,    13,   25,  38,  53,  69,  89,  113};

/// 32 values: v = scale * level[code]; value i in the low, i + 16 in the high bits of byte i.
struct BlockIQ4_NL {
    std::uint16_t scale;
    std::uint8_t codes[16];
};
static_assert(sizeof(BlockIQ4_NL) == 18);

/// 8 groups of 32: v = scale * (s - 32) * level[code]; s has six bits (groupScaleIq4).
struct BlockIQ4_XS {
    std::uint16_t scale;
    std::uint16_t topScales;    ///< two bits per group
    std::uint8_t lowScales[4];  ///< four bits per group
    std::uint8_t codes[8][16];  ///< each group as in IQ4_NL
};
static_assert(sizeof(BlockIQ4_XS) == 136);

/// Returns s - 32 of a group, -32..31.
[[nodiscard]] constexpr int groupScaleIq4(const BlockIQ4_XS& block, int group) {
    const int low = (block.lowScales[group / 2] >> (4 * (group % 2))) & 15;
    const int top = (block.topScales >> (2 * group)) & 3;
    return (low | (top << 4)) - 32;
}

void decodeBlock(const BlockIQ4_NL& block, float* out);  ///< 32 values
void decodeBlock(const BlockIQ4_XS& block, float* out);  ///< 256 values

/// Decodes `out.size()` elements of one row, bit-equal to the format's reference reader: float
/// products and sums in its order, nothing fused. @pre out.size() is a multiple of the block length
void decodeRow(DType type, const std::byte* source, std::span<float> out);

/// True for the types that encodeRow writes.
[[nodiscard]] bool canEncode(DType type);
/// Encodes one row. Q8_0 uses scale = max|x| / 127 rounded to half, codes rounded to nearest; the
/// other blocks search for the least squared error (block_encoders.h), about 50 ns per number.
/// Writes rowBytes(type, in.size()) bytes. @pre canEncode(type); in.size() is a multiple of the
/// block length
void encodeRow(DType type, std::span<const float> in, std::byte* target);

}  // namespace lacuna
