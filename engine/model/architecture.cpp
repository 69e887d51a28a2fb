#include "engine/model/architecture.h"

namespace lacuna {

Architecture architectureOf(const ModelSpec& spec, const KernelTable& kernels) {
    Architecture architecture;
    if (spec.qkNorm == QkNorm::PerHead) architecture.queryKeyNorm = Architecture::QueryKeyNorm::PerHead;
    if (spec.qkvBias) architecture.projectionBias = Architecture::ProjectionBias::QueryKeyValue;
    switch (spec.rope.pairing) {
        case RopePairing::Halves:
            architecture.rotate = kernels.rotateHalves;
            break;
        case RopePairing::Interleaved:
            architecture.rotate = kernels.rotateInterleaved;
            break;
    }
    return architecture;
}

}  // namespace lacuna
