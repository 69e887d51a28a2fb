#pragma once
/// \file
/// Scores slots by the attention expected from future queries (Expected Attention, Devoto et al.
/// 2025, arXiv:2510.00636). The queries of a head are modelled as normally distributed before
/// rotation, so that mean and covariance of past queries predict future ones. docs/eviction.md,
/// "Scores by attention".

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/thread_pool.h"
#include "engine/kv/eviction/attention_scores.h"
#include "engine/kv/eviction/eviction_scores.h"
#include "engine/kv/eviction/query_readers.h"
#include "engine/kv/eviction/query_rotation.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// Moments of the queries of one head; for a range of positions, of the query averaged over them.
struct QueryMoments {
    std::vector<float> mean;        ///< [d]
    std::vector<float> covariance;  ///< [d, d]
};

/// Moments of R q, where R is the mean rotation over `count` positions from `first` on and q has
/// the given moments. In float64. @pre count > 0, two elements per pair
[[nodiscard]] QueryMoments rotatedAhead(const QueryMoments& moments, const QueryRotation& rotation,
                                        std::int64_t first, int count);

/// ln E[exp(scale q.k)] of every slot for normally distributed q, in closed form: scale mean.k +
/// scale^2 / 2 k'Ck. A soft cap bounds the result, since there is no closed form for it; the bias
/// of a slot is added. [slots]; undefined for keys that are not finite. Keys are read in tiles.
[[nodiscard]] std::vector<float> expectedLogits(const KvHeadView& head, int keyDim,
                                                const LogitScaling& scaling,
                                                const QueryMoments& moments);

struct Expectation {
    int heads = 0;  ///< query heads, a multiple of the KV heads
    LogitScaling scaling;
    QueryRotation rotation = {};
};

/// Observes the queries of one sequence and accumulates sums of them and of their products, one
/// matrix [keyDim, keyDim] per query head. The sums lag up to 2 * kLag tokens, so that rejected
/// speculative tokens never enter them. They do not depend on how the text is divided into runs.
/// The first kFirst tokens are excluded, because their queries are unlike all others.
///
/// Cost: keyDim^2 / 2 additions for each query head and token read, keyDim^2 for each query head
/// and slot at a compaction. Owned by the engine thread.
class ExpectedAttention final : public QueryScores {
  public:
    static constexpr int kLag = 32;
    static constexpr int kFirst = 4;
    static constexpr int kAhead = 512;  ///< number of future query positions

    /// Observes `cache`, which must outlive it.
    ExpectedAttention(const KvCache& cache, Expectation expectation, ThreadPool& pool);
    void observeQueries(LayerIndex layer, View<const float, 3> queries, Position first) override;
    void dropFrom(Position position) override;
    void settle() override {}
    [[nodiscard]] int observed(LayerIndex layer) const override;
    [[nodiscard]] bool watches(const KvCache& cache) const override { return cache_ == &cache; }
    [[nodiscard]] std::unique_ptr<QueryScores> copyFor(const KvCache& cache) const override {
        auto copy = std::make_unique<ExpectedAttention>(*this);
        copy->cache_ = &cache;
        return copy;
    }
    /// ln of (expected probability, averaged over the query heads of the group, times the norm of
    /// the value). It has the same order as the product, but small values do not collapse to equal
    /// ones. The first kFirst tokens are excluded from the probabilities and get the largest score.
    [[nodiscard]] SlotScores scores(const KvHeadView& head, LayerIndex layer, HeadIndex number,
                                    const ScoreRequest& request) const override;
    /// Moments of one query head before rotation. The query heads of further layers that read the
    /// rows of this one follow its own. @pre observed(layer) > 0
    [[nodiscard]] QueryMoments moments(LayerIndex layer, int queryHead) const;
    [[nodiscard]] std::int64_t bytes() const;

  private:
    /// Sums over queries minus a vector near their mean, to avoid cancellation.
    struct Sums {
        std::int64_t tokens = 0;
        std::int64_t first = 0;       ///< position of the oldest query
        std::vector<float> centre;    ///< [heads, d]
        std::vector<float> queries;   ///< [heads, d]
        std::vector<float> products;  ///< [heads, d, d]
    };
    struct Watched {
        Sums sums;
        std::vector<std::int64_t> at;  ///< [waiting], ascending
        std::vector<float> rows;       ///< [waiting, heads, d], rotated back
        [[nodiscard]] std::int64_t seen() const { return sums.tokens + std::ssize(at); }
    };
    void fold(Watched& watched, std::size_t dim);
    void addBlock(std::span<const float> rows, std::size_t tokens, std::size_t head,
                  std::size_t dim, Sums& sums) const;

    const KvCache* cache_;
    Expectation expectation_;
    ThreadPool& pool_;
    QueryReaders readers_;
    std::vector<std::vector<Watched>> layers_;  ///< by layer and reader
    InverseRotation inverse_;
};

}  // namespace lacuna
