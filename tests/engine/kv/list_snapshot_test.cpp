// Snapshots of lists: full layers are shared and compacted in the background, window layers stay
// unchanged.

#include <gtest/gtest.h>

#include "cache_kinds.h"

namespace lacuna::test {
namespace {

std::vector<std::int32_t> everyThird(int slots) {
    std::vector<std::int32_t> keep;
    for (int j = 0; j < slots; ++j)
        if (j < 4 || j % 3 == 0 || j >= slots - 8) keep.push_back(j);
    return keep;
}

/// Returns a plan for the full layer of kindPlans, the last one.
CompactionPlan ofFullLayer(const KvCache& cache) {
    const int full = cache.shape().layers - 1;
    const int heads = cache.shape().kvHeads;
    CompactionPlan plan;
    plan.heads.resize(static_cast<std::size_t>(cache.shape().layers * heads));
    for (int head = 0; head < heads; ++head) {
        const int slots = cache.slots(LayerIndex(full), HeadIndex(head));
        plan.heads[static_cast<std::size_t>(full * heads + head)].keep = {slots, everyThird(slots)};
    }
    return plan;
}

TEST(ListSnapshot, snapshot_copiesNoRows_andHasEmptyWindowLayers) {
    CountingAllocator memory;
    auto cache = makeCacheList(kindShape(), kindPlans(), memory).value();
    ASSERT_TRUE(append(*cache, 200));
    ASSERT_NE(cache->snapshots(), nullptr);
    const int before = memory.allocations;
    const auto twin = cache->snapshots()->snapshot().value();
    EXPECT_EQ(memory.allocations, before);
    EXPECT_EQ(twin->offset(), Position(200));
    EXPECT_EQ(twin->slots(LayerIndex(2), HeadIndex(0)), 200);
    EXPECT_EQ(twin->slots(LayerIndex(0), HeadIndex(0)), 0);
    EXPECT_EQ(twin->head(LayerIndex(0), HeadIndex(0)).slots, 0);
    EXPECT_GT(twin->head(LayerIndex(0), HeadIndex(0)).window, 0);
    EXPECT_FALSE(twin->beginAppend(1)) << "it is there to be read";
    EXPECT_FALSE(twin->save());
}

TEST(ListSnapshot, compactedSnapshot_followsAndIsAdopted) {
    SlotAllocator memory;
    auto cache = makeCacheList(kindShape(), kindPlans(), memory).value();
    ASSERT_TRUE(append(*cache, 200));
    const auto twin = cache->snapshots()->snapshot().value();
    ASSERT_TRUE(twin->compactable()->apply(ofFullLayer(*twin)));
    const int kept = twin->slots(LayerIndex(2), HeadIndex(0));
    ASSERT_LT(kept, 100);
    ASSERT_TRUE(append(*cache, 30));
    const auto later = cache->snapshots()->snapshot().value();
    ASSERT_TRUE(append(*cache, 3));
    ASSERT_TRUE(twin->snapshots()->follow(*later));
    ASSERT_TRUE(twin->snapshots()->follow(*cache));
    const auto window = tokensOf(*cache, 0, 1);
    ASSERT_TRUE(cache->snapshots()->adopt(*twin));
    EXPECT_EQ(cache->offset(), Position(233));
    EXPECT_EQ(cache->slots(LayerIndex(2), HeadIndex(0)), kept + 33);
    EXPECT_EQ(tokensOf(*cache, 0, 1), window) << "the window layers are those of the list";
    EXPECT_TRUE(holdsItsTokens(*cache));
    cache->checkInvariants();
    ASSERT_TRUE(append(*cache, 5));
    EXPECT_TRUE(holdsItsTokens(*cache));
}

TEST(ListSnapshot, adoptedSnapshot_equalsImmediateCompaction) {
    SlotAllocator memory;
    auto cache = makeCacheList(kindShape(), kindPlans(), memory).value();
    auto atOnce = makeCacheList(kindShape(), kindPlans(), memory).value();
    for (KvCache* one : {static_cast<KvCache*>(cache.get()), static_cast<KvCache*>(atOnce.get())})
        ASSERT_TRUE(append(*one, 90));
    const auto twin = cache->snapshots()->snapshot().value();
    ASSERT_TRUE(twin->compactable()->apply(ofFullLayer(*twin)));
    ASSERT_TRUE(twin->snapshots()->follow(*cache));
    ASSERT_TRUE(cache->snapshots()->adopt(*twin));
    ASSERT_TRUE(atOnce->compactable()->apply(ofFullLayer(*atOnce)));
    EXPECT_EQ(cache->save().value(), atOnce->save().value());
}

TEST(ListSnapshot, snapshotOfAnotherHistory_isNotAdopted) {
    SlotAllocator memory;
    auto cache = makeCacheList(kindShape(), kindPlans(), memory).value();
    ASSERT_TRUE(append(*cache, 12));
    const auto twin = cache->snapshots()->snapshot().value();
    ASSERT_TRUE(twin->compactable()->apply(ofFullLayer(*twin)));
    ASSERT_TRUE(cache->rollback(3));
    EXPECT_EQ(twin->snapshots()->follow(*cache).error().code, ErrorCode::Incompatible);
    EXPECT_EQ(cache->snapshots()->adopt(*twin).error().code, ErrorCode::Incompatible);
    auto dense = makeSlotCache(kindShape()).value();
    EXPECT_EQ(cache->snapshots()->adopt(*dense).error().code, ErrorCode::Incompatible);
    EXPECT_TRUE(holdsItsTokens(*cache));
}

TEST(ListSnapshot, windowsOnly_haveNoSnapshot) {
    SlotAllocator memory;
    auto plans = kindPlans();
    plans[2].window = WindowRule{32, 0};
    auto windows = makeCacheList(kindShape(), plans, memory).value();
    EXPECT_EQ(windows->snapshots(), nullptr);
    EXPECT_EQ(windows->compactable(), nullptr);
}

TEST(ListSnapshot, twoKindsOfFullLayers_areAdoptedTogether_evenIfOneWasNotCompacted) {
    SlotAllocator memory;
    auto plans = kindPlans();
    plans[1].window.reset();
    plans[1].keyQuant = {8, 32};
    auto cache = makeCacheList(kindShape(), plans, memory).value();
    ASSERT_TRUE(append(*cache, 90));
    ASSERT_NE(cache->snapshots(), nullptr);
    const auto twin = cache->snapshots()->snapshot().value();
    ASSERT_TRUE(twin->compactable()->apply(ofFullLayer(*twin)));
    ASSERT_TRUE(append(*cache, 5));
    ASSERT_TRUE(twin->snapshots()->follow(*cache));
    ASSERT_TRUE(cache->snapshots()->adopt(*twin));
    EXPECT_EQ(cache->slots(LayerIndex(1), HeadIndex(0)), 95);
    EXPECT_LT(cache->slots(LayerIndex(2), HeadIndex(0)), 60);
    EXPECT_TRUE(holdsItsTokens(*cache));
    cache->checkInvariants();
}

}  // namespace
}  // namespace lacuna::test
