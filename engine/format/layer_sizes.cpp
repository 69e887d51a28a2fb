#include "engine/format/layer_sizes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "engine/base/string_format.h"

namespace lacuna {

Status shareCaches(std::vector<LayerSpec>& layers, int count, std::string_view field) {
    const auto total = static_cast<int>(layers.size());
    if (count < 0 || (count > 0 && count >= total))
        return fail(ErrorCode::ModelBadLayers,
                    format("{} is {}; less than the {} layers expected", field, count, total));
    const int first = total - count;
    for (int i = first; i < total; ++i) {
        LayerSpec& layer = layers[static_cast<std::size_t>(i)];
        int read = first - 1;
        while (read >= 0 && layers[static_cast<std::size_t>(read)].sliding != layer.sliding) --read;
        if (read < 0)
            return fail(ErrorCode::ModelBadLayers,
                        format("{} is {}: layer {} reads the cache of an earlier layer, and none "
                               "of the {} before {} a sliding window",
                               field, count, i, first, layer.sliding ? "has" : "lacks"));
        layer.readsCacheOf = read;
        layer.keysAsValues = false;
    }
    return {};
}

void setMinimalSizes(ModelSpec& spec) {
    spec.heads = spec.kvHeads = spec.feedForward = 1;
    spec.headDim = 2;  // one pair
}

void setLatentAttention(ModelSpec& spec, const LatentAttention& latent) {
    spec.latent = latent;
    spec.kvHeads = 1;
    const std::int64_t length = std::int64_t{latent.rotated} + latent.length;
    spec.headDim = static_cast<int>(std::min<std::int64_t>(length, kMaxHeadDim + 1));
}

float latentScaleOf(const LatentAttention& latent, double factor) {
    const double length = 1.0 * latent.unrotated + latent.rotated;
    return static_cast<float>(factor / std::sqrt(std::max(length, 1.0)));
}

Status setLayerSizes(ModelSpec& spec, std::vector<LayerSpec>& layers) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const LayerSpec& layer = layers[i];
        if (layer.kvHeads > 0 && layer.headDim > 0 && layer.feedForward > 0) continue;
        return fail(layer.kvHeads > 0 ? ErrorCode::ModelBadDim : ErrorCode::ModelBadHeads,
                    format("layer {} has {} KV heads of size {} and a feed-forward of size {}; 1 "
                           "or more of each expected",
                           i, layer.kvHeads, layer.headDim, layer.feedForward));
    }
    const auto take = [&](int ModelSpec::*whole, int LayerSpec::*own) {
        spec.*whole = 0;
        for (const LayerSpec& layer : layers) spec.*whole = std::max(spec.*whole, layer.*own);
        for (LayerSpec& layer : layers)
            if (layer.*own == spec.*whole) layer.*own = 0;
    };
    take(&ModelSpec::kvHeads, &LayerSpec::kvHeads);
    take(&ModelSpec::headDim, &LayerSpec::headDim);
    take(&ModelSpec::feedForward, &LayerSpec::feedForward);
    return {};
}

}  // namespace lacuna
