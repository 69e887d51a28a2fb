#pragma once
/// \file
/// The feed-forward block: down(activation(gate(x)) * up(x)) with a gate (Shazeer 2020),
/// down(activation(up(x))) without.

#include <vector>

#include "engine/model/step_tools.h"

namespace lacuna {

/// One feed-forward of inner width up.rows, and its working memory.
struct FeedForwardJob {
    const WeightMatrix& gate;  ///< empty = no gate
    const WeightMatrix& up;
    const WeightMatrix& down;
    const float* input = nullptr;  ///< [tokens, hidden]
    float* gated = nullptr;        ///< [tokens, width], overwritten
    float* upped = nullptr;        ///< [tokens, width], overwritten
    float* out = nullptr;          ///< [tokens, hidden]
    std::int64_t tokens = 0;
    const std::vector<float>* gateBias = nullptr;  ///< [width]; null or empty = none
    const std::vector<float>* upBias = nullptr;
    const std::vector<float>* downBias = nullptr;  ///< [hidden]; null or empty = none
    XieluCurve xielu = {};                         ///< curve of the layer, used without a gate
};

/// Errors: Cancelled.
[[nodiscard]] Status runFeedForward(const StepTools& tools, const FeedForwardJob& job);

}  // namespace lacuna
