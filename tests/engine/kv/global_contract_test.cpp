// Rules G of the cache contract, for every kind of cache.

#include <gtest/gtest.h>

#include <cmath>

#include "cache_kinds.h"
#include "engine/base/thread_pool.h"
#include "engine/kv/kv_factory.h"
#include "engine/kv/row_format.h"

namespace lacuna::test {
namespace {

std::unique_ptr<KvCache> filled(const CacheKind& kind, std::initializer_list<int> runs) {
    auto cache = kind.make(systemSlotAllocator());
    for (const int run : runs) EXPECT_TRUE(append(*cache, run)) << kind.name;
    return cache;
}

TEST(EveryKind, G_01_S1_47_failedOperations_changeNothing) {
    for (const CacheKind& kind : cacheKinds()) {
        CountingAllocator allocator;
        auto cache = kind.make(allocator);
        for (const int run : {20, 1, 5}) ASSERT_TRUE(append(*cache, run));
        const std::string before = cache->save().value();
        EXPECT_FALSE(cache->beginAppend(-1)) << kind.name;
        EXPECT_FALSE(cache->rollback(-1)) << kind.name;
        EXPECT_FALSE(cache->trim(-1)) << kind.name;
        if (Compactable* const compactable = cache->compactable()) {
            EXPECT_FALSE(compactable->apply({})) << kind.name;
            EXPECT_FALSE(compactable->apply(keepEverywhere(*cache, {}))) << kind.name;
        }
        for (int succeed = 0; succeed < 4; ++succeed) {
            allocator.failAfter = succeed;
            EXPECT_FALSE(append(*cache, 100'000)) << kind.name;
            EXPECT_FALSE(cache->clone()) << kind.name;
            allocator.failAfter = -1;
        }
        EXPECT_EQ(cache->save().value(), before) << kind.name;
        cache->checkInvariants();
    }
}

TEST(EveryKindDeathTest, G_02_wrongShape_isNeverCast) {
    for (const CacheKind& kind : cacheKinds()) {
        auto cache = filled(kind, {4});
        const std::string before = cache->save().value();
        ASSERT_TRUE(append(*cache, 0));
        EXPECT_EQ(cache->save().value(), before) << kind.name;
        ASSERT_TRUE(cache->beginAppend(1));
        const std::vector<float> rows(1000, 0.0F);
        EXPECT_DEATH(
            cache->writeLayer(LayerIndex(0), {rows.data(), {1, 4, 32}}, {rows.data(), {1, 4, 64}}),
            "kvHeads");
        EXPECT_DEATH(
            cache->writeLayer(LayerIndex(0), {rows.data(), {1, 2, 16}}, {rows.data(), {1, 2, 64}}),
            "keyDim");
        cache->abortAppend();
    }
}

TEST(EveryKind, G_03_trim_removesAtMostTheHeldTokens) {
    for (const CacheKind& kind : cacheKinds()) {
        auto cache = filled(kind, {10});
        EXPECT_EQ(cache->trim(0).value(), 0) << kind.name;
        EXPECT_EQ(cache->trim(-1).error().code, ErrorCode::InvalidArgument) << kind.name;
        EXPECT_EQ(cache->trim(25).value(), 10) << kind.name;
        EXPECT_TRUE(cache->empty()) << kind.name;
    }
}

TEST(EveryKind, G_04_S5_01_canTrim_isExact) {
    RandomStream random(4, 0);
    for (const CacheKind& kind : cacheKinds()) {
        auto cache = kind.make(systemSlotAllocator());
        for (int step = 0; step < 200; ++step) {
            ASSERT_TRUE(append(*cache, static_cast<int>(random.below(4))));
            const int n = static_cast<int>(random.below(8));
            const bool can = cache->capabilities().canTrim(n);
            auto twin = cache->clone().value();
            const int removed = twin->trim(n).value();
            if (can) {
                ASSERT_EQ(removed, n) << kind.name;
            } else {
                ASSERT_LT(removed, n) << kind.name;
            }
            if (random.below(3) == 0) cache = std::move(twin);
        }
    }
}

TEST(EveryKind, G_05_D_05_empty_meansNoTokenIsHeld) {
    for (const CacheKind& kind : cacheKinds()) {
        auto cache = filled(kind, {3});
        EXPECT_FALSE(cache->empty()) << kind.name;
        EXPECT_EQ(cache->trim(3).value(), 3) << kind.name;
        EXPECT_TRUE(cache->empty()) << kind.name;
        EXPECT_GT(cache->stats().allocatedBytes, 0) << kind.name;
    }
}

TEST(EveryKind, G_06_size_isDefined) {
    for (const CacheKind& kind : cacheKinds()) {
        EXPECT_EQ(filled(kind, {})->size(), 0) << kind.name;
        EXPECT_EQ(filled(kind, {7})->size(), 7) << kind.name;
    }
}

TEST(EveryKind, G_07_D_05_emptyState_roundTrips) {
    for (const CacheKind& kind : cacheKinds()) {
        auto cache = filled(kind, {});
        auto loaded = kind.load(cache->save().value());
        EXPECT_TRUE(loaded->empty()) << kind.name;
        EXPECT_EQ(loaded->shape(), cache->shape()) << kind.name;
        EXPECT_EQ(loaded->save().value(), cache->save().value()) << kind.name;
        ASSERT_TRUE(append(*loaded, 2)) << kind.name;
    }
}

bool allFinite(const KvCache& cache) {
    const KvShape& s = cache.shape();
    std::vector<float> row(64);
    for (int layer = 0; layer < s.layers; ++layer)
        for (int head = 0; head < s.kvHeads; ++head) {
            const KvHeadView view = cache.head(LayerIndex(layer), HeadIndex(head));
            for (int slot = 0; slot < view.slots; ++slot) {
                readKeys(view, s.keyDim, slot, 1, row.data());
                for (int i = 0; i < s.keyDim; ++i)
                    if (!std::isfinite(row[static_cast<std::size_t>(i)])) return false;
                readValues(view, s.valueDim, slot, 1, row.data());
                for (int i = 0; i < s.valueDim; ++i)
                    if (!std::isfinite(row[static_cast<std::size_t>(i)])) return false;
            }
        }
    return true;
}

TEST(EveryKind, G_08_S3_05_headroom_isNeverVisibleOrSaved) {
    for (const CacheKind& kind : cacheKinds()) {
        PoisonedAllocator allocator;
        auto cache = kind.make(allocator);
        for (const int run : {3, 1, 20, 1, 1, 6, 1}) {
            ASSERT_TRUE(append(*cache, run));
            ASSERT_TRUE(allFinite(*cache)) << kind.name;
        }
        const std::string bytes = cache->save().value();
        auto loaded = kind.load(bytes);
        EXPECT_TRUE(allFinite(*loaded)) << kind.name;
        EXPECT_TRUE(holdsItsTokens(*loaded)) << kind.name;
        const auto rows = static_cast<std::size_t>(cache->stats().liveBytes);
        EXPECT_LT(bytes.size(), rows + 2048) << kind.name;
    }
}

TEST(EveryKind, G_09_copy_sharesNothing) {
    for (const CacheKind& kind : cacheKinds()) {
        auto cache = filled(kind, {9, 1, 9});
        const std::string before = cache->save().value();
        auto copy = cache->clone().value();
        EXPECT_EQ(copy->save().value(), before) << kind.name;
        for (int i = 0; i < 30; ++i) ASSERT_TRUE(append(*copy, 1));
        EXPECT_TRUE(copy->trim(2)) << kind.name;
        EXPECT_EQ(cache->save().value(), before) << kind.name;
        EXPECT_TRUE(holdsItsTokens(*copy)) << kind.name;
    }
}

TEST(EveryKind, G_10_bytes_followSlotsAndCapacity) {
    const auto heads = 6;
    const auto plain = 2 * (32 + 64);
    const auto groups = (32 + 4) + (32 + 4);
    const auto rotated = (20 + 2) + (24 + 2);
    for (const CacheKind& kind : cacheKinds()) {
        if (kind.name.starts_with("list")) continue;  // HE-1
        auto cache = filled(kind, {10});
        const KvStats stats = cache->stats();
        const bool turned = cache->shape().rotated();
        const int row = turned ? rotated : kind.name == "group codes" ? groups : plain;
        const bool window = cache->capabilities().kind == KvKind::Rotating;
        // The first 2 and the newest 4 tokens are also held in 16 bits, each with its position.
        const int exact = turned ? heads * 6 * (plain + 8) : 0;
        EXPECT_EQ(stats.liveBytes, heads * 10 * row + (window ? 40 : 0) + exact) << kind.name;
        EXPECT_EQ(stats.numbers, heads * 10 * (32 + 64)) << kind.name;
        EXPECT_GE(stats.allocatedBytes, stats.liveBytes) << kind.name;
        EXPECT_EQ(stats.normsComputed, 0) << kind.name;
    }
}

TEST(EveryKind, G_12_S1_37_positionsFollowTheOffset_capacityFollowsSlots) {
    auto cache = makeSlotCache(kindShape()).value();
    ASSERT_TRUE(append(*cache, 40));
    ASSERT_TRUE(cache->compactable()->apply(keepEverywhere(*cache, {0, 3, 39})));
    ASSERT_TRUE(cache->beginAppend(2));
    writeRows(*cache, 2);
    EXPECT_EQ(tokensOf(*cache), (std::vector<std::int32_t>{0, 3, 39, 40, 41}));
    cache->commitAppend();
    EXPECT_EQ(cache->offset().value, 42);
    EXPECT_TRUE(holdsItsTokens(*cache)) << "kept keys carry the rotation of their own position";
}

TEST(EveryKind, G_13_G_14_impossibleRequests_areRefused) {
    // Refused before any memory is allocated or a model is used.
    KvShape bad = kindShape(Rows::Groups);
    bad.keyQuant.group = 64;  // does not divide 32
    EXPECT_EQ(makeSlotCache(bad).error().code, ErrorCode::InvalidArgument);
    const KvChoice choice{.shape = kindShape(), .window = WindowRule{64, 0}, .layers = kindPlans()};
    EXPECT_EQ(makeCache(choice).error().code, ErrorCode::InvalidArgument);
    // Refused by a cache that does not support it.
    ThreadPool pool(1);
    for (const CacheKind& kind : cacheKinds()) {
        if (kind.name != "list" && !kind.name.starts_with("rotating")) continue;
        auto cache = filled(kind, {20});
        EXPECT_EQ(compactInPlace(*cache, keepEverywhere(*cache, {0}), pool).error().code,
                  ErrorCode::Unsupported)
            << kind.name;
    }
}

}  // namespace
}  // namespace lacuna::test
