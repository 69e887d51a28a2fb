#pragma once
/// \file
/// Activations of a feed-forward, with a gate and without. Pure functions.

#include <cstdint>

#include "engine/format/model_spec.h"
#include "engine/model/step_tools.h"

namespace lacuna {

/// gate = activation(gate) * up over n numbers, for the model's activation; `up` [n] is
/// overwritten.
void activateGated(const StepTools& tools, float* gate, float* up, std::int64_t n);

/// x = activation(x) over n numbers, for the model's activation; `curve` is the layer's for
/// Activation::Xielu. `scratch` [n] is overwritten.
void activatePlain(const StepTools& tools, const XieluCurve& curve, float* x, float* scratch,
                   std::int64_t n);

}  // namespace lacuna
