#include "engine/tensor/grid_formats.h"

#include "engine/base/half.h"

namespace lacuna {
namespace {

/// v = factor * value, negative where the value's bit of `signs` is set.
template <class Point>
void decodePoint(Point point, unsigned signs, float factor, float* out) {
    for (unsigned i = 0; i < sizeof(Point); ++i) {
        const float value = factor * static_cast<float>((point >> (8 * i)) & 0xFF);
        out[i] = ((signs >> i) & 1U) != 0 ? -value : value;
    }
}

/// Returns four bits at `index` of a list with two entries per byte.
float fourBits(const std::uint8_t* list, int index) {
    return static_cast<float>((list[index / 2] >> (4 * (index % 2))) & 15);
}

/// Returns the scale of a group: the block's times (0.5 + s) times `part`.
float factorOf(float scale, float s, float part) {
    return scale * (0.5F + s) * part;
}

/// Decodes a point of IQ1_S and IQ1_M with its shift.
void decodeShifted(unsigned code, bool down, float factor, float* out) {
    const float shift = down ? -0.125F : 0.125F;
    for (unsigned i = 0; i < 8; ++i) {
        const auto value = static_cast<std::int8_t>((kGridIQ1[code] >> (8 * i)) & 0xFF);
        out[i] = factor * (static_cast<float>(value) + shift);
    }
}

}  // namespace

void decodeBlock(const BlockIQ3_S& block, float* out) {
    const float scale = halfToFloat(block.scale);
    for (int g = 0; g < 8; ++g) {
        const float factor = scale * (1.0F + 2.0F * fourBits(block.scales, g));
        for (int i = 0; i < 8; ++i) {
            const int point = 8 * g + i;
            const unsigned code = block.codes[point] | ((unsigned{block.topBits[g]} >> i) & 1U)
                                                           << 8U;
            decodePoint(kGridIQ3_S[code], unsigned{block.signs[point / 2]} >> (4 * (i % 2)), factor,
                        out + 4 * point);
        }
    }
}

void decodeBlock(const BlockIQ3_XXS& block, float* out) {
    const float scale = halfToFloat(block.scale);
    for (int g = 0; g < 8; ++g) {
        const std::uint32_t word = wordOf(block.signsAndScale[g]);
        const float factor = factorOf(scale, static_cast<float>(word >> 28U), 0.5F);
        for (int i = 0; i < 8; ++i)
            decodePoint(kGridIQ3_XXS[block.codes[8 * g + i]],
                        evenSigns(word >> (7 * (i / 2))) >> (4 * (i % 2)), factor,
                        out + 32 * g + 4 * i);
    }
}

void decodeBlock(const BlockIQ2_S& block, float* out) {
    const float scale = halfToFloat(block.scale);
    for (int i = 0; i < 32; ++i) {
        const unsigned top = (unsigned{block.topBits[i / 4]} >> (2 * (i % 4))) & 3U;
        decodePoint(kGridIQ2_S[block.codes[i] | top << 8U], block.signs[i],
                    factorOf(scale, fourBits(block.scales, i / 2), 0.25F), out + 8 * i);
    }
}

void decodeBlock(const BlockIQ2_XS& block, float* out) {
    const float scale = halfToFloat(block.scale);
    for (int i = 0; i < 32; ++i) {
        const unsigned code = block.codes[i];
        decodePoint(kGridIQ2_XS[code & 511U], evenSigns(code >> 9U),
                    factorOf(scale, fourBits(block.scales, i / 2), 0.25F), out + 8 * i);
    }
}

void decodeBlock(const BlockIQ2_XXS& block, float* out) {
    const float scale = halfToFloat(block.scale);
    for (const BlockIQ2_XXS::Group& group : block.groups) {
        const std::uint32_t word = wordOf(group.signsAndScale);
        const float factor = factorOf(scale, static_cast<float>(word >> 28U), 0.25F);
        for (int i = 0; i < 4; ++i, out += 8)
            decodePoint(kGridIQ2_XXS[group.codes[i]], evenSigns(word >> (7 * i)), factor, out);
    }
}

void decodeBlock(const BlockIQ1_S& block, float* out) {
    const float scale = halfToFloat(block.scale);
    for (int g = 0; g < 8; ++g) {
        const unsigned top = block.topBits[g];
        const float factor = scale * static_cast<float>(2 * ((top >> 12U) & 7U) + 1);
        for (int i = 0; i < 4; ++i)
            decodeShifted(block.codes[4 * g + i] | ((top >> (3 * i)) & 7U) << 8U,
                          (top & 0x8000U) != 0, factor, out + 32 * g + 8 * i);
    }
}

void decodeBlock(const BlockIQ1_M& block, float* out) {
    const auto word = [&block](int i) {
        return block.scales[2 * i] | unsigned{block.scales[2 * i + 1]} << 8U;
    };
    unsigned half = 0;
    for (int i = 0; i < 4; ++i) half |= word(i) >> 12U << (4 * i);
    const float scale = halfToFloat(static_cast<std::uint16_t>(half));
    for (int i = 0; i < 32; ++i) {
        const int group = i / 2;
        const unsigned s = (word(group / 4) >> (3 * (group % 4))) & 7U;
        const unsigned top = unsigned{block.topBits[group]} >> (4 * (i % 2));
        decodeShifted(block.codes[i] | (top & 7U) << 8U, (top & 8U) != 0,
                      scale * static_cast<float>(2 * s + 1), out + 8 * i);
    }
}

}  // namespace lacuna
