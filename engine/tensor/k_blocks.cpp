#include "engine/tensor/k_blocks.h"

#include "engine/base/half.h"

namespace lacuna {
namespace {

/// v = scale * code - offset for one group.
template <class Block>
void decodeGroup(const Block& block, int first, int length, float scale, float offset, float* out) {
    for (int i = first; i < first + length; ++i) {
        const float part = scale * static_cast<float>(codeAt(block, i));
        out[i] = part - offset;
    }
}

/// v = scale * code for one group.
template <class Block>
void decodeGroup(const Block& block, int first, int length, float scale, float* out) {
    for (int i = first; i < first + length; ++i)
        out[i] = scale * static_cast<float>(codeAt(block, i));
}

template <class Block>
void decodeGroupsOf32(const Block& block, float* out) {
    const float scale = halfToFloat(block.scale);
    const float smallest = halfToFloat(block.smallest);
    for (int g = 0; g < 8; ++g) {
        const GroupScale group = groupScale(block.scales, g);
        decodeGroup(block, 32 * g, 32, scale * static_cast<float>(group.scale),
                    smallest * static_cast<float>(group.smallest), out);
    }
}

}  // namespace

void decodeBlock(const BlockQ2_K& block, float* out) {
    const float scale = halfToFloat(block.scale);
    const float smallest = halfToFloat(block.smallest);
    for (int g = 0; g < 16; ++g)
        decodeGroup(block, 16 * g, 16, scale * static_cast<float>(block.scales[g] & 15),
                    smallest * static_cast<float>(block.scales[g] >> 4), out);
}

void decodeBlock(const BlockQ3_K& block, float* out) {
    const float scale = halfToFloat(block.scale);
    for (int g = 0; g < 16; ++g)
        decodeGroup(block, 16 * g, 16, scale * static_cast<float>(groupScaleQ3(block.scales, g)),
                    out);
}

void decodeBlock(const BlockQ4_K& block, float* out) {
    decodeGroupsOf32(block, out);
}

void decodeBlock(const BlockQ5_K& block, float* out) {
    decodeGroupsOf32(block, out);
}

void decodeBlock(const BlockQ6_K& block, float* out) {
    const float scale = halfToFloat(block.scale);
    for (int g = 0; g < 16; ++g)
        decodeGroup(block, 16 * g, 16, scale * static_cast<float>(block.scales[g]), out);
}

}  // namespace lacuna
