#pragma once
/// \file
/// Quantised blocks of random bits: every code and every group scale occurs, including those that
/// no encoder writes. Only the halves are drawn as numbers, so that values stay finite and of
/// size 1.

#include <cmath>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "engine/base/half.h"
#include "engine/base/random.h"
#include "engine/tensor/dtype.h"

namespace lacuna::test {

/// Byte offsets of the halves of a block, and their factor in the largest value.
struct BlockHalves {
    std::vector<std::size_t> offsets;
    double largest = 1;  ///< |value| that a scale of 1 can reach
};

inline BlockHalves halvesOf(DType type) {
    switch (type) {
        case DType::Q8_0:
            return {{0}, 127};
        case DType::Q4_0:
            return {{0}, 8};
        case DType::Q4_1:
            return {{0, 2}, 15};
        case DType::Q5_0:
            return {{0}, 16};
        case DType::Q5_1:
            return {{0, 2}, 31};
        case DType::Q2_K:
            return {{80, 82}, 3 * 15};
        case DType::Q3_K:
            return {{108}, 4 * 32};
        case DType::Q4_K:
            return {{0, 2}, 15 * 63};
        case DType::Q5_K:
            return {{0, 2}, 31 * 63};
        case DType::Q6_K:
            return {{208}, 32 * 128};
        case DType::IQ4_NL:
            return {{0}, 127};
        case DType::IQ4_XS:
            return {{0}, 127 * 32};
        case DType::IQ3_S:
            return {{0}, 15 * 31};
        case DType::IQ3_XXS:
            return {{0}, 62 * 15.5 / 2};
        case DType::IQ2_S:
        case DType::IQ2_XS:
        case DType::IQ2_XXS:
            return {{0}, 43 * 15.5 / 4};
        case DType::IQ1_S:
            return {{0}, 1.125 * 15};
        case DType::TQ1_0:
            return {{52}, 1};
        case DType::TQ2_0:
            return {{64}, 2};
        case DType::Q1_0:
            return {{0}, 1};
        case DType::Q2_0:
            return {{0}, 2};
        case DType::MXFP4:
        case DType::NVFP4:
        case DType::IQ1_M:
        case DType::F32:
        case DType::F16:
        case DType::BF16:
            break;
    }
    return {};
}

/// Fills scales of types with no halves, or split ones, so that values have a magnitude of `size`.
inline void fillOddScales(DType type, std::byte* block, RandomStream& random, double size) {
    const int power = std::ilogb(size);
    const auto below = [&random](std::uint32_t n) { return static_cast<int>(random.below(n)); };
    if (type == DType::MXFP4) block[0] = static_cast<std::byte>(125 + power + below(3));
    if (type == DType::NVFP4)
        for (int i = 0; i < 4; ++i)  // an exponent and three mantissa bits
            block[i] = static_cast<std::byte>((5 + power + below(3)) << 3 | below(8));
    if (type == DType::IQ1_M) {
        const double value = (random.normal() + 0.25) * 4 * size / (1.125 * 15);
        const unsigned bits = floatToHalf(static_cast<float>(value));
        for (unsigned i = 0; i < 4; ++i) {
            std::byte& top = block[49 + 2 * i];
            top = (top & std::byte{0x0F}) | static_cast<std::byte>((bits >> (4 * i) & 15U) << 4U);
        }
    }
}

/// Fills a row with values of magnitude `size`. @pre type is a block format; row is a multiple of
/// the block size
inline void fillRandomBlocks(DType type, std::span<std::byte> row, RandomStream& random,
                             double size = 1.0) {
    const BlockHalves halves = halvesOf(type);
    for (std::byte& b : row) b = static_cast<std::byte>(random.below(256));
    for (std::size_t at = 0; at < row.size(); at += info(type).blockBytes) {
        fillOddScales(type, row.data() + at, random, size);
        for (const std::size_t offset : halves.offsets) {
            const double value = (random.normal() + 0.25) * 4 * size / halves.largest;
            const std::uint16_t bits = floatToHalf(static_cast<float>(value));
            std::memcpy(row.data() + at + offset, &bits, 2);
        }
    }
}

}  // namespace lacuna::test
