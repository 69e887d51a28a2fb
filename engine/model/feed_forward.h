#pragma once
/// \file
/// The gated feed-forward block: down(silu(gate(x)) * up(x)). Shazeer 2020 (SwiGLU).

#include "engine/model/activations.h"
#include "engine/model/step_tools.h"

namespace lacuna {

/// Reads `normed`, overwrites `gate` and `up`, leaves the result [tokens, hidden] in `projected`.
/// Errors: Cancelled.
[[nodiscard]] Status feedForward(const StepTools& tools, const LayerWeights& layer,
                                 Activations& activations, std::int64_t tokens);

}  // namespace lacuna
