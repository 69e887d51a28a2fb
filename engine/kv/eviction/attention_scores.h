#pragma once
/// \file
/// Scores of slots by the attention they get, and how much of it some queries give to every slot of
/// a head, as sums of probabilities. docs/cache-contracts.md, "Attention over slots" (what a query
/// sees, order of scale, cap and bias); docs/eviction.md, "Scores by attention".

#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <vector>

#include "engine/base/thread_pool.h"
#include "engine/kv/attention_sinks.h"
#include "engine/kv/eviction/eviction_scores.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// A query after RoPE, unscaled, [keyDim], where it stands, and the score of its head's sink.
struct AskedQuery {
    const float* row = nullptr;
    std::int64_t at = 0;
    float sink = -std::numeric_limits<float>::infinity();  ///< none
};

struct LogitScaling {
    float scale = 0;                        ///< of the dot products
    float softCap = 0;                      ///< cap * tanh(x / cap) of the scaled ones; 0: none
    const AttentionSinks* sinks = nullptr;  ///< of the model, which outlive their readers, or null
};

/// sums [slots] += the probabilities of every query, which with a sink sum to less than 1. A slot
/// whose key is not finite gets nothing and takes nothing from the others. Keys are read in tiles
/// that stay in the first cache while all queries pass. Pure function; scratch belongs to the
/// calling thread.
void addAttention(const KvHeadView& head, int keyDim, const LogitScaling& scaling,
                  std::span<const AskedQuery> asked, std::span<float> sums);

/// most [up to slots] = the larger of itself and the probability of any query, likewise.
void raiseToAttention(const KvHeadView& head, int keyDim, const LogitScaling& scaling,
                      std::span<const AskedQuery> asked, std::span<float> most);

struct AttentionScoring {
    int heads = 0;  ///< query heads, a multiple of the KV heads
    LogitScaling scaling;
    bool accumulates = false;  ///< off: observation window
    int window = 64;           ///< queries of the observation window
    int pool = 5;              ///< neighbours averaged by the observation window; odd
};

/// Scores of slots by the attention they get: the mean over the newest queries (observation window,
/// SnapKV, arXiv 2404.14469), or over every query that could see the token (accumulated attention,
/// H2O, arXiv 2306.14048). Watches the queries of one sequence; its owner is the engine thread.
///
/// Cost: the window keeps `window` queries of every layer and reads the keys once at a compaction;
/// accumulation reads all keys a second time with every token. Neither runs unless it is asked for.
/// Accumulation lags `kLag` tokens behind, so that proposed tokens that are taken back leave
/// nothing in the sums. docs/eviction.md, "Scores by attention".
class AttentionScores final : public QueryScores {
  public:
    /// Tokens whose queries wait before they are added to the sums.
    static constexpr int kLag = 32;

    /// Watches `cache`, which must outlive it.
    AttentionScores(const KvCache& cache, const AttentionScoring& scoring, ThreadPool& pool);
    void observeQueries(LayerIndex layer, View<const float, 3> queries, Position first) override;
    void forgetFrom(Position position) override;
    void settle() override;
    [[nodiscard]] int observed(LayerIndex layer) const override;
    [[nodiscard]] bool watches(const KvCache& cache) const override { return cache_ == &cache; }
    [[nodiscard]] const AttentionScoring& scoring() const { return scoring_; }
    [[nodiscard]] SlotScores scores(const KvHeadView& head, LayerIndex layer, HeadIndex number,
                                    const ScoreRequest& request) const override;

  private:
    struct Asked {
        std::int64_t at = 0;
        std::vector<float> rows;  ///< [heads, keyDim]
    };
    [[nodiscard]] std::vector<AskedQuery> queriesOf(int layer, std::size_t first, std::size_t end,
                                                    int kvHead) const;
    void keep(std::deque<Asked>& asked, View<const float, 3> queries, Position first,
              std::size_t most) const;
    void accumulate(int layer, std::size_t count);
    void accumulateHead(int layer, int kvHead, std::size_t count);
    [[nodiscard]] SlotScores windowScores(const KvHeadView& head, int layer, int kvHead,
                                          int queries) const;
    [[nodiscard]] SlotScores accumulatedScores(const KvHeadView& head, int layer, int kvHead) const;

    const KvCache* cache_;
    AttentionScoring scoring_;
    ThreadPool& pool_;
    std::vector<std::deque<Asked>> asked_;    ///< by layer, oldest first
    std::vector<std::vector<float>> masses_;  ///< by layer * kvHeads + head, then by position
    std::vector<std::int64_t> firstQuery_;    ///< by layer: position of the first query seen
    std::vector<std::int64_t> endQuery_;      ///< by layer: after the last one
};

}  // namespace lacuna
