// Division of extra bits against an exhaustive search; caches use the bits of their layers and take
// the corresponding bytes.

#include "engine/kv/layer_bits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "engine/base/random.h"
#include "engine/kv/kv_factory.h"
#include "engine/tensor/rotated_codes.h"
#include "tests/engine/kv/kv_fixture.h"

namespace lacuna::test {
namespace {

LayerLoss damageOf(std::vector<double> keys, std::vector<double> values) {
    LayerLoss loss;
    loss.keys = std::move(keys);
    loss.values = std::move(values);
    return loss;
}

int sumOf(const LayerBits& bits) {
    return std::accumulate(bits.keys.begin(), bits.keys.end(), 0) +
           std::accumulate(bits.values.begin(), bits.values.end(), 0);
}

TEST(LayerBits, extraBits_areAssignedWhereTheySaveMost) {
    const auto bits = spreadBits(damageOf({0.1, 0.001, 0.04}, {0.002, 0.002, 0.035}), 2, 2, 0.5);
    EXPECT_EQ(bits.keys, (std::vector<int>{3, 2, 3}));
    EXPECT_EQ(bits.values, (std::vector<int>{2, 2, 3}));
    EXPECT_EQ(spreadBits(damageOf({1, 1}, {1, 1}), 3, 3, 0.25), (LayerBits{{4, 3}, {3, 3}}))
        << "of equal gains keys of the first layer";
    EXPECT_EQ(spreadBits(damageOf({1, 2}, {1, 2}), 3, 0, 0.5), (LayerBits{{3, 4}, {0, 0}}))
        << "values that are no codes have none";
    EXPECT_EQ(spreadBits(damageOf({1, 2}, {1, 2}), 8, 7, 4), (LayerBits{{8, 8}, {8, 8}}));
    EXPECT_EQ(spreadBits(damageOf({1, 2}, {1, 2}), 3, 3, 0), (LayerBits{{3, 3}, {3, 3}}));
}

/// Returns the least predicted error of all divisions of `extra` bits over four sides.
double leastOfAll(const LayerLoss& loss, int base, int extra) {
    double least = std::numeric_limits<double>::infinity();
    for (int a = 0; a <= extra; ++a)
        for (int b = 0; a + b <= extra; ++b)
            for (int c = 0; a + b + c <= extra; ++c) {
                const int d = extra - a - b - c;
                if (std::max(std::max(a, b), std::max(c, d)) > kMaxCodeBits - base) continue;
                const LayerBits bits{{base + a, base + b}, {base + c, base + d}};
                least = std::min(least, predictedLoss(loss, bits));
            }
    return least;
}

TEST(LayerBits, chosenBits_haveTheLowestPredictedLoss) {
    RandomStream random(7, 1);
    for (int round = 0; round < 60; ++round) {
        const auto any = [&] { return std::exp(3 * random.normal()); };
        const LayerLoss loss = damageOf({any(), any()}, {any(), any()});
        const int base = 1 + round % 4;
        for (int extra = 0; extra <= 8; ++extra) {
            const LayerBits bits = spreadBits(loss, base, base, extra / 4.0);
            EXPECT_EQ(sumOf(bits), 4 * base + extra);
            EXPECT_LE(predictedLoss(loss, bits), leastOfAll(loss, base, extra) * (1 + 1e-12));
        }
    }
}

TEST(LayerBits, invalidLosses_areRefused) {
    EXPECT_TRUE(checkLayerLoss(damageOf({0}, {1})));
    EXPECT_FALSE(checkLayerLoss(damageOf({}, {})));
    EXPECT_FALSE(checkLayerLoss(damageOf({1, 2}, {1})));
    EXPECT_FALSE(checkLayerLoss(damageOf({-1}, {1})));
    EXPECT_FALSE(checkLayerLoss(damageOf({1}, {std::numeric_limits<double>::quiet_NaN()})));
    LayerLoss loss = damageOf({1}, {1});
    loss.bits = 9;
    EXPECT_FALSE(checkLayerLoss(loss));
}

CacheModel modelOf(std::vector<int> windows = {}) {
    CacheModel model;
    model.layers = 3;
    model.kvHeads = 2;
    model.headDim = 64;
    model.windows = std::move(windows);
    model.loss =
        std::make_shared<const LayerLoss>(damageOf({0.1, 0.001, 0.04}, {0.002, 0.002, 0.035}));
    return model;
}

TEST(LayerBits, cache_usesTheBitsOfItsLayers_andTheirBytes) {
    KvOptions options;
    options.quant = {2, 0};
    options.exactWindow = 0;
    options.extraBits = 0.5;
    for (const auto& model : {modelOf(), modelOf({0, 8, 0})}) {
        const auto cache = makeCacheFor(model, options).value();
        const std::vector<LayerPlan>* plans = cache->layerPlans();
        ASSERT_NE(plans, nullptr);
        EXPECT_EQ((*plans)[0].keyQuant, (KvQuant{3, 0}));
        EXPECT_EQ((*plans)[1].keyQuant, (KvQuant{2, 0}));
        EXPECT_EQ((*plans)[2].valueQuant, (KvQuant{3, 0}));
        EXPECT_EQ((*plans)[1].window.has_value(), !model.windows.empty());
        for (int token = 0; token < 20; ++token) ASSERT_TRUE(append(*cache, 1));
        EXPECT_TRUE(matchesChoice(*cache, cacheChoice(model, options)));
        const std::int64_t positions = model.windows.empty() ? 0 : 8 * 4;
        EXPECT_EQ(cache->stats().liveBytes - positions, cacheBytes(model, options, 20));
        // 9 bits more per head than 2 everywhere, for 64 numbers each
        if (model.windows.empty()) {
            EXPECT_EQ(cacheBytes(model, options, 20), 20 * 2 * (6 * (16 + 2) + 3 * 8));
        }
        const std::string saved = cache->save().value();
        EXPECT_TRUE(loadCacheFor(saved, cacheChoice(model, options)));
        KvOptions others = options;
        others.extraBits = 0.25;
        EXPECT_FALSE(loadCacheFor(saved, cacheChoice(model, others)));
        EXPECT_FALSE(matchesChoice(*cache, cacheChoice(model, others)));
    }
    KvOptions plain;
    plain.extraBits = 1;
    EXPECT_TRUE(cacheChoice(modelOf(), plain).layers.empty()) << "no row is of codes";
    CacheModel unmeasured = modelOf();
    unmeasured.loss.reset();
    EXPECT_EQ(makeCacheFor(unmeasured, options).error().code, ErrorCode::Unsupported);
}

}  // namespace
}  // namespace lacuna::test
