#pragma once
/// \file
/// Products of bfloat16 numbers on the processor's unit for matrices (AMX), where there is one:
/// several times what a table's tileBfloat does, and the same but for the order of the sums. Not
/// part of a table, so that answers do not depend on which of two processors with the same table
/// gave them; for what is decoded or fitted, not for a model's forward pass. Pure functions, any
/// thread.

#include "engine/kernels/kernels.h"

namespace lacuna {

/// Columns of the depth that the unit takes together.
inline constexpr std::int64_t kMatrixDepth = 32;

/// As tileBfloat. @pre depth is a multiple of kMatrixDepth
using MatrixTile = void (*)(const BfloatTile& tile) noexcept;
/// Null where the processor has no such unit, the operating system does not let the program use
/// it, or LACUNA_KERNELS names a table without bfloat16 products.
[[nodiscard]] MatrixTile matrixTileBfloat();

}  // namespace lacuna
