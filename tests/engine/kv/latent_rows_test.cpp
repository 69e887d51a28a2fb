// Layers whose values are the ends of their keys (latent attention): one row for each token, whose
// value follows the key through every operation, as plain numbers and with the latent part in
// codes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/base/thread_pool.h"
#include "engine/kv/kv_factory.h"
#include "engine/kv/layer_bits.h"
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

// ---------------------------------------------------------------- codes of the latent part

constexpr int kBefore = 16;  // numbers before the latent part
constexpr int kLatent = 64;

CacheModel codedModel(int before = kBefore, int latent = kLatent) {
    const KvExtent extent{1, before + latent, latent, true};
    return {.layers = 3, .extents = {extent, {}, extent}, .windows = {0, 0, 0}};
}

KvOptions codes(const KvQuant& quant, int exactWindow = 0) {
    KvOptions options;
    options.quant = quant;
    options.exactWindow = exactWindow;
    return options;
}

std::unique_ptr<KvCache> codedCache(const KvOptions& options, int tokens) {
    auto cache = makeCacheFor(codedModel(), options).value();
    EXPECT_TRUE(append(*cache, tokens));
    return cache;
}

constexpr KvQuant kQuants[] = {{8, 32}, {4, 32}, {8, 64}, {8, 0}, {5, 0}, {4, 0}, {1, 0}};

/// Returns the row of a token as a cache of this format must decode it: 16 bits, then the decoded
/// codes of the latent part alone.
std::vector<float> decodedRow(const KvHeadView& view, const std::vector<float>& row) {
    std::vector<float> out(row.size());
    std::byte half[2 * kBefore];
    const auto before = std::span(row).first(kBefore);
    storeRow(DType::F16, before, half);
    loadRow(DType::F16, half, std::span(out).first(kBefore));
    const RowFormat latent{DType::F16, view.keyQuant, kLatent, view.keyRotation,
                           CodeScale::Unbiased};
    std::vector<std::byte> code(formatBytes(latent));
    encodeRow(latent, std::span(row).subspan(kBefore), code.data());
    decodeRow(latent, code.data(), std::span(out).subspan(kBefore));
    return out;
}

/// Expects every slot to hold the coded row of its position, and its value to be the end of the
/// key. Slots read in 16 bits are close to the row itself.
void expectCodedRows(const KvCache& cache) {
    cache.checkInvariants();
    for (const int layer : {0, 2}) {
        const KvHeadView view = cache.head(LayerIndex(layer), HeadIndex(0));
        const auto tokens = tokensOf(cache, layer);
        std::vector<float> keys(static_cast<std::size_t>(view.slots) * (kBefore + kLatent));
        readKeys(view, kBefore + kLatent, 0, view.slots, keys.data());
        for (int slot = 0; slot < view.slots; ++slot) {
            if (view.bias != nullptr && std::isinf(view.bias[slot])) continue;
            const float* const key = keys.data() + std::ptrdiff_t{slot} * (kBefore + kLatent);
            const auto row =
                keyRow(cache.shape(), layer, 0, tokens[static_cast<std::size_t>(slot)]);
            const bool exact = !view.exact.within(slot, 1).empty();
            const auto wanted = exact ? row : decodedRow(view, row);
            for (std::size_t i = 0; i < wanted.size(); ++i)
                ASSERT_NEAR(key[i], wanted[i], exact ? 1e-2 : 1e-5)
                    << "layer " << layer << " slot " << slot << " number " << i;
            std::vector<float> value(kLatent);
            readValues(view, kLatent, slot, 1, value.data());
            for (int i = 0; i < kLatent; ++i)
                ASSERT_NEAR(value[static_cast<std::size_t>(i)], key[kBefore + i], 1e-5) << slot;
        }
    }
}

TEST(LatentCodes, rows_areTheirSixteenBitsAndTheCodesOfTheLatent) {
    for (const KvQuant& quant : kQuants)
        for (const int exact : {0, 24}) {
            SCOPED_TRACE(testing::Message() << quant.bits << " bits, window " << exact);
            const auto cache = codedCache(codes(quant, exact), 60);
            expectCodedRows(*cache);
            ASSERT_TRUE(append(*cache, 1));
            expectCodedRows(*cache);
        }
}

TEST(LatentCodes, manyTokensAtOnce_giveTheSameBytes_asOneByOne) {
    for (const KvQuant& quant : kQuants) {
        const auto one = codedCache(codes(quant, 16), 0);
        for (int i = 0; i < 50; ++i) ASSERT_TRUE(append(*one, 1));
        EXPECT_EQ(one->save().value(), codedCache(codes(quant, 16), 50)->save().value());
    }
}

