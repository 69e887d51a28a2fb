#include "engine/settings/facts.h"

#include "engine/compress/family_policy.h"

namespace lacuna {

std::string automaticPolicy(const ModelFacts& model) {
    return policyForFamily(model.architecture, model.keysNormalised).why;
}

CacheModel cacheModelOf(const ModelFacts& model) {
    return {.layers = model.layers,
            .kvHeads = model.kvHeads,
            .headDim = model.headDim,
            .windows = model.windows};
}

}  // namespace lacuna
