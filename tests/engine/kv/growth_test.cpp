// Growth vectors GR-1 to GR-15 of the cache contract, on the rule and on the cache that uses it.

#include "engine/kv/slot_memory.h"

#include <gtest/gtest.h>

#include "engine/kv/kv_factory.h"
#include "kv_fixture.h"

namespace lacuna::test {
namespace {

struct Grown {
    std::int64_t capacity = 0;
    int reallocations = 0;
};

Grown growBy(std::int64_t singles) {
    Grown grown;
    for (std::int64_t used = 0; used < singles; ++used) {
        const std::int64_t next = grownCapacity(grown.capacity, used, 1);
        if (next != grown.capacity && grown.capacity != 0) ++grown.reallocations;
        grown.capacity = next;
    }
    return grown;
}

/// Returns the capacity of a cache with one head and 8 bytes per slot.
std::int64_t capacity(const KvCache& cache) {
    return cache.stats().allocatedBytes / 8;
}

KvShape tinyShape() {
    return {.layers = 1, .kvHeads = 1, .keyDim = 2, .valueDim = 2, .type = DType::F16};
}

TEST(Growth, singleAppends_followTheContractVectors) {
    const std::pair<std::int64_t, std::int64_t> vectors[] = {
        {255, 256},   {256, 256},   {257, 512},     {258, 512},    {513, 1024},
        {1025, 2048}, {2049, 4096}, {32768, 32768}, {32769, 65536}};
    for (const auto& [singles, expected] : vectors)
        EXPECT_EQ(growBy(singles).capacity, expected) << singles;
}

TEST(Growth, singleAppendsTo32K_reallocateSevenTimes) {
    EXPECT_EQ(growBy(32768).reallocations, 7);
}

TEST(Growth, compaction_leavesBetweenOneSlotAndAQuantumOfHeadroom) {
    const std::pair<std::int64_t, std::int64_t> vectors[] = {
        {64, 256},    {255, 256},   {256, 512},   {257, 512},  {512, 768},
        {1000, 1024}, {1024, 1280}, {2048, 2304}, {3000, 3072}};
    for (const auto& [kept, expected] : vectors)
        EXPECT_EQ(compactedCapacity(kept), expected) << kept;
}

TEST(SlotCacheGrowth, tokenAfterPrefill_doublesTheCapacity) {
    auto cache = makeSlotCache(tinyShape()).value();
    ASSERT_TRUE(append(*cache, 2048));
    EXPECT_EQ(capacity(*cache), 2048);
    ASSERT_TRUE(append(*cache, 1));
    EXPECT_EQ(capacity(*cache), 4096);
}

TEST(SlotCacheGrowth, unevenAppends_growToTheRequiredSize) {
    auto cache = makeSlotCache(tinyShape()).value();
    const std::pair<int, std::int64_t> steps[] = {{200, 256}, {2048, 2248}, {1, 4496}};
    for (const auto& [tokens, expected] : steps) {
        ASSERT_TRUE(append(*cache, tokens));
        EXPECT_EQ(capacity(*cache), expected);
    }
    EXPECT_EQ(cache->stats().reallocations, 2);
}

TEST(SlotCacheGrowth, threeHundredTokenAppends_growOnce) {
    auto cache = makeSlotCache(tinyShape()).value();
    for (const std::int64_t expected : {256, 256, 512}) {
        ASSERT_TRUE(append(*cache, 100));
        EXPECT_EQ(capacity(*cache), expected);
    }
}

TEST(SlotCacheGrowth, loadedState_continuesFromItsOwnSize) {
    auto first = makeSlotCache(tinyShape()).value();
    ASSERT_TRUE(append(*first, 300));
    auto cache = loadCache(first->save().value()).value();
    EXPECT_EQ(capacity(*cache), 300);
    ASSERT_TRUE(append(*cache, 1));
    EXPECT_EQ(capacity(*cache), 600);
    ASSERT_TRUE(append(*cache, 300));
    EXPECT_EQ(capacity(*cache), 1200);
}

TEST(SlotCacheGrowth, rollback_keepsCapacity) {
    auto cache = makeSlotCache(tinyShape()).value();
    ASSERT_TRUE(append(*cache, 300));
    ASSERT_TRUE(cache->rollback(100));
    ASSERT_TRUE(append(*cache, 50));
    EXPECT_EQ(capacity(*cache), 300);
    EXPECT_EQ(cache->stats().slotsTotal, 250);
    EXPECT_EQ(cache->stats().reallocations, 0);
}

TEST(SlotCacheGrowth, bytes_countKeysAndValues) {
    auto cache =
        makeSlotCache({.layers = 1, .kvHeads = 8, .keyDim = 64, .valueDim = 64, .type = DType::F16})
            .value();
    for (int i = 0; i < 300; ++i) ASSERT_TRUE(append(*cache, 1));
    EXPECT_EQ(cache->stats().liveBytes, 614'400);
    EXPECT_EQ(cache->stats().logicalBytes, 614'400);
    EXPECT_EQ(cache->stats().allocatedBytes, 1'048'576);
}

TEST(SlotCacheGrowth, everyRow_survivesEachDoubling) {
    for (const DType type : {DType::F32, DType::F16, DType::BF16}) {
        auto cache =
            makeSlotCache({.layers = 2, .kvHeads = 2, .keyDim = 4, .valueDim = 6, .type = type})
                .value();
        for (int tokens = 1; tokens <= 1025; ++tokens) {
            ASSERT_TRUE(append(*cache, 1));
            const bool boundary = tokens >= 255 && tokens <= 258;
            if (!boundary && tokens != 512 && tokens != 513 && tokens != 1025) continue;
            for (int slot = 0; slot < tokens; ++slot) {
                for (int head = 0; head < 4; ++head)
                    ASSERT_TRUE(holds(*cache, head / 2, head % 2, slot, slot))
                        << tokens << " " << slot;
            }
        }
    }
}

TEST(SlotCacheGrowth, growth_allocatesEachBufferOnce) {
    CountingAllocator allocator;
    auto cache = makeSlotCache(tinyShape(), allocator).value();
    ASSERT_TRUE(append(*cache, 256));
    EXPECT_EQ(allocator.allocations, 2);
    ASSERT_TRUE(append(*cache, 1));
    EXPECT_EQ(allocator.allocations, 4);
    for (int i = 0; i < 255; ++i) ASSERT_TRUE(append(*cache, 1));
    EXPECT_EQ(allocator.allocations, 4);
}

/// 64 KiB of keys and of values with the first slots of a head, enough for separately mapped
/// blocks.
KvShape mappedShape() {
    return {.layers = 2, .kvHeads = 2, .keyDim = 128, .valueDim = 128, .type = DType::F16};
}

TEST(SlotCacheGrowth, mappedBlocks_areExtendedNotCopied) {
    CountingAllocator allocator;
    auto cache = makeSlotCache(mappedShape(), allocator).value();
    ASSERT_TRUE(append(*cache, 256));
    EXPECT_EQ(allocator.allocations, 8);
    ASSERT_TRUE(append(*cache, 300));
    EXPECT_EQ(allocator.allocations, 8);
    EXPECT_EQ(allocator.extensions, 8);
    EXPECT_EQ(cache->stats().allocatedBytes, 4 * 556 * 512);
    EXPECT_TRUE(holdsItsTokens(*cache));
    cache->checkInvariants();
}

TEST(SlotCacheGrowth, mappedBlocksOfASnapshot_areRemapped_notCopied) {
    CountingAllocator allocator;
    auto cache = makeSlotCache(mappedShape(), allocator).value();
    ASSERT_TRUE(append(*cache, 256));
    auto twin = cache->snapshots()->snapshot().value();
    ASSERT_TRUE(append(*cache, 1));
    EXPECT_EQ(allocator.allocations, 8);
    EXPECT_EQ(allocator.extensions, 8);
    EXPECT_TRUE(holdsItsTokens(*cache));
    EXPECT_TRUE(holdsItsTokens(*twin));
    twin.reset();
    ASSERT_TRUE(append(*cache, 256));
    EXPECT_EQ(allocator.extensions, 16);
    EXPECT_TRUE(holdsItsTokens(*cache));
}

TEST(SlotCacheGrowth, mappedBlocksWithoutMemory_areUnchanged) {
    CountingAllocator allocator;
    auto cache = makeSlotCache(mappedShape(), allocator).value();
    ASSERT_TRUE(append(*cache, 256));
    const std::string before = cache->save().value();
    const std::int64_t bytes = cache->stats().allocatedBytes;
    for (int succeed = 0; succeed < 8; ++succeed) {
        allocator.failAfter = succeed;
        const Status status = cache->beginAppend(1);
        ASSERT_FALSE(status);
        EXPECT_EQ(status.error().code, ErrorCode::NoMemory);
        EXPECT_EQ(cache->save().value(), before);
        EXPECT_EQ(cache->stats().allocatedBytes, bytes);
    }
    allocator.failAfter = -1;
    ASSERT_TRUE(append(*cache, 1));
    EXPECT_TRUE(holdsItsTokens(*cache));
}

}  // namespace
}  // namespace lacuna::test
