#include <limits>

#include "engine/compress/compactor.h"

namespace lacuna {
namespace {

constexpr float kHoleBias = -std::numeric_limits<float>::infinity();

}  // namespace

RetentionRow retention(const KvCache& cache) {
    RetentionRow row;
    row.tokens = cache.offset().value;
    row.share.assign(static_cast<std::size_t>(row.tokens), 0.0F);
    const int pairs = cache.shape().layers * cache.shape().kvHeads;
    for (int i = 0; i < pairs; ++i) {
        const KvHeadView head =
            cache.head(LayerIndex(i / cache.shape().kvHeads), HeadIndex(i % cache.shape().kvHeads));
        for (int slot = 0; slot < head.slots; ++slot) {
            if (head.bias != nullptr && head.bias[slot] == kHoleBias) continue;
            const std::int32_t position = head.positions == nullptr ? slot : head.positions[slot];
            if (position < row.tokens) row.share[static_cast<std::size_t>(position)] += 1.0F;
        }
    }
    for (float& share : row.share) share /= static_cast<float>(pairs);
    return row;
}

}  // namespace lacuna