// 64 numbers in 16 bits and a latent of 512, as in DeepSeek-V2 and V3.
TEST(LatentCodes, bytesPerToken_areThoseComputedByHand) {
    struct Size {
        KvQuant quant;
        int bytes;
    };
    for (const auto& [quant, bytes] :
         {Size{{8, 32}, 128 + 512 + 16 * 4}, Size{{4, 32}, 128 + 256 + 16 * 4},
          Size{{8, 0}, 128 + 512 + 2}, Size{{4, 0}, 128 + 256 + 2}, Size{{3, 0}, 128 + 192 + 2},
          Size{{1, 0}, 128 + 64 + 2}}) {
        const CacheModel model = codedModel(64, 512);
        const auto cache = makeCacheFor(model, codes(quant)).value();
        ASSERT_TRUE(append(*cache, 5));
        const KvStats stats = cache->stats();
        EXPECT_EQ(stats.liveBytes, 2 * 5 * bytes) << quant.bits;
        EXPECT_EQ(stats.scaleBytes, 2 * 5 * (quant.rotated() ? 2 : 16 * 4)) << quant.bits;
        EXPECT_EQ(stats.numbers, 2 * 5 * 576);
        EXPECT_EQ(stats.logicalBytes, 2 * 5 * 576 * 2);
        EXPECT_EQ(cacheBytes(model, codes(quant), 5), 2 * 5 * bytes) << quant.bits;
    }
    // A row in 16 bits has the whole key, its slot and its place.
    const CacheModel model = codedModel(64, 512);
    const auto cache = makeCacheFor(model, codes({4, 0}, 32)).value();
    ASSERT_TRUE(append(*cache, 100));
    const std::int64_t rows = 2 * (32 + KvOptions().nSink);
    EXPECT_EQ(cache->stats().exactBytes, rows * (576 * 2 + 8));
    EXPECT_EQ(cacheBytes(model, codes({4, 0}, 32), 100), cache->stats().liveBytes);
    EXPECT_EQ(cache->stats().liveBytes, 2 * 100 * 386 + rows * (576 * 2 + 8));
}

TEST(LatentCodes, rollbackCopiesAndSavedBytes_keepTheRows) {
    for (const KvQuant& quant : kQuants) {
        const KvOptions options = codes(quant, 16);
        const auto cache = codedCache(options, 70);
        ASSERT_TRUE(cache->rollback(20));
        ASSERT_TRUE(append(*cache, 60));
        const auto twin = cache->share().value();
        const auto copy = cache->clone().value();
        const auto loaded = loadCacheFor(cache->save().value(), cacheChoice(codedModel(), options));
        ASSERT_TRUE(loaded) << describe(loaded.error());
        EXPECT_EQ((*loaded)->shape(), cache->shape());
        EXPECT_EQ((*loaded)->save().value(), cache->save().value());
        for (KvCache* const other : {cache.get(), twin.get(), copy.get(), loaded->get()}) {
            ASSERT_TRUE(append(*other, 5));
            expectCodedRows(*other);
        }
        const auto plainChoice = cacheChoice(codedModel(), plain());
        EXPECT_FALSE(loadCacheFor(cache->save().value(), plainChoice)) << quant.bits;
    }
}

TEST(LatentCodes, droppedSlots_leaveTheOthers_movedOrInPlace) {
    ThreadPool pool(2);
    for (const KvQuant& quant : kQuants)
        for (const bool inPlace : {false, true}) {
            const auto cache = codedCache(codes(quant, 16), 400);
            std::vector<std::int32_t> keep;
            for (std::int32_t slot = 0; slot < 400; ++slot)
                if (slot % 3 == 0 || slot >= 390) keep.push_back(slot);
            CompactionPlan plan = keepEverywhere(*cache, keep);
            plan.verbatim = 10;
            if (!inPlace)
                for (HeadCompaction& head : plan.heads) head.bias.assign(keep.size(), 0.5F);
            ASSERT_TRUE(inPlace ? cache->compactable()->applyInPlace(plan, pool)
                                : cache->compactable()->apply(plan));
            expectCodedRows(*cache);
            while (cache->compactable()->defragment(1 << 20, pool, true)) {
            }
            expectCodedRows(*cache);
            EXPECT_EQ(cache->slots(LayerIndex(2), HeadIndex(0)), static_cast<int>(keep.size()));
            ASSERT_TRUE(append(*cache, 40));
            expectCodedRows(*cache);
        }
}

TEST(LatentCodes, window_keepsTheNewestRows) {
    for (const KvQuant& quant : kQuants) {
        KvOptions options = codes(quant, 8);
        options.window = 32;
        const auto cache = codedCache(options, 20);
        for (int i = 0; i < 9; ++i) {
            ASSERT_TRUE(append(*cache, 1 + i));
            expectCodedRows(*cache);
        }
        EXPECT_LT(cache->size(), cache->offset().value);
    }
}

/// Returns the cache in the format of these options, with equal content.
std::unique_ptr<KvCache> recoded(KvCache& cache, const KvOptions& options) {
    ThreadPool pool(2);
    auto recoding =
        RowRecoding::begin(cache, withRowsOf(cache, cacheChoice(codedModel(), options)), {});
    EXPECT_TRUE(recoding) << (recoding ? "" : describe(recoding.error()));
    int slices = 1;
    while (!(*recoding)->advance(cache, {.rows = 37, .kept = cache.offset().value}, pool).value())
        ++slices;
    EXPECT_GT(slices, 1);
    return (*recoding)->take(cache).value();
}

