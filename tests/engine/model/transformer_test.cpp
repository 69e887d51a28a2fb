// The contract of a step: transactions, cancelling, batches, errors, precision.

#include "engine/model/transformer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/kernels/cpu_features.h"
#include "engine/kv/slot/slot_cache.h"
#include "tests/support/random_model.h"

namespace lacuna::test {
namespace {

std::unique_ptr<KvCache> newCache(const ModelSpec& spec, DType type = DType::F32) {
    return makeSlotCache({spec.layers, spec.kvHeads, spec.headDim, spec.headDim, type}).value();
}

std::vector<TokenId> someTokens(int n, int first = 3) {
    std::vector<TokenId> ids;
    for (int i = 0; i < n; ++i) ids.push_back((first + 37 * i) % 259);
    return ids;
}

std::vector<float> copyOf(View<const float, 2> logits) {
    return {logits.data(), logits.data() + logits.size()};
}

class TransformerTest : public ::testing::Test {
  protected:
    void SetUp() override {
        auto model = makeRandomModel(spec_, DType::Q8_0);
        ASSERT_TRUE(model.has_value()) << describe(model.error());
        model_ = *model;
    }
    [[nodiscard]] std::unique_ptr<Transformer> make(Transformer::Options options = {
                                                        .precision = Precision::Exact}) {
        auto transformer = Transformer::create(model_, pool_, options);
        EXPECT_TRUE(transformer.has_value());
        return std::move(*transformer);
    }
    static std::vector<float> feed(Transformer& transformer, KvCache& cache,
                                   std::span<const TokenId> tokens, LogitsFor logits) {
        const BatchRun run{tokens, &cache, logits, nullptr};
        const auto out = transformer.forward({&run, 1}, {});
        EXPECT_TRUE(out.has_value()) << (out ? "" : describe(out.error()));
        return out ? copyOf(*out) : std::vector<float>();
    }
    static void expectClose(std::span<const float> a, std::span<const float> b, float tolerance) {
        ASSERT_EQ(a.size(), b.size());
        for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance) << i;
    }

    ModelSpec spec_ = smallSpec();
    std::shared_ptr<const LoadedModel> model_;
    ThreadPool pool_{2};
};

TEST_F(TransformerTest, logits_noneLastAll_returnThatManyRows) {
    const auto transformer = make();
    const auto tokens = someTokens(9);
    const auto all = newCache(spec_);
    const auto last = newCache(spec_);
    const auto none = newCache(spec_);
    const auto width = static_cast<std::size_t>(spec_.vocabulary);
    const auto allRows = feed(*transformer, *all, tokens, LogitsFor::AllTokens);
    const auto lastRow = feed(*transformer, *last, tokens, LogitsFor::LastToken);
    ASSERT_EQ(allRows.size(), 9 * width);
    ASSERT_EQ(lastRow.size(), width);
    EXPECT_TRUE(feed(*transformer, *none, tokens, LogitsFor::None).empty());
    expectClose(lastRow, std::span(allRows).last(width), 1e-4F);
    EXPECT_EQ(none->offset(), Position(9));
}

TEST_F(TransformerTest, severalRuns_oneStep_equalSingleSteps) {
    const auto transformer = make();
    const auto first = someTokens(5);
    const auto second = someTokens(17, 100);
    const auto a = newCache(spec_);
    const auto b = newCache(spec_);
    const auto singleA = newCache(spec_);
    const auto singleB = newCache(spec_);
    const BatchRun runs[] = {{first, a.get(), LogitsFor::LastToken, nullptr},
                             {second, b.get(), LogitsFor::AllTokens, nullptr}};
    const auto out = transformer->forward(runs, {});
    ASSERT_TRUE(out.has_value());
    const auto together = copyOf(*out);
    auto apart = feed(*transformer, *singleA, first, LogitsFor::LastToken);
    const auto more = feed(*transformer, *singleB, second, LogitsFor::AllTokens);
    apart.insert(apart.end(), more.begin(), more.end());
    expectClose(together, apart, 1e-4F);
}

TEST_F(TransformerTest, sameStep_sameThreads_giveTheSameBits) {
    const auto transformer = make({.precision = Precision::Fast});
    const auto tokens = someTokens(30);
    const auto a = newCache(spec_);
    const auto b = newCache(spec_);
    EXPECT_EQ(feed(*transformer, *a, tokens, LogitsFor::AllTokens),
              feed(*transformer, *b, tokens, LogitsFor::AllTokens));
}

TEST_F(TransformerTest, kernels_everyTable_agree) {
    const auto tokens = someTokens(30);
    const auto reference = make({.precision = Precision::Exact, .kernels = findKernels("scalar")});
    const auto cache = newCache(spec_);
    const auto expected = feed(*reference, *cache, tokens, LogitsFor::AllTokens);
    for (const KernelTable& table : availableKernels()) {
        SCOPED_TRACE(table.name);
        const auto exact = make({.precision = Precision::Exact, .kernels = &table});
        const auto own = newCache(spec_);
        expectClose(feed(*exact, *own, tokens, LogitsFor::AllTokens), expected, 2e-4F);
    }
}

TEST_F(TransformerTest, fast_q8Weights_isNearExact) {
    const auto tokens = someTokens(40);
    const auto exact = make();
    const auto fast = make({.precision = Precision::Fast});
    const auto a = newCache(spec_);
    const auto b = newCache(spec_);
    const auto expected = feed(*exact, *a, tokens, LogitsFor::AllTokens);
    const auto found = feed(*fast, *b, tokens, LogitsFor::AllTokens);
    double squares = 0;
    double reference = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        squares += std::pow(double{expected[i]} - double{found[i]}, 2);
        reference += std::pow(double{expected[i]}, 2);
    }
    EXPECT_LE(std::sqrt(squares / reference), 0.02);
}

