#pragma once
/// \file
/// Numbers the layers that read the rows of one layer. An observer is called once for each of them
/// (QueryObserver::observeQueries) and keeps their queries apart where it counts tokens.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/kv/kv_cache.h"

namespace lacuna {

class QueryReaders {
  public:
    explicit QueryReaders(const KvShape& shape)
        : newest_(static_cast<std::size_t>(shape.layers)) {
        for (const KvExtent& one : shape.extents)
            if (one.heads == 0) ++others_;
    }
    /// Number of the reader whose queries from `first` on are observed now: 0 is the owner of the
    /// rows. Always 0 if every layer has rows of its own.
    [[nodiscard]] std::size_t next(LayerIndex layer, Position first) {
        if (others_ == 0) return 0;
        Newest& newest = newest_[static_cast<std::size_t>(layer.value)];
        newest.reader = newest.first == first.value ? (newest.reader + 1) % (others_ + 1) : 0;
        newest.first = first.value;
        return newest.reader;
    }
    /// Must be called after a rollback: the next queries are those of the owners.
    void forget() {
        for (Newest& newest : newest_) newest = {};
    }

  private:
    struct Newest {
        std::int64_t first = -1;
        std::size_t reader = 0;
    };
    std::size_t others_ = 0;  ///< layers without rows, each of which may read those of another
    std::vector<Newest> newest_;  ///< by layer
};

}  // namespace lacuna
