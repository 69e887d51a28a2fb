#pragma once
/// \file
/// Ridge solver of a value fit (docs/attention-matching.md, "Values"). With fewer queries than kept
/// keys it solves the equivalent, smaller system over queries. Pure function.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/compress/matching/buffer_pool.h"

namespace lacuna {

/// Only the selected queries take part, each with its weight.
struct CorrectionSystem {
    const float* rows = nullptr;  ///< [kept, columns] attention of the kept keys
    const float* rest = nullptr;  ///< [dim, columns] residual of the outputs
    std::int64_t columns = 0;
    std::span<const std::int32_t> chosen;  ///< selected columns of both, ascending
    std::span<const float> weights;        ///< [columns]
    std::int64_t kept = 0;
    std::int64_t dim = 0;
    float lambda = 0.1F;  ///< relative to the mean diagonal of the kept keys' Gram matrix
    float largest = 0;    ///< a solution with a larger absolute number counts as failed
    BufferPool* buffers = nullptr;
};

/// Returns the correction [kept, dim] of the values; nullopt if no regularisation makes the system
/// solvable. Errors: NoMemory.
[[nodiscard]] Result<std::optional<std::vector<float>>> solveCorrection(
    const CorrectionSystem& system);

}  // namespace lacuna
