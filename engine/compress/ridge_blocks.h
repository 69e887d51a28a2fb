#pragma once
/// \file
/// The ridge solve of linalg for larger systems, by blocks on the kernels' panels: the same
/// problem, the same escalation, in float. Pure function on one thread.

#include <optional>

#include "engine/base/result.h"
#include "engine/compress/buffer_pool.h"
#include "engine/linalg/least_squares.h"

namespace lacuna {

/// As solveRidge, which small systems are handed to. Errors: NoMemory.
[[nodiscard]] Result<std::optional<RidgeSolution>> solveRidgeBlocks(const RidgeProblem& problem,
                                                                    BufferPool* buffers);

}  // namespace lacuna
