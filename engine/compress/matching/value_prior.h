#pragma once
/// \file
/// Inputs of a value fit (docs/attention-matching.md, "Values"): the prior, the division of the
/// queries, and the largest permitted value. Pure functions.

#include <cstdint>
#include <vector>

#include "engine/compress/matching/key_selection.h"
#include "engine/compress/matching/span_attention.h"

namespace lacuna {

/// With fewer queries none can be held out, and no fit is made.
constexpr std::int64_t kMinFitQueries = 16;
/// Attention share of the kept keys below which a query is ignored, because their output is
/// meaningless for it.
constexpr float kMinPriorMass = 1e-6F;

/// Reciprocal of a sum; 0 if the sum is too small to divide by. A query that attends elsewhere
/// gives the kept keys such small numbers that their inverse is not a float.
[[nodiscard]] constexpr float inverseOf(float sum) {
    return sum >= 1e-30F ? 1.0F / sum : 0.0F;
}

struct QueryDivision {
    std::vector<std::int32_t> usable;  ///< queries usable for the fit, ascending
    std::vector<std::int32_t> fitted;  ///< usable queries that are not held out
    std::vector<std::int32_t> held;    ///< held-out queries
};

/// Divides the queries by the attention they give to the kept keys, `sums` [queries or columns].
[[nodiscard]] QueryDivision divideQueries(const SpanAttention& span,
                                          const std::vector<float>& sums);

/// [kept, dim] the kept keys' own values.
[[nodiscard]] std::vector<float> originalValues(const SpanAttention& span,
                                                const KeySelection& chosen, std::int64_t dim);
/// [kept, dim] mean of the values that each kept key represents, weighted by attention. Its own
/// value is added again with the attention of `anchorShare` average slots if the keys it represents
/// differ from it.
[[nodiscard]] std::vector<float> clusterValues(const SpanAttention& span,
                                               const KeySelection& chosen, std::int64_t dim,
                                               float anchorShare);

/// Largest permitted magnitude of a fitted value; a larger one is rejected.
[[nodiscard]] float largestFitted(const SpanAttention& span);

}  // namespace lacuna
