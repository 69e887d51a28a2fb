#pragma once
/// \file
/// Scores slots by query centres (TriAttention, arXiv:2604.04921). Before RoPE the queries of a
/// head are close to one centre, so the attention of future queries can be predicted from the key
/// and its distance alone, without a query and without repeating the text. Formulae:
/// docs/eviction.md, "Scores by query centres".

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/thread_pool.h"
#include "engine/kv/eviction/attention_scores.h"
#include "engine/kv/eviction/eviction_scores.h"
#include "engine/kv/eviction/query_readers.h"
#include "engine/kv/eviction/query_rotation.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// Statistics of a model's queries at position 0, for every layer and query head. A band is a pair
/// of elements that rotate together, or one element that never rotates: pairs come first, then the
/// other elements. Plain data; immutable in use.
struct QueryCentres {
    std::string model = {};        ///< display name of the model
    std::string fingerprint = {};  ///< fingerprint of the calibrated model
    std::string how = {};          ///< description of the calibration, for display
    int layers = 0;
    int heads = 0;
    int dim = 0;                      ///< number of elements of a query; 0 if `dims` is set
    int bands = 0;                    ///< dim minus the pairs; 0 if `dims` is set
    std::int64_t tokens = 0;          ///< number of calibration tokens, without excluded first ones
    std::vector<float> means = {};    ///< [layers, heads, dim], E[q]
    std::vector<float> lengths = {};  ///< [layers, heads, bands], E|q_f|
    /// [layers] elements of a query if the layers differ, otherwise empty; 0: a layer without
    /// centres, whose rows are not stored or never evicted.
    std::vector<int> dims = {};
    int pairs = 0;  ///< elements that rotate, halved, if `dims` is set
    friend bool operator==(const QueryCentres&, const QueryCentres&) = default;

    /// Hash of all numbers, 32 hexadecimal digits.
    [[nodiscard]] std::string hash() const;
    [[nodiscard]] int dimOf(int layer) const {
        return dims.empty() ? dim : dims[static_cast<std::size_t>(layer)];
    }
    [[nodiscard]] int bandsOf(int layer) const {
        return dims.empty() ? bands : std::max(dimOf(layer) - pairs, 0);
    }
    /// Centre [dim] of a query head.
    [[nodiscard]] std::span<const float> meanOf(int layer, int head) const;
    /// Lengths [bands] of a query head.
    [[nodiscard]] std::span<const float> lengthsOf(int layer, int head) const;
};

/// Mean over all bands of |E q_f| / E|q_f|: 1 if all queries of a head are equal, 0 if they have no
/// common direction.
[[nodiscard]] double concentration(const QueryCentres& centres, const QueryRotation& rotation);

/// Sums of the queries of one layer at position 0.
struct QuerySums {
    std::int64_t tokens = 0;
    std::vector<double> means = {};    ///< [heads, dim]
    std::vector<double> lengths = {};  ///< [heads, bands]

    /// Adds the queries [heads, dim] of one token. @pre the same shape every time
    void add(const QueryRotation& rotation, const float* row, int heads, int dim);
};

/// Number of first tokens whose queries are excluded, because they are unlike all others.
constexpr int kQueriesLeftOut = 4;

/// Sums over a calibration text, whose windows are each read from position 0. The queries of all
/// layers that read the rows of one layer are summed as those of that layer.
class QueryCentreSums final : public QueryObserver {
  public:
    QueryCentreSums(int layers, int heads, QueryRotation rotation);
    void observeQueries(LayerIndex layer, View<const float, 3> queries, Position first) override;
    /// Statistics so far; names and fingerprint are empty. `dim` is the largest number of elements
    /// of a query. @pre queries were observed
    [[nodiscard]] QueryCentres centres(int dim) const;

  private:
    int heads_;
    QueryRotation rotation_;
    InverseRotation inverse_;
    std::vector<QuerySums> layers_;
};

/// A score is averaged over this many distances of future queries: 1, 2, 4, ... tokens after the
/// newest one.
constexpr int kDistances = 17;

