// A compaction preview against the compaction it predicts.

#include "engine/quality/compaction_preview.h"

#include <gtest/gtest.h>

#include "engine/generate/compaction_inputs.h"
#include "engine/generate/text_pass.h"
#include "engine/kv/slot/slot_cache.h"
#include "engine/model/transformer.h"
#include "tests/support/compaction_notes.h"
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
        kv.compactionFloor = 0;
        kv.lossLimit.level = LossLimit::Level::Off;
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
    /// Returns a reader that reads the text again for its queries.
    QueryReader reader() {
        return queryReader({.model = forward.get(), .tokens = ids, .type = DType::F32});
    }
    Result<CompactionPreview> preview(const PreviewOptions& options = {}) {
        return previewCompaction(*cache, *compactor, kv, options);
    }
};

KvOptions matching(double ratio, HeadBudgets budgets = HeadBudgets::Uniform) {
    KvOptions kv;
    kv.method = CompactionMethod::AttentionMatching;
    kv.compactionFloor = 0;
    kv.lossLimit.level = LossLimit::Level::Off;
    kv.amRatio = ratio;
    kv.headBudgets = budgets;
    kv.background = false;
    return kv;
}

TEST(CompactionPreview, attentionMatching_previewIsExact_forEveryRatioAndHeadBudget) {
    for (const HeadBudgets budgets :
         {HeadBudgets::Uniform, HeadBudgets::Coverage, HeadBudgets::Entropy, HeadBudgets::Auto})
        for (const double ratio : {2.0, 3.0, 8.0}) {
            Bench bench;
            bench.kv = matching(ratio, budgets);
            const auto preview = bench.preview();
            ASSERT_TRUE(preview) << describe(preview.error());
            const CompactionReport report = bench.compactor->compact(*bench.cache, bench.kv);
            ASSERT_EQ(report.result, CompactionResult::Done) << report.notes;
            ASSERT_LT(report.slotsAfter, report.slotsBefore);
            EXPECT_GT(*report.heldOutError, 0);
            EXPECT_EQ(preview->outputError, report.heldOutError) << ratio;
            EXPECT_EQ(preview->outputErrorSpread, 0);
            EXPECT_EQ(preview->slotsAfter, report.slotsAfter);
            EXPECT_EQ(preview->liveBytesAfter, report.liveBytesAfter);
            EXPECT_EQ(preview->heads, 12);
            EXPECT_EQ(preview->headsFitted, 12);
            EXPECT_EQ(previewJson(*preview)["estimate"], true);
            EXPECT_EQ(previewOutcomeJson(*preview, report)["output_error"]["ratio"], 1.0);
        }
}

TEST(CompactionPreview, rereadForQueries_isTheSameForPreviewAndCompaction) {
    Bench bench(300, spec(), CompactionMethod::None);
    bench.kv = matching(4);
    const auto preview = bench.preview({.reader = bench.reader()});
    ASSERT_TRUE(preview) << describe(preview.error());
    ASSERT_TRUE(preview->outputError);
    const CompactionReport report =
        bench.compactor->compact(*bench.cache, bench.kv, {.reader = bench.reader()});
    ASSERT_EQ(report.result, CompactionResult::Done);
    EXPECT_TRUE(mentions(report.notes, CompactionReason::QueriesFromReading)) << report.notes;
    EXPECT_EQ(preview->outputError, report.heldOutError);
    EXPECT_EQ(preview->notes, report.notes) << "by the same method";
}

TEST(CompactionPreview, preview_doesNotChangeTheLaterCompaction) {
    std::vector<std::string> states;
    for (const bool estimated : {false, true}) {
        Bench bench(300, spec(), CompactionMethod::None);
        bench.kv = matching(4);
        if (estimated) {
            ASSERT_TRUE(bench.preview({.reader = bench.reader()}));
        }
        // Without a reader it uses the queries it has.
        const CompactionReport report = bench.compactor->compact(*bench.cache, bench.kv);
        ASSERT_EQ(report.result, CompactionResult::Done);
        ASSERT_LT(report.slotsAfter, report.slotsBefore);
        states.push_back(bench.cache->save().value());
    }
    EXPECT_EQ(states[0], states[1]);
}

