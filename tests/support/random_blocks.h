#pragma once
/// \file
/// Quantised blocks of random bits: every code and every group scale occurs, also those that no
/// encoder writes. Only the halves are drawn as numbers, so that values stay finite and of size 1.

#include <cmath>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "engine/base/half.h"
#include "engine/base/random.h"
#include "engine/tensor/dtype.h"

namespace lacuna::test {

/// Byte offsets of the halves of a block, and what one unit of them is worth in the largest value.
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
        case DType::F32:
        case DType::F16:
        case DType::BF16:
            break;
    }
    return {};
}

/// Values are of the size of `size`. @pre type is a block format; row is a whole number of blocks
inline void fillRandomBlocks(DType type, std::span<std::byte> row, RandomStream& random,
                             double size = 1.0) {
    const BlockHalves halves = halvesOf(type);
    for (std::byte& b : row) b = static_cast<std::byte>(random.below(256));
    for (std::size_t at = 0; at < row.size(); at += info(type).blockBytes) {
        for (const std::size_t offset : halves.offsets) {
            const double value = (random.normal() + 0.25) * 4 * size / halves.largest;
            const std::uint16_t bits = floatToHalf(static_cast<float>(value));
            std::memcpy(row.data() + at + offset, &bits, 2);
        }
    }
}

}  // namespace lacuna::test