/// Centre of a query head in the form used by scores: the score of key k is scale * (direction . k
/// + sum over bands of excess_f |k_f|).
struct RotatedCentre {
    std::vector<float> direction;  ///< [dim], mean of the rotated centre over the distances
    std::vector<float> excess;     ///< [bands], E|q_f| - |E q_f|
};
/// Centre for queries after a text of `tokens` tokens. `mean` [dim], `lengths` [bands]. In float64.
/// @pre tokens > 0
[[nodiscard]] RotatedCentre rotatedCentre(const float* mean, const float* lengths, int dim,
                                          const QueryRotation& rotation, bool turns,
                                          std::int64_t tokens);

struct TriScoring {
    int heads = 0;  ///< query heads, a multiple of the KV heads
    LogitScaling scaling;
    QueryRotation rotation = {};
    /// Calibrated on the model; if null, the conversation's own queries are used.
    std::shared_ptr<const QueryCentres> centres = nullptr;
};

/// Scores of one sequence. With calibrated centres no query is observed. Otherwise past queries are
/// summed, kLag tokens late because speculative tokens may be rejected. The centres of a request
/// come from the newest checkpoint (the powers of two and the numbers halfway between them) at
/// least kLag tokens before its anchorEnd, so that later tokens change no score.
///
/// Cost: (dim + bands) multiplications for each query head and slot. Owned by the engine thread.
class TriAttention final : public QueryScores {
  public:
    static constexpr int kLag = 32;
    static constexpr int kMinTokens = 16;  ///< minimum number of tokens of a checkpoint

    /// Observes `cache`, which must outlive it.
    TriAttention(const KvCache& cache, TriScoring scoring);
    void observeQueries(LayerIndex layer, View<const float, 3> queries, Position first) override;
    void dropFrom(Position position) override;
    void settle() override {}
    [[nodiscard]] int observed(LayerIndex layer) const override;
    [[nodiscard]] bool watches(const KvCache& cache) const override { return cache_ == &cache; }
    [[nodiscard]] std::unique_ptr<QueryScores> copyFor(const KvCache& cache) const override {
        auto copy = std::make_unique<TriAttention>(*this);
        copy->cache_ = &cache;
        return copy;
    }
    [[nodiscard]] bool known(const ScoreRequest& request) const override;
    /// Largest z-score over the query heads of the group, in every layer that reads the rows: the
    /// scores of a query head in units of their standard deviation over the slots before anchorEnd,
    /// without the first tokens.
    [[nodiscard]] SlotScores scores(const KvHeadView& head, LayerIndex layer, HeadIndex number,
                                    const ScoreRequest& request) const override;
    [[nodiscard]] const std::shared_ptr<const QueryCentres>& calibrated() const {
        return scoring_.centres;
    }

  private:
    struct Checkpoint {
        std::int64_t end = 0;  ///< position after the newest query in the sums
        QuerySums sums;
    };
    struct Watched {
        QuerySums sums;
        std::vector<Checkpoint> checkpoints;  ///< ascending
        std::vector<std::int64_t> at;         ///< [waiting], ascending
        std::vector<float> rows;              ///< [waiting, heads, dim], at position 0
        [[nodiscard]] std::int64_t seen() const { return sums.tokens + std::ssize(at); }
    };
    struct Centre {
        std::vector<float> mean;     ///< [dim]
        std::vector<float> lengths;  ///< [bands]
    };
    void fold(Watched& watched, std::size_t count, int dim) const;
    [[nodiscard]] const Checkpoint* checkpointFor(const Watched& watched,
                                                  const ScoreRequest& request) const;
    [[nodiscard]] QuerySums sumsFor(const Watched& watched, int dim,
                                    const ScoreRequest& request) const;
    [[nodiscard]] Centre centreOf(const QuerySums& sums, int dim, int queryHead) const;
    [[nodiscard]] std::vector<Centre> centresOf(LayerIndex layer, HeadIndex number,
                                                const ScoreRequest& request) const;
    [[nodiscard]] int dimOf(LayerIndex layer) const { return cache_->shape().extent(layer).keyDim; }

    const KvCache* cache_;
    TriScoring scoring_;
    QueryReaders readers_;
    InverseRotation inverse_;
    std::vector<std::vector<Watched>> layers_;  ///< by layer and reader
};

}  // namespace lacuna
