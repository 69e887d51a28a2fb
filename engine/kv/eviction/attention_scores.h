#pragma once
/// \file
/// Scores slots by the attention they receive, and sums the probabilities that given queries assign
/// to every slot of a head. docs/cache-contracts.md, "Attention over slots" (visibility, order of
/// scale, cap and bias); docs/eviction.md, "Scores by attention".

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/thread_pool.h"
#include "engine/kv/attention_sinks.h"
#include "engine/kv/eviction/eviction_scores.h"
#include "engine/kv/eviction/query_readers.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// A query after RoPE, unscaled, [keyDim], its position, and the sink score of its head.
struct PositionedQuery {
    const float* row = nullptr;
    std::int64_t at = 0;
    float sink = -std::numeric_limits<float>::infinity();  ///< none
};

struct LogitScaling {
    float scale = 0;                        ///< scale of the dot products
    float softCap = 0;                      ///< cap * tanh(x / cap) of the scaled products; 0: none
    const AttentionSinks* sinks = nullptr;  ///< sinks of the model, or null; must outlive readers
};

/// sums [slots] += the probabilities of every query, which with a sink sum to less than 1. A slot
/// whose key is not finite receives nothing and does not affect the others. Keys are read in tiles
/// that stay in the L1 cache while all queries are processed. Pure function; scratch belongs to the
/// calling thread.
void addAttention(const KvHeadView& head, int keyDim, const LogitScaling& scaling,
                  std::span<const PositionedQuery> asked, std::span<float> sums);

/// most [up to slots] = max(most, probability of any query), otherwise like addAttention.
void raiseToAttention(const KvHeadView& head, int keyDim, const LogitScaling& scaling,
                      std::span<const PositionedQuery> asked, std::span<float> most);

struct AttentionScoring {
    int heads = 0;  ///< query heads, a multiple of the KV heads
    LogitScaling scaling;
    bool accumulates = false;  ///< false: observation window
    int window = 64;           ///< number of queries of the observation window
    int pool = 5;              ///< number of neighbours averaged by the observation window; odd
};

/// Scores slots by the attention they receive: the mean over the newest queries (observation
/// window, SnapKV, arXiv:2404.14469), or over every query that could see the token (accumulated
/// attention, H2O, arXiv:2306.14048). The queries of all layers that read a row count. Observes the
/// queries of one sequence; owned by the engine thread.
///
/// Cost: the window keeps `window` queries of every layer and reads the keys once at a compaction;
/// accumulation reads all keys a second time with every token. Neither runs unless requested.
/// Accumulation lags `kLag` tokens, so that rejected speculative tokens never enter the sums.
/// docs/eviction.md, "Scores by attention".
class AttentionScores final : public QueryScores {
  public:
    /// Number of tokens whose queries are held back before they are added to the sums.
    static constexpr int kLag = 32;

    /// Observes `cache`, which must outlive it.
    AttentionScores(const KvCache& cache, const AttentionScoring& scoring, ThreadPool& pool);
    void observeQueries(LayerIndex layer, View<const float, 3> queries, Position first) override;
    void dropFrom(Position position) override;
    void settle() override;
    [[nodiscard]] int observed(LayerIndex layer) const override;
    [[nodiscard]] bool watches(const KvCache& cache) const override { return cache_ == &cache; }
    [[nodiscard]] std::unique_ptr<QueryScores> copyFor(const KvCache& cache) const override {
        auto copy = std::make_unique<AttentionScores>(*this);
        copy->cache_ = &cache;
        return copy;
    }
    [[nodiscard]] const AttentionScoring& scoring() const { return scoring_; }
    [[nodiscard]] SlotScores scores(const KvHeadView& head, LayerIndex layer, HeadIndex number,
                                    const ScoreRequest& request) const override;

  private:
    struct Asked {
        std::int64_t at = 0;
        std::vector<float> rows;  ///< [heads, keyDim]
    };
    void addQueries(const std::deque<Asked>& asked, std::size_t first, std::size_t end, int layer,
                    int kvHead, std::vector<PositionedQuery>& out) const;
    void keep(std::deque<Asked>& asked, View<const float, 3> queries, Position first,
              std::size_t most) const;
    void accumulate(int layer, std::deque<Asked>& asked, std::size_t count);
    void accumulateHead(int layer, int kvHead, const std::deque<Asked>& asked, std::size_t count);
    [[nodiscard]] SlotScores windowScores(const KvHeadView& head, int layer, int kvHead,
                                          int queries) const;
    [[nodiscard]] SlotScores accumulatedScores(const KvHeadView& head, int layer, int kvHead) const;

    const KvCache* cache_;
    AttentionScoring scoring_;
    ThreadPool& pool_;
    QueryReaders readers_;
    std::vector<std::vector<std::deque<Asked>>> asked_;  ///< by layer and reader, oldest first
    std::vector<std::vector<float>> masses_;  ///< by KvShape::headIndex, then by position
    std::vector<std::int64_t> firstQuery_;    ///< by layer: position of the first observed query
    std::vector<std::int64_t> endQuery_;      ///< by layer: one past the last observed query
};

}  // namespace lacuna
