#pragma once
/// \file
/// What a value fit starts from (docs/attention-matching.md, "Values"): the prior, which queries
/// count for what, and how large a value may be. Pure functions.

#include <cstdint>
#include <vector>

#include "engine/compress/key_selection.h"
#include "engine/compress/span_attention.h"

namespace lacuna {

/// With fewer queries none judges a fit, and none is made.
constexpr std::int64_t kMinFitQueries = 16;
/// Share of a query's attention below which what the kept keys would answer means nothing.
constexpr float kLeastMass = 1e-6F;

/// What is multiplied with to get shares of a sum; 0 where the sum is too small to divide by: a
/// query that looked elsewhere draws numbers of the kept keys that have no inverse in float.
[[nodiscard]] constexpr float inverseOf(float sum) {
    return sum >= 1e-30F ? 1.0F / sum : 0.0F;
}

struct QueryDivision {
    std::vector<std::int32_t> usable;  ///< queries that values can be fitted to, ascending
    std::vector<std::int32_t> fitted;  ///< those of them that judge nothing
    std::vector<std::int32_t> held;    ///< those that judge a fit
};

/// Divides the queries by what the kept keys draw of each, `sums` [queries or columns].
[[nodiscard]] QueryDivision divideQueries(const SpanAttention& span,
                                          const std::vector<float>& sums);

/// [kept, dim] the kept keys' own values.
[[nodiscard]] std::vector<float> originalValues(const SpanAttention& span,
                                                const KeySelection& chosen, std::int64_t dim);
/// [kept, dim] mean of the values each kept key stands in for, weighted by attention, and its own
/// once more, with the attention of `anchorShare` average slots, where those keys differ from it.
[[nodiscard]] std::vector<float> clusterValues(const SpanAttention& span,
                                               const KeySelection& chosen, std::int64_t dim,
                                               float anchorShare);

/// The largest magnitude a fitted value may have: beyond it, it is no fit.
[[nodiscard]] float largestFitted(const SpanAttention& span);

}  // namespace lacuna
