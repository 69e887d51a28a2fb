// Rotated codes as rows of a cache: what is stored, what comes back, and what makes it so again.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "engine/base/hash.h"
#include "engine/base/string_format.h"
#include "engine/kernels/rotation.h"
#include "engine/kv/kv_factory.h"
#include "engine/kv/layer_rotations.h"
#include "engine/kv/slot/slot_state.h"
#include "engine/kv/window/window_cache.h"
#include "kv_fixture.h"

namespace lacuna::test {
namespace {

KvShape turned(int keyBits, int valueBits, int dim = 64) {
    return {.layers = 2,
            .kvHeads = 2,
            .keyDim = dim,
            .valueDim = dim,
            .type = DType::F16,
            .keyQuant = {keyBits, 0},
            .valueQuant = {valueBits, 0}};
}

using Floats = std::vector<float>;

double dot(const Floats& a, const Floats& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * double{b[i]};
    return sum;
}

Floats keyIn(const KvCache& cache, int layer, int head, int slot) {
    Floats row(static_cast<std::size_t>(cache.shape().keyDim));
    readKeys(cache.head(LayerIndex(layer), HeadIndex(head)), cache.shape().keyDim, slot, 1,
             row.data());
    return row;
}

Floats valueIn(const KvCache& cache, int layer, int head, int slot) {
    Floats row(static_cast<std::size_t>(cache.shape().valueDim));
    readValues(cache.head(LayerIndex(layer), HeadIndex(head)), cache.shape().valueDim, slot, 1,
               row.data());
    return row;
}

double relativeError(const Floats& found, const Floats& row) {
    double square = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
        const double gap = double{found[i]} - double{row[i]};
        square += gap * gap;
    }
    return square / dot(row, row);
}

// Rows come back in the basis they came in, as near as their bits allow: squared errors of
// number-formats.md, of a few rows.
TEST(RotatedCache, rows_comeBackInTheirOwnBasis) {
    const double expected[] = {0.363, 0.1175, 0.0345, 0.0095, 0.0025, 0.00064, 0.00016, 0.00004};
    for (const int dim : {32, 36, 64, 80, 96, 128})
        for (int bits = 1; bits <= 8; ++bits) {
            auto cache = makeSlotCache(turned(bits, bits, dim)).value();
            ASSERT_TRUE(append(*cache, 40));
            double keys = 0;
            double values = 0;
            for (int slot = 0; slot < 40; ++slot) {
                keys +=
                    relativeError(keyIn(*cache, 1, 1, slot), keyRow(cache->shape(), 1, 1, slot)) /
                    40;
                values += relativeError(valueIn(*cache, 1, 1, slot),
                                        valueRow(cache->shape(), 1, 1, slot)) /
                          40;
            }
            const double theory = expected[bits - 1];
            EXPECT_NEAR(values, theory, 0.25 * theory + 1e-6) << dim << " " << bits;
            // The scale that keeps products unbiased costs D / (1 - D) instead of D.
            EXPECT_NEAR(keys, theory / (1 - theory), 0.3 * theory + 1e-6) << dim << " " << bits;
        }
}

TEST(RotatedCache, keys_keepTheirProductWithThemselves_values_theirDistance) {
    auto cache = makeSlotCache(turned(2, 2)).value();
    ASSERT_TRUE(append(*cache, 20));
    for (int slot = 0; slot < 20; ++slot) {
        const Floats key = keyRow(cache->shape(), 0, 1, slot);
        EXPECT_NEAR(dot(keyIn(*cache, 0, 1, slot), key), dot(key, key), 2e-3 * dot(key, key));
        const Floats value = valueRow(cache->shape(), 0, 1, slot);
        const Floats found = valueIn(*cache, 0, 1, slot);
        // No scale gives a smaller error: what is left stands upright on the row that was found.
        EXPECT_NEAR(dot(found, value), dot(found, found), 2e-3 * dot(found, found));
    }
}

TEST(RotatedCache, liveBytes_countCodesAndScalesAlone) {
    for (int bits = 1; bits <= 8; ++bits) {
        auto cache = makeSlotCache(turned(bits, 9 - bits, 128)).value();
        ASSERT_TRUE(append(*cache, 10));
        const KvStats stats = cache->stats();
        EXPECT_EQ(stats.liveBytes, 10 * 4 * (16 * 9 + 4));
        EXPECT_EQ(stats.logicalBytes, 10 * 4 * 512);
        EXPECT_EQ(stats.numbers, 10 * 4 * 256);
    }
    EXPECT_EQ(formatBytes({DType::F16, {3, 0}, 128}), 50U);
    EXPECT_EQ(formatBytes({DType::F16, {3, 0}, 80}), 32U);
}

TEST(RotatedCache, impossibleShapes_areRefusedNamingThem) {
    for (const int dim : {8, 30, 33, 577, 640}) {
        const auto made = makeSlotCache(turned(3, 3, dim));
        ASSERT_FALSE(made) << dim;
        EXPECT_EQ(made.error().code, ErrorCode::InvalidArgument);
        EXPECT_NE(made.error().what.find(format("key length {}", dim)), std::string::npos)
            << made.error().what;
    }
    for (const int bits : {-1, 9, 16})
        EXPECT_EQ(makeWindowCache(turned(bits, 3), {16, 2}).error().code,
                  ErrorCode::InvalidArgument);
    EXPECT_TRUE(makeSlotCache(turned(3, 3, 576)));
}

/// The codes of keys and values of a head.
std::string codesOf(const KvCache& cache, int layer, int head) {
    const KvHeadView view = cache.head(LayerIndex(layer), HeadIndex(head));
    const auto slots = static_cast<std::size_t>(view.slots);
    const std::size_t keys = slots * formatBytes(keyFormat(cache.shape()));
    const std::size_t values = slots * formatBytes(valueFormat(cache.shape()));
    return std::string(reinterpret_cast<const char*>(view.keys), keys) +
           std::string(reinterpret_cast<const char*>(view.values), values);
}

/// Writes the same row everywhere.
void writeAlike(KvCache& cache, const Floats& row) {
    ASSERT_TRUE(cache.beginAppend(1));
    Floats rows;
    for (int head = 0; head < cache.shape().kvHeads; ++head)
        rows.insert(rows.end(), row.begin(), row.end());
    for (int layer = 0; layer < cache.shape().layers; ++layer)
        cache.writeLayer(LayerIndex(layer), {rows.data(), {1, 2, 64}}, {rows.data(), {1, 2, 64}});
    cache.commitAppend();
}

TEST(RotatedCache, rotations_differByLayerAndSide_notByHeadOrConversation) {
    auto cache = makeSlotCache(turned(4, 4)).value();
    auto other = makeSlotCache(turned(4, 4)).value();
    const Floats row = keyRow(turned(4, 4), 0, 0, 0);
    writeAlike(*cache, row);
    writeAlike(*other, row);
    EXPECT_EQ(codesOf(*cache, 0, 0), codesOf(*other, 0, 0));
    EXPECT_EQ(codesOf(*cache, 1, 0), codesOf(*cache, 1, 1));
    EXPECT_NE(codesOf(*cache, 0, 0), codesOf(*cache, 1, 0));
    const KvHeadView view = cache->head(LayerIndex(0), HeadIndex(0));
    EXPECT_NE(std::memcmp(view.keys, view.values, 32), 0);
}

TEST(RotatedCache, aCopyAndASnapshot_shareTheRotations) {
    auto cache = makeSlotCache(turned(4, 2)).value();
    ASSERT_TRUE(append(*cache, 30));
    const auto twin = cache->clone().value();
    const auto snapshot = cache->snapshots()->snapshot().value();
    const auto rotation = [](const KvCache& one) {
        return one.head(LayerIndex(1), HeadIndex(1)).keyRotation;
    };
    EXPECT_EQ(rotation(*twin), rotation(*cache));
    EXPECT_EQ(rotation(*snapshot), rotation(*cache));
    cache.reset();
    EXPECT_TRUE(holdsItsTokens(*twin)) << "they outlive the cache they were made for";
}

/// The same bytes with a checksum that matches them again.
std::string resealed(std::string bytes) {
    bytes.resize(bytes.size() - 8);
    const std::uint64_t sum = hash64(bytes);
    bytes.append(reinterpret_cast<const char*>(&sum), 8);
    return bytes;
}

// After magic, version and the five words of the shape.
constexpr std::size_t kSourceAt = 8 + 4 + 20;
constexpr std::size_t kSeedAt = kSourceAt + 4;

TEST(RotatedCache, savedState_readsBackBitByBitWithItsOwnSeed) {
    for (const bool window : {false, true}) {
        auto cache = window ? makeWindowCache(turned(3, 2), {50, 4}).value()
                            : makeSlotCache(turned(3, 2)).value();
        ASSERT_TRUE(append(*cache, 40));
        const std::string bytes = cache->save().value();
        const auto loaded = loadCache(bytes).value();
        EXPECT_EQ(loaded->save().value(), bytes);
        for (int slot = 0; slot < 40; ++slot) {
            EXPECT_EQ(keyIn(*loaded, 1, 0, slot), keyIn(*cache, 1, 0, slot));
            EXPECT_EQ(valueIn(*loaded, 1, 0, slot), valueIn(*cache, 1, 0, slot));
        }
        ASSERT_TRUE(append(*loaded, 7));
        ASSERT_TRUE(append(*cache, 7));
        EXPECT_EQ(loaded->save().value(), cache->save().value());
        // Another seed is another basis: the same codes, and a cache that goes on in that basis.
        std::string other = bytes;
        other[kSeedAt] = static_cast<char>(other[kSeedAt] ^ 1);
        auto apart = loadCache(resealed(other)).value();
        EXPECT_EQ(codesOf(*apart, 1, 0), codesOf(*loadCache(bytes).value(), 1, 0));
        EXPECT_NE(keyIn(*apart, 1, 0, 3), keyIn(*cache, 1, 0, 3));
        EXPECT_EQ(apart->save().value(), resealed(other));
        auto twin = loadCache(resealed(other)).value();
        ASSERT_TRUE(append(*apart, 1));
        ASSERT_TRUE(append(*twin, 1));
        EXPECT_TRUE(holds(*apart, 1, 1, 40, 40));
        EXPECT_EQ(apart->save().value(), twin->save().value());
    }
}

TEST(RotatedCache, savedState_ofRotationsFromElsewhere_isIncompatible) {
    auto cache = makeSlotCache(turned(3, 2)).value();
    ASSERT_TRUE(append(*cache, 3));
    std::string bytes = cache->save().value();
    bytes[kSourceAt] = 1;
    const auto loaded = loadCache(resealed(bytes));
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, ErrorCode::Incompatible);
    EXPECT_NE(loaded.error().what.find("rotations"), std::string::npos) << loaded.error().what;
}

