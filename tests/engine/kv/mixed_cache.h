#pragma once
/// \file
/// A cache whose layers differ in KV heads and head sizes, caches that hold one of its layers
/// alone, and queries of all layers that read them.

#include <memory>
#include <utility>
#include <vector>

#include "engine/base/random.h"
#include "engine/kv/cache_list.h"
#include "engine/kv/slot/slot_cache.h"
#include "kv_fixture.h"

namespace lacuna::test {

constexpr int kMixedQueryHeads = 4;
constexpr int kReadTwice = 1;  ///< layer whose rows layer 2 reads, too
constexpr float kMixedScale = 0.5F;

inline KvShape mixedGeometry() {
    return {.layers = 4, .type = DType::F16, .extents = {{2, 8, 8}, {1, 16, 16}, {}, {2, 8, 8}}};
}

/// A cache, and the layer of the mixed geometry that each of its layers holds.
struct MixedCase {
    std::unique_ptr<KvCache> cache;
    std::vector<int> holds;
    /// Seed of the queries of layer 2; if 0, it has none.
    std::uint64_t secondReader = 0;

    void append(int tokens) const {
        const KvShape whole = mixedGeometry();
        const int before = cache->offset().value;
        ASSERT_TRUE(cache->beginAppend(tokens));
        for (int layer = 0; layer < cache->shape().layers; ++layer) {
            const KvExtent extent = cache->shape().extent(LayerIndex(layer));
            if (extent.heads == 0) continue;
            std::vector<float> keys, values;
            for (int i = 0; i < tokens; ++i)
                for (int head = 0; head < extent.heads; ++head) {
                    const int from = holds[static_cast<std::size_t>(layer)];
                    for (const float x : keyRow(whole, from, head, before + i)) keys.push_back(x);
                    for (const float x : valueRow(whole, from, head, before + i))
                        values.push_back(x);
                }
            cache->writeLayer(LayerIndex(layer),
                              {keys.data(), {tokens, extent.heads, extent.keyDim}},
                              {values.data(), {tokens, extent.heads, extent.valueDim}});
        }
        cache->commitAppend();
    }
    /// Passes the queries of tokens [first, last) to an observer, like a forward pass.
    void observe(QueryObserver& observer, int first, int last) const {
        for (int layer = 0; layer < cache->shape().layers; ++layer) {
            const bool reads = cache->shape().heads(LayerIndex(layer)) == 0;
            if (reads && secondReader == 0) continue;
            const LayerIndex stored(reads ? kReadTwice : layer);
            const int dim = cache->shape().extent(stored).keyDim;
            const auto width = static_cast<std::size_t>(kMixedQueryHeads * dim);
            std::vector<float> rows;
            for (int position = first; position < last; ++position) {
                const auto from =
                    static_cast<std::uint64_t>(holds[static_cast<std::size_t>(layer)]);
                RandomStream random(reads ? secondReader : 77,
                                    from * 1'000'000 + static_cast<std::uint64_t>(position));
                for (std::size_t i = 0; i < width; ++i)
                    rows.push_back(static_cast<float>(0.5 + random.normal()));
            }
            observer.observeQueries(stored, {rows.data(), {last - first, kMixedQueryHeads, dim}},
                                    Position(first));
        }
    }
    /// Appends and observes in chunks of different lengths.
    void observeAll(QueryObserver& observer) const {
        const int tokens = cache->offset().value;
        for (int first = 0, chunk = 40; first < tokens; first += chunk, chunk = 7)
            observe(observer, first, std::min(first + chunk, tokens));
    }
};

inline MixedCase mixedCase(int tokens, std::uint64_t secondReader = 0) {
    const KvShape shape = mixedGeometry();
    MixedCase made{
        makeCacheList(shape, std::vector<LayerPlan>(4)).value(), {0, 1, 2, 3}, secondReader};
    made.append(tokens);
    return made;
}

/// The layer `layer` of the mixed cache in a uniform one.
inline MixedCase aloneCase(int layer, int tokens) {
    const KvExtent extent = mixedGeometry().extent(LayerIndex(layer));
    MixedCase made{makeSlotCache({.layers = 1,
                                  .kvHeads = extent.heads,
                                  .keyDim = extent.keyDim,
                                  .valueDim = extent.valueDim,
                                  .type = DType::F16})
                       .value(),
                   {layer}};
    made.append(tokens);
    return made;
}

inline std::vector<int> mixedLayersWithRows() {
    return {0, 1, 3};
}

/// Returns the part of a plan of the mixed cache that belongs to a layer.
inline std::vector<HeadCompaction> partOf(const CompactionPlan& plan, int layer) {
    const KvShape shape = mixedGeometry();
    std::vector<HeadCompaction> part;
    for (int head = 0; head < shape.heads(LayerIndex(layer)); ++head)
        part.push_back(plan.heads[static_cast<std::size_t>(
            shape.headIndex(LayerIndex(layer), HeadIndex(head)))]);
    return part;
}

}  // namespace lacuna::test
