#pragma once
/// \file
/// Scores of slots by the attention that queries to come are expected to give them (Expected
/// Attention, Devoto et al. 2025, arXiv 2510.00636). Queries of a head are taken as normally
/// distributed before they are turned for their place, so that mean and covariance of those seen
/// foretell those to come. docs/eviction.md, "Scores by attention".

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/thread_pool.h"
#include "engine/kv/eviction/attention_scores.h"
#include "engine/kv/eviction/eviction_scores.h"
#include "engine/kv/eviction/query_rotation.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// Of the queries of one head; for one that is asked at any of several positions, of their mean.
struct QueryMoments {
    std::vector<float> mean;        ///< [d]
    std::vector<float> covariance;  ///< [d, d]
};

/// The moments of R q, where R is the mean of the rotations to `count` positions from `first` on
/// and q has the moments given. In float64. @pre count > 0, two elements a pair
[[nodiscard]] QueryMoments turnedAhead(const QueryMoments& moments, const QueryRotation& rotation,
                                       std::int64_t first, int count);

/// ln E[exp(scale q.k)] of every slot under normal q, in closed form: scale mean.k + scale^2 / 2
/// k'Ck. A soft cap bounds the result, since there is no closed form for it; the bias of a slot
/// comes on top. [slots]; says nothing of keys that are not finite. Keys are read in tiles.
[[nodiscard]] std::vector<float> expectedLogits(const KvHeadView& head, int keyDim,
                                                const LogitScaling& scaling,
                                                const QueryMoments& moments);

struct Expectation {
    int heads = 0;  ///< query heads, a multiple of the KV heads
    LogitScaling scaling;
    QueryRotation rotation = {};
};

/// Watches the queries of one sequence and keeps sums of them and of their products, for each query
/// head a matrix [keyDim, keyDim]. Sums lag up to 2 * kLag tokens behind, so that proposed tokens
/// that are taken back leave nothing in them, and they are the same for any division of the text
/// into runs. The first kFirst tokens are left out: queries there are unlike all others.
///
/// Cost: keyDim^2 / 2 additions for each query head and token read, keyDim^2 for each query head
/// and slot at a compaction. Owned by the engine thread.
class ExpectedAttention final : public QueryScores {
  public:
    static constexpr int kLag = 32;
    static constexpr int kFirst = 4;
    static constexpr int kAhead = 512;  ///< positions of queries to come

    /// Watches `cache`, which must outlive it.
    ExpectedAttention(const KvCache& cache, Expectation expectation, ThreadPool& pool);
    void observeQueries(LayerIndex layer, View<const float, 3> queries, Position first) override;
    void forgetFrom(Position position) override;
    void settle() override {}
    [[nodiscard]] int observed(LayerIndex layer) const override;
    [[nodiscard]] bool watches(const KvCache& cache) const override { return cache_ == &cache; }
    /// ln of (expected probability, mean over the query heads of the group, times the length of the
    /// value): the same order as the product, and no two slots are equal for being small. The first
    /// kFirst tokens share in no probability and get the largest score.
    [[nodiscard]] SlotScores scores(const KvHeadView& head, LayerIndex layer, HeadIndex number,
                                    const ScoreRequest& request) const override;
    /// Of one query head before it turns. @pre observed(layer) > 0
    [[nodiscard]] QueryMoments moments(LayerIndex layer, int queryHead) const;
    [[nodiscard]] std::int64_t bytes() const;

  private:
    /// Of queries less a vector near their mean, so that nothing cancels.
    struct Sums {
        std::int64_t tokens = 0;
        std::int64_t first = 0;       ///< position of the oldest
        std::vector<float> centre;    ///< [heads, d]
        std::vector<float> queries;   ///< [heads, d]
        std::vector<float> products;  ///< [heads, d, d]
    };
    struct Watched {
        Sums sums;
        std::vector<std::int64_t> at;  ///< [waiting], ascending
        std::vector<float> rows;       ///< [waiting, heads, d], turned back
    };
    void fold(Watched& watched);
    void addBlock(std::span<const float> rows, std::size_t tokens, std::size_t head,
                  Sums& sums) const;

    const KvCache* cache_;
    Expectation expectation_;
    ThreadPool& pool_;
    std::vector<Watched> layers_;
    InverseRotation inverse_;
};

}  // namespace lacuna
