#pragma once
/// \file
/// Biases and values of kept keys for as much time as it takes (docs/attention-matching.md, "A
/// thorough fit"): Gauss-Newton steps move the biases off the masses they began with, values follow
/// each step, and held-out queries decide how far both may go. For one head at a time; a
/// conversation does not wait for it. Pure function on one thread with one fixed order of sums.

#include <vector>

#include "engine/base/result.h"
#include "engine/compress/key_selection.h"
#include "engine/compress/span_attention.h"
#include "engine/compress/value_fit.h"

namespace lacuna {

struct ThoroughFit {
    std::vector<float> bias;  ///< [kept]
    FittedValues values;
};

/// `bias` is where the steps begin and what they are held near. Errors: NoMemory. @pre attendRows
/// was asked for the chosen slots
[[nodiscard]] Result<ThoroughFit> fitThoroughly(const SpanAttention& span,
                                                const KeySelection& chosen,
                                                const std::vector<float>& bias,
                                                const ValueFitOptions& options);

}  // namespace lacuna
