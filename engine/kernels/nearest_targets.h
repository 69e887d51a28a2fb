#pragma once
/// \file
/// Finds the nearest of a few target rows for each of many rows, in one pass over the rows; the
/// products stay in registers. Pure functions, any thread. Separate from the kernel table because
/// it has only one caller.

#include <cstdint>

#include "engine/kernels/kernels.h"

namespace lacuna {

struct TargetRows {
    const float* rows = nullptr;  ///< [count, depth]
    const float* own = nullptr;   ///< [count] squared length of each
    std::int64_t depth = 0;
    int count = 0;
};

/// For each row x of a panel as packFloat interleaves them, [depth, panelRows]: stores the smallest
/// own[t] - 2 rows[t] . x in `least` and its t, the first of equals, in `which`; both [panelRows].
/// Infinity and 0 if no target gives a number below infinity. The product of one row and one target
/// is summed in the order of the depth.
using NearestTargets = void (*)(const TargetRows& targets, const float* panel, float* least,
                                std::int32_t* which) noexcept;

/// Returns the function for panels of that table, with its instructions.
[[nodiscard]] NearestTargets nearestTargets(const KernelTable& table);

/// Targets as bfloat16, padded with a zero to an even length.
struct BfloatTargetRows {
    const std::uint16_t* rows = nullptr;  ///< [count, stride]
    std::int64_t stride = 0;
    const float* own = nullptr;  ///< [count] squared length of each
    std::int64_t depth = 0;
    int count = 0;
};

/// Bounds for the rows of a panel. A row is within them if its smallest distance, including its own
/// square, is less than `distances`, or at most the share `copies` of the square.
struct RowBounds {
    const float* squares = nullptr;    ///< [rows]
    const float* distances = nullptr;  ///< [rows]
    float copies = 0;
    int rows = 0;  ///< rows of the panel
};

/// The same over panels of packBfloat: products are exact and summed in pairs. Returns a bit for
/// each row within its bounds, the lowest for the first.
using NearestBfloatTargets = std::uint32_t (*)(const BfloatTargetRows& targets,
                                               const std::byte* panel, const RowBounds& bounds,
                                               float* least, std::int32_t* which) noexcept;

/// Returns null if the table has no bfloat16 products.
[[nodiscard]] NearestBfloatTargets nearestBfloatTargets(const KernelTable& table);

}  // namespace lacuna
