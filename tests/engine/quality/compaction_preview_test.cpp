// An estimate alongside the compaction that it was made for.

#include "engine/quality/compaction_preview.h"

#include <gtest/gtest.h>

#include "engine/generate/compaction_inputs.h"
#include "engine/kv/slot/slot_cache.h"
#include "engine/model/transformer.h"
#include "engine/quality/recent_queries.h"
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

    std::unique_ptr<Transformer> forward;
    std::vector<TokenId> ids;

    explicit Bench(int tokens = 300, const ModelSpec& shape = spec(),
                   CompactionMethod watching = CompactionMethod::AttentionMatching)
        : model(shape) {
        kv.method = CompactionMethod::Eviction;
        kv.evictionPolicy = EvictionPolicy::StreamingLLM;
        kv.budget = 100;
        const KvShape rows{.layers = model.layers,
                           .kvHeads = model.kvHeads,
                           .keyDim = model.headDim,
                           .valueDim = model.headDim,
                           .type = DType::F32};
        cache = makeSlotCache(rows).value();
        compactor = std::make_unique<Compactor>(compactorModel(model, 0, {}), rows, pool, clock);
        read(tokens, watching);
    }
    void read(int tokens, CompactionMethod watching) {
        forward = Transformer::create(test::makeRandomModel(model, DType::F32).value(), pool,
                                      {.precision = Precision::Exact, .maxTokens = 512})
                      .value();
        for (int i = 0; i < tokens; ++i) ids.push_back(3 + (i * i * 31 + i * 7) % 250);
        KvOptions collecting;
        collecting.method = watching;
        const BatchRun run{.tokens = ids,
                           .cache = cache.get(),
                           .observer = compactor->observer(*cache, collecting)};
        ASSERT_TRUE(forward->forward({&run, 1}, {}));
    }
    Result<int> capture(int most) {
        return captureNewest({.cache = cache.get(), .tokens = ids, .compactor = compactor.get()},
                             *forward, most);
    }
    Result<CompactionPreview> preview(int layers) {
        return previewCompaction(*cache, *compactor, kv, model, {.layers = layers});
    }
};

TEST(CompactionPreview, queriesCapturedAgain_judgeAnAttentionMatchingThatHadNone) {
    Bench bench(300, spec(), CompactionMethod::None);
    bench.kv = {};
    bench.kv.method = CompactionMethod::AttentionMatching;
    bench.kv.keepRecent = 16;
    const auto blind = bench.preview(0);
    ASSERT_TRUE(blind) << describe(blind.error());
    ASSERT_TRUE(blind->compacts);
    EXPECT_FALSE(blind->outputError);
    const KvStats before = bench.cache->stats();
    const auto captured = bench.capture(64);
    ASSERT_TRUE(captured) << describe(captured.error());
    EXPECT_EQ(*captured, 64);
    EXPECT_EQ(bench.cache->stats().tokens, before.tokens);
    EXPECT_EQ(bench.cache->stats().slotsTotal, before.slotsTotal);
    const auto preview = bench.preview(0);
    ASSERT_TRUE(preview) << describe(preview.error());
    ASSERT_TRUE(preview->outputError);
    // What was captured stays, so that the compaction itself is fitted to it.
    const CompactionReport report = bench.compactor->compact(*bench.cache, bench.kv);
    ASSERT_EQ(report.result, CompactionResult::Done);
    ASSERT_LT(report.slotsAfter, report.slotsBefore);
    ASSERT_TRUE(report.heldOutError);
    EXPECT_NEAR(*preview->outputError, *report.heldOutError, 1e-6);
    EXPECT_GT(*report.heldOutError, 0);
}

TEST(CompactionPreview, queriesCapturedAgain_areThoseThatWereAsked) {
    Bench watched;
    Bench blind(300, spec(), CompactionMethod::None);
    ASSERT_TRUE(blind.capture(64));
    for (Bench* bench : {&watched, &blind}) {
        bench->kv = {};
        bench->kv.method = CompactionMethod::AttentionMatching;
        bench->kv.keepRecent = 16;
    }
    // All captured queries of the one, the newest 64 of the other: near, and the text is the same.
    const auto a = watched.preview(0);
    const auto b = blind.preview(0);
    ASSERT_TRUE(a && b);
    ASSERT_TRUE(a->outputError && b->outputError);
    EXPECT_NEAR(*b->outputError / *a->outputError, 1.0, 0.5);
}

TEST(CompactionPreview, cacheThatCannotGoBack_saysSoInsteadOfCapturing) {
    Bench bench(300, spec(), CompactionMethod::None);
    ASSERT_EQ(bench.compactor->compact(*bench.cache, bench.kv).result, CompactionResult::Done);
    const KvStats before = bench.cache->stats();
    const auto captured = bench.capture(64);
    ASSERT_FALSE(captured);
    EXPECT_EQ(captured.error().code, ErrorCode::Unsupported);
    EXPECT_NE(captured.error().what.find("at least 16"), std::string::npos);
    EXPECT_EQ(bench.cache->stats().slotsTotal, before.slotsTotal);
}

TEST(CompactionPreview, eviction_isForeseenToTheByteFromTwoLayers) {
    Bench bench;
    const auto preview = bench.preview(2);
    ASSERT_TRUE(preview) << describe(preview.error());
    EXPECT_EQ(preview->layersTried, 2);
    EXPECT_EQ(preview->layers, 6);
    EXPECT_TRUE(preview->compacts);
    EXPECT_EQ(bench.cache->stats().slotsTotal, preview->slotsNow) << "nothing was applied";
    const CompactionReport report = bench.compactor->compact(*bench.cache, bench.kv);
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
    const CompactionReport report = bench.compactor->compact(*bench.cache, bench.kv);
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
    const CompactionReport report = bench.compactor->compact(*bench.cache, bench.kv);
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
