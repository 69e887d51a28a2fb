#pragma once
/// \file
/// What compaction did to each head of a cache: its answers alongside those of the whole cache, to
/// the queries that the text after the compaction really asked (held out of every fit:
/// docs/quality.md, "Metrics"). Layers with a sliding window are left out: what they see is no part
/// of a compaction's promise.

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

/// Keeps the queries of some tokens while a forward pass runs, evenly spread over a stretch of
/// positions. Owned by the thread that runs the pass.
class QueryCapture final : public QueryObserver {
  public:
    /// Of positions [first, first + count), at most `tokens` of them.
    QueryCapture(const ModelSpec& spec, Position first, int count, int tokens);
    void observeQueries(LayerIndex layer, View<const float, 3> queries, Position first) override;
    /// Of the query heads that share a KV head, [n, keyDim]; empty before anything was observed.
    [[nodiscard]] std::vector<float> gather(LayerIndex layer, HeadIndex head) const;

  private:
    int heads_ = 0;
    int kvHeads_ = 0;
    int keyDim_ = 0;
    std::vector<std::int32_t> positions_;     ///< ascending
    std::vector<std::vector<float>> layers_;  ///< [layers] of [tokens, heads, keyDim]
};

/// One head of a compacted cache alongside the same head of the whole one. `queries` [n, keyDim].
/// @pre both caches cover the same tokens
[[nodiscard]] HeadFidelity compareHead(const KvCache& whole, const KvCache& compacted,
                                       LayerIndex layer, HeadIndex head,
                                       const std::vector<float>& queries, const ModelSpec& spec);

struct HeadDivergence {
    int layer = 0;
    int head = 0;
    int slots = 0;  ///< left in it
    HeadFidelity fidelity;
};

/// The whole cache's answers, kept so that many compacted ones can be compared with them.
class HeadReference {
  public:
    /// @pre the cache is as it was before the queries were asked
    HeadReference(const KvCache& whole, const QueryCapture& queries, const ModelSpec& spec,
                  ThreadPool& pool);
    /// Heads of layers without a window, layer by layer. @pre same shape and tokens as the whole
    [[nodiscard]] std::vector<HeadDivergence> compare(const KvCache& compacted) const;

  private:
    struct Head {
        std::vector<float> queries;  ///< [n, keyDim]
        HeadAnswers whole;
    };
    const ModelSpec& spec_;
    ThreadPool& pool_;
    std::vector<std::optional<Head>> heads_;  ///< [layers * kvHeads]
};

/// Means over heads.
[[nodiscard]] HeadFidelity meanFidelity(const std::vector<HeadDivergence>& heads);

}  // namespace lacuna
