#pragma once
/// \file
/// Rows of keys and values between float32 and the type a cache stores. Pure functions, any thread.

#include <cstddef>
#include <span>

#include "engine/tensor/dtype.h"

namespace lacuna {

/// Rounds to nearest even. @pre type is F32, F16 or BF16; `out` holds rowBytes(type, row.size())
void storeRow(DType type, std::span<const float> row, std::byte* out);
/// The same, but a number beyond the largest of the type becomes that largest one, not infinity.
void storeRowSaturated(DType type, std::span<const float> row, std::byte* out);
void loadRow(DType type, const std::byte* row, std::span<float> out);
/// Euclidean length, summed in float32.
[[nodiscard]] float norm(std::span<const float> row);

}  // namespace lacuna
