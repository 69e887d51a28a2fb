// Vectors GR of the cache contract, on every kind that grows: dense, coded, rotating below its
// window.

#include <gtest/gtest.h>

#include <functional>

#include "engine/kv/kv_factory.h"
#include "engine/kv/slot/slot_cache.h"
#include "engine/kv/window/window_cache.h"
#include "kv_fixture.h"

namespace lacuna::test {
namespace {

KvShape narrow(bool coded) {
    KvShape shape{.layers = 1, .kvHeads = 1, .keyDim = 32, .valueDim = 32, .type = DType::F16};
    if (coded) shape.keyQuant = shape.valueQuant = {8, 32};
    return shape;
}

/// A cache with its append and capacity functions.
struct Growing {
    std::string name;
    std::function<void(int)> feed;
    std::function<KvStats()> stats;
    std::int64_t slotBytes = 0;
    bool positions = false;  ///< allocatedBytes includes 4 bytes of position per slot
    [[nodiscard]] std::int64_t capacity() const {
        const KvStats s = stats();
        return (s.allocatedBytes - (positions ? 4 * s.slotsTotal : 0)) / slotBytes;
    }
};

Growing ofCache(std::string name, std::shared_ptr<KvCache> cache, std::int64_t slotBytes,
                bool positions) {
    return {std::move(name), [cache](int n) { ASSERT_TRUE(append(*cache, n)); },
            [cache] { return cache->stats(); }, slotBytes, positions};
}

std::vector<Growing> growingKinds() {
    std::vector<Growing> kinds;
    kinds.push_back(ofCache("dense", makeSlotCache(narrow(false)).value(), 128, false));
    kinds.push_back(ofCache("coded", makeSlotCache(narrow(true)).value(), 72, false));
    const WindowRule wide{1 << 20, 0};
    kinds.push_back(ofCache("rotating", makeWindowCache(narrow(false), wide).value(), 128, true));
    return kinds;
}

void expectAfterSingles(int singles, std::int64_t capacity) {
    for (const Growing& kind : growingKinds()) {
        for (int i = 0; i < singles; ++i) kind.feed(1);
        EXPECT_EQ(kind.capacity(), capacity) << kind.name;
    }
}

void expectSteps(const std::vector<std::pair<int, std::int64_t>>& steps) {
    for (const Growing& kind : growingKinds()) {
        for (const auto& [tokens, capacity] : steps) {
            kind.feed(tokens);
            EXPECT_EQ(kind.capacity(), capacity) << kind.name << " after " << tokens;
        }
    }
}

TEST(Growth, GR_01_255SingleAppends_giveCapacity256) {
    expectAfterSingles(255, 256);
}
TEST(Growth, GR_02_256SingleAppends_giveCapacity256) {
    expectAfterSingles(256, 256);
}
TEST(Growth, GR_03_S3_12_257SingleAppends_giveCapacity512) {
    expectAfterSingles(257, 512);
}
TEST(Growth, GR_04_258SingleAppends_giveCapacity512) {
    expectAfterSingles(258, 512);
}
TEST(Growth, GR_05_S3_12_513SingleAppends_giveCapacity1024) {
    expectAfterSingles(513, 1024);
}
TEST(Growth, GR_06_1025And2049SingleAppends_doubleTheCapacity) {
    expectAfterSingles(1025, 2048);
    expectAfterSingles(2049, 4096);
}

TEST(Growth, GR_07_S3_02_32768SingleAppends_reallocateSevenTimes) {
    for (const Growing& kind : growingKinds()) {
        if (kind.name == "rotating")
            continue;  // keeps a list of positions, which is too slow token by token
        for (int i = 0; i < 32768; ++i) kind.feed(1);
        EXPECT_EQ(kind.capacity(), 32768) << kind.name;
        EXPECT_EQ(kind.stats().reallocations, 7) << kind.name;
        kind.feed(1);
        EXPECT_EQ(kind.capacity(), 65536) << kind.name << " GR_08";
    }
}

TEST(Growth, GR_08_tokenAfter32768_doublesTheCapacity) {
    expectSteps({{32768, 32768}, {1, 65536}});
}
TEST(Growth, GR_09_S3_08_tokenAfterPrefill_doublesTheCapacity) {
    expectSteps({{2048, 2048}, {1, 4096}});
}
TEST(Growth, GR_10_S3_03_S3_09_unevenAppends_growToTheRequiredSize) {
    expectSteps({{200, 256}, {2048, 2248}, {1, 4496}});
}
TEST(Growth, GR_11_threeHundredTokenAppends_growOnce) {
    expectSteps({{100, 256}, {100, 256}, {100, 512}});
}

TEST(Growth, GR_12_S3_06_loadedState_growsFromItsOwnSize) {
    auto first = makeSlotCache(narrow(false)).value();
    ASSERT_TRUE(append(*first, 300));
    const Growing loaded = ofCache("loaded", loadCache(first->save().value()).value(), 128, false);
    EXPECT_EQ(loaded.capacity(), 300);
    loaded.feed(1);
    EXPECT_EQ(loaded.capacity(), 600);
    for (int i = 0; i < 300; ++i) loaded.feed(1);
    EXPECT_EQ(loaded.capacity(), 1200);
}

TEST(Growth, GR_13_S3_07_trim_keepsCapacity) {
    for (const bool coded : {false, true}) {
        auto cache = makeSlotCache(narrow(coded)).value();
        ASSERT_TRUE(append(*cache, 300));
        EXPECT_EQ(cache->trim(100).value(), 100);
        ASSERT_TRUE(append(*cache, 50));
        EXPECT_EQ(cache->stats().allocatedBytes, 300 * (coded ? 72 : 128));
        EXPECT_EQ(cache->size(), 250);
        EXPECT_EQ(cache->stats().reallocations, 0);
    }
}

TEST(Growth, GR_14_S1_44_S3_13_usedAndAllocatedBytes_areReportedSeparately) {
    auto cache =
        makeSlotCache({.layers = 1, .kvHeads = 8, .keyDim = 64, .valueDim = 64, .type = DType::F16})
            .value();
    for (int i = 0; i < 300; ++i) ASSERT_TRUE(append(*cache, 1));
    EXPECT_EQ(cache->stats().liveBytes, 614'400);
    EXPECT_EQ(cache->stats().allocatedBytes, 1'048'576);
}

TEST(Growth, GR_15_S3_10_S3_11_rows_surviveEveryDoubling) {
    for (const bool coded : {false, true}) {
        auto cache = makeSlotCache(narrow(coded)).value();
        for (int tokens = 1; tokens <= 1025; ++tokens) {
            ASSERT_TRUE(append(*cache, 1));
            const bool boundary = tokens >= 255 && tokens <= 258;
            if (boundary || tokens == 512 || tokens == 513 || tokens == 1025) {
                ASSERT_TRUE(holdsItsTokens(*cache)) << tokens;
            }
        }
    }
}

TEST(Growth, S3_01_growth_allocatesEachBufferOnce) {
    CountingAllocator allocator;
    auto cache = makeSlotCache(narrow(false), allocator).value();
    ASSERT_TRUE(append(*cache, 256));
    EXPECT_EQ(allocator.allocations, 2);
    ASSERT_TRUE(append(*cache, 1));
    EXPECT_EQ(allocator.allocations, 4);
}

TEST(Growth, S3_04_growthRule_isTheSameForEveryKind) {
    for (const Growing& kind : growingKinds()) {
        kind.feed(300);
        kind.feed(1);
        EXPECT_EQ(kind.capacity(), 600) << kind.name;
    }
}

}  // namespace
}  // namespace lacuna::test
