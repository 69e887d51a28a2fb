// The slot cache: transactions, rollback, compaction, copies, bytes.

#include "engine/kv/slot/slot_cache.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/base/thread_pool.h"
#include "engine/kv/kv_factory.h"
#include "kv_fixture.h"

namespace lacuna::test {
namespace {

KvShape shape(DType type = DType::F16) {
    return {.layers = 2, .kvHeads = 2, .keyDim = 4, .valueDim = 6, .type = type};
}

std::unique_ptr<KvCache> filled(int tokens) {
    auto cache = makeSlotCache(shape()).value();
    EXPECT_TRUE(append(*cache, tokens));
    return cache;
}

/// Returns every second slot and the newest.
std::vector<std::int32_t> everySecond(int slots) {
    std::vector<std::int32_t> keep;
    for (int j = 0; j < slots; ++j)
        if (j % 2 == 0 || j == slots - 1) keep.push_back(j);
    return keep;
}

TEST(SlotCache, invalidShape_isRefusedByField) {
    KvShape bad = shape();
    bad.kvHeads = 0;
    const auto made = makeSlotCache(bad);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, ErrorCode::InvalidArgument);
    EXPECT_NE(made.error().what.find("KV heads is 0"), std::string::npos) << made.error().what;
    bad = shape(DType::Q8_0);
    EXPECT_EQ(makeSlotCache(bad).error().code, ErrorCode::Unsupported);
}

TEST(SlotCache, newCache_isEmpty_andHoldsNoMemory) {
    const auto cache = makeSlotCache(shape()).value();
    EXPECT_TRUE(cache->empty());
    EXPECT_EQ(cache->stats().allocatedBytes, 0);
    EXPECT_EQ(cache->capabilities().rollbackLimit, 0);
    cache->checkInvariants();
}

TEST(SlotCache, runningAppend_exposesWrittenLayersOnly) {
    auto cache = filled(5);
    ASSERT_TRUE(cache->beginAppend(3));
    EXPECT_EQ(cache->head(LayerIndex(0), HeadIndex(0)).slots, 5);
    writeRows(*cache, 3);
    EXPECT_EQ(cache->head(LayerIndex(1), HeadIndex(1)).slots, 8);
    EXPECT_EQ(cache->slots(LayerIndex(1), HeadIndex(1)), 5);
    EXPECT_TRUE(holds(*cache, 1, 1, 7, 7));
    cache->abortAppend();
    EXPECT_EQ(cache->head(LayerIndex(1), HeadIndex(1)).slots, 5);
    EXPECT_EQ(cache->offset(), Position(5));
    cache->checkInvariants();
}

TEST(SlotCache, abortedAppend_changesNothing) {
    auto cache = filled(5);
    const std::string before = cache->save().value();
    ASSERT_TRUE(cache->beginAppend(3));
    writeRows(*cache, 3);
    cache->abortAppend();
    EXPECT_EQ(cache->save().value(), before);
}

TEST(SlotCache, emptyAppend_changesNothing) {
    auto cache = filled(5);
    const std::string before = cache->save().value();
    ASSERT_TRUE(append(*cache, 0));
    EXPECT_EQ(cache->save().value(), before);
    auto fresh = makeSlotCache(shape()).value();
    ASSERT_TRUE(append(*fresh, 0));
    EXPECT_EQ(fresh->stats().allocatedBytes, 0);
    EXPECT_EQ(cache->beginAppend(-1).error().code, ErrorCode::InvalidArgument);
}

TEST(SlotCache, appendWithoutMemory_changesNothing) {
    // Two layers of two heads with two buffers each: allocation fails at each of the eight.
    for (int succeed = 0; succeed < 8; ++succeed) {
        CountingAllocator allocator;
        auto cache = makeSlotCache(shape(), allocator).value();
        ASSERT_TRUE(append(*cache, 256));
        const std::string before = cache->save().value();
        const std::int64_t allocated = cache->stats().allocatedBytes;
        allocator.failAfter = succeed;
        const Status status = append(*cache, 1);
        ASSERT_FALSE(status) << succeed;
        EXPECT_EQ(status.error().code, ErrorCode::NoMemory);
        EXPECT_EQ(cache->save().value(), before);
        EXPECT_EQ(cache->stats().allocatedBytes, allocated);
        allocator.failAfter = -1;
        EXPECT_TRUE(append(*cache, 1));
    }
}

TEST(SlotCache, rollback_removesExactlyTheNewest) {
    auto cache = filled(10);
    ASSERT_TRUE(cache->rollback(0));
    EXPECT_EQ(cache->offset(), Position(10));
    ASSERT_TRUE(cache->rollback(4));
    EXPECT_EQ(cache->save().value(), filled(6)->save().value());
    EXPECT_EQ(cache->rollback(-1).error().code, ErrorCode::InvalidArgument);
    ASSERT_TRUE(cache->rollback(25));  // more than it holds
    EXPECT_TRUE(cache->empty());
    cache->checkInvariants();
}

TEST(SlotCache, rollback_stopsAtTheCompaction) {
    auto cache = filled(10);
    ASSERT_TRUE(cache->compactable()->apply(keepEverywhere(*cache, everySecond(10))));
    EXPECT_EQ(cache->capabilities().rollbackLimit, 0);
    EXPECT_FALSE(cache->capabilities().rollbackBlocker.empty());
    EXPECT_EQ(cache->rollback(1).error().code, ErrorCode::Unsupported);
    EXPECT_EQ(cache->offset(), Position(10));
    ASSERT_TRUE(append(*cache, 3));
    EXPECT_EQ(cache->capabilities().rollbackLimit, 3);
    EXPECT_EQ(cache->rollback(4).error().code, ErrorCode::Unsupported);
    ASSERT_TRUE(cache->rollback(3));
    EXPECT_EQ(cache->offset(), Position(10));
    EXPECT_EQ(cache->slots(LayerIndex(0), HeadIndex(0)), 6);
    cache->checkInvariants();
}

TEST(SlotCache, compaction_keepsKeysPositionsAndOffset) {
    auto cache = filled(128);
    ASSERT_TRUE(cache->compactable()->apply(keepEverywhere(*cache, range(64, 128))));
    EXPECT_EQ(cache->offset(), Position(128));
    EXPECT_EQ(cache->stats().compactions, 1);
    const int reallocations = static_cast<int>(cache->stats().reallocations);
    ASSERT_TRUE(append(*cache, 1));
    EXPECT_EQ(cache->offset(), Position(129));
    EXPECT_EQ(cache->stats().reallocations, reallocations);
    const KvHeadView head = cache->head(LayerIndex(1), HeadIndex(0));
    ASSERT_EQ(head.slots, 65);
    for (int slot = 0; slot < 65; ++slot) {
        EXPECT_EQ(head.positions[slot], 64 + slot);
        EXPECT_TRUE(holds(*cache, 1, 0, slot, 64 + slot));
    }
    EXPECT_EQ(head.bias, nullptr);
}

// Slots 0 to 27 were merged or dropped; the newest 100 tokens are unchanged.
TEST(SlotCache, compactionWithIntactTail_allowsRollbackOfTheTail) {
    for (const bool inPlace : {false, true}) {
        auto cache = filled(128);
        CompactionPlan plan = keepEverywhere(*cache, range(20, 128));
        plan.verbatim = 100;
        ThreadPool pool(1);
        ASSERT_TRUE(inPlace ? cache->compactable()->applyInPlace(plan, pool)
                            : cache->compactable()->apply(plan));
        EXPECT_EQ(cache->capabilities().rollbackLimit, 100);
        const auto reread = loadCache(cache->save().value());
        ASSERT_TRUE(reread);
        EXPECT_EQ((*reread)->capabilities().rollbackLimit, 100);
        ASSERT_TRUE(append(*cache, 2));
        ASSERT_TRUE(cache->rollback(102));
        cache->checkInvariants();
        EXPECT_EQ(cache->offset(), Position(28));
        EXPECT_EQ(cache->slots(LayerIndex(1), HeadIndex(1)), 8);
        EXPECT_FALSE(cache->rollback(1));
        // A later compaction with a larger guarantee does not restore merged tokens.
        ASSERT_TRUE(append(*cache, 20));
        while (defragmentCache(*cache, 1 << 20, pool, true)) {
        }
        plan = keepEverywhere(*cache, range(4, 28));
        plan.verbatim = 40;
        ASSERT_TRUE(cache->compactable()->apply(plan));
        EXPECT_EQ(cache->capabilities().rollbackLimit, 20);
    }
}

TEST(SlotCache, compactionToQuantum_leavesHeadroom) {
    for (const int kept : {255, 256, 512}) {
        auto cache = filled(600);
        ASSERT_TRUE(cache->compactable()->apply(keepEverywhere(*cache, range(0, kept))));
        const std::int64_t allocated = cache->stats().allocatedBytes;
        ASSERT_TRUE(append(*cache, 1));
        EXPECT_EQ(cache->stats().allocatedBytes, allocated) << kept;
    }
}

TEST(SlotCache, raggedCompaction_growsEachHeadIndependently) {
    auto cache = filled(600);
    CompactionPlan plan = keepEverywhere(*cache, range(0, 10));
    plan.heads[1].keep = {plan.heads[1].keep.slots(), range(100, 355)};
    plan.heads[2] = HeadCompaction{};  // an unchanged head stays dense
    ASSERT_TRUE(cache->compactable()->apply(plan));
    EXPECT_EQ(cache->slots(LayerIndex(0), HeadIndex(0)), 10);
    EXPECT_EQ(cache->slots(LayerIndex(0), HeadIndex(1)), 255);
    EXPECT_EQ(cache->slots(LayerIndex(1), HeadIndex(0)), 600);
    EXPECT_EQ(cache->head(LayerIndex(1), HeadIndex(0)).positions, nullptr);
    EXPECT_EQ(cache->stats().slotsTotal, 10 + 255 + 600 + 10);
    ASSERT_TRUE(append(*cache, 2));
    EXPECT_TRUE(holds(*cache, 0, 1, 254, 354));
    EXPECT_TRUE(holds(*cache, 0, 1, 256, 601));
    EXPECT_TRUE(holds(*cache, 1, 0, 601, 601));
    cache->checkInvariants();
}

TEST(SlotCache, biasAndValues_areStored_andTheTailHasNoBias) {
    auto cache = makeSlotCache(shape(DType::F32)).value();
    ASSERT_TRUE(append(*cache, 4));
    CompactionPlan plan = keepEverywhere(*cache, {1, 3});
    plan.heads[0].bias = {0.6931F, 0.0F};
    plan.heads[0].values.assign(12, 2.5F);
    plan.heads[1].bias = {0.0F, 0.0F};
    ASSERT_TRUE(cache->compactable()->apply(plan));
    ASSERT_TRUE(append(*cache, 1));
    const KvHeadView first = cache->head(LayerIndex(0), HeadIndex(0));
    ASSERT_NE(first.bias, nullptr);
    EXPECT_FLOAT_EQ(first.bias[0], 0.6931F);
    EXPECT_EQ(first.bias[2], 0.0F);
    EXPECT_EQ(reinterpret_cast<const float*>(first.values)[11], 2.5F);
    EXPECT_EQ(cache->head(LayerIndex(0), HeadIndex(1)).bias, nullptr)
        << "all zero: no bias is stored";
}

TEST(SlotCache, secondCompaction_carriesBias) {
    auto cache = filled(6);
    CompactionPlan plan = keepEverywhere(*cache, {0, 2, 4, 5});
    plan.heads[3].bias = {1.0F, 2.0F, 3.0F, 0.0F};
    ASSERT_TRUE(cache->compactable()->apply(plan));
    ASSERT_TRUE(cache->compactable()->apply(keepEverywhere(*cache, {1, 3})));
    const KvHeadView head = cache->head(LayerIndex(1), HeadIndex(1));
    EXPECT_EQ(head.bias[0], 2.0F);
    EXPECT_EQ(head.positions[0], 2);
    ASSERT_TRUE(cache->compactable()->apply(keepEverywhere(*cache, {1})));
    EXPECT_EQ(cache->head(LayerIndex(1), HeadIndex(1)).bias, nullptr)
        << "the biased slots are gone";
}

TEST(SlotCache, invalidPlan_isRefusedAndChangesNothing) {
    auto cache = filled(10);
    const std::string before = cache->save().value();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<CompactionPlan> bad(6, keepEverywhere(*cache, {1, 3}));
    bad[0].heads.pop_back();
    bad[1].heads[3].keep = {9, range(1, 3)};
    bad[2].heads[3].keep = {11, range(9, 11)};
    bad[3].heads[3].keep = SlotMarks(10);
    bad[4].heads[3].bias = {0.0F};
    bad[5].heads[3].values.assign(12, nan);
    for (std::size_t i = 0; i < bad.size(); ++i) {
        const Status status = cache->compactable()->apply(bad[i]);
        ASSERT_FALSE(status) << i;
        EXPECT_EQ(status.error().code, ErrorCode::InvalidArgument) << i;
        EXPECT_EQ(cache->save().value(), before) << i;
        if (i > 0) {
            EXPECT_NE(status.error().what.find("layer 1 head 1"), std::string::npos);
        }
    }
}

TEST(SlotCache, compactionWithoutMemory_changesNothing) {
    // Four heads with keys, values and positions: allocation fails at each of the twelve.
    for (int succeed = 0; succeed < 12; ++succeed) {
        CountingAllocator allocator;
        auto cache = makeSlotCache(shape(), allocator).value();
        ASSERT_TRUE(append(*cache, 20));
        const std::string before = cache->save().value();
        allocator.failAfter = succeed;
        const Status status = cache->compactable()->apply(keepEverywhere(*cache, everySecond(20)));
        ASSERT_FALSE(status) << succeed;
        EXPECT_EQ(status.error().code, ErrorCode::NoMemory);
        EXPECT_EQ(cache->save().value(), before);
        EXPECT_EQ(cache->stats().compactions, 0);
    }
}

/// Heads whose rows are moved in place together: 4 heads with 256 B keys and 320 B values.
KvShape wideShape() {
    return {.layers = 2, .kvHeads = 2, .keyDim = 64, .valueDim = 80, .type = DType::F32};
}

TEST(SlotCache, largeCompaction_movesRowsInPlace) {
    CountingAllocator allocator;
    auto cache = makeSlotCache(wideShape(), allocator).value();
    ASSERT_TRUE(append(*cache, 1500));
    const int before = allocator.allocations;
    const std::vector<std::int32_t> keep = everySecond(1500);
    CompactionPlan plan = keepEverywhere(*cache, keep);
    plan.heads[3].values.assign(keep.size() * 80, 7.0F);
    ASSERT_TRUE(cache->compactable()->apply(plan));
    EXPECT_EQ(allocator.allocations, before + 4) << "positions only";
    EXPECT_EQ(cache->stats().allocatedBytes, 4 * 768 * (256 + 320 + 4));
    for (int slot = 0; slot < static_cast<int>(keep.size()); ++slot) {
        for (int head = 0; head < 3; ++head)
            ASSERT_TRUE(
                holds(*cache, head / 2, head % 2, slot, keep[static_cast<std::size_t>(slot)]));
    }
    EXPECT_EQ(reinterpret_cast<const float*>(
                  cache->head(LayerIndex(1), HeadIndex(1)).values)[750 * 80 + 79],
              7.0F);
    ASSERT_TRUE(append(*cache, 300));
    EXPECT_TRUE(holds(*cache, 1, 0, 751 + 299, 1799));
    EXPECT_TRUE(holds(*cache, 1, 0, 10, 20));
    cache->checkInvariants();
}

TEST(SlotCache, largeCompactionWithoutMemory_changesNothing) {
    CountingAllocator allocator;
    auto cache = makeSlotCache(wideShape(), allocator).value();
    ASSERT_TRUE(append(*cache, 1500));
    const std::string before = cache->save().value();
    for (int succeed = 0; succeed < 4; ++succeed) {
        allocator.failAfter = succeed;
        EXPECT_FALSE(cache->compactable()->apply(keepEverywhere(*cache, everySecond(1500))));
        EXPECT_EQ(cache->save().value(), before);
    }
}

TEST(SlotCache, compaction_releasesMemory) {
    auto cache = filled(4096);
    const std::int64_t before = cache->stats().allocatedBytes;
    ASSERT_TRUE(cache->compactable()->apply(keepEverywhere(*cache, range(0, 1024))));
    const KvStats stats = cache->stats();
    EXPECT_EQ(before, 4 * 4096 * 20);
    EXPECT_EQ(stats.liveBytes, 4 * 1024 * (20 + 4));
    EXPECT_EQ(stats.allocatedBytes, 4 * 1280 * (20 + 4));
    EXPECT_EQ(stats.logicalBytes, before);
}

TEST(SlotCache, compactionBytes_followTheContract) {
    // One of the 32 layers of vector L2-48; positions take space in addition to keys and values.
    auto cache =
        makeSlotCache(
            {.layers = 1, .kvHeads = 8, .keyDim = 128, .valueDim = 128, .type = DType::F16})
            .value();
    ASSERT_TRUE(append(*cache, 2113));
    ASSERT_TRUE(cache->compactable()->apply(keepEverywhere(*cache, range(0, 2048))));
    EXPECT_EQ(cache->stats().liveBytes - 8 * 2048 * 4, 268'435'456 / 32);
    EXPECT_EQ(cache->stats().allocatedBytes - 8 * 2304 * 4, 301'989'888 / 32);
}

TEST(SlotCache, clone_sharesNothing) {
    auto cache = filled(10);
    ASSERT_TRUE(cache->compactable()->apply(keepEverywhere(*cache, everySecond(10))));
    const std::string before = cache->save().value();
    auto twin = cache->clone().value();
    EXPECT_EQ(twin->save().value(), before);
    ASSERT_TRUE(append(*twin, 5));
    ASSERT_TRUE(twin->compactable()->apply(keepEverywhere(*twin, {0, 1})));
    EXPECT_EQ(cache->save().value(), before);
    EXPECT_EQ(twin->offset(), Position(15));
}

TEST(SlotCache, keyNorms_followAppendRollbackAndCompaction) {
    auto cache = makeSlotCache(shape(DType::F32)).value();
    const auto check = [&](const std::vector<std::int64_t>& positions) {
        const auto norms = cache->keyNorms(LayerIndex(1), HeadIndex(1));
        ASSERT_EQ(norms.size(), positions.size());
        for (std::size_t i = 0; i < positions.size(); ++i) {
            double sum = 0;
            for (const float x : keyRow(shape(), 1, 1, positions[i])) sum += double{x} * double{x};
            EXPECT_NEAR(static_cast<double>(norms[i]), std::sqrt(sum), 1e-5);
        }
    };
    ASSERT_TRUE(append(*cache, 3));
    check({0, 1, 2});
    ASSERT_TRUE(append(*cache, 2));
    check({0, 1, 2, 3, 4});
    ASSERT_TRUE(cache->rollback(1));
    ASSERT_TRUE(cache->compactable()->apply(keepEverywhere(*cache, {0, 2, 3})));
    ASSERT_TRUE(append(*cache, 1));
    check({0, 2, 3, 4});
}

TEST(SlotCache, norms_areComputedOnlyOnRequest) {
    auto cache = filled(10);
    const std::int64_t before = cache->stats().liveBytes;
    static_cast<void>(cache->keyNorms(LayerIndex(0), HeadIndex(0)));
    EXPECT_EQ(cache->stats().liveBytes, before + 40);
}

}  // namespace
}  // namespace lacuna::test