TEST_F(TransformerTest, cancel_atAnyPoint_leavesCachesUnchanged) {
    const auto transformer = make();
    const auto tokens = someTokens(12);
    const auto cache = newCache(spec_);
    feed(*transformer, *cache, someTokens(5), LogitsFor::None);
    const std::string before = cache->save().value();
    int polls = 0;
    const BatchRun run{tokens, cache.get(), LogitsFor::LastToken, nullptr};
    ASSERT_TRUE(transformer->forward({&run, 1}, {[&polls] { return ++polls < 0; }}).has_value());
    ASSERT_TRUE(cache->rollback(12).has_value());
    ASSERT_GE(polls, 4 * spec_.layers);
    for (int stopAt = 1; stopAt <= polls; ++stopAt) {
        int asked = 0;
        const auto out = transformer->forward({&run, 1}, {[&] { return ++asked == stopAt; }});
        ASSERT_FALSE(out.has_value());
        EXPECT_EQ(out.error().code, ErrorCode::Cancelled);
        EXPECT_EQ(cache->offset(), Position(5));
        EXPECT_EQ(cache->save().value(), before);
        cache->checkInvariants();
    }
    EXPECT_EQ(feed(*transformer, *cache, tokens, LogitsFor::LastToken).size(),
              static_cast<std::size_t>(spec_.vocabulary));
}

TEST_F(TransformerTest, chunks_anySize_giveTheSameLogits) {
    const auto transformer = make();
    const auto tokens = someTokens(33);
    const auto whole = newCache(spec_);
    const auto expected = feed(*transformer, *whole, tokens, LogitsFor::LastToken);
    for (const std::size_t chunk :
         {std::size_t{1}, std::size_t{2}, std::size_t{5}, std::size_t{16}}) {
        const auto cache = newCache(spec_);
        std::vector<float> logits;
        for (std::size_t at = 0; at < tokens.size(); at += chunk)
            logits = feed(*transformer, *cache,
                          std::span(tokens).subspan(at, std::min(chunk, tokens.size() - at)),
                          LogitsFor::LastToken);
        expectClose(logits, expected, 2e-4F);
    }
}

TEST_F(TransformerTest, invalidSteps_areRefusedAndChangeNothing) {
    const auto transformer = make({.maxTokens = 8});
    const auto cache = newCache(spec_);
    ModelSpec wider = spec_;
    wider.headDim = 64;
    const auto stranger = newCache(wider);
    const auto nine = someTokens(9);
    const std::vector<TokenId> beyond{1, spec_.vocabulary};
    const std::vector<TokenId> negative{-1};
    const std::vector<TokenId> one{1};
    const auto refused = [&](std::span<const BatchRun> runs) {
        const auto out = transformer->forward(runs, {});
        return !out && out.error().code == ErrorCode::InvalidArgument;
    };
    const BatchRun tooLong{nine, cache.get(), LogitsFor::None, nullptr};
    const BatchRun outside{beyond, cache.get(), LogitsFor::None, nullptr};
    const BatchRun below{negative, cache.get(), LogitsFor::None, nullptr};
    const BatchRun empty{{}, cache.get(), LogitsFor::None, nullptr};
    const BatchRun foreign{one, stranger.get(), LogitsFor::None, nullptr};
    const BatchRun twice[] = {{one, cache.get(), LogitsFor::None, nullptr},
                              {one, cache.get(), LogitsFor::None, nullptr}};
    EXPECT_TRUE(refused({&tooLong, 1}));
    EXPECT_TRUE(refused({&outside, 1}));
    EXPECT_TRUE(refused({&below, 1}));
    EXPECT_TRUE(refused({&empty, 1}));
    EXPECT_TRUE(refused({&foreign, 1}));
    EXPECT_TRUE(refused(twice));
    EXPECT_TRUE(refused({}));
    EXPECT_TRUE(cache->empty());
}