TEST(RotatedCache, everyCutAndEveryFlippedByte_isRefused) {
    auto cache = makeSlotCache(turned(3, 2, 32)).value();
    ASSERT_TRUE(append(*cache, 3));
    ASSERT_TRUE(cache->compactable()->apply(keepEverywhere(*cache, {0, 2})));
    const std::string bytes = cache->save().value();
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        EXPECT_FALSE(loadCache(std::string_view(bytes).substr(0, at))) << at;
        if (at >= 8) {
            EXPECT_FALSE(loadCache(resealed(bytes.substr(0, at)))) << at;
        }
        std::string flipped = bytes;
        flipped[at] = static_cast<char>(flipped[at] ^ 0x40);
        EXPECT_FALSE(loadCache(flipped)) << at;
    }
}

TEST(RotatedCache, otherBitsOrPlainRows_areIncompatibleNamingBoth) {
    auto cache = makeSlotCache(turned(3, 2)).value();
    ASSERT_TRUE(append(*cache, 3));
    KvShape groups = turned(3, 2);
    groups.keyQuant = {4, 32};
    const auto loaded = loadCacheAs(cache->save().value(), groups);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, ErrorCode::Incompatible);
    EXPECT_NE(loaded.error().what.find("rotated codes of 3 bits"), std::string::npos)
        << loaded.error().what;
    EXPECT_NE(loaded.error().what.find("4 bits in groups of 32"), std::string::npos);
    EXPECT_TRUE(loadCacheAs(cache->save().value(), turned(3, 2)));
}