std::vector<float> allKeys(const KvCache& cache, int layer) {
    const KvHeadView view = cache.head(LayerIndex(layer), HeadIndex(0));
    std::vector<float> keys(static_cast<std::size_t>(view.slots) * (kBefore + kLatent));
    readKeys(view, kBefore + kLatent, 0, view.slots, keys.data());
    return keys;
}

TEST(LatentCodes, conversionThereAndBack_encodesTheDecodedRows) {
    for (const KvQuant& quant : kQuants) {
        SCOPED_TRACE(testing::Message() << quant.bits << " bits in groups of " << quant.group);
        const auto from = codedCache(plain(), 120);
        std::vector<std::vector<float>> before;
        for (const int layer : {0, 2}) before.push_back(allKeys(*from, layer));
        const auto there = recoded(*from, codes(quant));
        EXPECT_EQ(there->shape().keyQuant, quant);
        EXPECT_EQ(there->stats().liveBytes, cacheBytes(codedModel(), codes(quant), 120));
        for (std::size_t i = 0; i < 2; ++i) {
            const int layer = i == 0 ? 0 : 2;
            const KvHeadView view = there->head(LayerIndex(layer), HeadIndex(0));
            const auto keys = allKeys(*there, layer);
            for (std::size_t at = 0; at < keys.size(); at += kBefore + kLatent) {
                const auto first = before[i].begin() + static_cast<std::ptrdiff_t>(at);
                const auto wanted = decodedRow(view, {first, first + kBefore + kLatent});
                for (std::size_t j = 0; j < wanted.size(); ++j)
                    ASSERT_NEAR(keys[at + j], wanted[j], 1e-5);
            }
        }
        std::vector<std::vector<float>> coded;
        for (const int layer : {0, 2}) coded.push_back(allKeys(*there, layer));
        const auto back = recoded(*there, plain());
        EXPECT_TRUE(back->shape().keyQuant.plain());
        EXPECT_EQ(back->stats().liveBytes, 2 * 120 * (kBefore + kLatent) * 2);
        for (std::size_t i = 0; i < 2; ++i) {
            const auto keys = allKeys(*back, i == 0 ? 0 : 2);
            for (std::size_t j = 0; j < keys.size(); ++j)
                ASSERT_NEAR(keys[j], coded[i][j], 4e-3);  // rounded to f16
        }
    }
}

TEST(LatentCodes, conversionOfTheWindowAlone_copiesTheCodes) {
    const auto cache = codedCache(codes({4, 0}, 24), 90);
    const auto without = recoded(*cache, codes({4, 0}, 0));
    expectCodedRows(*without);
    EXPECT_EQ(without->stats().exactBytes, 0);
    EXPECT_EQ(without->save().value(), codedCache(codes({4, 0}, 0), 90)->save().value());
}

TEST(LatentCodes, formatsThatDoNotFit_areRefusedWithTheReason) {
    struct Refused {
        CacheModel model;
        KvOptions options;
        const char* reason;
    };
    KvOptions apart = codes({8, 32});
    apart.values = KvRowType{DType::F16, {4, 32}};
    KvOptions calibrated = codes({4, 0});
    calibrated.rotation = KvRotation::Calibrated;
    KvOptions onlyValues = plain();
    onlyValues.values = KvRowType{DType::F16, {8, 32}};
    for (const Refused& one :
         {Refused{codedModel(), apart, "set v_type to same"},
          Refused{codedModel(), onlyValues, "set v_type to same"},
          Refused{codedModel(), calibrated, "need keys and values apart"},
          Refused{latentModel(), codes({8, 32}), "latent length 16 is not a multiple"},
          Refused{latentModel(), codes({4, 0}), "latent length 16 has no rotation"},
          Refused{codedModel(16, 40), codes({4, 0}), "a latent of 40 numbers"}}) {
        const auto cache = makeCacheFor(one.model, one.options);
        ASSERT_FALSE(cache);
        EXPECT_NE(cache.error().what.find(one.reason), std::string::npos) << cache.error().what;
    }
}

TEST(LatentCodes, extraBits_goToTheLatentOfTheLayerThatLosesMost) {
    CacheModel model = codedModel();
    LayerLoss loss;
    loss.keys = {0.001, 0, 0.1};
    loss.values = {0, 0, 0};
    model.loss = std::make_shared<const LayerLoss>(loss);
    KvOptions options = codes({2, 0});
    options.extraBits = 0.5;  // one bit for one of the two layers
    const KvChoice choice = cacheChoice(model, options);
    EXPECT_EQ(choice.layers[0].keyQuant, (KvQuant{2, 0}));
    EXPECT_EQ(choice.layers[2].keyQuant, (KvQuant{3, 0}));
    EXPECT_EQ(choice.layers[2].valueQuant, (KvQuant{3, 0}));
    const auto cache = makeCacheFor(model, options).value();
    ASSERT_TRUE(append(*cache, 10));
    expectCodedRows(*cache);
    EXPECT_EQ(cache->stats().liveBytes, 10 * (32 + 16 + 2 + 32 + 24 + 2));
}

}  // namespace
}  // namespace lacuna::test
