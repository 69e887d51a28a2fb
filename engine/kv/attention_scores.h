#pragma once
/// \file
/// Scores of slots by the attention they get: the mean over the newest queries (observation window,
/// SnapKV, arXiv 2404.14469), or over every query that could see the token (accumulated attention,
/// H2O, arXiv 2306.14048). Watches the queries of one sequence; its owner is the engine thread.
///
/// Cost: the window keeps `window` queries of every layer and reads the keys once at a compaction;
/// accumulation reads all keys a second time with every token. Neither runs unless it is asked for.
/// Specification: algorithms 3.

#include <cstdint>
#include <vector>

#include "engine/base/thread_pool.h"
#include "engine/kv/eviction_scores.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

struct AttentionScoring {
    int heads = 0;             ///< query heads, a multiple of the KV heads
    float scale = 0;           ///< attention scale
    bool accumulates = false;  ///< off: observation window
    int window = 64;           ///< queries of the observation window; their tokens stay
    int pool = 5;              ///< neighbours averaged by the observation window; odd
};

class AttentionScores final : public QueryObserver {
  public:
    /// Watches `cache`, which must outlive it.
    AttentionScores(const KvCache& cache, const AttentionScoring& scoring);
    void observeQueries(LayerIndex layer, View<const float, 3> queries, Position first) override;
    /// Forgets what tokens at and after this position asked.
    void forgetFrom(Position position);
    /// Queries that a score rests on.
    [[nodiscard]] int observed(LayerIndex layer) const;
    /// Scores of every head, index layer * kvHeads + head; empty where no query was seen. The
    /// newest `window` tokens get the largest score.
    [[nodiscard]] std::vector<SlotScores> scores(ThreadPool& pool) const;

  private:
    struct LayerQueries {
        std::vector<float> rows;       ///< [kept, heads, keyDim], oldest first
        std::vector<std::int64_t> at;  ///< [kept] positions
    };
    void keep(LayerQueries& layer, View<const float, 3> queries, Position first) const;
    void accumulate(int layer, View<const float, 3> queries, Position first);
    [[nodiscard]] SlotScores windowScores(int layer, int head) const;
    [[nodiscard]] SlotScores accumulatedScores(int layer, int head) const;

    const KvCache* cache_;
    AttentionScoring scoring_;
    std::vector<LayerQueries> queries_;       ///< by layer
    std::vector<std::vector<float>> masses_;  ///< by layer * kvHeads + head, then by position
    std::vector<std::int64_t> firstQuery_;    ///< by layer: position of the first query seen
    std::vector<std::int64_t> endQuery_;      ///< by layer: after the last one
};

}  // namespace lacuna
