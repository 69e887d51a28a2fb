#include "app/bench/perplexity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "engine/format/load_model.h"
#include "engine/kv/slot/slot_cache.h"
#include "engine/quality/divergence.h"

namespace lacuna {
namespace {

/// The tiny Llama of the golden folder at exact precision, with a float32 cache.
struct Bench {
    ThreadPool pool{1};
    std::unique_ptr<Transformer> model;

    Bench() {
        const auto path = std::filesystem::path(LACUNA_GOLDEN_DIR) / "models/llama/model.gguf";
        auto made = Transformer::create(loadModel(path).value(), pool,
                                        {.precision = Precision::Exact, .maxTokens = 64});
        model = std::move(*made);
    }
    [[nodiscard]] std::vector<TokenId> text(std::size_t count) const {
        const auto vocabulary = static_cast<std::size_t>(model->model().spec.vocabulary);
        std::vector<TokenId> ids;
        for (std::size_t i = 0; i < count; ++i)
            ids.push_back(static_cast<TokenId>((i * i * 31 + i * 7 + 3) % vocabulary));
        return ids;
    }
    [[nodiscard]] Result<PerplexityOutcome> run(std::span<const TokenId> ids,
                                                const PerplexityOptions& options) {
        return measurePerplexity(*model, pool, ids, options);
    }
    /// Mean over all windows with a separate cache for each token: slow but simple.
    [[nodiscard]] double naiveMean(std::span<const TokenId> ids, std::size_t window,
                                   std::size_t stride) {
        double sum = 0;
        int count = 0;
        std::size_t predictedTo = 0;
        for (std::size_t begin = 0; begin + window <= ids.size(); begin += stride) {
            for (std::size_t at = std::max(begin + 1, predictedTo); at < begin + window; ++at) {
                sum += naiveNll(ids.subspan(begin, at - begin), ids[at]);
                ++count;
            }
            predictedTo = begin + window;
        }
        return sum / count;
    }

