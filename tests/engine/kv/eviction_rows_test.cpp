// Rows S1 of the cache contract without a vector: the cost of checks without an eviction, the
// memory it releases, and the rows it reads.

#include <gtest/gtest.h>

#include <limits>

#include "engine/kv/row_format.h"
#include "eviction_fixture.h"

namespace lacuna::test {
namespace {

TEST(Eviction, S1_02_noBudget_stepsDoNoWork) {
    KvOptions none;
    Driven driven(none);
    for (int i = 0; i < 50; ++i) driven.forward(1 + i % 3);
    EXPECT_EQ(driven.cache->stats().normsComputed, 0);
    EXPECT_EQ(driven.cache->stats().compactions, 0);
}

TEST(Eviction, S1_51_memory_isReleasedAfterTheCompaction) {
    KvShape shape{.layers = 2, .kvHeads = 2, .keyDim = 64, .valueDim = 64, .type = DType::F16};
    auto cache = makeSlotCache(shape).value();
    ThreadPool pool(1);
    ASSERT_TRUE(append(*cache, 8192));
    ASSERT_TRUE(cache->compactable()->applyInPlace(
        keepEverywhere(*cache, newestAndFirst(8192, 5120)), pool));
    EXPECT_GT(cache->stats().allocatedBytes, 14 * cache->stats().liveBytes / 10);
    int slices = 1;
    while (defragmentCache(*cache, 1, pool)) ++slices;
    EXPECT_EQ(slices, 4) << "a head at a time";
    EXPECT_LE(cache->stats().allocatedBytes, 11 * cache->stats().liveBytes / 10);
    EXPECT_TRUE(holdsItsTokens(*cache));
    Slots left = tokensOf(*cache);
    std::sort(left.begin(), left.end());
    EXPECT_EQ(left, newestAndFirst(8192, 5120));
}

TEST(Eviction, S1_56_unequalLayers_areNormalised) {
    // Keys of layer 1 are a hundred times as long, so a raw sum would follow it alone.
    auto cache =
        makeSlotCache({.layers = 2, .kvHeads = 1, .keyDim = 1, .valueDim = 1, .type = DType::F32})
            .value();
    const std::vector<float> first{9, 9, 1, 1, 1, 1};
    const std::vector<float> second{100, 300, 310, 100, 100, 100};
    ASSERT_TRUE(cache->beginAppend(6));
    cache->writeLayer(LayerIndex(0), {first.data(), {6, 1, 1}}, {first.data(), {6, 1, 1}});
    cache->writeLayer(LayerIndex(1), {second.data(), {6, 1, 1}}, {second.data(), {6, 1, 1}});
    cache->commitAppend();
    EvictionOptions options;
    options.rule = rule(2, 1);
    options.policy = EvictionPolicy::KeepHighNorm;
    options.coherence = LayerCoherence::CrossLayer;
    ThreadPool pool(1);
    const auto plan = planEviction(*cache, options, pool).value();
    EXPECT_EQ(plan.plan.heads[0].keep.list(), (Slots{1, 5}));
    EXPECT_EQ(plan.plan.heads[1].keep.list(), (Slots{1, 5}));
}

// One pass over all heads gives the same plan as the two steps, for every policy and number of
// threads.
TEST(Eviction, planInOneCall_equalsScoringThenPlanning) {
    auto cache = makeSlotCache(kindShape()).value();
    ASSERT_TRUE(append(*cache, 300));
    ThreadPool one(1);
    ThreadPool two(2);
    ASSERT_TRUE(
        cache->compactable()->applyInPlace(keepEverywhere(*cache, newestAndFirst(300, 250)), one));
    for (int i = 0; i < 30; ++i) ASSERT_TRUE(append(*cache, 1));
    for (const EvictionPolicy policy :
         {EvictionPolicy::KeepLowNorm, EvictionPolicy::KeepHighNorm, EvictionPolicy::KeyDiff,
          EvictionPolicy::StreamingLLM, EvictionPolicy::Random}) {
        EvictionOptions options;
        options.rule = {.budget = 100, .keepRecent = 8, .nSink = 2};
        options.policy = policy;
        const auto stepwise = planEviction(*cache, scoreCache(*cache, options, one), options);
        for (ThreadPool* pool : {&one, &two}) {
            const auto atOnce = planEviction(*cache, options, *pool).value();
            for (std::size_t h = 0; h < atOnce.plan.heads.size(); ++h)
                EXPECT_EQ(atOnce.plan.heads[h].keep, stepwise->plan.heads[h].keep);
        }
    }
}

// A NaN key would show through the bias that hides its slot.
TEST(Eviction, evictedNonFiniteKey_isCleared) {
    const KvShape shape{.layers = 1, .kvHeads = 1, .keyDim = 4, .valueDim = 4, .type = DType::F16};
    auto cache = makeSlotCache(shape).value();
    std::vector<float> rows(4 * 2000, 1.0F);
    rows[4 * 700] = std::numeric_limits<float>::quiet_NaN();
    ASSERT_TRUE(cache->beginAppend(2000));
    cache->writeLayer(LayerIndex(0), {rows.data(), {2000, 1, 4}}, {rows.data(), {2000, 1, 4}});
    cache->commitAppend();
    ThreadPool pool(1);
    EvictionOptions options;
    options.rule = {.budget = 1900, .keepRecent = 8, .nSink = 2};
    options.policy = EvictionPolicy::KeepLowNorm;
    const auto plan = planEviction(*cache, options, pool).value();
    EXPECT_EQ(plan.badSlots, 1);
    ASSERT_TRUE(cache->compactable()->applyInPlace(plan.plan, pool));
    const KvHeadView view = cache->head(LayerIndex(0), HeadIndex(0));
    float key[4];
    readKeys(view, 4, 700, 1, key);
    EXPECT_EQ(view.bias[700], -std::numeric_limits<float>::infinity());
    EXPECT_EQ(key[0], 0.0F);
}

TEST(Eviction, freedSlots_areReusedByLaterTokensWithoutMoves) {
    CountingAllocator allocator;
    auto cache = makeSlotCache(tiny(), allocator).value();
    ThreadPool pool(1);
    ASSERT_TRUE(append(*cache, 256));
    for (int round = 0; round < 5; ++round) {
        Slots keep;
        const KvHeadView view = cache->head(LayerIndex(0), HeadIndex(0));
        for (std::int32_t j = 0; j < view.slots; ++j)
            if (j % 4 != round % 4) keep.push_back(j);
        ASSERT_TRUE(cache->compactable()->applyInPlace(keepEverywhere(*cache, keep), pool));
        const int before = allocator.allocations;
        const std::byte* rows = cache->head(LayerIndex(0), HeadIndex(0)).keys;
        for (int i = 0; i < 64; ++i) ASSERT_TRUE(append(*cache, 1));
        EXPECT_EQ(allocator.allocations, before);
        EXPECT_EQ(cache->head(LayerIndex(0), HeadIndex(0)).keys, rows);
        EXPECT_EQ(cache->size(), 256);
        EXPECT_TRUE(holdsItsTokens(*cache));
        EXPECT_FALSE(defragmentCache(*cache, 1 << 20, pool)) << "nothing is left to close";
        cache->checkInvariants();
    }
}

}  // namespace
}  // namespace lacuna::test
