#pragma once
/// \file
/// Values of a few kept keys (docs/attention-matching.md, "Few keys"). With many queries for each
/// key there is enough to judge by: every query is held out once, and those so answered decide how
/// near the values stay to their prior. Pure function on one thread with one fixed order of sums.

#include <vector>

#include "engine/base/result.h"
#include "engine/compress/key_selection.h"
#include "engine/compress/span_attention.h"
#include "engine/compress/value_fit.h"

namespace lacuna {

/// At most so many keys are few.
constexpr int kFewKeys = 64;
/// Queries that every key needs for it.
constexpr std::int64_t kQueriesPerFewKey = 4;

/// As fitValues near the cluster means, judged over eight folds. Errors: NoMemory. @pre attendRows
/// was asked for the chosen slots, which are no more than the queries
[[nodiscard]] Result<FittedValues> fitFewKeys(const SpanAttention& span, const KeySelection& chosen,
                                              const std::vector<float>& bias,
                                              const ValueFitOptions& options);

}  // namespace lacuna
