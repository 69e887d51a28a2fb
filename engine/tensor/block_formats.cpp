#include "engine/tensor/block_formats.h"

#include <cstring>

#include "engine/base/check.h"
#include "engine/base/half.h"
#include "engine/tensor/block_encoders.h"
#include "engine/tensor/few_level_formats.h"
#include "engine/tensor/grid_formats.h"

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

namespace {

template <class Block>
void decodeBlocks(DType type, const std::byte* source, std::span<float> out) {
    const std::size_t length = info(type).blockLength;
    for (std::size_t at = 0; at < out.size(); at += length, source += sizeof(Block)) {
        Block block;
        std::memcpy(&block, source, sizeof block);
        decodeBlock(block, out.data() + at);
    }
}

template <class Block>
void encodeBlocks(DType type, std::span<const float> in, std::byte* target) {
    const std::size_t length = info(type).blockLength;
    for (std::size_t at = 0; at < in.size(); at += length, target += sizeof(Block)) {
        Block block;
        encodeBlock(in.data() + at, block);
        std::memcpy(target, &block, sizeof block);
    }
}

template <class Convert>
void decodeHalves(const std::byte* source, std::span<float> out, Convert convert) {
    for (std::size_t i = 0; i < out.size(); ++i) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, source + 2 * i, 2);
        out[i] = convert(bits);
    }
}

template <class Convert>
void encodeHalves(std::span<const float> in, std::byte* target, Convert convert) {
    for (std::size_t i = 0; i < in.size(); ++i) {
        const std::uint16_t bits = convert(in[i]);
        std::memcpy(target + 2 * i, &bits, 2);
    }
}

}  // namespace

void decodeRow(DType type, const std::byte* source, std::span<float> out) {
    switch (type) {
        case DType::F32:
            std::memcpy(out.data(), source, out.size_bytes());
            return;
        case DType::F16:
            return decodeHalves(source, out, halfToFloat);
        case DType::BF16:
            return decodeHalves(source, out, bfloatToFloat);
        case DType::Q8_0:
            return decodeBlocks<BlockQ8_0>(type, source, out);
        case DType::Q4_0:
            return decodeBlocks<BlockQ4_0>(type, source, out);
        case DType::Q4_1:
            return decodeBlocks<BlockQ4_1>(type, source, out);
        case DType::Q5_0:
            return decodeBlocks<BlockQ5_0>(type, source, out);
        case DType::Q5_1:
            return decodeBlocks<BlockQ5_1>(type, source, out);
        case DType::Q2_K:
            return decodeBlocks<BlockQ2_K>(type, source, out);
        case DType::Q3_K:
            return decodeBlocks<BlockQ3_K>(type, source, out);
        case DType::Q4_K:
            return decodeBlocks<BlockQ4_K>(type, source, out);
        case DType::Q5_K:
            return decodeBlocks<BlockQ5_K>(type, source, out);
        case DType::Q6_K:
            return decodeBlocks<BlockQ6_K>(type, source, out);
        case DType::IQ4_NL:
            return decodeBlocks<BlockIQ4_NL>(type, source, out);
        case DType::IQ4_XS:
            return decodeBlocks<BlockIQ4_XS>(type, source, out);
        case DType::MXFP4:
            return decodeBlocks<BlockMXFP4>(type, source, out);
        case DType::NVFP4:
            return decodeBlocks<BlockNVFP4>(type, source, out);
        case DType::IQ3_S:
            return decodeBlocks<BlockIQ3_S>(type, source, out);
        case DType::IQ3_XXS:
            return decodeBlocks<BlockIQ3_XXS>(type, source, out);
        case DType::IQ2_S:
            return decodeBlocks<BlockIQ2_S>(type, source, out);
        case DType::IQ2_XS:
            return decodeBlocks<BlockIQ2_XS>(type, source, out);
        case DType::IQ2_XXS:
            return decodeBlocks<BlockIQ2_XXS>(type, source, out);
        case DType::IQ1_S:
            return decodeBlocks<BlockIQ1_S>(type, source, out);
        case DType::IQ1_M:
            return decodeBlocks<BlockIQ1_M>(type, source, out);
        case DType::TQ1_0:
            return decodeBlocks<BlockTQ1_0>(type, source, out);
        case DType::TQ2_0:
            return decodeBlocks<BlockTQ2_0>(type, source, out);
        case DType::Q1_0:
            return decodeBlocks<BlockQ1_0>(type, source, out);
        case DType::Q2_0:
            return decodeBlocks<BlockQ2_0>(type, source, out);
    }
}

bool canEncode(DType type) {
    return type != DType::Q2_K && type != DType::Q3_K && type < DType::IQ4_NL;
}

void encodeRow(DType type, std::span<const float> in, std::byte* target) {
    switch (type) {
        case DType::F32:
            std::memcpy(target, in.data(), in.size_bytes());
            return;
        case DType::F16:
            return encodeHalves(in, target, floatToHalf);
        case DType::BF16:
            return encodeHalves(in, target, floatToBfloat);
        case DType::Q8_0:
            return encodeBlocks<BlockQ8_0>(type, in, target);
        case DType::Q4_0:
            return encodeBlocks<BlockQ4_0>(type, in, target);
        case DType::Q4_1:
            return encodeBlocks<BlockQ4_1>(type, in, target);
        case DType::Q5_0:
            return encodeBlocks<BlockQ5_0>(type, in, target);
        case DType::Q5_1:
            return encodeBlocks<BlockQ5_1>(type, in, target);
        case DType::Q4_K:
            return encodeBlocks<BlockQ4_K>(type, in, target);
        case DType::Q5_K:
            return encodeBlocks<BlockQ5_K>(type, in, target);
        case DType::Q6_K:
            return encodeBlocks<BlockQ6_K>(type, in, target);
        case DType::Q2_K:
        case DType::Q3_K:
        case DType::IQ4_NL:
        case DType::IQ4_XS:
        case DType::MXFP4:
        case DType::NVFP4:
        case DType::IQ3_S:
        case DType::IQ3_XXS:
        case DType::IQ2_S:
        case DType::IQ2_XS:
        case DType::IQ2_XXS:
        case DType::IQ1_S:
        case DType::IQ1_M:
        case DType::TQ1_0:
        case DType::TQ2_0:
        case DType::Q1_0:
        case DType::Q2_0:
            break;
    }
    LACUNA_REQUIRE(false, "the type is one that is written");
}

}  // namespace lacuna
