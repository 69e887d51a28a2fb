#pragma once
/// \file
/// Products of bfloat16 numbers on the processor's matrix unit (AMX), if present: several times
/// faster than a table's tileBfloat, and equal except for the order of the sums. Not part of a
/// table, so that answers are the same on all processors with the same table: use it for decoding
/// and fitting, not for a model's forward pass. Pure functions, any thread.

#include "engine/kernels/kernels.h"

namespace lacuna {

/// Number of columns of the depth that the unit multiplies together.
inline constexpr std::int64_t kMatrixDepth = 32;

/// Same contract as tileBfloat. @pre depth is a multiple of kMatrixDepth
using MatrixTile = void (*)(const BfloatTile& tile) noexcept;
/// Returns null if the processor has no such unit, the operating system does not permit its use, or
/// LACUNA_KERNELS names a table without bfloat16 products.
[[nodiscard]] MatrixTile matrixTileBfloat();

}  // namespace lacuna
