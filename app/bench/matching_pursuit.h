#pragma once
/// \file
/// Orthogonal matching pursuit over keys, as in the reference implementation of attention matching
/// (docs/attention-matching.md, "Key selection"): greedily selects the keys that explain the
/// softmax mass best and refits their weights. Pure functions.

#include <cstdint>
#include <vector>

#include "engine/compress/matching/span_attention.h"

namespace lacuna {

struct PursuitOptions {
    int perStep = 1;     ///< keys selected per step
    int refitEvery = 1;  ///< steps between two refits of all weights
};

/// Bounds of the logarithms of key weights, and the number of steps after the first solution.
struct MassBounds {
    double least = -3;
    double most = 3;
    int steps = 2;
};
/// Bounds that the reference uses with a pursuit.
constexpr MassBounds kPursuitBounds{.least = -27.6, .most = 7, .steps = 0};

/// Returns at most `count` slots in the order of selection.
[[nodiscard]] std::vector<std::int32_t> pursueKeys(const SpanAttention& span, int count,
                                                   const PursuitOptions& options);
/// Returns ln of the weights of `slots` that fit the mass of all keys, each query row relative to
/// its largest score; empty if there is no finite fit.
[[nodiscard]] std::vector<float> massWeights(const SpanAttention& span,
                                             const std::vector<std::int32_t>& slots,
                                             const MassBounds& bounds);

}  // namespace lacuna
