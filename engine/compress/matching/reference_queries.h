#pragma once
/// \file
/// Queries captured from the model, kept as targets for fitting compacted heads
/// (docs/attention-matching.md, "Reference queries": captured). The newest tokens always stay. Of
/// the older ones a bounded uniform sample is drawn per token from the counter generator: the same
/// tokens for all layers, independent of how the prompt was cut into chunks. A layer that others
/// read has the queries of all its readers. Also holds synthetic queries (query_source.h). Owned by
/// the engine thread.

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "engine/base/ids.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// Minimum number of queries to fit a head to, captured and probe queries together.
constexpr int kFittedQueries = 512;

struct QueryShape {
    int layers = 0;
    int heads = 0;    ///< query heads
    int kvHeads = 0;  ///< 0 if `extents` is set
    int keyDim = 0;   ///< 0 if `extents` is set
    /// [layers] extents of the cache if the layers differ, otherwise empty.
    std::vector<KvExtent> extents = {};
    [[nodiscard]] KvExtent extent(LayerIndex layer) const {
        return extents.empty() ? KvExtent{kvHeads, keyDim, keyDim}
                               : extents[static_cast<std::size_t>(layer.value)];
    }
    /// Query heads of one layer that share a KV head.
    [[nodiscard]] int group(LayerIndex layer) const {
        return std::max(1, heads / std::max(1, extent(layer).heads));
    }
    /// The smallest group of a layer.
    [[nodiscard]] int smallestGroup() const;
    friend bool operator==(const QueryShape&, const QueryShape&) = default;
};

class ReferenceQueries final : public QueryObserver {
  public:
    /// Default number of newest tokens whose queries always stay.
    static constexpr int kNewest = 64;

    /// With `newest` 0 the sample is uniform over all tokens.
    ReferenceQueries(QueryShape shape, std::uint64_t seed, int newest = kNewest);

    void observeQueries(LayerIndex layer, View<const float, 3> queries, Position first) override;
    /// Returns a copy that can be read on another thread while this object is updated. The queries
    /// are shared, because those of a token are immutable once every layer was seen; the cost is
    /// negligible.
    [[nodiscard]] ReferenceQueries snapshot() const;
    /// Returns a copy with tokens at and after `position` only.
    [[nodiscard]] ReferenceQueries since(Position position) const;
    /// From now on keeps tokens at and after `position` in preference to older ones.
    void prefer(Position position) { preferred_ = position.value; }
    /// Drops tokens at and after `position`.
    void dropFrom(Position position);

    [[nodiscard]] int tokens() const;  ///< number of tokens with queries of every layer
    /// Returns true if the observed queries cover the keys of a text up to `end` well enough: half
    /// of its tokens, or enough to fill the minimum number of queries for a head. Coverage is lower
    /// if rows were imported (another conversation, a file) or read under settings that observe no
    /// queries.
    [[nodiscard]] bool enoughFor(Position end) const;
    /// Adds tokens missing here from `others`, of the same text and shape, as if they had been
    /// observed first.
    void add(const ReferenceQueries& others);
    /// Returns up to `most` queries of the query heads that share a KV head, [n, keyDim] by
    /// ascending position: all heads of the newest tokens, then of sampled ones. Empty if nothing
    /// was observed.
    [[nodiscard]] std::vector<float> gather(LayerIndex layer, HeadIndex head, int most) const;
    [[nodiscard]] std::int64_t bytes() const;
    [[nodiscard]] int capacityTokens() const { return sampled_ + newest_; }
    [[nodiscard]] const QueryShape& shape() const { return shape_; }

  private:
    struct Token {
        std::uint64_t rank = 0;  ///< tokens with the lowest ranks form the sample
        std::size_t reads = 0;   ///< number of reads whose queries are here
        std::shared_ptr<std::vector<float>> queries;  ///< by read: [heads, keyDim of the layer]
    };
    /// Queries of one layer that reads the rows of `layer`, in the order of a forward pass.
    struct Read {
        int layer = 0;
        std::size_t begin = 0;  ///< of the queries in those of a token
        std::size_t size = 0;
    };
    [[nodiscard]] bool continues(LayerIndex layer, std::int32_t first, std::int32_t count) const;
    [[nodiscard]] std::size_t firstRead(LayerIndex layer);
    void addRead(LayerIndex layer);
    /// Number of elements of the queries of one token.
    [[nodiscard]] std::size_t floats() const {
        return reads_.empty() ? 0 : reads_.back().begin + reads_.back().size;
    }
    [[nodiscard]] bool complete(const Token& token) const {
        return token.reads == reads_.size() && reads_.size() >= owners_;
    }
    void admit(std::int32_t first, std::int32_t count);
    void trimSample();

    QueryShape shape_;
    std::uint64_t seed_;
    int newest_ = kNewest;
    int sampled_ = 0;  ///< maximum number of older tokens
    std::int32_t preferred_ = 0;
    std::map<std::int32_t, Token> tokens_;  ///< keyed by position
    std::int32_t end_ = 0;                  ///< one past the newest position seen
    std::int32_t chunkFirst_ = -1;          ///< first position of the chunk being observed
    std::int32_t chunkCount_ = 0;
    std::size_t nextRead_ = 0;
    /// One for each layer if all have rows of their own. Otherwise the readers of shared rows
    /// become known in the first pass.
    std::vector<Read> reads_;
    std::size_t owners_ = 0;  ///< layers with rows
};

}  // namespace lacuna
