// Layers whose values are the ends of their keys (latent attention): one row for each token, whose
// value follows the key through every operation.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/base/thread_pool.h"
#include "engine/kv/kv_factory.h"
#include "engine/kv/row_recoding.h"
#include "kv_fixture.h"

namespace lacuna::test {
namespace {

constexpr int kKey = 24;
constexpr int kValue = 16;

CacheModel latentModel() {
    return {.layers = 3,
            .extents = {{1, kKey, kValue, true}, {}, {1, kKey, kValue, true}},
            .windows = {0, 0, 0}};
}

KvOptions plain(DType type = DType::F16) {
    KvOptions options;
    options.type = type;
    return options;
}

std::unique_ptr<KvCache> latentCache(int tokens, const KvOptions& options = plain()) {
    auto cache = makeCacheFor(latentModel(), options).value();
    EXPECT_TRUE(append(*cache, tokens));
    return cache;
}

/// Expects that every slot holds the key of its position, and that its value is the end of the key.
void expectRows(const KvCache& cache) {
    cache.checkInvariants();
    for (const int layer : {0, 2}) {
        const KvHeadView view = cache.head(LayerIndex(layer), HeadIndex(0));
        const auto tokens = tokensOf(cache, layer);
        for (int slot = 0; slot < view.slots; ++slot) {
            std::vector<float> key(kKey);
            std::vector<float> value(kValue);
            readKeys(view, kKey, slot, 1, key.data());
            readValues(view, kValue, slot, 1, value.data());
            const auto wanted =
                keyRow(cache.shape(), layer, 0, tokens[static_cast<std::size_t>(slot)]);
            for (std::size_t i = 0; i < kKey; ++i)
                ASSERT_NEAR(key[i], wanted[i], 1e-2) << "layer " << layer << " slot " << slot;
            ASSERT_TRUE(std::equal(value.begin(), value.end(), key.begin() + (kKey - kValue)));
        }
    }
}

TEST(LatentRows, storedBytes_areThoseOfTheKeys) {
    const auto cache = latentCache(300);
    expectRows(*cache);
    const KvStats stats = cache->stats();
    EXPECT_EQ(stats.numbers, 2 * 300 * kKey);
    EXPECT_EQ(stats.liveBytes, 2 * 300 * kKey * 2);
    EXPECT_EQ(stats.logicalBytes, 2 * 300 * kKey * 2);
    EXPECT_EQ(cacheBytes(latentModel(), plain(), 300), 2 * 300 * kKey * 2);
    EXPECT_EQ(cacheBytes(latentModel(), plain(DType::F32), 10), 2 * 10 * kKey * 4);
}

TEST(LatentRows, rollbackCopiesAndSavedBytes_keepTheRows) {
    const auto cache = latentCache(70);
    ASSERT_TRUE(cache->rollback(20));
    ASSERT_TRUE(append(*cache, 300));
    expectRows(*cache);
    const auto twin = cache->share().value();
    const auto copy = cache->clone().value();
    const auto loaded = loadCacheFor(cache->save().value(), cacheChoice(latentModel(), plain()));
    ASSERT_TRUE(loaded) << describe(loaded.error());
    EXPECT_EQ((*loaded)->shape(), cache->shape());
    ASSERT_TRUE(append(*cache, 3));
    for (KvCache* const other : {cache.get(), twin.get(), copy.get(), loaded->get()}) {
        ASSERT_TRUE(append(*other, 5));
        expectRows(*other);
    }
}

TEST(LatentRows, savedBytes_ofSeparateValues_areRefused) {
    CacheModel other = latentModel();
    for (KvExtent& extent : other.extents) extent.valuesInKeys = false;
    const auto cache = makeCacheFor(other, plain()).value();
    ASSERT_TRUE(append(*cache, 4));
    const auto loaded = loadCacheFor(cache->save().value(), cacheChoice(latentModel(), plain()));
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, ErrorCode::Incompatible);
}

TEST(LatentRows, droppedSlots_leaveTheOthers_movedOrInPlace) {
    ThreadPool pool(2);
    for (const bool inPlace : {false, true}) {
        const auto cache = latentCache(400);
        std::vector<std::int32_t> keep;
        for (std::int32_t slot = 0; slot < 400; ++slot)
            if (slot % 3 == 0 || slot >= 390) keep.push_back(slot);
        CompactionPlan plan = keepEverywhere(*cache, keep);
        plan.verbatim = 10;
        ASSERT_TRUE(inPlace ? cache->compactable()->applyInPlace(plan, pool)
                            : cache->compactable()->apply(plan));
        while (cache->compactable()->defragment(1 << 20, pool, true)) {
        }
        expectRows(*cache);
        EXPECT_EQ(cache->slots(LayerIndex(2), HeadIndex(0)), static_cast<int>(keep.size()));
        ASSERT_TRUE(append(*cache, 40));
        expectRows(*cache);
    }
}

TEST(LatentRows, newValues_areRefused) {
    const auto cache = latentCache(8);
    CompactionPlan plan = keepEverywhere(*cache, {0, 1, 2});
    plan.heads[0].values.assign(3 * kValue, 1.0F);
    const Status refused = cache->compactable()->apply(plan);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
    expectRows(*cache);
}

TEST(LatentRows, window_keepsTheNewestRows) {
    KvOptions options = plain();
    options.window = 32;
    const auto cache = latentCache(20, options);
    for (int i = 0; i < 9; ++i) {
        ASSERT_TRUE(append(*cache, 1 + i));
        expectRows(*cache);
    }
    EXPECT_LT(cache->size(), cache->offset().value);
}

TEST(LatentRows, codes_areRefusedWithTheReason) {
    for (const KvQuant quant : {KvQuant{8, 32}, KvQuant{4, 0}}) {
        KvOptions options = plain();
        options.quant = quant;
        const auto cache = makeCacheFor(latentModel(), options);
        ASSERT_FALSE(cache);
        EXPECT_EQ(cache.error().code, ErrorCode::Unsupported);
        EXPECT_NE(cache.error().what.find("contain their values"), std::string::npos);
    }
}

}  // namespace
}  // namespace lacuna::test
