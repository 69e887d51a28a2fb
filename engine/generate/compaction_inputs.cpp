#include "engine/generate/compaction_inputs.h"

#include <cmath>
#include <utility>

#include "engine/compress/family_policy.h"
#include "engine/model/rope.h"

namespace lacuna {

CompactorModel compactorModel(const ModelSpec& spec, std::uint64_t seed, HeadProfiles profiles) {
    CompactorModel model{
        .heads = spec.heads,
        .scale = spec.attentionScale.value_or(1.0F / std::sqrt(static_cast<float>(spec.headDim))),
        .softCap = spec.attentionSoftCap,
        .seed = seed,
        .profiles = std::move(profiles)};
    model.rotation = {.frequencies = ropeFrequencies(spec.rope),
                      .interleaved = spec.rope.pairing == RopePairing::Interleaved,
                      .magnitude = double{spec.rope.magnitude},
                      .variesWithLength = spec.rope.scaling == RopeSpec::Scaling::Dynamic ||
                                          spec.rope.scaling == RopeSpec::Scaling::LongRope};
    model.familyPolicy = policyForFamily(spec.architecture, spec.qkNorm != QkNorm::None).policy;
    for (int layer = 0; layer < spec.layers; ++layer) {
        if (spec.layer(layer).sliding) model.slidingLayers.push_back(layer);
        if (!spec.layer(layer).rotary) model.rotation.stillLayers.push_back(layer);
    }
    return model;
}

}  // namespace lacuna
