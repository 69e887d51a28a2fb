#include "engine/generate/cache_shape.h"

#include <cmath>

#include "engine/base/string_format.h"
#include "engine/kv/kv_factory.h"
#include "engine/model/model_cache.h"

namespace lacuna {

KvShape plainShapeOf(const ModelSpec& spec) {
    return plainShapeOf(cacheModelOf(spec));
}

std::int64_t elementsPerToken(const KvShape& shape) {
    std::int64_t elements = 0;
    for (int layer = 0; layer < shape.layers; ++layer) {
        const KvExtent one = shape.extent(LayerIndex(layer));
        elements += std::int64_t{one.heads} * one.elements();
    }
    return elements;
}

float attentionScaleOf(const ModelSpec& spec, LayerIndex layer) {
    return spec.attentionScale.value_or(
        1.0F / std::sqrt(static_cast<float>(spec.layer(layer.value).headDim)));
}

Status checkUniformCache(const ModelSpec& spec, const std::string& what) {
    if (spec.uniformCache()) return {};
    if (spec.latent)
        return fail(ErrorCode::Unsupported, format("the values of {} are parts of its keys (latent "
                                                   "attention), but {} need them separately",
                                                   spec.name, what));
    return fail(ErrorCode::Unsupported,
                format("the layers of {} differ in KV heads or head size, but {} need one size",
                       spec.name, what));
}

}  // namespace lacuna
