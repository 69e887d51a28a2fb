#pragma once
/// \file
/// A cache with its compactor, fed with recognisable rows and the queries of every token.

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "../kv/kv_fixture.h"
#include "engine/compress/driver/compactor.h"

namespace lacuna::test {

inline const KvShape kShape{
    .layers = 2, .kvHeads = 2, .keyDim = 8, .valueDim = 8, .type = DType::F16};
inline const CompactorModel kModel{.heads = 4, .scale = 0.35F, .seed = 5};
/// width of the hidden state that layers read for a token
constexpr int kHidden = 4;

/// A cache with its compactor and the queries of every token.
class Bench {
  public:
    explicit Bench(const KvShape& shape = kShape, int threads = 1,
                   const CompactorModel& model = kModel)
        : Bench(makeSlotCache(shape).value(), threads, model) {}
    Bench(std::unique_ptr<KvCache> cache, int threads, const CompactorModel& model)
        : pool_(threads),
          cache_(std::move(cache)),
          compactor_(model, cache_->shape(), pool_, clock_) {}

    void append(int tokens, const KvOptions& options) {
        compactor_.beforeStep(*cache_, options);
        if (QueryObserver* observer = compactor_.observer(*cache_, options))
            observe(*observer, tokens);
        ASSERT_TRUE(test::append(*cache_, tokens));
    }
    /// Sets the seed for the queries of future tokens.
    void askLike(std::uint64_t seed) { querySeed_ = seed; }
    [[nodiscard]] KvCache& cache() { return *cache_; }
    [[nodiscard]] Compactor& compactor() { return compactor_; }

  private:
    void observe(QueryObserver& observer, int tokens) {
        const KvShape& shape = cache_->shape();
        for (int layer = 0; layer < shape.layers; ++layer) {
            std::vector<float> rows;
            for (int i = 0; i < tokens; ++i) {
                RandomStream random(querySeed_,
                                    static_cast<std::uint64_t>(cache_->offset().value + i));
                for (int n = 0; n < kModel.heads * shape.keyDim; ++n)
                    rows.push_back(static_cast<float>(random.normal()));
            }
            if (observer.observesInputs())
                observer.observeInputs(LayerIndex(layer), {rows.data(), {tokens, kHidden}},
                                       cache_->offset());
            observer.observeQueries(LayerIndex(layer),
                                    {rows.data(), {tokens, kModel.heads, shape.keyDim}},
                                    cache_->offset());
        }
    }

    SteadyClock clock_;
    ThreadPool pool_;
    std::unique_ptr<KvCache> cache_;
    Compactor compactor_;
    std::uint64_t querySeed_ = 77;
};

/// l2 and matching return options under which texts of any length are compacted.
inline KvOptions l2(int budget, int keepRecent, std::optional<int> margin = std::nullopt) {
    KvOptions options;
    options.method = CompactionMethod::Eviction;
    options.budget = budget;
    options.keepRecent = keepRecent;
    options.margin = margin;
    options.compactionFloor = 0;
    return options;
}

inline KvOptions matching(double ratio) {
    KvOptions options;
    options.method = CompactionMethod::AttentionMatching;
    options.amRatio = ratio;
    options.compactionFloor = 0;
    options.keepRecent = 32;
    return options;
}

}  // namespace lacuna::test
