#pragma once
/// \file
/// The row of telemetry that a step, or a compaction outside of steps, leaves behind. Pure
/// function.

#include "engine/generate/generation.h"
#include "engine/session/event.h"

namespace lacuna {

/// Phase, tokens, time and cache of a sample; who and when is left to the caller. `step` is null
/// for a sample outside of steps.
[[nodiscard]] StepSample stepSample(Sequence& sequence, const KvOptions& options,
                                    const GenerationStep* step);

}  // namespace lacuna
