#pragma once
/// \file
/// Layouts of quantised blocks, as stored in GGUF files, and their plain conversion to and from float.
/// Source: ggml format description. The scalar functions are the oracle of the kernels.

#include <cstdint>
#include <span>

#include "engine/tensor/dtype.h"

namespace lacuna {

/// 32 values: v[i] = scale * code[i], scale an IEEE half.
struct BlockQ8_0 {
    std::uint16_t scale;
    std::int8_t codes[32];
};
static_assert(sizeof(BlockQ8_0) == 34 && alignof(BlockQ8_0) == 2);

/// Decodes `out.size()` elements of one row. @pre out.size() is a multiple of the block length
void decodeRow(DType type, const std::byte* source, std::span<float> out);
/// Encodes one row; Q8_0 uses scale = max|x| / 127 rounded to half, codes rounded to nearest.
/// Writes rowBytes(type, in.size()) bytes. @pre in.size() is a multiple of the block length
void encodeRow(DType type, std::span<const float> in, std::byte* target);

}  // namespace lacuna