  private:
    double naiveNll(std::span<const TokenId> context, TokenId next) {
        const ModelSpec& spec = model->model().spec;
        const auto cache = makeSlotCache({.layers = spec.layers,
                                          .kvHeads = spec.kvHeads,
                                          .keyDim = spec.headDim,
                                          .valueDim = spec.headDim,
                                          .type = DType::F32})
                               .value();
        const BatchRun run{.tokens = context, .cache = cache.get()};
        const auto logits = model->forward({&run, 1}, {}).value();
        long double sum = 0;
        for (const float v : logits.row(0)) sum += std::exp(static_cast<long double>(v));
        return static_cast<double>(std::log(sum)) -
               double{logits.row(0)[static_cast<std::size_t>(next)]};
    }
};

PerplexityOptions windows(int window, int stride) {
    PerplexityOptions options;
    options.window = window;
    options.stride = stride;
    options.chunk = 7;
    options.kv.type = DType::F32;
    return options;
}

TEST(NegativeLogLikelihood, knownLogits_giveExpectedValues) {
    const std::vector<float> even(4, 100.0F);
    EXPECT_NEAR(negativeLogLikelihood(even, 2), std::log(4.0), 1e-12);
    const std::vector<float> steep = {1000.0F, 0.0F};
    EXPECT_NEAR(negativeLogLikelihood(steep, 0), 0.0, 1e-12);
    EXPECT_NEAR(negativeLogLikelihood(steep, 1), 1000.0, 1e-9);
}

TEST(Perplexity, consecutiveWindows_equalTheNaiveComputation) {
    Bench bench;
    const auto ids = bench.text(75);
    const auto outcome = bench.run(ids, windows(20, 0));
    ASSERT_TRUE(outcome) << describe(outcome.error());
    EXPECT_EQ(outcome->windows, 3);  // the last 15 tokens do not fill a window
    EXPECT_EQ(outcome->predicted, 3 * 19);
    EXPECT_NEAR(outcome->meanNll, bench.naiveMean(ids, 20, 20), 1e-4);
    EXPECT_NEAR(outcome->perplexity, std::exp(outcome->meanNll), 1e-9);
    EXPECT_GT(outcome->standardError, 0);
}

TEST(Perplexity, slidingWindows_countEachTokenOnce) {
    Bench bench;
    const auto ids = bench.text(60);
    for (const int stride : {1, 8, 19}) {
        const auto outcome = bench.run(ids, windows(20, stride));
        ASSERT_TRUE(outcome);
        EXPECT_EQ(outcome->windows, (60 - 20) / stride + 1);
        EXPECT_EQ(outcome->predicted, 19 + (outcome->windows - 1) * stride);
        EXPECT_NEAR(outcome->meanNll, bench.naiveMean(ids, 20, static_cast<std::size_t>(stride)),
                    1e-4);
    }
}

TEST(Perplexity, shortTextOrLimit_givesOneWindow) {
    Bench bench;
    const auto ids = bench.text(30);
    const auto whole = bench.run(ids, windows(50, 0));
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->window, 30);
    EXPECT_EQ(whole->predicted, 29);
    PerplexityOptions limited = windows(50, 0);
    limited.limit = 10;
    const auto part = bench.run(ids, limited);
    ASSERT_TRUE(part);
    EXPECT_EQ(part->tokens, 10);
    EXPECT_EQ(part->predicted, 9);
}

TEST(Perplexity, invalidOptions_areRejectedWithTheirError) {
    Bench bench;
    const auto ids = bench.text(30);
    EXPECT_EQ(bench.run(ids, windows(1, 0)).error().code, ErrorCode::Range);
    EXPECT_EQ(bench.run(ids, windows(1 << 30, 0)).error().code, ErrorCode::Range);
    EXPECT_EQ(bench.run(ids, windows(10, 11)).error().code, ErrorCode::Range);
    EXPECT_EQ(bench.run(bench.text(1), windows(10, 0)).error().code, ErrorCode::InvalidArgument);
}

TEST(Perplexity, stop_endsTheRun) {
    Bench bench;
    std::stop_source stop;
    PerplexityOptions options = windows(10, 0);
    options.stop = stop.get_token();
    options.progress = [&](std::int64_t done, std::int64_t total, double) {
        EXPECT_EQ(total, 5);
        if (done == 2) stop.request_stop();
    };
    EXPECT_EQ(bench.run(bench.text(50), options).error().code, ErrorCode::Cancelled);
}

PerplexityOptions compacting(int budget) {
    PerplexityOptions options = windows(60, 0);
    options.kv.method = CompactionMethod::Eviction;
    options.kv.compactionFloor = 0;
    options.kv.lossLimit.level = LossLimit::Level::Off;
    options.kv.budget = budget;
    options.kv.keepRecent = 8;
    options.kv.nSink = 2;
    options.kv.margin = 4;
    return options;
}

TEST(Perplexity, S1_69_compaction_isMeasuredOrRejected) {
    Bench bench;
    const auto ids = bench.text(120);
    const auto full = bench.run(ids, windows(60, 0));
    const auto compacted = bench.run(ids, compacting(16));
    ASSERT_TRUE(full && compacted) << describe(compacted.error());
    EXPECT_GT(compacted->evictions, 0);
    EXPECT_LT(compacted->liveBytes, full->liveBytes);
    EXPECT_DOUBLE_EQ(full->liveOfLogical, 1);
    EXPECT_DOUBLE_EQ(full->bitsPerNumber, 32);
    EXPECT_LT(compacted->liveOfLogical, 1);
    EXPECT_GT(compacted->bitsPerNumber, 32) << "what a slot needs besides is counted";
    EXPECT_EQ(compacted->predicted, full->predicted);
    EXPECT_NE(compacted->meanNll, full->meanNll);
    const auto idle = bench.run(ids, compacting(100));
    ASSERT_FALSE(idle);
    EXPECT_EQ(idle.error().code, ErrorCode::Conflict);
    EXPECT_NE(idle.error().what.find("nothing was evicted"), std::string::npos);
}

}  // namespace
}  // namespace lacuna
