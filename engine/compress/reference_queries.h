#pragma once
/// \file
/// Queries the model really asked, kept to fit compacted heads against (docs/attention-matching.md,
/// "Reference queries": captured). The newest tokens always stay; of the older ones a fair sample
/// of bounded size, drawn token by token from the counter generator, the same tokens for all layers
/// and the same sample however the prompt was cut into chunks. Also holds queries that nobody asked
/// (query_source.h). Owned by the engine thread.

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "engine/base/ids.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// Queries that a head is fitted to at least, captured ones and probes together.
constexpr int kFittedQueries = 512;

struct QueryShape {
    int layers = 0;
    int heads = 0;  ///< query heads
    int kvHeads = 0;
    int keyDim = 0;
    /// Query heads that share a KV head.
    [[nodiscard]] int group() const { return std::max(1, heads / std::max(1, kvHeads)); }
    friend bool operator==(const QueryShape&, const QueryShape&) = default;
};

class ReferenceQueries final : public QueryObserver {
  public:
    /// Newest tokens whose queries always stay, where nothing else is said.
    static constexpr int kNewest = 64;

    /// With `newest` 0 the sample is fair over all tokens.
    ReferenceQueries(QueryShape shape, std::uint64_t seed, int newest = kNewest);

    void observeQueries(LayerIndex layer, View<const float, 3> queries, Position first) override;
    /// The same queries, to be read on another thread while this goes on: they are shared, since
    /// those of a token never change once every layer was seen. Costs nothing worth mentioning.
    [[nodiscard]] ReferenceQueries snapshot() const;
    /// The same, of tokens at and after `position` only.
    [[nodiscard]] ReferenceQueries since(Position position) const;
    /// From now on tokens at and after `position` stay before older ones do.
    void prefer(Position position) { preferred_ = position.value; }
    /// Forgets tokens at and after `position`.
    void forgetFrom(Position position);

    [[nodiscard]] int tokens() const;  ///< with queries of every layer
    /// Whether what was observed says enough about the keys of the first tokens of a text, up to
    /// `end`: half of them, or as many as fill the least number of queries that a head is fitted
    /// to. Fewer are there where rows were taken over from elsewhere (another conversation, a
    /// file), or were read under settings that observe nothing.
    [[nodiscard]] bool enoughFor(Position end) const;
    /// Takes tokens over that are not here, of the same text and shape, as if they had been
    /// observed before what is here.
    void add(const ReferenceQueries& others);
    /// Up to `most` queries of the query heads that share a KV head, [n, keyDim] by rising
    /// position: all heads of the newest tokens, then of sampled ones. Empty when nothing was
    /// observed.
    [[nodiscard]] std::vector<float> gather(LayerIndex layer, HeadIndex head, int most) const;
    [[nodiscard]] std::int64_t bytes() const;
    [[nodiscard]] int capacityTokens() const { return sampled_ + newest_; }
    [[nodiscard]] const QueryShape& shape() const { return shape_; }

  private:
    struct Token {
        std::uint64_t rank = 0;  ///< the lowest ranks make the sample
        int layersSeen = 0;
        std::shared_ptr<std::vector<float>> queries;  ///< [layers, heads, keyDim]
    };
    void admit(std::int32_t first, std::int32_t count);
    void trimSample();

    QueryShape shape_;
    std::uint64_t seed_;
    int newest_ = kNewest;
    int sampled_ = 0;  ///< older tokens kept at most
    std::int32_t preferred_ = 0;
    std::map<std::int32_t, Token> tokens_;  ///< by position
    std::int32_t end_ = 0;                  ///< one past the newest position seen
    std::int32_t chunkFirst_ = -1;          ///< the chunk being observed
    std::int32_t chunkCount_ = 0;
    int nextLayer_ = 0;
};

}  // namespace lacuna
