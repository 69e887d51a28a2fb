#include "engine/model/architecture.h"

#include <cmath>

namespace lacuna {
namespace {

auto rotationOf(RopePairing pairing, const KernelTable& kernels) {
    switch (pairing) {
        case RopePairing::Halves:
            return kernels.rotateHalves;
        case RopePairing::Interleaved:
            return kernels.rotateInterleaved;
    }
    return kernels.rotateHalves;
}

using GatedActivation = decltype(ForwardRules::activate);

GatedActivation activationOf(Activation activation, const KernelTable& kernels) {
    switch (activation) {
        case Activation::Silu:
            return kernels.siluMultiply;
        case Activation::GeluTanh:
            return kernels.geluMultiply;
        case Activation::ReluSquared:
        case Activation::Xielu:
        case Activation::SwigluClamped:
            return nullptr;
    }
    return nullptr;
}

LayerRules layerRulesOf(const ModelSpec& spec, int index) {
    const LayerSpec layer = spec.layer(index);
    LayerRules rules;
    rules.rotary = !layer.rotary                     ? LayerRules::Rotary::None
                   : layer.sliding && spec.localRope ? LayerRules::Rotary::Local
                                                     : LayerRules::Rotary::Global;
    rules.heads = spec.heads;
    rules.kvHeads = layer.kvHeads;
    rules.headDim = layer.headDim;
    rules.valueDim = layer.valueDim;
    rules.cacheLayer = layer.readsCacheOf.value_or(index);
    rules.ownsCache = !layer.readsCacheOf;
    rules.mixer = layer.mixer;
    rules.feedForward = !layer.mixerOnly;
    rules.experts = layer.experts;
    rules.parallelToDense = layer.experts && spec.experts.parallelToDense;
    if (!spec.xielu.empty()) rules.xielu = spec.xielu[static_cast<std::size_t>(index)];
    const double natural = 1.0 / std::sqrt(static_cast<double>(layer.headDim));
    rules.attention = {.scale = spec.attentionScale.value_or(static_cast<float>(natural)),
                       .softCap = spec.attentionSoftCap,
                       .window = layer.sliding ? spec.window : 0,
                       .chunked = spec.chunked};
    rules.normsHeads = spec.qkNorm != QkNorm::RotatedHeads || layer.rotary;
    rules.temperature =
        spec.temperature.scale != 0.0F && (!spec.temperature.unrotatedLayers || !layer.rotary);
    return rules;
}

}  // namespace

ForwardRules rulesOf(const ModelSpec& spec, const KernelTable& kernels) {
    ForwardRules rules;
    rules.qkNorm = spec.qkNorm;
    rules.qkNormAfterRotary = spec.qkNormAfterRotary;
    rules.normKind = spec.normKind;
    rules.valueNorm = spec.valueNorm;
    rules.parallelResidual = spec.parallelResidual;
    rules.activation = spec.activation;
    rules.swiglu = spec.swiglu;
    rules.rotate = rotationOf(spec.rope.pairing, kernels);
    rules.rotateLocal = rotationOf(spec.localRope.value_or(spec.rope).pairing, kernels);
    rules.activate = activationOf(spec.activation, kernels);
    rules.embeddingScale = spec.embeddingScale;
    rules.residualScale = spec.residualScale;
    rules.logitScale = spec.logitScale;
    rules.logitSoftCap = spec.logitSoftCap;
    for (int layer = 0; layer < spec.layers; ++layer)
        rules.layers.push_back(layerRulesOf(spec, layer));
    return rules;
}

}  // namespace lacuna
