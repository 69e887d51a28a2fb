// Vectors HE of the cache contract: layers with different kinds of cache.

#include <gtest/gtest.h>

#include <cmath>

#include "cache_kinds.h"
#include "engine/kv/cache_list.h"
#include "engine/kv/kv_factory.h"
#include "engine/kv/layer_layout.h"
#include "engine/kv/slot/slot_cache.h"
#include "engine/kv/window/window_cache.h"
#include "kv_fixture.h"

namespace lacuna::test {
namespace {

/// Every sixth layer is full and the others have a window, as in gemma 3.
std::vector<LayerPlan> hybrid(int layers, int window) {
    std::vector<LayerPlan> plans(static_cast<std::size_t>(layers));
    for (int i = 0; i < layers; ++i)
        if ((i + 1) % 6 != 0) plans[static_cast<std::size_t>(i)].window = WindowRule{window, 0};
    return plans;
}

KvShape shape(int layers) {
    return {.layers = layers, .kvHeads = 2, .keyDim = 4, .valueDim = 6, .type = DType::F16};
}

std::unique_ptr<KvCache> listOf(int layers, int window) {
    return makeCacheList(shape(layers), hybrid(layers, window)).value();
}

TEST(CacheList, HE_01_estimate_dependsOnTheLayerKind) {
    const KvShape gemma{
        .layers = 34, .kvHeads = 4, .keyDim = 256, .valueDim = 256, .type = DType::F16};
    EXPECT_EQ(estimateBytes(gemma, hybrid(34, 1024), 8192), 289'406'976);
    EXPECT_EQ(estimateBytes(gemma, std::vector<LayerPlan>(34), 8192), 1'140'850'688);
    std::vector<LayerPlan> full;
    std::vector<LayerPlan> sliding;
    for (const LayerPlan& plan : hybrid(34, 1024)) (plan.window ? sliding : full).push_back(plan);
    EXPECT_EQ(estimateBytes(gemma, full, 8192), 167'772'160);
    EXPECT_EQ(estimateBytes(gemma, sliding, 8192), 121'634'816);
}

TEST(CacheList, HE_01_estimate_equalsTheHeldBytes) {
    auto cache = listOf(8, 16);
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(append(*cache, 1));
    const std::int64_t positions = 16 * 4;  // int32 of the ring buffer
    EXPECT_EQ(cache->stats().liveBytes, estimateBytes(shape(8), hybrid(8, 16), 100) + positions);
}

TEST(CacheList, HE_02_masks_areOnePerLayerKind) {
    EXPECT_EQ(layoutOf(shape(34), hybrid(34, 16)).value().distinct.size(), 2U);
    std::vector<LayerPlan> three = hybrid(12, 16);
    three[0].window->size = 8;
    EXPECT_EQ(layoutOf(shape(12), three).value().distinct.size(), 3U);
}

TEST(CacheList, HE_03_rows_areStoredVerbatim_withAnyRotation) {
    auto cache = listOf(6, 8);
    ASSERT_TRUE(append(*cache, 5));
    EXPECT_TRUE(holds(*cache, 0, 0, 4, 4));
    EXPECT_TRUE(holds(*cache, 5, 1, 4, 4));
}

TEST(CacheList, HE_04_trimPastTheWindow_removesNothing) {
    auto cache = listOf(6, 1024);
    ASSERT_TRUE(append(*cache, 1023));
    EXPECT_TRUE(cache->capabilities().canTrim(1));
    EXPECT_EQ(cache->trim(3).value(), 3);
    ASSERT_TRUE(append(*cache, 5));
    EXPECT_EQ(cache->offset().value, 1025);
    EXPECT_FALSE(cache->capabilities().canTrim(1));
    EXPECT_EQ(cache->trim(1).value(), 0);
    EXPECT_EQ(cache->rollback(1).error().code, ErrorCode::Unsupported);
    EXPECT_EQ(cache->offset().value, 1025);
    cache->checkInvariants();
    ASSERT_TRUE(cache->speculation().begin(4));
    ASSERT_TRUE(append(*cache, 4));
    ASSERT_TRUE(cache->speculation().rewind(2));
    ASSERT_TRUE(cache->speculation().commit());
    EXPECT_EQ(cache->offset().value, 1027);
    cache->checkInvariants();
    EXPECT_TRUE(holdsItsTokens(*cache));
}

TEST(CacheList, HE_05_shorterPrefix_isUsableOnlyBeforeTheWindowPassed) {
    auto cache = listOf(6, 16);
    ASSERT_TRUE(append(*cache, 12));
    EXPECT_GE(cache->capabilities().rollbackLimit, 12 - 7);
    ASSERT_TRUE(append(*cache, 8));
    EXPECT_EQ(cache->capabilities().rollbackLimit, 0);
}

TEST(CacheList, HE_07_swappedLayers_areRefusedAtLoad) {
    auto cache = listOf(6, 16);
    ASSERT_TRUE(append(*cache, 40));
    const std::string bytes = cache->save().value();
    auto loaded = loadCacheList(bytes, hybrid(6, 16)).value();
    EXPECT_EQ(loaded->save().value(), bytes);
    EXPECT_TRUE(holdsItsTokens(*loaded));
    auto swapped = hybrid(6, 16);
    std::swap(swapped[4], swapped[5]);
    const auto refused = loadCacheList(bytes, swapped);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Incompatible);
    EXPECT_NE(refused.error().what.find("layer 4"), std::string::npos);
    EXPECT_EQ(loadCacheList(bytes, hybrid(6, 8)).error().code, ErrorCode::Incompatible);
    EXPECT_EQ(loadCacheList(bytes, hybrid(7, 16)).error().code, ErrorCode::Incompatible);
}

TEST(CacheList, HE_08_quantisation_isChosenPerLayer) {
    KvShape s{.layers = 6, .kvHeads = 2, .keyDim = 64, .valueDim = 64, .type = DType::F16};
    std::vector<LayerPlan> plans = hybrid(6, 16);
    for (LayerPlan& plan : plans) plan.keyQuant = plan.valueQuant = {8, 64};
    plans[0].keyQuant = plans[0].valueQuant = {};  // the first layer stays unquantised
    auto cache = makeCacheList(s, plans).value();
    ASSERT_TRUE(append(*cache, 40));
    EXPECT_TRUE(cache->head(LayerIndex(0), HeadIndex(0)).keyQuant.plain());
    EXPECT_EQ(cache->head(LayerIndex(1), HeadIndex(0)).keyQuant, (KvQuant{8, 64}));
    EXPECT_EQ(cache->head(LayerIndex(5), HeadIndex(0)).keyQuant, (KvQuant{8, 64}));
}

TEST(CacheList, G_11_layersOfDifferentLength_areReportedAsDivergent) {
    const auto plans = hybrid(12, 16);
    std::vector<std::unique_ptr<KvCache>> parts;
    KvShape window = shape(10);
    KvShape full = shape(2);
    parts.push_back(makeWindowCache(window, {16, 0}).value());
    parts.push_back(makeSlotCache(full).value());
    ASSERT_TRUE(append(*parts[0], 8));
    ASSERT_TRUE(append(*parts[1], 8));
    ASSERT_TRUE(parts[1]->trim(1));
    const auto joined = joinCacheList(shape(12), plans, std::move(parts));
    ASSERT_FALSE(joined);
    EXPECT_EQ(joined.error().code, ErrorCode::Divergent);
    EXPECT_NE(joined.error().what.find("layer 5 holds 7 tokens, expected 8"), std::string::npos)
        << joined.error().what;
}

TEST(CacheList, compaction_changesFullLayersOnly) {
    auto cache = listOf(6, 16);
    ASSERT_TRUE(append(*cache, 40));
    CompactionPlan plan = keepEverywhere(*cache, {0, 1, 39});
    const Status refused = cache->compactable()->apply(plan);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::Unsupported);
    EXPECT_NE(refused.error().what.find("layer 0"), std::string::npos);
    for (std::size_t h = 0; h < 10; ++h) plan.heads[h] = {};
    ASSERT_TRUE(cache->compactable()->apply(plan));
    EXPECT_EQ(cache->slots(LayerIndex(5), HeadIndex(0)), 3);
    EXPECT_TRUE(holdsItsTokens(*cache));
    auto twin = cache->clone().value();
    ASSERT_TRUE(append(*twin, 3));
    EXPECT_TRUE(holdsItsTokens(*twin));
    EXPECT_EQ(cache->offset().value, 40);
}

TEST(KvFactory, everyKind_isCreatedFromItsOptions) {
    KvChoice choice{.shape = shape(6), .window = {}, .layers = {}};
    EXPECT_EQ(makeCache(choice).value()->capabilities().kind, KvKind::Dense);
    EXPECT_NE(makeCache(choice).value()->compactable(), nullptr);
    choice.window = WindowRule{64, 4};
    EXPECT_EQ(makeCache(choice).value()->capabilities().kind, KvKind::Rotating);
    choice.layers = hybrid(6, 16);
    const auto both = makeCache(choice);
    ASSERT_FALSE(both);
    EXPECT_EQ(both.error().code, ErrorCode::InvalidArgument);
    EXPECT_NE(both.error().what.find("window of 64"), std::string::npos);
    choice.window.reset();
    EXPECT_EQ(makeCache(choice).value()->capabilities().kind, KvKind::List);
}

}  // namespace
}  // namespace lacuna::test
