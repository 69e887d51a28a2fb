#include "engine/tensor/legacy_blocks.h"

#include "engine/base/half.h"

namespace lacuna {
namespace {

constexpr int kHalfLength = kLegacyLength / 2;

int nibble(const std::uint8_t* codes, int i) {
    return i < kHalfLength ? codes[i] & 0x0F : codes[i - kHalfLength] >> 4;
}

int fiveBits(const std::uint8_t* codes, const std::uint8_t* fifthBits, int i) {
    const int top = (fifthBits[i / 8] >> (i % 8)) & 1;
    return nibble(codes, i) | (top << 4);
}

}  // namespace

void decodeBlock(const BlockQ8_0& block, float* out) {
    const float scale = halfToFloat(block.scale);
    for (int i = 0; i < kLegacyLength; ++i) out[i] = scale * static_cast<float>(block.codes[i]);
}

void decodeBlock(const BlockQ4_0& block, float* out) {
    const float scale = halfToFloat(block.scale);
    for (int i = 0; i < kLegacyLength; ++i)
        out[i] = scale * static_cast<float>(nibble(block.codes, i) - 8);
}

void decodeBlock(const BlockQ4_1& block, float* out) {
    const float scale = halfToFloat(block.scale);
    const float smallest = halfToFloat(block.smallest);
    for (int i = 0; i < kLegacyLength; ++i) {
        const float part = scale * static_cast<float>(nibble(block.codes, i));
        out[i] = part + smallest;
    }
}

void decodeBlock(const BlockQ5_0& block, float* out) {
    const float scale = halfToFloat(block.scale);
    for (int i = 0; i < kLegacyLength; ++i)
        out[i] = scale * static_cast<float>(fiveBits(block.codes, block.fifthBits, i) - 16);
}

void decodeBlock(const BlockQ5_1& block, float* out) {
    const float scale = halfToFloat(block.scale);
    const float smallest = halfToFloat(block.smallest);
    for (int i = 0; i < kLegacyLength; ++i) {
        const float part = scale * static_cast<float>(fiveBits(block.codes, block.fifthBits, i));
        out[i] = part + smallest;
    }
}

}  // namespace lacuna
