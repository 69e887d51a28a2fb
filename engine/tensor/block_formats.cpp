#include "engine/tensor/block_formats.h"

#include <cstring>

#include "engine/base/check.h"
#include "engine/base/half.h"
#include "engine/tensor/block_encoders.h"

namespace lacuna {
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
    }
}

bool canEncode(DType type) {
    return type != DType::Q2_K && type != DType::Q3_K && type != DType::IQ4_NL &&
           type != DType::IQ4_XS;
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
            break;
    }
    LACUNA_REQUIRE(false, "the type is one that is written");
}

}  // namespace lacuna
