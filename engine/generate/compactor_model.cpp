#include "engine/generate/compactor_model.h"

#include <cmath>
#include <utility>

#include "engine/compress/family_policy.h"

namespace lacuna {

CompactorModel compactorModel(const ModelSpec& spec, std::uint64_t seed,
                              std::shared_ptr<const HeadProfile> profile) {
    CompactorModel model{
        .heads = spec.heads,
        .scale = spec.attentionScale.value_or(1.0F / std::sqrt(static_cast<float>(spec.headDim))),
        .softCap = spec.attentionSoftCap,
        .seed = seed,
        .profile = std::move(profile)};
    model.familyPolicy = policyForFamily(spec.architecture, spec.qkNorm != QkNorm::None).policy;
    for (int layer = 0; layer < spec.layers; ++layer)
        if (spec.layer(layer).sliding) model.slidingLayers.push_back(layer);
    return model;
}

}  // namespace lacuna
