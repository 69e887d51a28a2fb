#include "engine/tensor/iq4_blocks.h"

#include "engine/base/half.h"

namespace lacuna {
namespace {

void decodeLevels(const std::uint8_t* codes, float scale, float* out) {
    for (int i = 0; i < 16; ++i) {
        out[i] = scale * static_cast<float>(kIq4Levels[codes[i] & 15]);
        out[i + 16] = scale * static_cast<float>(kIq4Levels[codes[i] >> 4]);
    }
}

}  // namespace

void decodeBlock(const BlockIQ4_NL& block, float* out) {
    decodeLevels(block.codes, halfToFloat(block.scale), out);
}

void decodeBlock(const BlockIQ4_XS& block, float* out) {
    const float scale = halfToFloat(block.scale);
    for (int g = 0; g < 8; ++g)
        decodeLevels(block.codes[g], scale * static_cast<float>(groupScaleIq4(block, g)),
                     out + 32 * g);
}

}  // namespace lacuna
