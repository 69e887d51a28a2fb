#pragma once
/// \file
/// Measures the effect of compaction on each head: compares its outputs with those of the full
/// cache, for the queries of the text that follows the compaction (held out of every fit:
/// docs/quality.md, "Metrics"). Skips layers with a sliding window, to which compaction does not
/// apply.

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/format/model_spec.h"
#include "engine/kv/kv_cache.h"
#include "engine/quality/head_fidelity.h"

namespace lacuna {

/// Records the queries of some tokens during a forward pass, evenly spaced over a range of
/// positions. Owned by the thread that runs the pass.
class QueryCapture final : public QueryObserver {
  public:
    /// Records at most `tokens` positions of [first, first + count).
    QueryCapture(const ModelSpec& spec, Position first, int count, int tokens);
    void observeQueries(LayerIndex layer, View<const float, 3> queries, Position first) override;
    [[nodiscard]] bool observed() const;  ///< true if queries of any layer were observed
    /// Returns the queries of all query heads that share a KV head, [n, keyDim]; empty before any
    /// were observed.
    [[nodiscard]] std::vector<float> gather(LayerIndex layer, HeadIndex head) const;

  private:
    int heads_ = 0;
    KvShape shape_;
    std::vector<std::int32_t> positions_;     ///< ascending
    std::vector<std::vector<float>> layers_;  ///< [layers] of [tokens, heads, keyDim], queries of
                                              ///< the layer that owns the rows
};

/// Compares one head of a compacted cache with the same head of the full one. `queries` [n,
/// keyDim]. @pre both caches cover the same tokens
[[nodiscard]] HeadFidelity compareHead(const KvCache& full, const KvCache& compacted,
                                       LayerIndex layer, HeadIndex head,
                                       const std::vector<float>& queries, const ModelSpec& spec);

struct HeadDivergence {
    int layer = 0;
    int head = 0;
    int slots = 0;  ///< remaining slots
    HeadFidelity fidelity;
};

/// Outputs of the full cache, stored so that many compacted caches can be compared with them.
class HeadReference {
  public:
    /// @pre the cache is in its state before the queries were issued
    HeadReference(const KvCache& full, const QueryCapture& queries, const ModelSpec& spec,
                  ThreadPool& pool);
    /// Returns the heads of layers without a window, layer by layer. @pre `compacted` has the shape
    /// and tokens of the full cache
    [[nodiscard]] std::vector<HeadDivergence> compare(const KvCache& compacted) const;

  private:
    struct Head {
        std::vector<float> queries;  ///< [n, keyDim]
        HeadAnswers full;
    };
    const ModelSpec& spec_;
    ThreadPool& pool_;
    KvShape shape_;
    std::vector<std::optional<Head>> heads_;  ///< by KvShape::headIndex
};

/// Means over the heads.
[[nodiscard]] HeadFidelity meanFidelity(const std::vector<HeadDivergence>& heads);

}  // namespace lacuna
