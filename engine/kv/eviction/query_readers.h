#pragma once
/// \file
/// Numbers the layers that read the rows of one layer. An observer is called once for each of them
/// (QueryObserver::observeQueries) and keeps their queries apart where it counts tokens.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/kv/kv_cache.h"

namespace lacuna {

class QueryReaders {
  public:
    explicit QueryReaders(const KvShape& shape)
        : reads_(static_cast<std::size_t>(shape.layers)), shared_(!shape.uniform()) {
        for (int layer = 0; layer < shape.layers; ++layer) {
            if (shape.heads(LayerIndex(layer)) == 0) continue;
            if (owners_++ == 0) firstOwner_ = layer;
        }
    }
    /// Number of the reader whose queries from `first` on are observed now: 0 is the owner of the
    /// rows. Must be called for every layer. Always 0 if the layers of a cache are equal, since
    /// each has rows of its own then.
    [[nodiscard]] std::size_t next(LayerIndex layer, Position first) {
        if (!shared_) return 0;
        // A pass that was abandoned before its last owner begins again with the first one.
        const bool again = layer.value == firstOwner_ && seen_ < owners_;
        if (first.value != first_ || again) reset();
        first_ = first.value;
        std::size_t& reads = reads_[static_cast<std::size_t>(layer.value)];
        if (reads == 0) ++seen_;
        return reads++ % (reads_.size() - owners_ + 1);
    }
    /// Must be called after a rollback: the next queries are those of the owners.
    void reset() {
        first_ = -1;
        seen_ = 0;
        std::ranges::fill(reads_, std::size_t{0});
    }

  private:
    std::vector<std::size_t> reads_;  ///< by layer, in this pass
    bool shared_ = false;
    int firstOwner_ = 0;
    std::size_t owners_ = 0;  ///< layers with rows
    std::size_t seen_ = 0;    ///< owners in this pass
    std::int64_t first_ = -1;
};

}  // namespace lacuna
