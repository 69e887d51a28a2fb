// Layers of different sizes, and layers that read the rows of earlier ones: what observers see,
// which caches fit, and passes that begin at a later layer.

#include <gtest/gtest.h>

#include <map>

#include "engine/base/string_format.h"
#include "engine/kv/slot/slot_cache.h"
#include "engine/model/model_cache.h"
#include "engine/model/transformer.h"
#include "tests/support/random_model.h"

namespace lacuna::test {
namespace {

constexpr int kTokens = 40;

ModelSpec withLayerEmbeddings() {
    ModelSpec spec = mixedSizesSpec();
    spec.layerEmbedding = 16;
    return spec;
}

class LayerSizes : public ::testing::Test {
  protected:
    LayerSizes() {
        for (int i = 0; i < kTokens; ++i) tokens_.push_back((7 + 41 * i) % 259);
    }
    [[nodiscard]] BatchRun runOn(KvCache& cache, LogitsFor logits = LogitsFor::AllTokens) const {
        return {.tokens = tokens_, .cache = &cache, .logits = logits};
    }
    [[nodiscard]] std::vector<float> forward(const BatchRun& run,
                                             const ForwardOptions& options = {}) {
        const auto rows = transformer_->forward({&run, 1}, options);
        EXPECT_TRUE(rows.has_value()) << (rows ? "" : describe(rows.error()));
        return rows ? std::vector<float>(rows->data(), rows->data() + rows->size())
                    : std::vector<float>();
    }

    ModelSpec spec_ = withLayerEmbeddings();
    ThreadPool pool_{2};
    std::unique_ptr<Transformer> transformer_ =
        Transformer::create(makeRandomModel(spec_, DType::F32).value(), pool_,
                            {.precision = Precision::Exact, .maxTokens = 64})
            .value();
    std::vector<TokenId> tokens_;
};

class Calls final : public QueryObserver {
  public:
    [[nodiscard]] bool observesInputs() const override { return true; }
    void observeInputs(LayerIndex layer, View<const float, 2> inputs, Position) override {
        EXPECT_EQ(inputs.extent(0), kTokens);
        inputs_.push_back(layer.value);
    }
    void observeQueries(LayerIndex layer, View<const float, 3> queries, Position first) override {
        EXPECT_EQ(first, Position(0));
        EXPECT_EQ(queries.extent(0), kTokens);
        queries_.push_back(layer.value);
        sizes_.push_back(static_cast<int>(queries.extent(2)));
    }
    std::vector<int> inputs_;
    std::vector<int> queries_;
    std::vector<int> sizes_;
};

TEST_F(LayerSizes, observer_seesQueriesOfReadingLayers_underTheOwner) {
    const auto cache = makeFullCache(spec_, DType::F32).value();
    Calls calls;
    BatchRun run = runOn(*cache, LogitsFor::None);
    run.observer = &calls;
    EXPECT_TRUE(forward(run).empty());
    EXPECT_EQ(calls.inputs_, (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(calls.queries_, (std::vector<int>{0, 1, 2, 1, 2}));
    EXPECT_EQ(calls.sizes_, (std::vector<int>{32, 64, 32, 64, 32}));
}

TEST_F(LayerSizes, lastToken_equalsTheLastOfAllTokens_inEveryRun) {
    const std::vector<TokenId> other(tokens_.rbegin(), tokens_.rbegin() + 20);
    const auto a = makeFullCache(spec_, DType::F32).value();
    const auto b = makeFullCache(spec_, DType::F32).value();
    const auto all = forward(runOn(*a));
    const auto allOther =
        forward({.tokens = other, .cache = b.get(), .logits = LogitsFor::AllTokens});
    ASSERT_TRUE(a->rollback(kTokens));
    ASSERT_TRUE(b->rollback(20));
    const BatchRun runs[] = {runOn(*a, LogitsFor::LastToken), {.tokens = other, .cache = b.get()}};
    const auto rows = transformer_->forward(runs, {});
    ASSERT_TRUE(rows.has_value()) << describe(rows.error());
    const auto width = static_cast<std::size_t>(spec_.vocabulary);
    ASSERT_EQ(rows->size(), std::int64_t{2} * spec_.vocabulary);
    for (std::size_t i = 0; i < width; ++i) {
        EXPECT_NEAR(rows->data()[i], all[all.size() - width + i], 1e-4);
        EXPECT_NEAR(rows->data()[width + i], allOther[allOther.size() - width + i], 1e-4);
    }
}

TEST_F(LayerSizes, passFromALaterLayer_equalsTheWholePass_orIsRefused) {
    const auto cache = makeFullCache(spec_, DType::F32).value();
    std::map<int, std::vector<float>> inputs;
    const auto whole =
        forward(runOn(*cache),
                {.cancelled = {}, .layerInput = [&](LayerIndex layer, View<const float, 2> rows) {
                     inputs[layer.value].assign(rows.data(), rows.data() + rows.size());
                 }});
    ASSERT_TRUE(cache->rollback(kTokens));
    for (int first = 0; first < spec_.layers; ++first) {
        const LayerTail tail{.first = LayerIndex(first),
                             .residual = {inputs[first].data(), {kTokens, spec_.hidden}}};
        const ForwardOptions options{.cancelled = {}, .tail = &tail};
        if (first <= 1) {
            EXPECT_EQ(forward(runOn(*cache), options), whole) << first;
        } else {  // layer 3 reads the rows of layer 1, and layer 4 those of layer 2
            const BatchRun run = runOn(*cache);
            const auto refused = transformer_->forward({&run, 1}, options);
            ASSERT_FALSE(refused.has_value()) << first;
            EXPECT_EQ(refused.error().code, ErrorCode::Unsupported);
            EXPECT_NE(refused.error().what.find(format("begin at layer {}", first)),
                      std::string::npos);
        }
        EXPECT_TRUE(cache->empty());
    }
}

TEST_F(LayerSizes, cacheOfOneSizeForAllLayers_isRefused) {
    const auto cache =
        makeSlotCache({spec_.layers, spec_.kvHeads, spec_.headDim, spec_.headDim, DType::F32})
            .value();
    const BatchRun run = runOn(*cache);
    const auto refused = transformer_->forward({&run, 1}, {});
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
    EXPECT_TRUE(cache->empty());
}

}  // namespace
}  // namespace lacuna::test
