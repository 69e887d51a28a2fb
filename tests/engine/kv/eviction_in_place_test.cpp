// An eviction between two tokens: the work left to the appends before it and the slices after it,
// and the rows it must not touch.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/kv/eviction/eviction_plan.h"
#include "engine/kv/slot/slot_cache.h"
#include "tests/engine/kv/kv_fixture.h"

namespace lacuna::test {
namespace {

const KvShape kShape{.layers = 2, .kvHeads = 2, .keyDim = 64, .valueDim = 64};

EvictionOptions toBudget(int budget, EvictionPolicy policy = EvictionPolicy::KeepLowNorm) {
    EvictionOptions options;
    options.rule = {.budget = budget, .keepRecent = 16, .nSink = 4};
    options.policy = policy;
    return options;
}

std::set<std::int32_t> liveTokens(const KvCache& cache, int layer, int head) {
    const KvHeadView view = cache.head(LayerIndex(layer), HeadIndex(head));
    std::set<std::int32_t> out;
    for (int j = 0; j < view.slots; ++j)
        if (view.bias == nullptr || std::isfinite(view.bias[j]))
            out.insert(view.positions == nullptr ? j : view.positions[j]);
    return out;
}

TEST(EvictionInPlace, preparedCache_allocatesNothing_andComputesNoNorms) {
    CountingAllocator allocator;
    auto cache = makeSlotCache(kShape, allocator).value();
    auto unprepared = makeSlotCache(kShape).value();
    ThreadPool pool(2);
    cache->compactable()->keepNorms();
    for (KvCache* one : {cache.get(), unprepared.get()}) ASSERT_TRUE(append(*one, 1000));
    const int allocations = allocator.allocations;
    const std::int64_t norms = cache->stats().normsComputed;
    EXPECT_EQ(norms, 4000);
    const auto marked = planEviction(*cache, toBudget(400), pool).value();
    ASSERT_TRUE(cache->compactable()->applyInPlace(marked.plan, pool));
    EXPECT_EQ(allocator.allocations, allocations);
    EXPECT_EQ(cache->stats().normsComputed, norms);
    EXPECT_EQ(cache->size(), 400);
    const auto plan = planEviction(*unprepared, toBudget(400), pool).value();
    ASSERT_TRUE(unprepared->compactable()->apply(plan.plan));
    for (int i = 0; i < 4; ++i)
        EXPECT_EQ(liveTokens(*cache, i / 2, i % 2), liveTokens(*unprepared, i / 2, i % 2));
    cache->checkInvariants();
}

// Kept rows below the new end stay in place, and the others fill the holes.
TEST(EvictionInPlace, defragment_movesOnlyRowsBeyondTheNewEnd) {
    CountingAllocator allocator;
    auto cache = makeSlotCache(kShape, allocator).value();
    ThreadPool pool(2);
    cache->compactable()->keepNorms();
    ASSERT_TRUE(append(*cache, 8192));
    const auto marked = planEviction(*cache, toBudget(4096), pool).value();
    ASSERT_TRUE(cache->compactable()->applyInPlace(marked.plan, pool));
    const auto before = liveTokens(*cache, 1, 1);
    while (defragmentCache(*cache, 1, pool)) {
    }
    EXPECT_EQ(liveTokens(*cache, 1, 1), before);
    const KvHeadView view = cache->head(LayerIndex(1), HeadIndex(1));
    ASSERT_EQ(view.slots, 4096);
    for (int j = 0; j < view.slots; ++j)
        EXPECT_TRUE(view.positions[j] == j || view.positions[j] >= 4096) << j;
    EXPECT_TRUE(holdsItsTokens(*cache));
    const KvStats stats = cache->stats();
    EXPECT_LE(stats.allocatedBytes * 10, stats.liveBytes * 11);
    EXPECT_FALSE(defragmentCache(*cache, 1, pool));
    cache->checkInvariants();
}

// The cache reaches budget and margin repeatedly without growing or releasing memory that it needs
// again.
TEST(EvictionInPlace, steadyState_reusesItsSlots) {
    for (const int budget : {256, 1024, 2048, 4096}) {
        CountingAllocator allocator;
        auto cache = makeSlotCache(kShape, allocator).value();
        ThreadPool pool(1);
        cache->compactable()->keepNorms();
        ASSERT_TRUE(append(*cache, 2 * budget));
        const int margin = std::clamp(budget / 8, 16, 256);
        int allocations = 0;
        for (int round = 0; round < 4; ++round) {
            const auto marked = planEviction(*cache, toBudget(budget), pool).value();
            ASSERT_TRUE(cache->compactable()->applyInPlace(marked.plan, pool));
            while (defragmentCache(*cache, 1 << 20, pool)) {
            }
            if (round == 0) allocations = allocator.allocations;
            for (int i = 0; i <= margin; ++i) ASSERT_TRUE(append(*cache, 1));
        }
        EXPECT_EQ(allocator.allocations, allocations) << budget;
        EXPECT_TRUE(holdsItsTokens(*cache));
    }
}

TEST(EvictionInPlace, noMemoryToDefragment_keepsTokens) {
    CountingAllocator allocator;
    auto cache = makeSlotCache(kShape, allocator).value();
    ThreadPool pool(1);
    ASSERT_TRUE(append(*cache, 2000));
    const auto marked = planEviction(*cache, toBudget(500), pool).value();
    ASSERT_TRUE(cache->compactable()->applyInPlace(marked.plan, pool));
    const auto before = liveTokens(*cache, 0, 1);
    allocator.failAfter = 0;
    EXPECT_FALSE(defragmentCache(*cache, std::int64_t{1} << 30, pool));
    EXPECT_EQ(liveTokens(*cache, 0, 1), before);
    cache->checkInvariants();
    allocator.failAfter = -1;
    ASSERT_TRUE(append(*cache, 1));
}

TEST(EvictionInPlace, mismatchedPlan_isRefusedWithItsHead) {
    auto cache = makeSlotCache(kShape).value();
    ThreadPool pool(1);
    ASSERT_TRUE(append(*cache, 100));
    CompactionPlan marks;
    marks.heads.resize(4);
    marks.heads[3].keep = SlotMarks(99);
    marks.heads[3].keep.add(5);
    const std::string saved = cache->save().value();
    auto status = cache->compactable()->applyInPlace(marks, pool);
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().what.find("layer 1 head 1"), std::string::npos) << status.error().what;
    marks.heads[3].keep = SlotMarks(100);
    EXPECT_FALSE(cache->compactable()->applyInPlace(marks, pool)) << "no slot would be left";
    marks.heads.resize(3);
    EXPECT_FALSE(cache->compactable()->applyInPlace(marks, pool));
    EXPECT_EQ(cache->save().value(), saved);
}

// After slots are reused, a policy by age must use text positions instead of slot indices.
TEST(EvictionInPlace, recentOnly_afterReuse_keepsTheNewestTokens) {
    auto cache = makeSlotCache(kShape).value();
    ThreadPool pool(1);
    ASSERT_TRUE(append(*cache, 300));
    ASSERT_TRUE(cache->compactable()->applyInPlace(
        planEviction(*cache, toBudget(200), pool).value().plan, pool));
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(append(*cache, 1));
    const auto options = toBudget(60, EvictionPolicy::StreamingLLM);
    ASSERT_TRUE(
        cache->compactable()->applyInPlace(planEviction(*cache, options, pool).value().plan, pool));
    std::set<std::int32_t> expected{0, 1, 2, 3};
    for (std::int32_t token = 400 - 56; token < 400; ++token) expected.insert(token);
    EXPECT_EQ(liveTokens(*cache, 0, 0), expected);
}

}  // namespace
}  // namespace lacuna::test
