#include "engine/model/activations.h"

#include <algorithm>

namespace lacuna {
namespace {

bool hasDenseLayer(const ModelSpec& spec) {
    for (int layer = 0; layer < spec.layers; ++layer)
        if (!spec.layer(layer).experts || spec.experts.parallelToDense) return true;
    return false;
}

bool mixesInParallel(const ModelSpec& spec) {
    for (int layer = 0; layer < spec.layers; ++layer)
        if (spec.layer(layer).mixer == LayerMixer::Both) return true;
    return false;
}

/// Returns the largest number of elements in the keys of one token.
std::int64_t widestKeys(const ModelSpec& spec) {
    std::int64_t widest = 0;
    for (int i = 0; i < spec.layers; ++i) {
        const LayerSpec layer = spec.layer(i);
        widest = std::max(widest, std::int64_t{layer.kvHeads} * layer.headDim);
    }
    return widest;
}

}  // namespace

std::int64_t Activations::floatsPerToken(const ModelSpec& spec) {
    const std::int64_t query = std::int64_t{spec.heads} * spec.headDim;
    const std::int64_t hidden = spec.hidden;
    return 3 * hidden + (spec.attentionGate ? 4 : 2) * query +
           (mixesInParallel(spec) ? hidden : 0) + (spec.latent ? 1 : 2) * widestKeys(spec) +
           (hasDenseLayer(spec) ? 2 * std::int64_t{spec.feedForward} : 0) +
           (spec.experts.parallelToDense ? 2 * hidden : 0) +
           (std::int64_t{spec.layers} + 1) * spec.layerEmbedding;
}

Result<Activations> Activations::create(const ModelSpec& spec, int maxTokens) {
    Activations a;
    const auto floats = [&](std::int64_t width) {
        return Buffer::allocate(static_cast<std::size_t>(width) *
                                static_cast<std::size_t>(maxTokens) * sizeof(float));
    };
    const std::int64_t query = std::int64_t{spec.heads} * spec.headDim;
    const std::int64_t keyValue = widestKeys(spec);
    LACUNA_TRY(a.residual_, floats(spec.hidden));
    LACUNA_TRY(a.normed_, floats(spec.hidden));
    LACUNA_TRY(a.projected_, floats(spec.hidden));
    LACUNA_TRY(a.queries_, floats(query));
    LACUNA_TRY(a.gatedQueries_, floats(spec.attentionGate ? 2 * query : 0));
    LACUNA_TRY(a.parallel_, floats(mixesInParallel(spec) ? spec.hidden : 0));
    LACUNA_TRY(a.keys_, floats(keyValue));
    LACUNA_TRY(a.values_, floats(spec.latent ? 0 : keyValue));
    LACUNA_TRY(a.attended_, floats(query));
    LACUNA_TRY(a.gate_, floats(hasDenseLayer(spec) ? spec.feedForward : 0));
    LACUNA_TRY(a.up_, floats(hasDenseLayer(spec) ? spec.feedForward : 0));
    const std::int64_t parallel = spec.experts.parallelToDense ? spec.hidden : 0;
    LACUNA_TRY(a.routerInput_, floats(parallel));
    LACUNA_TRY(a.mixed_, floats(parallel));
    const std::int64_t layerRow = std::int64_t{spec.layers} * spec.layerEmbedding;
    LACUNA_TRY(a.layerInputs_, floats(layerRow));
    LACUNA_TRY(a.layerGate_, floats(spec.layerEmbedding));
    LACUNA_TRY(a.layerRow_,
               Buffer::allocate(static_cast<std::size_t>(2 * layerRow) * sizeof(float)));
    LACUNA_TRY(a.logits_,
               Buffer::allocate(static_cast<std::size_t>(spec.vocabulary) * sizeof(float)));
    return a;
}

Result<float*> Activations::logits(std::int64_t rows, std::int64_t vocabulary) {
    const std::size_t needed = static_cast<std::size_t>(rows * vocabulary) * sizeof(float);
    if (needed > logits_.size()) {
        logits_ = Buffer();  // the old rows are not needed: free them first
        LACUNA_TRY(logits_, Buffer::allocate(needed));
    }
    return logits_.as<float>().data();
}

std::size_t Activations::bytes() const {
    return residual_.size() + normed_.size() + projected_.size() + queries_.size() + keys_.size() +
           values_.size() + attended_.size() + gate_.size() + up_.size() + logits_.size() +
           routerInput_.size() + mixed_.size() + layerInputs_.size() + layerGate_.size() +
           layerRow_.size() + gatedQueries_.size() + parallel_.size();
}

}  // namespace lacuna
