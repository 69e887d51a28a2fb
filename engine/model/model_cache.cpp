#include "engine/model/model_cache.h"

#include <utility>

#include "engine/kv/cache_list.h"
#include "engine/kv/kv_factory.h"
#include "engine/kv/slot/slot_cache.h"

namespace lacuna {

KvExtent cacheExtent(const LayerSpec& layer) {
    if (layer.readsCacheOf || layer.mixer == LayerMixer::Recurrent ||
        layer.mixer == LayerMixer::None)
        return {};
    return {layer.kvHeads, layer.headDim, layer.valueDim, layer.valuesInKeys};
}

CacheModel cacheModelOf(const ModelSpec& spec) {
    CacheModel model;
    model.layers = spec.layers;
    if (spec.uniformCache()) {
        model.kvHeads = spec.kvHeads;
        model.headDim = spec.headDim;
    } else {
        for (int i = 0; i < spec.layers; ++i) model.extents.push_back(cacheExtent(spec.layer(i)));
    }
    model.states = spec.mixers;
    if (model.states == nullptr && spec.recurrent.any()) {
        std::vector<MixerWeights> sizes;
        for (int layer = 0; layer < spec.layers; ++layer)
            if (spec.isRecurrent(layer)) sizes.push_back({.shape = spec.recurrent.shape});
        model.states = std::make_shared<const std::vector<MixerWeights>>(std::move(sizes));
    }
    for (int layer = 0; layer < spec.layers; ++layer)
        model.windows.push_back(spec.layer(layer).sliding ? spec.window : 0);
    return model;
}

CacheModel cacheModelOf(const LoadedModel& model) {
    CacheModel of = cacheModelOf(model.spec);
    of.rotations = model.rotations;
    of.loss = model.layerLoss;
    return of;
}

Result<std::unique_ptr<KvCache>> makeModelCache(const LoadedModel& model,
                                                const KvOptions& options) {
    return makeCacheFor(cacheModelOf(model), options);
}

Result<std::unique_ptr<KvCache>> makeFullCache(const ModelSpec& spec, DType type) {
    return makeFullCache(plainShapeOf(cacheModelOf(spec), type));
}

Result<std::unique_ptr<KvCache>> makeFullCache(const KvShape& shape) {
    if (shape.uniform() && shape.states == nullptr) return makeSlotCache(shape);
    const LayerPlan plan{
        .window = std::nullopt, .keyQuant = shape.keyQuant, .valueQuant = shape.valueQuant};
    return makeCacheList(shape,
                         std::vector<LayerPlan>(static_cast<std::size_t>(shape.layers), plan));
}

}  // namespace lacuna
