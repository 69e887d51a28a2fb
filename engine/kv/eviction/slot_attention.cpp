#include "engine/kv/eviction/slot_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/kernels/cpu_features.h"
#include "engine/kv/row_format.h"

namespace lacuna {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
constexpr int kTileSlots = 64;
// Scores of so many queries over all slots are held at once.
constexpr std::size_t kQueriesAtOnce = 64;

struct Scratch {
    std::vector<float> queries;  ///< [n, keyDim]
    std::vector<float> tile;     ///< [kTileSlots, keyDim]
    std::vector<float> scores;   ///< [n, slots]
};

bool sees(const KvHeadView& head, std::int64_t position, std::int64_t query) {
    if (position > query) return false;
    return head.window == 0 || position < head.keep || position > query - head.window;
}

/// Dot products of all queries with all keys.
void dotAll(const KvHeadView& head, int keyDim, std::size_t queries, Scratch& scratch) {
    scratch.scores.resize(queries * static_cast<std::size_t>(head.slots));
    scratch.tile.resize(static_cast<std::size_t>(kTileSlots) * static_cast<std::size_t>(keyDim));
    const auto stride = std::int64_t{keyDim} * std::int64_t{sizeof(float)};
    for (int first = 0; first < head.slots; first += kTileSlots) {
        const int count = std::min(kTileSlots, head.slots - first);
        readKeys(head, keyDim, first, count, scratch.tile.data());
        const RowBlock rows{reinterpret_cast<const std::byte*>(scratch.tile.data()), stride, count,
                            keyDim};
        const QueryRows asked{.queries = scratch.queries.data(),
                              .queryStride = keyDim,
                              .weights = scratch.scores.data() + first,
                              .weightStride = head.slots,
                              .count = static_cast<int>(queries)};
        bestKernels().dotManyQueries[kernelIndex(DType::F32)](rows, asked);
    }
}

/// Turns the dot products of one query into probabilities; all 0 where it sees nothing.
void normalise(const KvHeadView& head, const LogitScaling& scaling, std::int64_t at,
               float* scores) {
    const KernelTable& kernels = bestKernels();
    kernels.scale(scores, scaling.scale, head.slots);
    if (scaling.softCap > 0) kernels.softCap(scores, scaling.softCap, head.slots);
    for (int j = 0; j < head.slots; ++j) {
        const std::int64_t position = head.positions == nullptr ? j : head.positions[j];
        if (!std::isfinite(scores[j]) || !sees(head, position, at))
            scores[j] = kMinusInfinity;
        else if (head.bias != nullptr)
            scores[j] += head.bias[j];
    }
    const float top = kernels.maximum(scores, head.slots);
    if (top == kMinusInfinity) {
        std::fill_n(scores, head.slots, 0.0F);
        return;
    }
    const float mass = kernels.expSum(scores, top, head.slots);
    kernels.scale(scores, 1.0F / mass, head.slots);
}

}  // namespace

void addAttention(const KvHeadView& head, int keyDim, const LogitScaling& scaling,
                  std::span<const AskedQuery> asked, std::span<float> sums) {
    static thread_local Scratch scratch;
    if (head.slots == 0) return;
    for (std::size_t first = 0; first < asked.size(); first += kQueriesAtOnce) {
        const auto block = asked.subspan(first, std::min(kQueriesAtOnce, asked.size() - first));
        scratch.queries.clear();
        for (const AskedQuery& query : block)
            scratch.queries.insert(scratch.queries.end(), query.row, query.row + keyDim);
        dotAll(head, keyDim, block.size(), scratch);
        for (std::size_t i = 0; i < block.size(); ++i) {
            float* scores = scratch.scores.data() + i * static_cast<std::size_t>(head.slots);
            normalise(head, scaling, block[i].at, scores);
            bestKernels().addTo(sums.data(), scores, head.slots);
        }
    }
}

}  // namespace lacuna
