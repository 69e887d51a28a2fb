#pragma once
/// \file
/// Activations of a feed-forward without a gate. Pure functions.

#include <cstdint>

#include "engine/format/model_spec.h"
#include "engine/model/step_tools.h"

namespace lacuna {

/// x = activation(x) over n numbers, for the model's activation; `curve` is the layer's for
/// Activation::Xielu. `scratch` [n] is overwritten.
void activatePlain(const StepTools& tools, const XieluCurve& curve, float* x, float* scratch,
                   std::int64_t n);

}  // namespace lacuna
