// Keys rotated to other positions. Those of the first layer depend only on token and position, so a
// fresh pass over the remaining tokens recomputes them.

#include "engine/model/context_shift.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/kv/row_format.h"
#include "engine/model/model_cache.h"
#include "engine/model/transformer.h"
#include "tests/support/random_model.h"

namespace lacuna {
namespace {

using test::makeRandomModel;
using test::smallSpec;

constexpr int kTokens = 90;
constexpr int kKeep = 7;

std::vector<TokenId> text(int count) {
    std::vector<TokenId> ids;
    for (int i = 0; i < count; ++i) ids.push_back(3 + (i * i * 31 + i * 7) % 250);
    return ids;
}

/// Returns a cache that has read these tokens.
std::unique_ptr<KvCache> cacheOf(const ModelSpec& spec, std::span<const TokenId> ids, DType type) {
    ThreadPool pool(1);
    auto model = Transformer::create(makeRandomModel(spec, DType::F32).value(), pool,
                                     {.precision = Precision::Exact, .maxTokens = 128})
                     .value();
    auto cache = makeFullCache(spec, type).value();
    const BatchRun run{.tokens = ids, .cache = cache.get()};
    EXPECT_TRUE(model->forward({&run, 1}, {}));
    return cache;
}

std::vector<float> keysOf(const KvCache& cache, int layer, int head) {
    const KvHeadView view = cache.head(LayerIndex(layer), HeadIndex(head));
    const int dim = cache.shape().extent(LayerIndex(layer)).keyDim;
    std::vector<float> keys(static_cast<std::size_t>(view.slots * dim));
    readKeys(view, dim, 0, view.slots, keys.data());
    return keys;
}

double largestDifference(const std::vector<float>& a, const std::vector<float>& b) {
    EXPECT_EQ(a.size(), b.size());
    double largest = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        largest = std::max(largest, std::abs(double{a[i]} - double{b[i]}));
    return largest;
}

std::vector<ModelSpec> rotatingSpecs() {
    std::vector<ModelSpec> specs(6, smallSpec());
    specs[1].rope.pairing = RopePairing::Interleaved;
    specs[2].rope.scaling = RopeSpec::Scaling::Linear;
    specs[2].rope.factor = 4;
    specs[3].rope.scaling = RopeSpec::Scaling::Yarn;
    specs[3].rope.factor = 4;
    specs[3].rope.originalContext = 64;
    specs[3].rope.magnitude = 1.14F;
    specs[4].rope.dim = specs[4].headDim / 2;
    // Layers of two sizes, the last of which has no rows.
    specs[5].headDim = 64;
    specs[5].layerSpecs = {{.headDim = 32}, {.kvHeads = 1}, {.kvHeads = 1, .readsCacheOf = 1}};
    return specs;
}

TEST(ShiftedCache, keysOfTheFirstLayer_equalAFreshPass) {
    const auto all = text(kTokens);
    const int dropped = tokensToShift(kTokens, kKeep);
    ASSERT_EQ(dropped, 41);
    std::vector<TokenId> left = all;
    left.erase(left.begin() + kKeep, left.begin() + kKeep + dropped);
    for (const ModelSpec& spec : rotatingSpecs()) {
        for (const DType type : {DType::F32, DType::F16}) {
            const auto whole = cacheOf(spec, all, type);
            const std::string before = whole->save().value();
            const auto shifted = shiftedCache(*whole, spec, kKeep, dropped).value();
            const auto fresh = cacheOf(spec, left, type);
            EXPECT_EQ(shifted->offset().value, kTokens - dropped);
            EXPECT_EQ(shifted->size(), kTokens - dropped);
            for (int head = 0; head < spec.kvHeads; ++head) {
                const auto keys = keysOf(*shifted, 0, head);
                EXPECT_LT(largestDifference(keys, keysOf(*fresh, 0, head)),
                          type == DType::F32 ? 2e-5 : 8e-3);
                EXPECT_GT(largestDifference(keys, std::vector<float>(keys.size(), 0.0F)), 0.5);
            }
            EXPECT_EQ(whole->save().value(), before) << "the old cache is as it was";
        }
    }
}

TEST(ShiftedCache, valuesAndKeptTokens_areCopiedExactly) {
    const ModelSpec spec = smallSpec();
    const auto whole = cacheOf(spec, text(kTokens), DType::F16);
    const int dropped = tokensToShift(kTokens, kKeep);
    const auto shifted = shiftedCache(*whole, spec, kKeep, dropped).value();
    const auto dim = static_cast<std::size_t>(spec.headDim);
    for (int layer = 0; layer < spec.layers; ++layer) {
        const KvHeadView from = whole->head(LayerIndex(layer), HeadIndex(1));
        const KvHeadView to = shifted->head(LayerIndex(layer), HeadIndex(1));
        std::vector<float> a(dim);
        std::vector<float> b(dim);
        for (int slot = 0; slot < to.slots; ++slot) {
            const int source = slot < kKeep ? slot : slot + dropped;
            readValues(from, spec.headDim, source, 1, a.data());
            readValues(to, spec.headDim, slot, 1, b.data());
            EXPECT_EQ(a, b) << layer << " " << slot;
            readKeys(from, spec.headDim, source, 1, a.data());
            readKeys(to, spec.headDim, slot, 1, b.data());
            EXPECT_EQ(a == b, slot < kKeep) << layer << " " << slot;
        }
    }
}

TEST(ShiftedCache, layersWithoutRotation_keepTheirKeys) {
    ModelSpec spec = smallSpec();
    spec.layerSpecs.resize(static_cast<std::size_t>(spec.layers));
    spec.layerSpecs[1].rotary = false;
    const auto whole = cacheOf(spec, text(kTokens), DType::F32);
    const auto shifted = shiftedCache(*whole, spec, 0, 40).value();
    const auto before = keysOf(*whole, 1, 0);
    EXPECT_EQ(keysOf(*shifted, 1, 0),
              std::vector<float>(before.begin() + 40 * spec.headDim, before.end()));
}

TEST(ShiftedCache, unsupportedRotation_isRefusedWithTheReason) {
    const ModelSpec plain = smallSpec();
    const auto whole = cacheOf(plain, text(20), DType::F16);
    ModelSpec spec = plain;
    spec.rope.scaling = RopeSpec::Scaling::Dynamic;
    EXPECT_EQ(checkShiftable(spec).error().code, ErrorCode::Unsupported);
    spec = plain;
    spec.layerSpecs.resize(static_cast<std::size_t>(spec.layers));
    spec.layerSpecs[2].sliding = true;
    EXPECT_NE(checkShiftable(spec).error().what.find("layer 2"), std::string::npos);
    EXPECT_EQ(shiftedCache(*whole, plain, 10, 11).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(shiftedCache(*whole, plain, -1, 2).error().code, ErrorCode::InvalidArgument);
    KvOptions options;
    options.quant = {8, 32};
    const auto coded = makeCacheFor(cacheModelOf(plain), options).value();
    EXPECT_EQ(shiftedCache(*coded, plain, 0, 0).error().code, ErrorCode::Unsupported);
    options = {};
    options.window = 8;
    const auto window = makeCacheFor(cacheModelOf(plain), options).value();
    EXPECT_EQ(shiftedCache(*window, plain, 0, 0).error().code, ErrorCode::Unsupported);
}

}  // namespace
}  // namespace lacuna
