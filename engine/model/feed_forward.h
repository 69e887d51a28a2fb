#pragma once
/// \file
/// The gated feed-forward block: down(activation(gate(x)) * up(x)). Shazeer 2020.

#include <vector>

#include "engine/model/step_tools.h"

namespace lacuna {

/// One feed-forward of inner width gate.rows, and the memory it works in.
struct FeedForwardJob {
    const WeightMatrix& gate;
    const WeightMatrix& up;
    const WeightMatrix& down;
    const float* input = nullptr;  ///< [tokens, hidden]
    float* gated = nullptr;        ///< [tokens, width], overwritten
    float* upped = nullptr;        ///< [tokens, width], overwritten
    float* out = nullptr;          ///< [tokens, hidden]
    std::int64_t tokens = 0;
    const std::vector<float>* gateBias = nullptr;  ///< [width]; null or empty: none
    const std::vector<float>* upBias = nullptr;
    const std::vector<float>* downBias = nullptr;  ///< [hidden]; likewise
};

/// Errors: Cancelled.
[[nodiscard]] Status runFeedForward(const StepTools& tools, const FeedForwardJob& job);

}  // namespace lacuna
