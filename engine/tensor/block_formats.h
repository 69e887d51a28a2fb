#pragma once
/// \file
/// Rows of any number format to float and back, plainly: the oracle of the kernels. Block layouts
/// stand in legacy_blocks.h (32 values, one scale), k_blocks.h (256 values, scales of scales) and
/// iq4_blocks.h (16 uneven levels). Source: ggml format description.

#include <span>

#include "engine/tensor/dtype.h"
#include "engine/tensor/iq4_blocks.h"
#include "engine/tensor/k_blocks.h"
#include "engine/tensor/legacy_blocks.h"

namespace lacuna {

/// Decodes `out.size()` elements of one row, bit-equal to the format's reference reader: float
/// products and sums in its order, nothing fused. @pre out.size() is a multiple of the block length
void decodeRow(DType type, const std::byte* source, std::span<float> out);

/// True for the types that encodeRow writes.
[[nodiscard]] bool canEncode(DType type);
/// Encodes one row. Q8_0 uses scale = max|x| / 127 rounded to half, codes rounded to nearest; the
/// other blocks search for the least squared error (block_encoders.h), about 50 ns a number.
/// Writes rowBytes(type, in.size()) bytes.
/// @pre canEncode(type); in.size() is a multiple of the block length
void encodeRow(DType type, std::span<const float> in, std::byte* target);

}  // namespace lacuna
