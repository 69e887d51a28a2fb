#pragma once
/// \file
/// Four-bit codes for sixteen uneven levels, denser around zero as weights are.
/// Source: ggml format description.

#include <cstdint>

namespace lacuna {

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
    std::uint16_t topScales;    ///< two bits a group
    std::uint8_t lowScales[4];  ///< four bits a group
    std::uint8_t codes[8][16];  ///< each group as in IQ4_NL
};
static_assert(sizeof(BlockIQ4_XS) == 136);

/// s - 32 of a group, -32..31.
[[nodiscard]] constexpr int groupScaleIq4(const BlockIQ4_XS& block, int group) {
    const int low = (block.lowScales[group / 2] >> (4 * (group % 2))) & 15;
    const int top = (block.topScales >> (2 * group)) & 3;
    return (low | (top << 4)) - 32;
}

void decodeBlock(const BlockIQ4_NL& block, float* out);  ///< 32 values
void decodeBlock(const BlockIQ4_XS& block, float* out);  ///< 256 values

}  // namespace lacuna
