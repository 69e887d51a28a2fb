#pragma once
/// \file
/// The numbers around a mixer: gates of a token from its projections, and the gated norm of its
/// output. Pure, on one token.

#include <span>

#include "engine/kernels/kernels.h"
#include "engine/recurrent/mixer_shape.h"

namespace lacuna {

/// DeltaNet: decay = exp(rate * softplus(a + bias)), strength = sigmoid(b). `a`, `b`, `rate`
/// (-exp(A_log)) and `bias` [valueHeads]. KimiDelta: `a` and `bias` [valueHeads, keyDim].
void deltaGates(const KernelTable& kernels, const MixerShape& shape, const float* a, const float* b,
                const float* rate, const float* bias, float* gates);

/// Range of Mamba-2's time steps.
struct TimeStepLimits {
    float least = 0.0F;
    float most = 3.402823466e+38F;
    friend bool operator==(const TimeStepLimits&, const TimeStepLimits&) = default;
};

/// Mamba-2: strength = clamp(softplus(dt + bias)), decay = exp(strength * rate). `dt`, `rate`
/// (-exp(A_log)) and `bias` [valueHeads].
void mambaGates(const MixerShape& shape, const float* dt, const float* rate, const float* bias,
                const TimeStepLimits& limits, float* gates);

enum class OutputGate {
    SiluAfterNorm,     ///< norm(y) * silu(gate): DeltaNet, Falcon-H1 with norm_before_gate
    SigmoidAfterNorm,  ///< norm(y) * sigmoid(gate): KimiDelta
    SiluBeforeNorm,    ///< norm(y * silu(gate)): Mamba-2
    SiluOnly,          ///< y * silu(gate): Falcon-H1
};

/// Gates the output `y` in place. The RMS norm is over each of `groups` equal parts; `gain` has the
/// size of `y`, or of one part, which then serves all. `gate` [y.size()] is overwritten.
void gateOutput(const KernelTable& kernels, std::span<float> y, float* gate,
                std::span<const float> gain, int groups, float epsilon, OutputGate kind);

}  // namespace lacuna