TEST(CompactionPreview, sampledHeads_divideAmongAllHeads_andReportTheUncertainty) {
    Bench bench;
    bench.kv = matching(3, HeadBudgets::Coverage);
    const auto whole = bench.preview();
    const auto some = bench.preview({.sample = {.scores = 0, .heads = 5}});
    ASSERT_TRUE(whole && some);
    EXPECT_EQ(some->heads, 12);
    EXPECT_EQ(some->headsFitted, 5);
    EXPECT_GT(some->outputErrorSpread, 0);
    EXPECT_LT(some->outputErrorSpread, 0.5 * *some->outputError);
    EXPECT_NEAR(*some->outputError, *whole->outputError, 4 * some->outputErrorSpread);
    EXPECT_EQ(some->slotsAfter, whole->slotsAfter) << "the targets are those of the whole";
    EXPECT_NEAR(static_cast<double>(some->liveBytesAfter),
                static_cast<double>(whole->liveBytesAfter),
                0.02 * static_cast<double>(whole->liveBytesAfter));
    const std::int64_t oneHead = 300 * 512;
    const auto bounded = bench.preview({.sample = {.scores = 3 * oneHead, .heads = 0}});
    ASSERT_TRUE(bounded);
    EXPECT_EQ(bounded->headsFitted, 3);
    const auto least = bench.preview({.sample = {.scores = 1, .heads = 0}});
    ASSERT_TRUE(least);
    EXPECT_EQ(least->headsFitted, 1);
}

TEST(CompactionPreview, cancelled_returnsAnError_andChangesNothing) {
    Bench bench;
    bench.kv = matching(3);
    const std::string before = bench.cache->save().value();
    int asked = 0;
    const auto preview = bench.preview({.cancelled = [&asked] { return ++asked > 1; }});
    ASSERT_FALSE(preview);
    EXPECT_EQ(preview.error().code, ErrorCode::Cancelled);
    EXPECT_EQ(asked, 2);
    EXPECT_EQ(bench.cache->save().value(), before);
}

TEST(CompactionPreview, eviction_previewIsExactToTheByte) {
    Bench bench;
    const auto preview = bench.preview();
    ASSERT_TRUE(preview) << describe(preview.error());
    EXPECT_EQ(preview->heads, 0) << "nothing is fitted";
    EXPECT_TRUE(preview->compacts);
    EXPECT_EQ(bench.cache->stats().slotsTotal, preview->slotsNow) << "nothing was applied";
    const CompactionReport report = bench.compactor->compact(*bench.cache, bench.kv);
    EXPECT_EQ(preview->slotsAfter, report.slotsAfter);
    EXPECT_EQ(preview->liveBytesAfter, report.liveBytesAfter);
    EXPECT_LT(report.liveBytesAfter, report.liveBytesBefore);
    const OrderedJson outcome = previewOutcomeJson(*preview, report);
    EXPECT_EQ(outcome["live_bytes_after"]["ratio"], 1.0);
}

TEST(CompactionPreview, nothingToGain_reportsWhy_andKeepsTheFigures) {
    Bench bench(60);
    const auto preview = bench.preview();
    ASSERT_TRUE(preview);
    EXPECT_FALSE(preview->compacts);
    EXPECT_EQ(preview->slotsAfter, preview->slotsNow);
    EXPECT_EQ(preview->liveBytesAfter, preview->liveBytesNow);
    EXPECT_TRUE(mentions(preview->notes, CompactionReason::NothingToGain)) << preview->notes;
}

TEST(CompactionPreview, skippedLayers_areNotTried) {
    Bench bench;
    bench.kv = matching(3);
    bench.kv.skipLayers = {0, 1, 2, 3};
    const auto preview = bench.preview();
    ASSERT_TRUE(preview);
    EXPECT_EQ(preview->heads, 4);
    EXPECT_EQ(preview->headsFitted, 4);
    EXPECT_EQ(preview->slotsNow - preview->slotsAfter, 4 * 200);
}

}  // namespace
}  // namespace lacuna
