#pragma once
/// \file
/// The ridge solve of a value fit (docs/attention-matching.md, "Values"). With fewer queries than
/// kept keys the system is solved over queries instead of keys: the same answer, of a smaller
/// matrix. Pure function.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/compress/buffer_pool.h"

namespace lacuna {

/// Only the queries named take part, each with its weight.
struct CorrectionSystem {
    const float* rows = nullptr;  ///< [kept, columns] attention of the kept keys
    const float* rest = nullptr;  ///< [dim, columns] what they do not answer yet
    std::int64_t columns = 0;
    std::span<const std::int32_t> chosen;  ///< columns of both that count, ascending
    std::span<const float> weights;        ///< [columns]
    std::int64_t kept = 0;
    std::int64_t dim = 0;
    float lambda = 0.1F;  ///< relative to the mean diagonal of the kept keys' Gram matrix
    float largest = 0;    ///< an answer with a larger absolute number counts as failed
    BufferPool* buffers = nullptr;
};

/// [kept, dim] to add to the values, or nothing when no regularisation makes the system solvable.
/// Errors: NoMemory.
[[nodiscard]] Result<std::optional<std::vector<float>>> solveCorrection(
    const CorrectionSystem& system);

}  // namespace lacuna
