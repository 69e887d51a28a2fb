#pragma once
/// \file
/// Orthogonal matching pursuit over keys, as the reference of attention matching selects them
/// (docs/attention-matching.md, "Keys that stay"): keys that explain the softmax mass best,
/// refitted as they come. Pure functions.

#include <cstdint>
#include <vector>

#include "engine/compress/span_attention.h"

namespace lacuna {

struct PursuitOptions {
    int perStep = 1;     ///< keys taken at once
    int refitEvery = 1;  ///< steps between two fits of all weights
};

/// Bounds of the weights of kept keys, as logarithms, and steps after the first solution.
struct MassBounds {
    double least = -3;
    double most = 3;
    int steps = 2;
};
/// What the reference uses with a pursuit.
constexpr MassBounds kPursuitBounds{.least = -27.6, .most = 7, .steps = 0};

/// Slots in the order they were picked, at most `count`.
[[nodiscard]] std::vector<std::int32_t> pursueKeys(const SpanAttention& span, int count,
                                                   const PursuitOptions& options);
/// ln of the weights of `slots` that fit the mass of all keys, row by row relative to its largest
/// score. Empty when there is no finite fit.
[[nodiscard]] std::vector<float> massWeights(const SpanAttention& span,
                                             const std::vector<std::int32_t>& slots,
                                             const MassBounds& bounds);

}  // namespace lacuna
