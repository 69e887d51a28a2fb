#include "engine/compress/matching/slot_influence.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "engine/kv/row_format.h"

namespace lacuna {

SlotScores slotInfluence(const KvCache& cache, const ReconstructionScores& found, LayerIndex layer,
                         HeadIndex number) {
    constexpr int kTileSlots = 64;
    const KvHeadView head = cache.head(layer, number);
    const auto width = static_cast<std::size_t>(cache.shape().extent(layer).valueDim);
    SlotScores influence = found.ofSlots(head, layer, number);
    std::vector<float> values(static_cast<std::size_t>(kTileSlots) * width);
    for (int first = 0; first < head.slots; first += kTileSlots) {
        const int count = std::min(kTileSlots, head.slots - first);
        readValues(head, cache.shape().extent(layer).valueDim, first, count, values.data());
        for (int j = 0; j < count; ++j) {
            const float length =
                norm(std::span(values).subspan(static_cast<std::size_t>(j) * width, width));
            influence[static_cast<std::size_t>(first + j)] *= std::isfinite(length) ? length : 0.0F;
        }
    }
    return influence;
}

}  // namespace lacuna
