#pragma once
/// \file
/// Hyperparameters of recurrent layers, and the part that a layer plays in mixing tokens. Plain
/// data.

#include <array>

#include "engine/recurrent/mixer_gates.h"
#include "engine/recurrent/mixer_shape.h"

namespace lacuna {

/// The operation of a layer that lets a token read earlier ones.
enum class LayerMixer {
    Attention,
    Recurrent,  ///< ModelSpec::recurrent
    Both,       ///< attention and a recurrent mixer on the same normed row, added: falcon-h1
    None,       ///< the layer is only a feed-forward: nemotron_h
};

/// Factors on the branches of falcon-h1; its GGUF files have them in the weights.
struct BranchMultipliers {
    float attentionInput = 1.0F;
    float key = 1.0F;
    float attentionOutput = 1.0F;
    float recurrentInput = 1.0F;
    std::array<float, 5> recurrent{1.0F, 1.0F, 1.0F, 1.0F, 1.0F};  ///< z, x, B, C, dt
    float recurrentOutput = 1.0F;
    float gate = 1.0F;
    float down = 1.0F;
    friend bool operator==(const BranchMultipliers&, const BranchMultipliers&) = default;
};

/// One mixer for all recurrent layers of a model.
struct RecurrentSpec {
    MixerShape shape;  ///< a kernel of 0: the model has no recurrent layers
    OutputGate outputGate = OutputGate::SiluAfterNorm;
    TimeStepLimits steps;  ///< Mamba-2
    BranchMultipliers multipliers;
    [[nodiscard]] bool any() const { return shape.kernel > 0; }
    /// Number of parts of the output that are normed separately.
    [[nodiscard]] int normGroups() const {
        return shape.kind == MixerKind::Mamba2 ? shape.keyHeads : shape.valueHeads;
    }
};

}  // namespace lacuna
