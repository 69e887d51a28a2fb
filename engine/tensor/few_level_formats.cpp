#include "engine/tensor/few_level_formats.h"

#include "engine/base/half.h"

namespace lacuna {
namespace {

/// Decodes the low nibbles of `count` bytes, then the high ones.
void decodeE2M1(const std::uint8_t* codes, int count, float scale, float* out) {
    for (int i = 0; i < count; ++i) {
        out[i] = scale * static_cast<float>(kE2M1Doubled[codes[i] & 15]);
        out[i + count] = scale * static_cast<float>(kE2M1Doubled[codes[i] >> 4]);
    }
}

float ternary(float scale, unsigned digit) {
    return scale * (static_cast<float>(digit) - 1.0F);
}

/// Decodes `digits` digits of each of `count` bytes, all first digits first.
float* decodeDigits(const std::uint8_t* bytes, int count, int digits, float scale, float* out) {
    unsigned power = 1;
    for (int n = 0; n < digits; ++n, power *= 3)
        for (int i = 0; i < count; ++i)
            *out++ = ternary(scale, ((bytes[i] * power & 0xFFU) * 3U) >> 8U);
    return out;
}

}  // namespace

void decodeBlock(const BlockMXFP4& block, float* out) {
    decodeE2M1(block.codes, 16, halfOfE8M0(block.scale), out);
}

void decodeBlock(const BlockNVFP4& block, float* out) {
    for (int g = 0; g < 4; ++g)
        decodeE2M1(block.codes[g], 8, halfOfUE4M3(block.scales[g]), out + 16 * g);
}

void decodeBlock(const BlockTQ1_0& block, float* out) {
    const float scale = halfToFloat(block.scale);
    out = decodeDigits(block.fives, 32, 5, scale, out);
    out = decodeDigits(block.fives + 32, 16, 5, scale, out);
    decodeDigits(block.fours, 4, 4, scale, out);
}

void decodeBlock(const BlockTQ2_0& block, float* out) {
    const float scale = halfToFloat(block.scale);
    for (int i = 0; i < 256; ++i)
        out[i] = ternary(
            scale, (unsigned{block.codes[i / 128 * 32 + i % 32]} >> (2 * (i % 128 / 32))) & 3U);
}

void decodeBlock(const BlockQ1_0& block, float* out) {
    const float scale = halfToFloat(block.scale);
    for (int i = 0; i < 128; ++i)
        out[i] = ((block.bits[i / 8] >> (i % 8)) & 1) != 0 ? scale : -scale;
}

void decodeBlock(const BlockQ2_0& block, float* out) {
    const float scale = halfToFloat(block.scale);
    for (int i = 0; i < 64; ++i)
        out[i] = ternary(scale, (unsigned{block.codes[i / 4]} >> (2 * (i % 4))) & 3U);
}

}  // namespace lacuna
