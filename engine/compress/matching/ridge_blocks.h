#pragma once
/// \file
/// Blocked version of linalg's ridge solver for larger systems, on the kernels' panels: the same
/// problem and the same escalation, in float. Pure function on one thread.

#include <optional>

#include "engine/base/result.h"
#include "engine/compress/matching/buffer_pool.h"
#include "engine/linalg/least_squares.h"

namespace lacuna {

/// Like solveRidge, which handles small systems. Errors: NoMemory.
[[nodiscard]] Result<std::optional<RidgeSolution>> solveRidgeBlocks(const RidgeProblem& problem,
                                                                    BufferPool* buffers);

}  // namespace lacuna
