// An estimate beside the compaction that it was made for.

#include "engine/quality/compaction_preview.h"

#include <gtest/gtest.h>

#include "engine/generate/compactor_model.h"
#include "engine/kv/slot_cache.h"
#include "engine/model/transformer.h"
#include "tests/support/random_model.h"

namespace lacuna {
namespace {

ModelSpec spec() {
    ModelSpec spec = test::smallSpec();
    spec.layers = 6;
    return spec;
}

struct Bench {
    ThreadPool pool{1};
    SteadyClock clock;
    ModelSpec model;
    KvOptions kv;
    std::unique_ptr<KvCache> cache;
    std::unique_ptr<Compactor> compactor;

    explicit Bench(int tokens = 300, const ModelSpec& shape = spec()) : model(shape) {
        kv.method = CompactionMethod::L2;
        kv.normPolicy = NormPolicy::KeepRecentOnly;
        kv.budget = 100;
        const KvShape rows{.layers = model.layers,
                           .kvHeads = model.kvHeads,
                           .keyDim = model.headDim,
                           .valueDim = model.headDim,
                           .type = DType::F32};
        cache = makeSlotCache(rows).value();
        compactor =
            std::make_unique<Compactor>(compactorModel(model, 0, nullptr), rows, pool, clock);
        read(tokens);
    }
    void read(int tokens) {
        auto forward = Transformer::create(test::makeRandomModel(model, DType::F32).value(), pool,
                                           {.precision = Precision::Exact, .maxTokens = 512})
                           .value();
        std::vector<TokenId> ids;
        for (int i = 0; i < tokens; ++i) ids.push_back(3 + (i * i * 31 + i * 7) % 250);
        KvOptions collecting;
        collecting.method = CompactionMethod::AttentionMatching;
        const BatchRun run{
            .tokens = ids, .cache = cache.get(), .observer = compactor->observer(*cache, collecting)};
        ASSERT_TRUE(forward->forward({&run, 1}, {}));
    }
    Result<CompactionPreview> preview(int layers) {
        return previewCompaction(*cache, *compactor, kv, model, {.layers = layers});
    }
};

TEST(CompactionPreview, eviction_isForeseenToTheByteFromTwoLayers) {
    Bench bench;
    const auto preview = bench.preview(2);
    ASSERT_TRUE(preview) << describe(preview.error());
    EXPECT_EQ(preview->layersTried, 2);
    EXPECT_EQ(preview->layers, 6);
    EXPECT_TRUE(preview->compacts);
    EXPECT_EQ(bench.cache->stats().slotsTotal, preview->slotsNow) << "nothing was applied";
    const CompactionReport report =
        bench.compactor->compactNow(*bench.cache, bench.kv, CompactionCause::Manual);
    EXPECT_EQ(preview->slotsAfter, report.slotsAfter);
    EXPECT_EQ(preview->liveBytesAfter, report.liveBytesAfter);
    EXPECT_LT(report.liveBytesAfter, report.liveBytesBefore);
    const OrderedJson outcome = previewOutcomeJson(*preview, report);
    EXPECT_EQ(outcome["live_bytes_after"]["ratio"], 1.0);
}

TEST(CompactionPreview, attentionMatching_foreseesItsError) {
    Bench bench;
    bench.kv = {};
    bench.kv.method = CompactionMethod::AttentionMatching;
    bench.kv.amRatio = 3;
    bench.kv.headBudgets = HeadBudgets::Uniform;
    const auto preview = bench.preview(3);
    ASSERT_TRUE(preview) << describe(preview.error());
    ASSERT_TRUE(preview->outputError);
    const CompactionReport report =
        bench.compactor->compactNow(*bench.cache, bench.kv, CompactionCause::Manual);
    ASSERT_EQ(report.result, CompactionResult::Done);
    EXPECT_NEAR(static_cast<double>(preview->liveBytesAfter),
                static_cast<double>(report.liveBytesAfter),
                0.05 * static_cast<double>(report.liveBytesAfter));
    EXPECT_NEAR(*preview->outputError, *report.heldOutError, 0.5 * *report.heldOutError);
    EXPECT_EQ(previewJson(*preview)["estimate"], true);
}

TEST(CompactionPreview, allLayers_foreseeTheErrorExactly) {
    Bench bench;
    bench.kv = {};
    bench.kv.method = CompactionMethod::AttentionMatching;
    bench.kv.amRatio = 3;
    const auto preview = bench.preview(0);
    ASSERT_TRUE(preview);
    const CompactionReport report =
        bench.compactor->compactNow(*bench.cache, bench.kv, CompactionCause::Manual);
    EXPECT_EQ(preview->outputError, report.heldOutError);
    EXPECT_EQ(preview->slotsAfter, report.slotsAfter);
}

TEST(CompactionPreview, nothingToGain_saysWhyAndKeepsTheFigures) {
    Bench bench(60);
    const auto preview = bench.preview(2);
    ASSERT_TRUE(preview);
    EXPECT_FALSE(preview->compacts);
    EXPECT_EQ(preview->slotsAfter, preview->slotsNow);
    EXPECT_EQ(preview->liveBytesAfter, preview->liveBytesNow);
    EXPECT_NE(preview->reason.find("nothing to gain"), std::string::npos) << preview->reason;
}

TEST(CompactionPreview, skippedLayers_areNotTried) {
    Bench bench;
    bench.kv.skipLayers = {0, 1, 2, 3};
    const auto preview = bench.preview(5);
    ASSERT_TRUE(preview);
    EXPECT_EQ(preview->layers, 2);
    EXPECT_EQ(preview->layersTried, 2);
    EXPECT_EQ(preview->slotsNow - preview->slotsAfter, 2 * 2 * 200);
}

}  // namespace
}  // namespace lacuna