TEST_F(TransformerTest, damagedWeights_areReported_andTheCacheIsUnchanged) {
    auto damaged = makeRandomModel(spec_, DType::F32);
    ASSERT_TRUE(damaged.has_value());
    LayerWeights& layer = const_cast<LoadedModel&>(**damaged).weights.layers[1];
    layer.feedForwardNorm[4] = std::numeric_limits<float>::quiet_NaN();
    for (const Precision precision : {Precision::Exact, Precision::Fast}) {
        auto transformer = Transformer::create(*damaged, pool_, {.precision = precision}).value();
        const auto cache = newCache(spec_);
        const auto tokens = someTokens(6);
        const BatchRun run{tokens, cache.get(), LogitsFor::LastToken, nullptr};
        const auto out = transformer->forward({&run, 1}, {});
        ASSERT_FALSE(out.has_value());
        EXPECT_EQ(out.error().code, ErrorCode::ModelNonFinite);
        EXPECT_TRUE(cache->empty());
    }
}

TEST_F(TransformerTest, blockType_onOddColumns_isRefusedByName) {
    auto model = makeRandomModel(spec_, DType::F32);
    ASSERT_TRUE(model.has_value());
    WeightMatrix& matrix = const_cast<LoadedModel&>(**model).weights.layers[0].down;
    matrix.type = DType::Q8_0;
    matrix.columns = 33;
    const auto transformer = Transformer::create(*model, pool_, {});
    ASSERT_FALSE(transformer.has_value());
    EXPECT_EQ(transformer.error().code, ErrorCode::ModelTypeUse);
    EXPECT_NE(transformer.error().what.find("down"), std::string::npos);
}

/// Records all queries.
class Recorder final : public QueryObserver {
  public:
    void observeQueries(LayerIndex layer, View<const float, 3> queries, Position first) override {
        layers.push_back(layer.value);
        extents = queries.extents();
        position = first;
        data.assign(queries.data(), queries.data() + queries.size());
    }
    std::vector<int> layers;
    View<const float, 3>::Extents extents{};
    Position position;
    std::vector<float> data;
};

TEST_F(TransformerTest, observer_whenGiven_seesRotatedQueriesOfEveryLayer) {
    const auto transformer = make();
    const auto cache = newCache(spec_);
    feed(*transformer, *cache, someTokens(4), LogitsFor::None);
    Recorder recorder;
    const auto tokens = someTokens(3);
    const BatchRun run{tokens, cache.get(), LogitsFor::None, &recorder};
    ASSERT_TRUE(transformer->forward({&run, 1}, {}).has_value());
    EXPECT_EQ(recorder.layers, (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(recorder.extents, (View<const float, 3>::Extents{3, 6, 32}));
    EXPECT_EQ(recorder.position, Position(4));
    // The norm of each head precedes the rotation, which keeps lengths: about sqrt(32) times the
    // gain.
    for (std::size_t head = 0; head < 18; ++head) {
        double squares = 0;
        for (std::size_t i = 0; i < 32; ++i)
            squares += std::pow(double{recorder.data[head * 32 + i]}, 2);
        EXPECT_NEAR(std::sqrt(squares), std::sqrt(32.0), 1.5);
    }
}

TEST_F(TransformerTest, interleavedPairing_permutedRows_equalsHalves) {
    // Row 2i of a permuted head is row i of the unpermuted one; row 2i + 1 is row i + dim / 2.
    auto plain = makeRandomModel(spec_, DType::F32);
    auto permuted = makeRandomModel(spec_, DType::F32);
    ASSERT_TRUE(plain.has_value() && permuted.has_value());
    LoadedModel& target = const_cast<LoadedModel&>(**permuted);
    target.spec.rope.pairing = RopePairing::Interleaved;
    std::vector<std::vector<std::byte>> storage;
    const auto dim = static_cast<std::size_t>(spec_.headDim);
    const auto source = [dim](std::size_t row) {
        return row / dim * dim + row % dim / 2 + row % 2 * (dim / 2);
    };
    const auto permute = [&](WeightMatrix& w) {
        const std::size_t stride = static_cast<std::size_t>(w.columns) * sizeof(float);
        auto& bytes = storage.emplace_back(static_cast<std::size_t>(w.rows) * stride);
        for (std::size_t r = 0; r < static_cast<std::size_t>(w.rows); ++r)
            std::copy_n(w.data + source(r) * stride, stride, bytes.data() + r * stride);
        w.data = bytes.data();
    };
    for (LayerWeights& layer : target.weights.layers) {
        permute(layer.query);
        permute(layer.key);
        for (std::vector<float>* gain : {&layer.queryNorm, &layer.keyNorm}) {
            const std::vector<float> old = *gain;
            for (std::size_t i = 0; i < dim; ++i) (*gain)[i] = old[source(i)];
        }
    }
    const auto tokens = someTokens(20);
    const auto a = newCache(spec_);
    const auto b = newCache(spec_);
    auto halves = Transformer::create(*plain, pool_, {.precision = Precision::Exact}).value();
    auto interleaved =
        Transformer::create(*permuted, pool_, {.precision = Precision::Exact}).value();
    expectClose(feed(*interleaved, *b, tokens, LogitsFor::AllTokens),
                feed(*halves, *a, tokens, LogitsFor::AllTokens), 2e-4F);
}

}  // namespace
}  // namespace lacuna::test
