// A snapshot shares the rows of its original and is not disturbed by it; compacted, it becomes the
// original.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "engine/base/thread_pool.h"
#include "kv_fixture.h"

namespace lacuna::test {
namespace {

const KvShape kShape{.layers = 2, .kvHeads = 2, .keyDim = 8, .valueDim = 4, .type = DType::F16};

struct Pair {
    CountingAllocator allocator;
    std::unique_ptr<KvCache> cache;
    std::unique_ptr<KvCache> twin;
    explicit Pair(int tokens) : cache(makeSlotCache(kShape, allocator).value()) {
        EXPECT_TRUE(append(*cache, tokens));
        const int before = allocator.allocations;
        twin = cache->snapshots()->snapshot().value();
        EXPECT_EQ(allocator.allocations, before) << "nothing is copied";
    }
    /// Keeps sinks, every third and the newest slots of the twin.
    void compactTwin() {
        std::vector<std::int32_t> keep;
        const int slots = twin->slots(LayerIndex(0), HeadIndex(0));
        for (int j = 0; j < slots; ++j)
            if (j < 4 || j % 3 == 0 || j >= slots - 8) keep.push_back(j);
        ASSERT_TRUE(twin->compactable()->apply(keepEverywhere(*twin, keep)));
        kept = static_cast<int>(keep.size());
    }
    int kept = 0;
};

TEST(SlotSharing, appendsAndGrowth_leaveTheSnapshotAsItWas) {
    Pair pair(200);
    const std::string before = pair.twin->save().value();
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(append(*pair.cache, 1));
    ASSERT_TRUE(append(*pair.cache, 600));
    EXPECT_EQ(pair.twin->save().value(), before);
    EXPECT_EQ(pair.twin->offset(), Position(200));
    EXPECT_EQ(pair.cache->offset(), Position(900));
    EXPECT_TRUE(holdsItsTokens(*pair.cache));
    pair.twin.reset();
    EXPECT_TRUE(holdsItsTokens(*pair.cache));
}

TEST(SlotSharing, originalDroppedFirst_leavesTheSnapshot) {
    Pair pair(300);
    pair.cache.reset();
    EXPECT_TRUE(holdsItsTokens(*pair.twin));
}

TEST(SlotSharing, appendAfterRollback_copiesBeforeItWrites) {
    Pair pair(200);
    ASSERT_TRUE(pair.cache->rollback(50));
    const int before = pair.allocator.allocations;
    // Other rows at the places of the removed ones.
    ASSERT_TRUE(pair.cache->beginAppend(10));
    EXPECT_GT(pair.allocator.allocations, before);
    const std::vector<float> keys(10 * 2 * 8, 7.0F);
    for (int layer = 0; layer < 2; ++layer)
        pair.cache->writeLayer(LayerIndex(layer), {keys.data(), {10, 2, 8}},
                               {keys.data(), {10, 2, 4}});
    pair.cache->commitAppend();
    EXPECT_TRUE(holdsItsTokens(*pair.twin));
    EXPECT_FALSE(holdsItsTokens(*pair.cache));
    const int after = pair.allocator.allocations;
    ASSERT_TRUE(append(*pair.cache, 1));
    EXPECT_EQ(pair.allocator.allocations, after) << "once copied, nothing is shared";
}

TEST(SlotSharing, withoutASnapshot_rollbackAndAppendCopyNothing) {
    Pair pair(200);
    pair.twin.reset();
    ASSERT_TRUE(pair.cache->rollback(50));
    const int before = pair.allocator.allocations;
    ASSERT_TRUE(append(*pair.cache, 40));
    EXPECT_EQ(pair.allocator.allocations, before);
}

TEST(SlotSharing, compactedSnapshot_followsAndIsAdopted_withTheNewTokensVerbatim) {
    Pair pair(300);
    pair.compactTwin();
    ASSERT_TRUE(append(*pair.cache, 30));
    auto later = pair.cache->snapshots()->snapshot().value();
    ASSERT_TRUE(append(*pair.cache, 3));
    ASSERT_TRUE(pair.twin->snapshots()->follow(*later));
    EXPECT_EQ(pair.twin->offset(), Position(330));
    ASSERT_TRUE(pair.twin->snapshots()->follow(*pair.cache));
    ASSERT_TRUE(pair.cache->snapshots()->adopt(*pair.twin));
    EXPECT_EQ(pair.cache->offset(), Position(333));
    EXPECT_EQ(pair.cache->slots(LayerIndex(1), HeadIndex(1)), pair.kept + 33);
    pair.cache->checkInvariants();
    EXPECT_TRUE(holdsItsTokens(*pair.cache));
    EXPECT_EQ(pair.cache->stats().compactions, 1);
    EXPECT_EQ(pair.cache->capabilities().rollbackLimit, 33) << "tokens since the snapshot";
    ASSERT_TRUE(pair.cache->rollback(33));
    ASSERT_TRUE(append(*pair.cache, 5));
    EXPECT_TRUE(holdsItsTokens(*pair.cache));
}

TEST(SlotSharing, lastTokens_findRoomWithoutAllocation) {
    Pair pair(300);
    pair.compactTwin();
    ASSERT_TRUE(append(*pair.cache, 200));
    const auto later = pair.cache->snapshots()->snapshot().value();
    ASSERT_TRUE(pair.twin->snapshots()->follow(*later));
    ASSERT_TRUE(append(*pair.cache, 16));
    const int before = pair.allocator.allocations;
    ASSERT_TRUE(pair.twin->snapshots()->follow(*pair.cache));
    ASSERT_TRUE(pair.cache->snapshots()->adopt(*pair.twin));
    EXPECT_EQ(pair.allocator.allocations, before);
}

TEST(SlotSharing, untouchedHeads_stayThoseOfTheOriginal) {
    Pair pair(300);
    CompactionPlan plan;
    plan.heads.resize(4);
    plan.heads[1].keep = {300, range(100, 300)};
    ASSERT_TRUE(pair.twin->compactable()->apply(plan));
    ASSERT_TRUE(append(*pair.cache, 40));
    ASSERT_TRUE(pair.twin->snapshots()->follow(*pair.cache));
    pair.twin->checkInvariants();
    ASSERT_TRUE(pair.cache->snapshots()->adopt(*pair.twin));
    pair.cache->checkInvariants();
    EXPECT_EQ(pair.cache->slots(LayerIndex(0), HeadIndex(0)), 340);
    EXPECT_EQ(pair.cache->slots(LayerIndex(0), HeadIndex(1)), 240);
    ASSERT_TRUE(append(*pair.cache, 1));
    EXPECT_TRUE(holdsItsTokens(*pair.cache));
}

TEST(SlotSharing, rollbackIntoTheSnapshot_isRefusedAtTheExchange) {
    for (const bool between : {false, true}) {
        Pair pair(300);
        pair.compactTwin();
        ASSERT_TRUE(pair.cache->rollback(1));
        ASSERT_TRUE(append(*pair.cache, 20));
        const std::string before = pair.cache->save().value();
        if (between) {
            const auto later = pair.cache->snapshots()->snapshot().value();
            const Status followed = pair.twin->snapshots()->follow(*later);
            ASSERT_FALSE(followed);
            EXPECT_EQ(followed.error().code, ErrorCode::Incompatible);
        }
        EXPECT_FALSE(pair.twin->snapshots()->follow(*pair.cache));
        EXPECT_FALSE(pair.cache->snapshots()->adopt(*pair.twin));
        EXPECT_EQ(pair.cache->save().value(), before);
    }
}

TEST(SlotSharing, rollbackBehindTheSnapshot_isFollowed) {
    Pair pair(300);
    pair.compactTwin();
    ASSERT_TRUE(append(*pair.cache, 40));
    auto later = pair.cache->snapshots()->snapshot().value();
    ASSERT_TRUE(pair.twin->snapshots()->follow(*later));
    later.reset();
    ASSERT_TRUE(pair.cache->rollback(30));
    ASSERT_TRUE(append(*pair.cache, 50));
    ASSERT_TRUE(pair.twin->snapshots()->follow(*pair.cache));
    ASSERT_TRUE(pair.cache->snapshots()->adopt(*pair.twin));
    EXPECT_EQ(pair.cache->offset(), Position(360));
    EXPECT_EQ(pair.cache->slots(LayerIndex(0), HeadIndex(0)), pair.kept + 60);
    EXPECT_TRUE(holdsItsTokens(*pair.cache));
}

TEST(SlotSharing, otherCompactionMeanwhile_isRefusedAtTheExchange) {
    Pair pair(300);
    pair.compactTwin();
    ASSERT_TRUE(pair.cache->compactable()->apply(keepEverywhere(*pair.cache, range(100, 300))));
    EXPECT_TRUE(holdsItsTokens(*pair.twin)) << "nothing was moved under the snapshot";
    static_cast<void>(pair.twin->snapshots()->follow(*pair.cache));
    EXPECT_FALSE(pair.cache->snapshots()->adopt(*pair.twin));
    EXPECT_TRUE(holdsItsTokens(*pair.cache));
}

TEST(SlotSharing, evictionInPlace_leavesTheSnapshot) {
    Pair pair(300);
    ThreadPool pool(1);
    ASSERT_TRUE(
        pair.cache->compactable()->applyInPlace(keepEverywhere(*pair.cache, range(50, 300)), pool));
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(append(*pair.cache, 1));
    EXPECT_TRUE(holdsItsTokens(*pair.twin));
    EXPECT_EQ(pair.twin->slots(LayerIndex(0), HeadIndex(0)), 300);
}

TEST(SlotSharing, openSpeculation_isNoTimeForTheExchange) {
    Pair pair(300);
    pair.compactTwin();
    ASSERT_TRUE(pair.cache->speculation().begin(4));
    const Status adopted = pair.cache->snapshots()->adopt(*pair.twin);
    ASSERT_FALSE(adopted);
    EXPECT_EQ(adopted.error().code, ErrorCode::InvalidArgument);
    ASSERT_TRUE(pair.cache->speculation().commit());
    EXPECT_TRUE(pair.cache->snapshots()->adopt(*pair.twin));
}

TEST(SlotSharing, noMemoryWhileFollowing_leavesTheOriginal) {
    Pair pair(300);
    pair.compactTwin();
    ASSERT_TRUE(append(*pair.cache, 600));
    const std::string before = pair.cache->save().value();
    pair.allocator.failAfter = 2;
    const Status followed = pair.twin->snapshots()->follow(*pair.cache);
    ASSERT_FALSE(followed);
    EXPECT_EQ(followed.error().code, ErrorCode::NoMemory);
    EXPECT_FALSE(pair.cache->snapshots()->adopt(*pair.twin)) << "half a successor is none";
    EXPECT_EQ(pair.cache->save().value(), before);
}

TEST(SlotSharing, strangers_areRefused) {
    Pair pair(300);
    Pair other(300);
    pair.compactTwin();
    const auto unrelated = makeSlotCache({.layers = 1, .kvHeads = 1, .keyDim = 8, .valueDim = 8});
    EXPECT_FALSE(pair.twin->snapshots()->follow(**unrelated));
    EXPECT_FALSE(pair.cache->snapshots()->adopt(**unrelated));
    EXPECT_FALSE(pair.cache->snapshots()->adopt(*other.cache));
}

TEST(SlotSharing, readingOnAnotherThread_seesOneState) {
    Pair pair(100);
    std::atomic<bool> stop{false};
    int reads = 0;
    std::thread reader([&] {
        while (!stop || reads == 0) {
            EXPECT_TRUE(holdsItsTokens(*pair.twin));
            ++reads;
        }
        pair.compactTwin();
    });
    for (int i = 0; i < 300; ++i) EXPECT_TRUE(append(*pair.cache, 1));
    stop = true;
    reader.join();
    EXPECT_TRUE(holdsItsTokens(*pair.cache));
    ASSERT_TRUE(pair.twin->snapshots()->follow(*pair.cache));
    ASSERT_TRUE(pair.cache->snapshots()->adopt(*pair.twin));
    EXPECT_TRUE(holdsItsTokens(*pair.cache));
}

}  // namespace
}  // namespace lacuna::test
