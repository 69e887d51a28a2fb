// Vectors L2-30 to L2-48 of the cache contract and the related rows S1 and D: a cache before,
// during and after its compactions. All decisions are made by production code.

#include <gtest/gtest.h>

#include "engine/kv/kv_factory.h"
#include "engine/kv/slot/slot_cache.h"
#include "eviction_fixture.h"

namespace lacuna::test {
namespace {

TEST(Eviction, L2_30_maskUsesSlots_ropeUsesTheOffset) {
    auto cache = makeSlotCache(tiny()).value();
    ASSERT_TRUE(append(*cache, 4096));
    ASSERT_TRUE(cache->compactable()->apply(keepEverywhere(*cache, newestAndFirst(4096, 2048))));
    EXPECT_EQ(cache->offset().value, 4096);
    EXPECT_EQ(cache->size(), 2048);
    ASSERT_TRUE(cache->beginAppend(4));
    writeRows(*cache, 4);
    const KvHeadView view = cache->head(LayerIndex(0), HeadIndex(0));
    EXPECT_EQ(view.slots, 2052);
    EXPECT_EQ(view.positions[2051], 4099);
    cache->abortAppend();
}

TEST(Eviction, L2_31_S1_42_nextToken_usesTheNextSlotWithoutGrowth) {
    for (const int budget : {64, 256, 2048}) {
        CountingAllocator allocator;
        auto cache = makeSlotCache(tiny(), allocator).value();
        ASSERT_TRUE(append(*cache, 2 * budget));
        ASSERT_TRUE(cache->compactable()->apply(
            keepEverywhere(*cache, newestAndFirst(2 * budget, budget))));
        const int before = allocator.allocations;
        ASSERT_TRUE(append(*cache, 1));
        EXPECT_EQ(allocator.allocations, before);
        EXPECT_EQ(cache->size(), budget + 1);
        EXPECT_EQ(cache->offset().value, 2 * budget + 1);
        EXPECT_EQ(tokensOf(*cache)[static_cast<std::size_t>(budget)], 2 * budget);
    }
}

TEST(Eviction, L2_32_directCompaction_ignoresTheMargin) {
    auto cache = makeSlotCache(tiny()).value();
    ASSERT_TRUE(append(*cache, 11));
    ASSERT_TRUE(cache->compactable()->apply(keepEverywhere(*cache, range(1, 11))));
    EXPECT_EQ(cache->size(), 10);
    EXPECT_EQ(cache->offset().value, 11);
}

TEST(Eviction, L2_33_S1_30_sizeWithinTheBudget_skipsCompaction) {
    Driven driven(contractOptions(64, 8));
    driven.forward(64);
    EXPECT_TRUE(driven.firedAt.empty());
    const auto report = driven.compactor.compact(*driven.cache, driven.options);
    EXPECT_EQ(report.result, CompactionResult::Skipped);
    EXPECT_EQ(driven.cache->stats().compactions, 0);
    EXPECT_EQ(
        selectSlots(std::vector<float>(64, 1.0F), {nullptr, 64, 64}, rule(64, 8)).error().code,
        ErrorCode::InvalidArgument);
}

TEST(Eviction, L2_34_S1_27_S1_28_S1_29_invalidPlans_areRefused_andChangeNothing) {
    auto cache = makeSlotCache(tiny()).value();
    ASSERT_TRUE(append(*cache, 20));
    const std::string before = cache->save().value();
    CompactionPlan fewHeads = keepEverywhere(*cache, {0, 1});
    fewHeads.heads.pop_back();
    CompactionPlan wrongCount = keepEverywhere(*cache, {0, 1});
    wrongCount.heads[1].bias = {1.0F};
    CompactionPlan fewSlots = keepEverywhere(*cache, {0, 1});
    fewSlots.heads[1].keep = {19, range(0, 2)};
    CompactionPlan manySlots = keepEverywhere(*cache, {0, 1});
    manySlots.heads[1].keep = {21, range(19, 21)};
    CompactionPlan biasOfNothing = keepEverywhere(*cache, {0, 1});
    biasOfNothing.heads[1] = {.keep = {}, .bias = {1.0F}, .values = {}};
    ThreadPool pool(1);
    for (const CompactionPlan& plan :
         {fewHeads, wrongCount, fewSlots, manySlots, biasOfNothing, keepEverywhere(*cache, {})}) {
        EXPECT_EQ(cache->compactable()->apply(plan).error().code, ErrorCode::InvalidArgument);
        EXPECT_EQ(cache->compactable()->applyInPlace(plan, pool).error().code,
                  ErrorCode::InvalidArgument);
        EXPECT_EQ(cache->save().value(), before);
    }
    ASSERT_TRUE(cache->compactable()->apply(keepEverywhere(*cache, {0, 5, 19})));
    EXPECT_EQ(cache->size(), 3) << "the marks decide, not a budget";
}

TEST(Eviction, L2_35_S1_01_S1_52_singleAppends_triggerSevenTimes) {
    Driven driven(contractOptions(2048, 32));
    driven.forward(2047);
    for (int i = 0; i < 513; ++i) driven.forward(1);
    EXPECT_EQ(driven.firedAt, (std::vector<int>{2113, 2178, 2243, 2308, 2373, 2438, 2503}));
    EXPECT_EQ(driven.cache->size(), 2105);
    EXPECT_EQ(driven.cache->offset().value, 2560);
}

TEST(Eviction, L2_36_prefillInRuns_triggersAtEachBoundary) {
    Driven driven(contractOptions(256, 32));
    driven.forward(512);
    driven.forward(487);
    for (int i = 0; i < 200; ++i) driven.forward(1);
    EXPECT_EQ(driven.firedAt, (std::vector<int>{512, 999, 1064, 1129, 1194}));
}

TEST(Eviction, L2_37_peakSize_isBudgetPlusMarginPlusRun) {
    Driven driven(contractOptions(256, 32));
    RandomStream random(37, 0);
    for (int i = 0; i < 60; ++i) driven.forward(1 + static_cast<int>(random.below(128)));
    EXPECT_LE(driven.peak, 256 + 64 + 128);
    EXPECT_GT(driven.firedAt.size(), 10U);
}

TEST(Eviction, L2_38_S1_41_saveAfterCompaction_continues) {
    for (const bool inPlace : {false, true}) {
        auto cache = makeSlotCache(tiny()).value();
        ThreadPool pool(1);
        ASSERT_TRUE(append(*cache, 128));
        const auto plan = keepEverywhere(*cache, newestAndFirst(128, 64));
        ASSERT_TRUE(inPlace ? cache->compactable()->applyInPlace(plan, pool)
                            : cache->compactable()->apply(plan));
        auto loaded = loadCache(cache->save().value()).value();
        ASSERT_TRUE(append(*loaded, 1));
        EXPECT_EQ(loaded->offset().value, 129);
        EXPECT_EQ(loaded->size(), 65);
        EXPECT_EQ(loaded->trim(1).value(), 0);
        EXPECT_TRUE(holdsItsTokens(*loaded));
        ASSERT_TRUE(append(*cache, 1));
        EXPECT_EQ(loaded->save().value(), cache->save().value());
    }
}

TEST(Eviction, L2_39_S1_43_firstTokenAfterLoad_needsNoGrowth) {
    for (const int budget : {64, 255, 256, 2048}) {
        auto cache = makeSlotCache(tiny()).value();
        ASSERT_TRUE(append(*cache, 2 * budget));
        ASSERT_TRUE(cache->compactable()->apply(
            keepEverywhere(*cache, newestAndFirst(2 * budget, budget))));
        CountingAllocator allocator;
        auto loaded = loadCache(cache->save().value(), allocator).value();
        const int before = allocator.allocations;
        ASSERT_TRUE(append(*loaded, 1));
        EXPECT_EQ(allocator.allocations, before) << budget;
    }
}

TEST(Eviction, L2_40_S1_39_trimAfterCompaction_removesNothing) {
    auto cache = makeSlotCache(tiny()).value();
    ASSERT_TRUE(append(*cache, 40));
    ASSERT_TRUE(cache->compactable()->apply(keepEverywhere(*cache, {0, 1, 39})));
    const std::string before = cache->save().value();
    EXPECT_EQ(cache->trim(1).value(), 0);
    EXPECT_FALSE(cache->capabilities().canTrim(1));
    EXPECT_EQ(cache->rollback(1).error().code, ErrorCode::Unsupported);
    EXPECT_EQ(cache->save().value(), before);
}

TEST(Eviction, L2_41_tokensSinceTheCompaction_canBeRolledBack) {
    for (const bool inPlace : {false, true}) {
        auto cache = makeSlotCache(tiny()).value();
        ThreadPool pool(1);
        ASSERT_TRUE(append(*cache, 40));
        const auto plan = keepEverywhere(*cache, {0, 1, 7, 8, 39});
        ASSERT_TRUE(inPlace ? cache->compactable()->applyInPlace(plan, pool)
                            : cache->compactable()->apply(plan));
        for (int i = 0; i < 6; ++i) ASSERT_TRUE(append(*cache, 1));
        ASSERT_TRUE(cache->rollback(4));
        EXPECT_EQ(cache->offset().value, 42);
        EXPECT_EQ(cache->size(), 7);
        EXPECT_FALSE(cache->rollback(3));
        EXPECT_EQ(cache->offset().value, 42);
        ASSERT_TRUE(append(*cache, 2));
        cache->checkInvariants();
        auto loaded = loadCache(cache->save().value()).value();
        EXPECT_EQ(tokensOf(*loaded), (Slots{0, 1, 7, 8, 39, 40, 41, 42, 43}));
        EXPECT_TRUE(holdsItsTokens(*loaded));
    }
}

TEST(Eviction, L2_43_S1_13_S1_16_emptyCache_isAcceptedEverywhere) {
    Driven driven(contractOptions(64, 8));
    const auto report = driven.compactor.compact(*driven.cache, driven.options);
    EXPECT_EQ(report.result, CompactionResult::Skipped);
    EXPECT_EQ(driven.cache->stats().allocatedBytes, 0);
    auto loaded = loadCache(driven.cache->save().value()).value();
    EXPECT_TRUE(loaded->empty());
    EXPECT_TRUE(driven.cache->keyNorms(LayerIndex(0), HeadIndex(0)).empty());
    for (const std::string& bytes : {std::string(), std::string("x"), std::string(64, char{0})})
        EXPECT_EQ(loadCache(bytes).error().code, ErrorCode::Corrupt);
}

TEST(Eviction, L2_44_S1_31_S1_33_S1_34_impossibleSelection_reportsTheNumbers) {
    for (const auto& [slots, budget, keep] :
         {std::tuple{8, 4, 4}, {8, 4, 20}, {8, 8, 2}, {3, 8, 4}}) {
        const auto chosen = selectSlots(std::vector<float>(static_cast<std::size_t>(slots), 1.0F),
                                        {nullptr, slots, slots}, rule(budget, keep));
        ASSERT_FALSE(chosen);
        for (const int number : {budget, keep})
            EXPECT_NE(chosen.error().what.find(std::to_string(number)), std::string::npos)
                << chosen.error().what;
    }
    EXPECT_FALSE(selectSlots(std::vector<float>(9, 1.0F), {nullptr, 10, 10}, rule(4, 1)));
}

TEST(Eviction, L2_45_S1_19_S1_21_S1_23_S1_65_unequalHeads_selectSeparately_andReportIt) {
    auto cache = makeSlotCache(tiny()).value();
    ASSERT_TRUE(append(*cache, 100));
    CompactionPlan ragged = keepEverywhere(*cache, range(0, 90));
    ragged.heads[1].keep = {ragged.heads[1].keep.slots(), range(10, 100)};
    ASSERT_TRUE(cache->compactable()->apply(ragged));
    ThreadPool pool(1);
    EvictionOptions options;
    options.rule = {.budget = 50, .keepRecent = 8, .nSink = 0};
    options.coherence = LayerCoherence::CrossLayer;
    const auto plan = planEviction(*cache, options, pool).value();
    EXPECT_EQ(plan.ownChoice, 2);
    ASSERT_TRUE(cache->compactable()->apply(plan.plan));
    for (int layer = 0; layer < 2; ++layer)
        EXPECT_EQ(cache->slots(LayerIndex(layer), HeadIndex(0)), 50) << "no layer lags";
}

TEST(Eviction, L2_46_quantisedRows_areCompactedWithoutRequantising) {
    auto made = makeSlotCache(kindShape(Rows::Groups)).value();
    ASSERT_TRUE(append(*made, 40));
    ASSERT_TRUE(made->compactable()->apply(keepEverywhere(*made, {0, 7, 39})));
    EXPECT_TRUE(holdsItsTokens(*made));
}

TEST(Eviction, L2_47_S1_09_S1_11_S1_12_layersOfAList_areFoundAndCompacted) {
    std::vector<LayerPlan> plans(3);
    plans[0].window = WindowRule{300, 0};
    KvShape shape = tiny();
    shape.layers = 3;
    std::unique_ptr<KvCache> cache = makeCacheList(shape, plans).value();
    ThreadPool pool(1);
    ASSERT_TRUE(append(*cache, 200));
    EvictionOptions options;
    options.rule = {.budget = 64, .keepRecent = 8, .nSink = 0};
    const auto plan = planEviction(*cache, options, pool).value();
    EXPECT_FALSE(plan.plan.heads[0].touched()) << "a layer with a window bounds itself";
    ASSERT_TRUE(cache->compactable()->applyInPlace(plan.plan, pool));
    EXPECT_EQ(cache->slots(LayerIndex(0), HeadIndex(0)), 200);
    EXPECT_EQ(cache->slots(LayerIndex(1), HeadIndex(0)), 64);
    EXPECT_EQ(cache->slots(LayerIndex(2), HeadIndex(0)), 64);
    // The cache reports that it was compacted without knowing the options.
    EXPECT_EQ(cache->capabilities().trimLimit, 0);
    EXPECT_EQ(cache->stats().compactions, 1);
}

TEST(Eviction, L2_48_compaction_leavesTheExpectedMemory) {
    // Two of the contract's 32 layers suffice, because every layer takes the same.
    constexpr int kLayers = 2;
    const KvShape shape{
        .layers = kLayers, .kvHeads = 8, .keyDim = 128, .valueDim = 128, .type = DType::F16};
    auto cache = makeSlotCache(shape).value();
    const std::vector<float> rows(std::size_t{2113} * 8 * 128, 0.5F);
    ASSERT_TRUE(cache->beginAppend(2113));
    for (int layer = 0; layer < kLayers; ++layer)
        cache->writeLayer(LayerIndex(layer), {rows.data(), {2113, 8, 128}},
                          {rows.data(), {2113, 8, 128}});
    cache->commitAppend();
    ASSERT_TRUE(cache->compactable()->apply(keepEverywhere(*cache, newestAndFirst(2113, 2048))));
    const std::int64_t positions = 4 * 8 * kLayers;  // int32 of each slot, in addition to keys and
                                                     // values
    EXPECT_EQ(cache->stats().liveBytes - positions * 2048, 268'435'456 / 32 * kLayers);
    EXPECT_EQ(cache->stats().allocatedBytes - positions * 2304, 301'989'888 / 32 * kLayers);
}

}  // namespace
}  // namespace lacuna::test
