#pragma once
/// \file
/// The value fit of value_fit.h for fewer queries than kept keys, the usual case for a long text:
/// over queries, on rows stored by query, with bfloat16 products (docs/attention-matching.md,
/// "Values"). Attention is rounded once, and the solved system uses the rounded attention on both
/// sides. Pure function.

#include "engine/base/result.h"
#include "engine/compress/matching/value_fit.h"

namespace lacuna {

/// Returns true if the attention has its rows by query and this fit applies to it.
[[nodiscard]] bool fitsWide(const SpanAttention& span, const ValueFitOptions& options);

/// Like fitValues. Errors: NoMemory. @pre fitsWide
[[nodiscard]] Result<FittedValues> fitWideValues(const SpanAttention& span,
                                                 const KeySelection& chosen,
                                                 const std::vector<float>& bias,
                                                 const ValueFitOptions& options);

}  // namespace lacuna
