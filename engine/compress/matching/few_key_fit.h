#pragma once
/// \file
/// Fits the values of a few kept keys (docs/attention-matching.md, "Few keys"). With many queries
/// per key cross-validation is possible: every query is held out once, and the held-out errors
/// decide how close the values stay to their prior. Pure function on one thread; the order of
/// summation is fixed.

#include <vector>

#include "engine/base/result.h"
#include "engine/compress/matching/key_selection.h"
#include "engine/compress/matching/span_attention.h"
#include "engine/compress/matching/value_fit.h"

namespace lacuna {

/// Largest number of keys that counts as few.
constexpr int kFewKeys = 64;
/// Minimum number of queries per key.
constexpr std::int64_t kQueriesPerFewKey = 4;

/// Like fitValues towards the cluster means, validated over eight folds. Errors: NoMemory. @pre
/// attendRows was called for the chosen slots, and there are no more of them than queries
[[nodiscard]] Result<FittedValues> fitFewKeys(const SpanAttention& span, const KeySelection& chosen,
                                              const std::vector<float>& bias,
                                              const ValueFitOptions& options);

}  // namespace lacuna
