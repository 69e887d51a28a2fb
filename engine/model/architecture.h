#pragma once
/// \file
/// What differs between the supported families in a forward step, as a record that the layers read
/// without asking for a name. Pure data, made once per model from its ModelSpec; where a family has
/// a bias or a norm more than another, the weights themselves say so by not being empty.

#include <vector>

#include "engine/format/model_spec.h"
#include "engine/kernels/kernels.h"
#include "engine/model/attention.h"

namespace lacuna {

/// What one layer does that its neighbour may not.
struct LayerRules {
    enum class Rotary { None, Global, Local };  ///< by ModelSpec::rope or ModelSpec::localRope
    Rotary rotary = Rotary::Global;
    bool experts = false;      ///< mixture of experts instead of one feed-forward
    XieluCurve xielu;          ///< where the activation is that
    bool normsHeads = true;    ///< by ForwardRules::qkNorm
    bool temperature = false;  ///< queries grow by QueryTemperature
    AttentionRule attention;
};

struct ForwardRules {
    QkNorm qkNorm = QkNorm::None;
    bool qkNormAfterRotary = false;
    NormKind normKind = NormKind::Rms;
    bool parallelResidual = false;
    Activation activation = Activation::Silu;
    ClampedSwiglu swiglu;  ///< where the activation is that
    void (*rotate)(float* head, const RotaryStep& rotation) noexcept = nullptr;
    void (*rotateLocal)(float* head, const RotaryStep& rotation) noexcept = nullptr;
    /// gate = activation(gate) * up; null for activations that know no gate
    void (*activate)(float* gate, const float* up, std::int64_t n) noexcept = nullptr;
    float embeddingScale = 1.0F;
    float residualScale = 1.0F;
    float logitScale = 1.0F;
    float logitSoftCap = 0.0F;       ///< 0: none
    std::vector<LayerRules> layers;  ///< [layers]
};

[[nodiscard]] ForwardRules rulesOf(const ModelSpec& spec, const KernelTable& kernels);

}  // namespace lacuna
