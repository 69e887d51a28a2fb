// Rows S1 of the cache contract that require one interface: one way to create a cache, one type of
// state, one view of a head, and errors that exist in all builds.

#include <gtest/gtest.h>

#include <type_traits>

#include "cache_kinds.h"
#include "engine/kv/eviction/eviction_plan.h"
#include "engine/kv/kv_factory.h"

namespace lacuna::test {
namespace {

TEST(CacheInterface, S1_14_loadedCaches_areCreatedLikeNewOnes) {
    SlotAllocator memory;
    for (const CacheKind& kind : cacheKinds()) {
        const auto made = kind.make(memory);
        const auto loaded = kind.load(made->save().value());
        for (const int tokens : {0, 5, 40}) {
            ASSERT_TRUE(tokens == 0 || append(*made, tokens)) << kind.name;
            ASSERT_TRUE(tokens == 0 || append(*loaded, tokens)) << kind.name;
            const KvCapabilities a = made->capabilities();
            const KvCapabilities b = loaded->capabilities();
            EXPECT_EQ(a.kind, b.kind) << kind.name;
            EXPECT_EQ(made->compactable() != nullptr, loaded->compactable() != nullptr)
                << kind.name;
            EXPECT_EQ(made->snapshots() != nullptr, loaded->snapshots() != nullptr) << kind.name;
            EXPECT_EQ(made->layerPlans() != nullptr, loaded->layerPlans() != nullptr) << kind.name;
            EXPECT_EQ(a.windowSize, b.windowSize) << kind.name;
            EXPECT_EQ(a.windowKeep, b.windowKeep) << kind.name;
            EXPECT_EQ(a.rollbackLimit, b.rollbackLimit) << kind.name;
            EXPECT_EQ(a.trimLimit, b.trimLimit) << kind.name;
            EXPECT_EQ(made->save().value(), loaded->save().value()) << kind.name;
        }
    }
}

TEST(CacheInterface, S1_15_state_hasOneTypeForEveryContent) {
    static_assert(
        std::is_same_v<decltype(std::declval<const KvCache&>().save()), Result<std::string>>);
    constexpr std::size_t kMagicAndVersion = 12;
    SlotAllocator memory;
    for (const CacheKind& kind : cacheKinds()) {
        const auto cache = kind.make(memory);
        const std::string empty = cache->save().value();
        ASSERT_TRUE(append(*cache, 9)) << kind.name;
        const std::string filled = cache->save().value();
        ASSERT_GT(empty.size(), kMagicAndVersion) << kind.name;
        EXPECT_EQ(empty.substr(0, kMagicAndVersion), filled.substr(0, kMagicAndVersion))
            << kind.name;
        EXPECT_TRUE(kind.load(empty)->empty()) << kind.name;
    }
}

/// Returns a cache of three window layers and a full one, whose caches hold different numbers of
/// tokens.
Result<std::unique_ptr<KvCache>> divergentList(int inWindows, int inFull) {
    std::vector<LayerPlan> plans(4);
    for (int layer = 0; layer < 3; ++layer)
        plans[static_cast<std::size_t>(layer)].window = WindowRule{16, 0};
    KvShape shape = kindShape();
    shape.layers = 3;
    std::vector<std::unique_ptr<KvCache>> parts;
    parts.push_back(makeWindowCache(shape, {16, 0}).value());
    shape.layers = 1;
    parts.push_back(makeSlotCache(shape).value());
    EXPECT_TRUE(append(*parts[0], inWindows));
    EXPECT_TRUE(append(*parts[1], inFull));
    shape.layers = 4;
    return joinCacheList(shape, plans, std::move(parts));
}

TEST(CacheInterface, S1_20_S1_24_divergentLayers_areRefusedBelowTheThreshold) {
    // An error in every build, since release builds have no assertions.
    const auto differ = divergentList(3, 2);
    ASSERT_FALSE(differ);
    EXPECT_EQ(differ.error().code, ErrorCode::Divergent);
    EXPECT_TRUE(divergentList(3, 3));
}

TEST(CacheInterface, S1_25_divergence_reportsTheLayerAndBothNumbers) {
    const auto differ = divergentList(3, 2);
    ASSERT_FALSE(differ);
    EXPECT_NE(differ.error().what.find("layer 3 holds 2 tokens, expected 3"), std::string::npos)
        << differ.error().what;
}

TEST(CacheInterface, S1_35_selection_dependsOnlyOnScoresAndRule) {
    const std::vector<float> scores{5, 1, 4, 2, 3, 0};
    const SelectionRule rule{.budget = 4, .keepRecent = 1, .nSink = 1};
    EXPECT_EQ(selectSlots(scores, {nullptr, 6, 6}, rule).value().list(),
              (std::vector<std::int32_t>{0, 2, 4, 5}));
    const std::vector<std::int32_t> positions{0, 3, 7, 8, 20, 21};
    EXPECT_EQ(selectSlots(scores, {positions.data(), 6, 22}, rule).value().list(),
              (std::vector<std::int32_t>{0, 2, 4, 5}));
    EXPECT_EQ(selectSlots(std::span(scores).first(5), {nullptr, 6, 6}, rule).error().code,
              ErrorCode::InvalidArgument);
}

template <class Cache>
concept ShowsItsSizeField = requires(Cache& cache) {
    cache.size_;
};

TEST(CacheInterface, S1_38_S1_62_everyKind_isReadThroughTheSameMembers) {
    KvHeadView (KvCache::*const view)(LayerIndex, HeadIndex) const = &KvCache::head;
    int (KvCache::*const size)() const = &KvCache::size;
    static_assert(!ShowsItsSizeField<KvCache>);
    SlotAllocator memory;
    for (const CacheKind& kind : cacheKinds()) {
        const auto cache = kind.make(memory);
        for (const int tokens : {7, 30, 1}) {
            ASSERT_TRUE(append(*cache, tokens)) << kind.name;
            int largest = 0;
            for (int layer = 0; layer < cache->shape().layers; ++layer)
                for (int head = 0; head < cache->shape().kvHeads; ++head) {
                    const KvHeadView seen = (*cache.*view)(LayerIndex(layer), HeadIndex(head));
                    EXPECT_EQ(seen.slots, cache->slots(LayerIndex(layer), HeadIndex(head)))
                        << kind.name;
                    largest = std::max(largest, seen.slots);
                }
            EXPECT_EQ((*cache.*size)(), largest) << kind.name;
        }
    }
}

}  // namespace
}  // namespace lacuna::test
