#pragma once
/// \file
/// Fits the values of the kept keys so that their output approximates the output of all keys
/// (docs/attention-matching.md, "Values"). Plain least squares overfits, so the fit is regularised
/// towards a prior, and one query in eight is held out of a first fit. The fit is used only if it
/// beats the prior on the held-out queries. It is then repeated over all queries, unless there are
/// fewer queries than keys. Pure.

#include <optional>
#include <vector>

#include "engine/base/result.h"
#include "engine/compress/matching/key_selection.h"
#include "engine/compress/matching/span_attention.h"

namespace lacuna {

enum class ValueFit {
    Direct,         ///< original values
    LeastSquares,   ///< closest to all reference queries, none held out (as in the reference
                    ///< implementation)
    RidgeOriginal,  ///< regularised towards the original values
    RidgeCluster  ///< regularised towards the mean of the values that a key represents, weighted by
                  ///< attention
};

struct FittedValues {
    std::vector<float> values;  ///< [kept, valueDim]
    bool fitUsed = false;       ///< false if the prior was used
    double priorError = 0;      ///< relative output error on the held-out queries
    double heldOutError = 0;    ///< the same for the first fit, or for the prior if that was used
};

constexpr float kValueLambda = 0.2F;

struct ValueFitOptions {
    ValueFit fit = ValueFit::RidgeCluster;
    /// Nullopt: kValueLambda, or chosen by held-out queries if possible (few_key_fit.h).
    std::optional<float> lambda = std::nullopt;
    /// Weight of a kept key's own value in the mean of its cluster, in units of the attention of an
    /// average slot. A later query for exactly this key needs its value, whatever the key
    /// represented so far.
    float anchor = 0;
};

/// Errors: NoMemory.
[[nodiscard]] Result<FittedValues> fitValues(const SpanAttention& span, const KeySelection& chosen,
                                             const std::vector<float>& bias,
                                             const ValueFitOptions& options);

}  // namespace lacuna