TEST(RotatedCache, newValuesOfACompaction_areCodedInTheLayersBasis) {
    auto cache = makeSlotCache(turned(8, 8)).value();
    ASSERT_TRUE(append(*cache, 20));
    CompactionPlan plan = keepEverywhere(*cache, {1, 7});
    Floats fresh = valueRow(cache->shape(), 5, 0, 1);
    const Floats second = valueRow(cache->shape(), 5, 0, 2);
    plan.heads[3].values = fresh;
    plan.heads[3].values.insert(plan.heads[3].values.end(), second.begin(), second.end());
    ASSERT_TRUE(cache->compactable()->apply(plan));
    EXPECT_LT(relativeError(valueIn(*cache, 1, 1, 0), fresh), 1e-4);
    EXPECT_LT(relativeError(valueIn(*cache, 1, 1, 1), second), 1e-4);
    EXPECT_TRUE(holds(*cache, 1, 0, 1, 7)) << "what is kept keeps its codes";
    // A number beyond the scale's largest saturates, as everywhere.
    fresh.assign(fresh.size(), 3e38F);
    plan = keepEverywhere(*cache, {0});
    plan.heads[3].values = fresh;
    ASSERT_TRUE(cache->compactable()->apply(plan));
    for (const float x : valueIn(*cache, 1, 1, 0)) EXPECT_TRUE(std::isfinite(x));
}

