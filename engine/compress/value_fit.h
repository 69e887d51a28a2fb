#pragma once
/// \file
/// New values for the kept keys, so that their answer comes close to the answer of all
/// (docs/attention-matching.md, "Values"). Least squares alone overfits; it is held near a sensible
/// prior, and one query in eight is kept out of a first fit to judge it: a fit is used only if that
/// one answers those better than the prior. It is then made again over all queries, where they are
/// no fewer than the keys. Pure.

#include <optional>
#include <vector>

#include "engine/base/result.h"
#include "engine/compress/key_selection.h"
#include "engine/compress/span_attention.h"

namespace lacuna {

enum class ValueFit {
    Direct,         ///< values as they were
    LeastSquares,   ///< the closest to all reference queries, none held out (the reference's way)
    RidgeOriginal,  ///< near the values as they were
    RidgeCluster    ///< near the mean of the values a key stands in for, weighted by attention
};

struct FittedValues {
    std::vector<float> values;  ///< [kept, valueDim]
    bool fitUsed = false;       ///< otherwise the prior
    double priorError = 0;      ///< relative output error on the held-out queries
    double heldOutError = 0;    ///< the same of the fit they judged, or of the prior
};

constexpr float kValueLambda = 0.2F;

struct ValueFitOptions {
    ValueFit fit = ValueFit::RidgeCluster;
    /// Nothing: kValueLambda, or what held-out queries say where they can (few_key_fit.h).
    std::optional<float> lambda = std::nullopt;
    /// Attention, in that of average slots, with which a kept key's own value joins its cluster's
    /// mean: a later query that asks for just this key wants its value, whatever it stood in for so
    /// far.
    float anchor = 0;
};

/// Errors: NoMemory.
[[nodiscard]] Result<FittedValues> fitValues(const SpanAttention& span, const KeySelection& chosen,
                                             const std::vector<float>& bias,
                                             const ValueFitOptions& options);

}  // namespace lacuna
