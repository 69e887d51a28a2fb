// A snapshot shares the rows of its original and is independent of later writes to it. Once
// compacted, it replaces the original.

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <utility>

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
    /// Compacts the twin to sinks, every third and the newest slots.
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

TEST(SlotSharing, appendsAndGrowth_doNotChangeTheSnapshot) {
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

TEST(SlotSharing, destroyedOriginal_keepsTheSnapshot) {
    Pair pair(300);
    pair.cache.reset();
    EXPECT_TRUE(holdsItsTokens(*pair.twin));
}

TEST(SlotSharing, appendAfterRollback_copiesBeforeWriting) {
    Pair pair(200);
    ASSERT_TRUE(pair.cache->rollback(50));
    const int before = pair.allocator.allocations;
    // Other rows at the positions of the removed ones.
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

TEST(SlotSharing, noSnapshot_rollbackAndAppendCopyNothing) {
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

TEST(SlotSharing, newestTokens_areAdoptedWithoutAllocation) {
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

TEST(SlotSharing, unchangedHeads_areSharedWithTheOriginal) {
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

TEST(SlotSharing, rollbackIntoTheSnapshot_refusesAdoption) {
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

TEST(SlotSharing, rollbackAfterTheSnapshot_isFollowed) {
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

TEST(SlotSharing, otherCompactionMeanwhile_refusesAdoption) {
    Pair pair(300);
    pair.compactTwin();
    ASSERT_TRUE(pair.cache->compactable()->apply(keepEverywhere(*pair.cache, range(100, 300))));
    EXPECT_TRUE(holdsItsTokens(*pair.twin)) << "nothing was moved under the snapshot";
    static_cast<void>(pair.twin->snapshots()->follow(*pair.cache));
    EXPECT_FALSE(pair.cache->snapshots()->adopt(*pair.twin));
    EXPECT_TRUE(holdsItsTokens(*pair.cache));
}

TEST(SlotSharing, evictionInPlace_doesNotChangeTheSnapshot) {
    Pair pair(300);
    ThreadPool pool(1);
    ASSERT_TRUE(
        pair.cache->compactable()->applyInPlace(keepEverywhere(*pair.cache, range(50, 300)), pool));
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(append(*pair.cache, 1));
    EXPECT_TRUE(holdsItsTokens(*pair.twin));
    EXPECT_EQ(pair.twin->slots(LayerIndex(0), HeadIndex(0)), 300);
}

TEST(SlotSharing, openSpeculation_refusesAdoption) {
    Pair pair(300);
    pair.compactTwin();
    ASSERT_TRUE(pair.cache->speculation().begin(4));
    const Status adopted = pair.cache->snapshots()->adopt(*pair.twin);
    ASSERT_FALSE(adopted);
    EXPECT_EQ(adopted.error().code, ErrorCode::InvalidArgument);
    ASSERT_TRUE(pair.cache->speculation().commit());
    EXPECT_TRUE(pair.cache->snapshots()->adopt(*pair.twin));
}

TEST(SlotSharing, allocationFailureWhileFollowing_leavesTheOriginal) {
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

TEST(SlotSharing, snapshotOfAnotherCache_isRefused) {
    Pair pair(300);
    Pair other(300);
    pair.compactTwin();
    const auto unrelated = makeSlotCache({.layers = 1, .kvHeads = 1, .keyDim = 8, .valueDim = 8});
    EXPECT_FALSE(pair.twin->snapshots()->follow(**unrelated));
    EXPECT_FALSE(pair.cache->snapshots()->adopt(**unrelated));
    EXPECT_FALSE(pair.cache->snapshots()->adopt(*other.cache));
}

TEST(SlotSharing, readerOnAnotherThread_seesOneState) {
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

/// A cache that shares rows, and an equal one that shares none.
struct SharedAndAlone {
    std::unique_ptr<KvCache> shared;
    std::unique_ptr<KvCache> alone;

    template <class Change>
    void both(const Change& change) {
        change(*shared);
        change(*alone);
    }
    /// Compares slot by slot, because sums over slots depend on their order.
    void expectEqual() const {
        shared->checkInvariants();
        ASSERT_EQ(shared->save().value(), alone->save().value());
        ASSERT_EQ(tokensOf(*shared, 1, 1), tokensOf(*alone, 1, 1));
        ASSERT_EQ(shared->stats().liveBytes, alone->stats().liveBytes);
        ASSERT_EQ(shared->capabilities().rollbackLimit, alone->capabilities().rollbackLimit);
    }
};

/// Appends rows that differ from those of other caches at these positions.
void appendOwn(KvCache& cache, int tokens, float number) {
    ASSERT_TRUE(cache.beginAppend(tokens));
    const KvShape& s = cache.shape();
    const std::vector<float> rows(static_cast<std::size_t>(tokens * s.kvHeads * s.keyDim), number);
    for (int layer = 0; layer < s.layers; ++layer)
        cache.writeLayer(LayerIndex(layer), {rows.data(), {tokens, s.kvHeads, s.keyDim}},
                         {rows.data(), {tokens, s.kvHeads, s.valueDim}});
    cache.commitAppend();
}

TEST(SharedCaches, changesToOneCache_doNotAffectTheOthers) {
    const KvShape large{.layers = 2, .kvHeads = 2, .keyDim = 128, .valueDim = 64};
    std::int64_t evictions = 0;
    for (int sequence = 0; sequence < 60; ++sequence) {
        RandomStream random(77, static_cast<std::uint64_t>(sequence));
        ThreadPool pool(1);
        // Large rows use separately mapped blocks.
        const KvShape& shape = sequence % 3 == 0 ? large : kShape;
        std::vector<SharedAndAlone> all(1);
        all[0] = {makeSlotCache(shape).value(), makeSlotCache(shape).value()};
        for (int step = 0; step < 60; ++step) {
            SharedAndAlone& one = all[random.below(all.size())];
            const int held = one.alone->offset().value;
            const auto number = static_cast<float>(random.below(1000));
            switch (random.below(7)) {
                case 0:
                    one.both([&](KvCache& cache) { appendOwn(cache, 1, number); });
                    break;
                case 1: {
                    const int many = 1 + static_cast<int>(random.below(120));
                    one.both([&](KvCache& cache) { appendOwn(cache, many, number); });
                    break;
                }
                case 2: {
                    const int most = one.alone->capabilities().rollbackLimit;
                    const int back = static_cast<int>(
                        random.below(static_cast<std::uint64_t>(std::min(most, 40)) + 1));
                    one.both([&](KvCache& cache) { ASSERT_TRUE(cache.rollback(back)); });
                    break;
                }
                case 3: {
                    const int slots = one.alone->head(LayerIndex(0), HeadIndex(0)).slots;
                    if (held < 60 || one.alone->size() < slots) break;
                    std::vector<std::int32_t> keep;
                    for (int j = 0; j < slots; ++j)
                        if (random.below(3) != 0) keep.push_back(j);
                    const CompactionPlan plan = keepEverywhere(*one.alone, keep);
                    one.both([&](KvCache& cache) {
                        ASSERT_TRUE(cache.compactable()->applyInPlace(plan, pool));
                    });
                    ++evictions;
                    break;
                }
                case 4: {
                    const bool whole = random.below(2) == 0;
                    one.both([&](KvCache& cache) {
                        while (cache.compactable()->defragment(1 << 20, pool, whole)) {
                        }
                    });
                    break;
                }
                case 5:
                    if (all.size() < 6)
                        all.push_back({one.shared->share().value(), one.alone->clone().value()});
                    break;
                default:
                    if (all.size() > 1)
                        all.erase(all.begin() + static_cast<std::ptrdiff_t>(&one - all.data()));
            }
            for (const SharedAndAlone& each : all) each.expectEqual();
            if (HasFatalFailure()) FAIL() << "sequence " << sequence << ", step " << step;
        }
    }
    EXPECT_GT(evictions, 50);
}

TEST(SharedCaches, rows_areCopiedOnlyOnWrite) {
    CountingAllocator allocator;
    auto cache = makeSlotCache(kShape, allocator).value();
    ASSERT_TRUE(append(*cache, 200));
    const int before = allocator.allocations;
    auto twin = cache->share().value();
    ASSERT_TRUE(append(*cache, 40));
    EXPECT_EQ(allocator.allocations, before) << "the first owner writes after what is shared";
    ASSERT_TRUE(append(*twin, 1));
    EXPECT_GT(allocator.allocations, before);
    EXPECT_TRUE(holdsItsTokens(*twin));
    EXPECT_TRUE(holdsItsTokens(*cache));
}

TEST(SharedCaches, backgroundCompaction_continuesWhileTheCacheIsShared) {
    Pair pair(300);
    pair.compactTwin();
    const auto kept = pair.cache->share().value();
    ASSERT_TRUE(append(*pair.cache, 30));
    ASSERT_TRUE(pair.twin->snapshots()->follow(*pair.cache));
    ASSERT_TRUE(pair.cache->snapshots()->adopt(*pair.twin));
    EXPECT_EQ(pair.cache->stats().compactions, 1);
    EXPECT_EQ(kept->stats().compactions, 0);
    EXPECT_EQ(kept->offset(), Position(300));
    EXPECT_TRUE(holdsItsTokens(*kept));
}

/// Returns the memory behind the first `used` bytes of a block.
std::vector<std::pair<const void*, std::int64_t>> memoryOf(const SlotBlock& block,
                                                           std::size_t used) {
    std::vector<std::pair<const void*, std::int64_t>> parts;
    block.visit(used, [&parts](const void* memory, std::int64_t bytes) {
        parts.emplace_back(memory, bytes);
    });
    return parts;
}

/// Returns whether large blocks use pages that can be mapped twice, which not every system
/// supports.
bool hasPages(const SlotBlock& block) {
    return memoryOf(block, 1).front().first != block.data();
}

TEST(SharedMemory, copyOfALargeBlock_sharesPages_untilWritten) {
    constexpr std::size_t kPage = 4096;
    constexpr std::size_t kUsed = 100 * kPage + 100;
    SlotAllocator& allocator = systemSlotAllocator();
    const std::int64_t before = bytesMappedTwice();
    SlotBlock first = allocator.allocate(128 * kPage).value();
    if (!hasPages(first)) GTEST_SKIP() << "no file in memory";
    for (std::size_t i = 0; i < kUsed; ++i) first.data()[i] = static_cast<std::byte>(i % 251);
    SlotBlock copy = allocator.copy(first, kUsed, 200 * kPage).value();
    EXPECT_EQ(bytesMappedTwice() - before, static_cast<std::int64_t>(kUsed));
    EXPECT_TRUE(first.shared()) << "the copy reads its pages";
    EXPECT_FALSE(copy.shared()) << "nobody reads what the copy writes";
    EXPECT_EQ(memoryOf(copy, kUsed), memoryOf(first, kUsed));
    // Both are written independently.
    *copy.from(kUsed) = std::byte{1};
    *first.from(kUsed) = std::byte{2};
    EXPECT_EQ(std::as_const(copy).data()[kUsed], std::byte{1});
    EXPECT_EQ(memoryOf(copy, kUsed), memoryOf(first, kUsed)) << "they part after that";
    // A copy of the copy shares the parts of the copy that were not written.
    *copy.from(50 * kPage + 7) = std::byte{3};
    SlotBlock third = allocator.copy(copy, kUsed, 200 * kPage).value();
    EXPECT_EQ(memoryOf(third, kUsed).size(), 2U);
    EXPECT_EQ(memoryOf(third, kUsed).front(),
              std::pair(memoryOf(first, 1).front().first, std::int64_t{50 * kPage}));
    EXPECT_EQ(std::memcmp(std::as_const(third).data(), std::as_const(copy).data(), kUsed), 0);
    first = {};
    EXPECT_EQ(std::as_const(third).data()[49 * kPage], static_cast<std::byte>(49 * kPage % 251))
        << "the pages stay as long as somebody has them";
    copy = {};
    third = {};
    EXPECT_EQ(bytesMappedTwice(), before);
}

TEST(SharedMemory, growth_doesNotAffectOtherReaders) {
    constexpr std::size_t kPage = 4096;
    SlotAllocator& allocator = systemSlotAllocator();
    const std::int64_t before = bytesMappedTwice();
    SlotBlock first = allocator.allocate(32 * kPage).value();
    if (!hasPages(first)) GTEST_SKIP() << "no file in memory";
    std::memset(first.data(), 5, 32 * kPage);
    SlotBlock reader = first.share();
    EXPECT_FALSE(SlotAllocator::canExtend(first, 64 * kPage));
    ASSERT_TRUE(SlotAllocator::canExtendShared(first, 64 * kPage));
    ASSERT_TRUE(allocator.extend(first, 64 * kPage));
    *first.from(40 * kPage) = std::byte{6};
    EXPECT_EQ(std::as_const(first).data()[31 * kPage], std::byte{5});
    EXPECT_EQ(memoryOf(first, 32 * kPage), memoryOf(reader, 32 * kPage)) << "no second copy";
    EXPECT_GT(bytesMappedTwice(), before);
    first = {};
    EXPECT_EQ(std::as_const(reader).data()[31 * kPage], std::byte{5});
    EXPECT_FALSE(reader.shared());
    EXPECT_EQ(bytesMappedTwice(), before);
}

}  // namespace
}  // namespace lacuna::test
