#include <algorithm>
#include <cmath>

#include "engine/base/half.h"
#include "engine/tensor/block_encoders.h"
#include "engine/tensor/scale_fit.h"

namespace lacuna {
namespace {

constexpr int kHalfLength = kLegacyLength / 2;

/// The nearest half that is a number: least squares may pass the largest by a little.
std::uint16_t finiteHalf(float value) {
    constexpr float kMaxHalf = 65504.0F;
    return floatToHalf(std::clamp(value, -kMaxHalf, kMaxHalf));
}

/// Codes 0..15 or 0..31 into nibbles; the fifth bits, if any, into `fifthBits`.
void packCodes(const float* codes, int offset, std::uint8_t* packed, std::uint8_t* fifthBits) {
    if (fifthBits != nullptr) std::fill_n(fifthBits, 4, std::uint8_t{0});
    for (int i = 0; i < kLegacyLength; ++i) {
        const auto code = static_cast<unsigned>(static_cast<int>(codes[i]) + offset);
        const unsigned nibble = code & 15U;
        if (i < kHalfLength) {
            packed[i] = static_cast<std::uint8_t>(nibble);
        } else {
            packed[i - kHalfLength] =
                static_cast<std::uint8_t>(packed[i - kHalfLength] | (nibble << 4U));
        }
        if (fifthBits != nullptr)
            fifthBits[i / 8] =
                static_cast<std::uint8_t>(fifthBits[i / 8] | ((code >> 4U) << (i % 8)));
    }
}

template <class Block>
void encodeSymmetric(const float* in, int middle, Block& block, std::uint8_t* fifthBits) {
    const float scale = fitSymmetric<kLegacyLength>(in, -middle, middle - 1);
    float codes[kLegacyLength];
    block.scale = finiteHalf(scale);
    const AffineScale stored{halfToFloat(block.scale), 0};
    static_cast<void>(roundToCodes<kLegacyLength>(in, stored, -middle, middle - 1, codes));
    packCodes(codes, middle, block.codes, fifthBits);
}

template <class Block>
void encodeAffine(const float* in, int levels, Block& block, std::uint8_t* fifthBits) {
    const AffineScale fit = fitAffine<kLegacyLength>(in, levels, OffsetSign::Any);
    float codes[kLegacyLength];
    block.scale = finiteHalf(fit.scale);
    block.smallest = finiteHalf(-fit.smallest);
    const AffineScale stored{halfToFloat(block.scale), -halfToFloat(block.smallest)};
    static_cast<void>(roundToCodes<kLegacyLength>(in, stored, 0, levels, codes));
    packCodes(codes, 0, block.codes, fifthBits);
}

}  // namespace

void encodeBlock(const float* in, BlockQ8_0& block) {
    float largest = 0;
    for (int i = 0; i < kLegacyLength; ++i) largest = std::max(largest, std::fabs(in[i]));
    const float scale = largest / 127.0F;
    const float inverse = scale > 0 ? 1.0F / scale : 0.0F;
    block.scale = floatToHalf(scale);
    for (int i = 0; i < kLegacyLength; ++i)
        block.codes[i] = static_cast<std::int8_t>(std::lround(in[i] * inverse));
}

void encodeBlock(const float* in, BlockQ4_0& block) {
    encodeSymmetric(in, 8, block, nullptr);
}

void encodeBlock(const float* in, BlockQ4_1& block) {
    encodeAffine(in, 15, block, nullptr);
}

void encodeBlock(const float* in, BlockQ5_0& block) {
    encodeSymmetric(in, 16, block, block.fifthBits);
}

void encodeBlock(const float* in, BlockQ5_1& block) {
    encodeAffine(in, 31, block, block.fifthBits);
}

}  // namespace lacuna
