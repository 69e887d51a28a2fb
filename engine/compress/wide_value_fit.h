#pragma once
/// \file
/// The value fit of value_fit.h where there are fewer queries than kept keys, which is most of the
/// time of a long text: over queries, on rows that begin as rows of queries, with bfloat16 products
/// (docs/attention-matching.md, "Values"). Attention is rounded once and the system solved is that
/// of the rounded attention, so that its two sides agree. Pure function.

#include "engine/base/result.h"
#include "engine/compress/value_fit.h"

namespace lacuna {

/// Whether the attention has its rows by query and this fit is made for it.
[[nodiscard]] bool fitsWide(const SpanAttention& span, const ValueFitOptions& options);

/// As fitValues. Errors: NoMemory. @pre fitsWide
[[nodiscard]] Result<FittedValues> fitWideValues(const SpanAttention& span,
                                                 const KeySelection& chosen,
                                                 const std::vector<float>& bias,
                                                 const ValueFitOptions& options);

}  // namespace lacuna
