#pragma once
/// \file
/// Fits biases and values of kept keys without a time limit (docs/attention-matching.md, "A
/// thorough fit"): Gauss-Newton steps refine the biases from their initial masses, values are
/// refitted after each step, and held-out queries decide how far both may move. Works on one head
/// at a time, too slowly for use during a conversation. Pure function on one thread with a fixed
/// order of summation.

#include <vector>

#include "engine/base/result.h"
#include "engine/compress/matching/key_selection.h"
#include "engine/compress/matching/span_attention.h"
#include "engine/compress/matching/value_fit.h"

namespace lacuna {

struct ThoroughFit {
    std::vector<float> bias;  ///< [kept]
    FittedValues values;
};

/// `bias` is the start of the steps and the centre of their penalty. Errors: NoMemory. @pre
/// attendRows was called for the chosen slots
[[nodiscard]] Result<ThoroughFit> fitThoroughly(const SpanAttention& span,
                                                const KeySelection& chosen,
                                                const std::vector<float>& bias,
                                                const ValueFitOptions& options);

}  // namespace lacuna
