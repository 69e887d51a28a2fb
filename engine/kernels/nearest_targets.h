#pragma once
/// \file
/// Which of a few target rows each of many rows lies nearest to, in one pass over the rows: the
/// products that say so stay in registers. Pure functions of any thread. A door alongside the
/// kernel table, which only one caller needs.

#include <cstdint>

#include "engine/kernels/kernels.h"

namespace lacuna {

struct TargetRows {
    const float* rows = nullptr;  ///< [count, depth]
    const float* own = nullptr;   ///< [count] squared length of each
    std::int64_t depth = 0;
    int count = 0;
};

/// For each row x of a panel as packFloat interleaves them, [depth, panelRows]: the smallest
/// own[t] - 2 rows[t] . x into `least`, and the t it is of, the first of equals, into `which`; both
/// [panelRows]. Infinity and 0 where no target gives a number below infinity. The product of one
/// row and one target is summed in the order of the depth.
using NearestTargets = void (*)(const TargetRows& targets, const float* panel, float* least,
                                std::int32_t* which) noexcept;

/// The function for panels of that table, with its instructions.
[[nodiscard]] NearestTargets nearestTargets(const KernelTable& table);

/// Targets as bfloat16, padded with a zero to an even length.
struct BfloatTargetRows {
    const std::uint16_t* rows = nullptr;  ///< [count, stride]
    std::int64_t stride = 0;
    const float* own = nullptr;  ///< [count] squared length of each
    std::int64_t depth = 0;
    int count = 0;
};

/// Which rows of a panel are worth a look: those whose smallest distance, their own square with it,
/// is less than `distances` says, or no more than that part `copies` of the square.
struct RowBounds {
    const float* squares = nullptr;    ///< [rows]
    const float* distances = nullptr;  ///< [rows]
    float copies = 0;
    int rows = 0;  ///< of the panel
};

/// The same over panels of packBfloat: products are exact, sums are of pairs. Returns a bit for
/// each row within its bounds, the lowest for the first.
using NearestBfloatTargets = std::uint32_t (*)(const BfloatTargetRows& targets,
                                               const std::byte* panel, const RowBounds& bounds,
                                               float* least, std::int32_t* which) noexcept;

/// Null where the table has no bfloat16 products.
[[nodiscard]] NearestBfloatTargets nearestBfloatTargets(const KernelTable& table);

}  // namespace lacuna
