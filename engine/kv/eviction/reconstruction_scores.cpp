#include "engine/kv/eviction/reconstruction_scores.h"

#include <algorithm>

namespace lacuna {

SlotScores ReconstructionScores::ofSlots(const KvHeadView& head, LayerIndex layer,
                                         HeadIndex number) const {
    const std::span<const float> own = of(layer, number);
    SlotScores out(static_cast<std::size_t>(head.slots), 0.0F);
    for (std::size_t j = 0; j < out.size(); ++j) {
        const auto position =
            head.positions == nullptr ? j : static_cast<std::size_t>(head.positions[j]);
        if (position < own.size()) out[j] = own[position];
    }
    return out;
}

std::int64_t ReconstructionScores::bytes(const KvShape& shape, std::int64_t tokens) {
    return std::int64_t{shape.headCount()} * tokens * static_cast<std::int64_t>(sizeof(float));
}

ReconstructionObserver::ReconstructionObserver(const KvCache& cache, std::int64_t tokens, int heads,
                                               const LogitScaling& scaling, ThreadPool& pool)
    : cache_(cache), heads_(heads), scaling_(scaling), pool_(pool) {
    scores_.layers = cache.shape().layers;
    scores_.kvHeads = cache.shape().kvHeads;
    scores_.layerHeads = layerHeadsOf(cache.shape());
    scores_.tokens = tokens;
    scores_.shares.assign(
        static_cast<std::size_t>(cache.shape().headCount()) * static_cast<std::size_t>(tokens),
        0.0F);
}

void ReconstructionObserver::observeQueries(LayerIndex layer, View<const float, 3> queries,
                                            Position first) {
    const KvShape& shape = cache_.shape();
    const int kvHeads = shape.heads(layer);
    const int group = heads_ / kvHeads;
    const std::int64_t dim = queries.extent(2);
    const auto tokens = static_cast<std::size_t>(scores_.tokens);
    pool_.parallelFor(kvHeads, [&](int head) {
        std::vector<PositionedQuery> asked;
        for (std::int64_t i = 0; i < queries.extent(0); ++i)
            for (int g = 0; g < group; ++g)
                asked.push_back({queries.data() + (i * heads_ + head * group + g) * dim,
                                 first.value + i,
                                 AttentionSinks::of(scaling_.sinks, layer, head * group + g)});
        const auto at = static_cast<std::size_t>(shape.headIndex(layer, HeadIndex(head))) * tokens;
        raiseToAttention(cache_.head(layer, HeadIndex(head)), shape.extent(layer).keyDim, scaling_,
                         asked, std::span(scores_.shares).subspan(at, tokens));
    });
}

}  // namespace lacuna
