#pragma once
/// \file
/// Blocks of 32 values with one scale, and one smallest value in the `_1` formats.
/// Source: ggml format description. Scales are IEEE halves. Value i stands in the low four bits of
/// byte i, value i + 16 in the high four bits.

#include <cstdint>

namespace lacuna {

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

}  // namespace lacuna