TEST(RotatedCache, lengthsOfKeys_areThoseOfTheDecodedRows) {
    for (const bool kept : {false, true}) {
        auto cache = makeSlotCache(turned(2, 2)).value();
        if (kept) cache->compactable()->keepNorms();
        ASSERT_TRUE(append(*cache, 20));
        const auto norms = cache->keyNorms(LayerIndex(1), HeadIndex(0));
        ASSERT_EQ(norms.size(), 20U);
        for (int slot = 0; slot < 20; ++slot) {
            const Floats key = keyIn(*cache, 1, 0, slot);
            EXPECT_NEAR(norms[static_cast<std::size_t>(slot)], std::sqrt(dot(key, key)), 1e-4);
        }
    }
}

TEST(RotatedCache, numberThatIsNotFinite_staysVisibleAndStaysInItsRow) {
    auto cache = makeSlotCache(turned(3, 3)).value();
    Floats row = keyRow(turned(3, 3), 0, 0, 0);
    writeAlike(*cache, row);
    row[17] = std::numeric_limits<float>::infinity();
    writeAlike(*cache, row);
    for (const float x : keyIn(*cache, 0, 0, 0)) EXPECT_TRUE(std::isfinite(x));
    for (const float x : keyIn(*cache, 0, 0, 1)) EXPECT_FALSE(std::isfinite(x));
    const std::string bytes = cache->save().value();
    const KvChoice choice{.shape = turned(3, 3), .window = {}, .layers = {}};
    EXPECT_EQ(loadCacheFor(bytes, choice).error().code, ErrorCode::KvNonFinite);
}

TEST(RotatedCache, compactedSnapshot_followsAndIsAdopted) {
    auto cache = makeSlotCache(turned(4, 3)).value();
    ASSERT_TRUE(append(*cache, 300));
    auto twin = cache->snapshots()->snapshot().value();
    ASSERT_TRUE(twin->compactable()->apply(keepEverywhere(*twin, range(100, 300))));
    ASSERT_TRUE(append(*cache, 30));
    ASSERT_TRUE(twin->snapshots()->follow(*cache));
    ASSERT_TRUE(cache->snapshots()->adopt(*twin));
    cache->checkInvariants();
    EXPECT_EQ(cache->slots(LayerIndex(0), HeadIndex(0)), 230);
    EXPECT_TRUE(holdsItsTokens(*cache));
    // What was loaded has rotations of its own: no snapshot of it.
    auto loaded = loadCache(cache->save().value()).value();
    auto other = loaded->snapshots()->snapshot().value();
    ASSERT_TRUE(other->compactable()->apply(keepEverywhere(*other, range(100, 200))));
    EXPECT_EQ(cache->snapshots()->adopt(*other).error().code, ErrorCode::Incompatible);
}

}  // namespace
}  // namespace lacuna::test
