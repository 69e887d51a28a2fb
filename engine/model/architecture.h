#pragma once
/// \file
/// Differences between the supported families in a forward step, as a record that the layers read
/// instead of checking names. Pure data, created once per model from its ModelSpec. Optional biases
/// and norms are indicated by non-empty weights.

#include <vector>

#include "engine/format/model_spec.h"
#include "engine/kernels/kernels.h"
#include "engine/model/attention.h"

namespace lacuna {

/// Properties of one layer that may differ from those of its neighbours.
struct LayerRules {
    enum class Rotary { None, Global, Local };  ///< by ModelSpec::rope or ModelSpec::localRope
    Rotary rotary = Rotary::Global;
    int heads = 0;
    int kvHeads = 0;
    int headDim = 0;
    int valueDim = 0;
    int cacheLayer = 0;     ///< the layer whose rows are read
    bool ownsCache = true;  ///< it is this one
    LayerMixer mixer = LayerMixer::Attention;
    bool feedForward = true;
    bool experts = false;          ///< mixture of experts instead of a feed-forward, or in parallel
    bool parallelToDense = false;  ///< in parallel with the dense feed-forward
    XieluCurve xielu;              ///< used for that activation
    bool normsHeads = true;        ///< queries and keys are normalised by ForwardRules::qkNorm
    bool temperature = false;      ///< queries are scaled by QueryTemperature
    AttentionRule attention;
};

struct ForwardRules {
    QkNorm qkNorm = QkNorm::None;
    bool qkNormAfterRotary = false;
    NormKind normKind = NormKind::Rms;
    bool valueNorm = false;
    bool parallelResidual = false;
    Activation activation = Activation::Silu;
    ClampedSwiglu swiglu;  ///< used for that activation
    void (*rotate)(float* head, const RotaryStep& rotation) noexcept = nullptr;
    void (*rotateLocal)(float* head, const RotaryStep& rotation) noexcept = nullptr;
    /// gate = activation(gate) * up; null for activations without a gate
    void (*activate)(float* gate, const float* up, std::int64_t n) noexcept = nullptr;
    float embeddingScale = 1.0F;
    float residualScale = 1.0F;
    float logitScale = 1.0F;
    float logitSoftCap = 0.0F;       ///< 0: none
    std::vector<LayerRules> layers;  ///< [layers]
};

[[nodiscard]] ForwardRules rulesOf(const ModelSpec& spec, const KernelTable& kernels);

}  // namespace lacuna
