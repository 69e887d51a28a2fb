// Rotated codes as rows of a cache: stored bytes, decoded rows and reproducibility.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "engine/base/hash.h"
#include "engine/base/string_format.h"
#include "engine/base/thread_pool.h"
#include "engine/kernels/rotation.h"
#include "engine/kv/calibrated_rotations.h"
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

// Rows are decoded in their original basis, as precisely as their bits allow. Bounds: squared
// errors of number-formats.md.
TEST(RotatedCache, rows_roundTripInTheirOwnBasis) {
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
            // The scale that keeps products unbiased has an error of D / (1 - D) instead of D.
            EXPECT_NEAR(keys, theory / (1 - theory), 0.3 * theory + 1e-6) << dim << " " << bits;
        }
}

TEST(RotatedCache, keys_keepTheirNorm_valuesHaveTheExpectedError) {
    auto cache = makeSlotCache(turned(2, 2)).value();
    ASSERT_TRUE(append(*cache, 20));
    for (int slot = 0; slot < 20; ++slot) {
        const Floats key = keyRow(cache->shape(), 0, 1, slot);
        EXPECT_NEAR(dot(keyIn(*cache, 0, 1, slot), key), dot(key, key), 2e-3 * dot(key, key));
        const Floats value = valueRow(cache->shape(), 0, 1, slot);
        const Floats found = valueIn(*cache, 0, 1, slot);
        // No scale gives a smaller error: the remainder is orthogonal to the decoded row.
        EXPECT_NEAR(dot(found, value), dot(found, found), 2e-3 * dot(found, found));
    }
}

TEST(RotatedCache, liveBytes_countCodesAndScalesOnly) {
    for (int bits = 1; bits <= 8; ++bits) {
        auto cache = makeSlotCache(turned(bits, 9 - bits, 128)).value();
        ASSERT_TRUE(append(*cache, 10));
        const KvStats stats = cache->stats();
        EXPECT_EQ(stats.liveBytes, 10 * 4 * (16 * 9 + 4));
        EXPECT_EQ(stats.scaleBytes, 10 * 4 * 4);
        EXPECT_EQ(stats.exactBytes, 0);
        EXPECT_EQ(stats.logicalBytes, 10 * 4 * 512);
        EXPECT_EQ(stats.numbers, 10 * 4 * 256);
    }
    EXPECT_EQ(formatBytes({DType::F16, {3, 0}, 128}), 50U);
    EXPECT_EQ(formatBytes({DType::F16, {3, 0}, 80}), 32U);
}

TEST(RotatedCache, impossibleShapes_areRefusedByName) {
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

/// Returns the codes of keys and values of a head.
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

TEST(RotatedCache, copyAndSnapshot_shareTheRotations) {
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

/// Returns the same bytes with a matching checksum.
std::string resealed(std::string bytes) {
    bytes.resize(bytes.size() - 8);
    const std::uint64_t sum = hash64(bytes);
    bytes.append(reinterpret_cast<const char*>(&sum), 8);
    return bytes;
}

// Offset after magic, version and the five words of the shape.
constexpr std::size_t kSourceAt = 8 + 4 + 20;
constexpr std::size_t kSeedAt = kSourceAt + 4;

TEST(RotatedCache, savedState_readsBackBitForBit_withItsOwnSeed) {
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
        // Another seed is another basis: the codes are the same, and the cache continues in that
        // basis.
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

TEST(RotatedCache, savedState_ofOtherRotations_isIncompatible) {
    auto cache = makeSlotCache(turned(3, 2)).value();
    ASSERT_TRUE(append(*cache, 3));
    std::string bytes = cache->save().value();
    for (const char source : {'\x01', '\x02'}) {
        bytes[kSourceAt] = source;
        const auto loaded = loadCache(resealed(bytes));
        ASSERT_FALSE(loaded);
        EXPECT_EQ(loaded.error().code, ErrorCode::Incompatible);
        EXPECT_NE(loaded.error().what.find("rotations"), std::string::npos) << loaded.error().what;
    }
}

/// Returns a different rotation for every head, with a centre for its keys.
std::shared_ptr<const CalibratedRotations> calibratedFor(const KvShape& shape,
                                                         std::uint64_t seed = 1) {
    RotationMatrices made;
    made.layers = shape.layers;
    made.kvHeads = shape.kvHeads;
    made.dim = shape.keyDim;
    const auto dim = static_cast<std::size_t>(made.dim);
    for (std::size_t i = 0; i < 2 * made.heads(); ++i) {
        const Rotation rotation = Rotation::hadamard(made.dim, 100 * seed + i).value();
        auto& side = i < made.heads() ? made.keys : made.values;
        for (std::size_t at = 0; at < dim; ++at) {
            Floats row(dim);
            row[at] = 1;
            rotation.undo(row.data(), row.data());
            side.insert(side.end(), row.begin(), row.end());
        }
    }
    for (std::size_t i = 0; i < made.heads() * dim; ++i)
        made.centres.push_back(0.01F * static_cast<float>(i % 7));
    made.ranges.assign(made.heads() * 16, 0.9F);
    return CalibratedRotations::make(made).value();
}

KvShape calibrated(int keyBits, int valueBits, int dim = 64, std::uint64_t seed = 1) {
    KvShape shape = turned(keyBits, valueBits, dim);
    shape.rotations = calibratedFor(shape, seed);
    return shape;
}

TEST(CalibratedCache, everyHead_isEncodedInItsOwnBasis) {
    const KvShape shape = calibrated(8, 8);
    for (const bool window : {false, true}) {
        auto cache =
            window ? makeWindowCache(shape, {50, 4}).value() : makeSlotCache(shape).value();
        ASSERT_TRUE(append(*cache, 40));
        for (int layer = 0; layer < 2; ++layer)
            for (int head = 0; head < 2; ++head) {
                const KvHeadView view = cache->head(LayerIndex(layer), HeadIndex(head));
                EXPECT_EQ(view.keyRotation, &shape.rotations->keys(layer, head));
                EXPECT_EQ(view.valueRotation, &shape.rotations->values(layer, head));
                EXPECT_LT(
                    relativeError(keyIn(*cache, layer, head, 7), keyRow(shape, layer, head, 7)),
                    1e-3);
                EXPECT_LT(
                    relativeError(valueIn(*cache, layer, head, 7), valueRow(shape, layer, head, 7)),
                    1e-3);
            }
    }
}

TEST(CalibratedCache, rotationsOfAnotherShape_areRefused) {
    KvShape shape = calibrated(3, 3);
    shape.layers = 3;
    EXPECT_EQ(makeSlotCache(shape).error().code, ErrorCode::InvalidArgument);
    shape = calibrated(3, 3);
    shape.keyDim = shape.valueDim = 128;
    EXPECT_EQ(makeWindowCache(shape, {50, 4}).error().code, ErrorCode::InvalidArgument);
}

TEST(CalibratedCache, savedState_isReadWithTheSameRotationsOnly) {
    for (const bool window : {false, true}) {
        const KvShape shape = calibrated(3, 2);
        auto cache =
            window ? makeWindowCache(shape, {50, 4}).value() : makeSlotCache(shape).value();
        ASSERT_TRUE(append(*cache, 40));
        const std::string bytes = cache->save().value();
        // Rotations created again are compared by their numbers.
        const auto loaded = loadCacheAs(bytes, calibrated(3, 2));
        ASSERT_TRUE(loaded) << loaded.error().what;
        EXPECT_EQ((*loaded)->save().value(), bytes);
        EXPECT_EQ((*loaded)->shape(), shape);
        ASSERT_TRUE(append(**loaded, 7));
        ASSERT_TRUE(append(*cache, 7));
        EXPECT_EQ((*loaded)->save().value(), cache->save().value());
        const KvShape others[] = {calibrated(3, 2, 64, 2), turned(3, 2)};
        for (const KvShape& other : others) {
            EXPECT_FALSE(other == shape);
            const auto refused = loadCacheAs(bytes, other);
            ASSERT_FALSE(refused);
            EXPECT_EQ(refused.error().code, ErrorCode::Incompatible);
            EXPECT_NE(refused.error().what.find(shape.rotations->hash()), std::string::npos)
                << refused.error().what;
        }
        // The reverse direction.
        auto plain = makeSlotCache(turned(3, 2)).value();
        ASSERT_TRUE(append(*plain, 3));
        const auto refused = loadCacheAs(plain->save().value(), shape);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, ErrorCode::Incompatible);
        EXPECT_NE(refused.error().what.find("with a seed"), std::string::npos)
            << refused.error().what;
    }
}

TEST(CalibratedCache, savedState_truncatedOrAltered_isRefused) {
    const KvShape shape = calibrated(3, 2, 32);
    auto cache = makeSlotCache(shape).value();
    ASSERT_TRUE(append(*cache, 3));
    const std::string bytes = cache->save().value();
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        EXPECT_FALSE(loadCacheAs(std::string_view(bytes).substr(0, at), shape)) << at;
        if (at >= 8) {
            EXPECT_FALSE(loadCacheAs(resealed(bytes.substr(0, at)), shape)) << at;
        }
    }
    for (std::size_t at = kSourceAt; at < kSeedAt + 32; ++at) {
        std::string flipped = bytes;
        flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
        EXPECT_FALSE(loadCacheAs(resealed(flipped), shape)) << at;
    }
}

TEST(CalibratedCache, differingLayers_haveTheirOwnRotations) {
    KvShape shape = calibrated(4, 4);
    std::vector<LayerPlan> plans{
        {.window = WindowRule{16, 0}, .keyQuant = {4, 0}, .valueQuant = {4, 0}},
        {.window = {}, .keyQuant = {4, 0}, .valueQuant = {4, 0}}};
    auto cache = makeCacheList(shape, plans).value();
    ASSERT_TRUE(append(*cache, 12));
    for (int layer = 0; layer < 2; ++layer)
        EXPECT_EQ(cache->head(LayerIndex(layer), HeadIndex(1)).keyRotation,
                  &shape.rotations->keys(layer, 1));
    const KvChoice choice{.shape = shape, .window = {}, .layers = plans};
    EXPECT_TRUE(matchesChoice(*cache, choice));
    const std::string bytes = cache->save().value();
    const auto loaded = loadCacheFor(bytes, choice);
    ASSERT_TRUE(loaded) << loaded.error().what;
    EXPECT_EQ((*loaded)->save().value(), bytes);
    KvChoice seeded = choice;
    seeded.shape.rotations.reset();
    EXPECT_FALSE(matchesChoice(*cache, seeded));
    EXPECT_EQ(loadCacheFor(bytes, seeded).error().code, ErrorCode::Incompatible);
    auto plain = makeCacheList(seeded.shape, plans).value();
    ASSERT_TRUE(append(*plain, 3));
    const auto refused = loadCacheFor(plain->save().value(), choice);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().what.find("with a seed"), std::string::npos) << refused.error().what;
}

TEST(CalibratedCache, modelRotations_areUsedAccordingToTheSetting) {
    CacheModel model{.layers = 2, .kvHeads = 2, .headDim = 64};
    KvOptions options;
    options.quant = {3, 0};
    const auto made = [&](KvRotation rotation) {
        options.rotation = rotation;
        return makeCacheFor(model, options);
    };
    EXPECT_EQ(made(KvRotation::Auto).value()->shape().rotations, nullptr);
    EXPECT_EQ(rotationInUse(model, options), "hadamard");
    const auto none = made(KvRotation::Calibrated);
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().what.find("calibrate-kv --rotations"), std::string::npos);
    model.rotations = calibratedFor(turned(3, 3));
    EXPECT_EQ(made(KvRotation::Calibrated).value()->shape().rotations, model.rotations);
    EXPECT_EQ(made(KvRotation::Hadamard).value()->shape().rotations, nullptr);
    EXPECT_EQ(made(KvRotation::Auto).value()->shape().rotations, model.rotations);
    EXPECT_EQ(rotationInUse(model, options), "calibrated");
    options.quant = {};
    EXPECT_EQ(made(KvRotation::Calibrated).value()->shape().rotations, nullptr);
    EXPECT_EQ(rotationInUse(model, options), "");
}

TEST(RotatedCache, everyTruncationAndFlippedByte_isRefused) {
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

TEST(RotatedCache, otherBitsOrPlainRows_areIncompatible_namingBoth) {
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

TEST(RotatedCache, newValuesOfACompaction_areEncodedInTheLayerBasis) {
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
    // A number beyond the maximum of the scale saturates, as everywhere.
    fresh.assign(fresh.size(), 3e38F);
    plan = keepEverywhere(*cache, {0});
    plan.heads[3].values = fresh;
    ASSERT_TRUE(cache->compactable()->apply(plan));
    for (const float x : valueIn(*cache, 1, 1, 0)) EXPECT_TRUE(std::isfinite(x));
}

/// Returns whether the slot's rows are held in 16 bits: the rotated rows of its token as f16.
bool inHalves(const KvCache& cache, int layer, int head, int slot, std::int64_t position) {
    const KvShape& shape = cache.shape();
    const KvHeadView view = cache.head(LayerIndex(layer), HeadIndex(head));
    const auto found = view.exact.within(slot, 1);
    if (found.empty()) return false;
    const auto equal = [](const Rotation* rotation, Floats row, const std::byte* at) {
        rotation->apply(row.data(), row.data());
        const auto bytes = stored(DType::F16, row);
        return std::memcmp(at, bytes.data(), bytes.size()) == 0;
    };
    EXPECT_TRUE(
        equal(view.keyRotation, keyRow(shape, layer, head, position), view.exact.key(found[0])) &&
        equal(view.valueRotation, valueRow(shape, layer, head, position),
              view.exact.value(found[0])))
        << "slot " << slot;
    return true;
}

/// Returns the tokens of a head whose rows are held in 16 bits.
std::vector<std::int32_t> halvesOf(const KvCache& cache, int layer = 1, int head = 1) {
    std::vector<std::int32_t> found;
    const auto tokens = tokensOf(cache, layer, head);
    for (std::size_t slot = 0; slot < tokens.size(); ++slot)
        if (inHalves(cache, layer, head, static_cast<int>(slot), tokens[slot]))
            found.push_back(tokens[slot]);
    return found;
}

std::vector<std::int32_t> joined(std::vector<std::int32_t> a, const std::vector<std::int32_t>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

KvShape turnedExact(int newest, int first, int bits = 3) {
    KvShape shape = turned(bits, bits);
    shape.exact = {newest, first};
    return shape;
}

TEST(ExactWindow, firstAndNewestTokens_areHeldIn16Bits_andAllAsCodes) {
    for (const int chunk : {1, 7, 100}) {
        auto cache = makeSlotCache(turnedExact(8, 3)).value();
        for (int at = 0; at < 100; at += chunk)
            ASSERT_TRUE(append(*cache, std::min(chunk, 100 - at)));
        EXPECT_EQ(halvesOf(*cache), joined({0, 1, 2}, range(92, 100))) << chunk;
        EXPECT_TRUE(holdsItsTokens(*cache));
        cache->checkInvariants();
        // 11 rows of 2 x 64 f16 with their positions, and 100 rows of codes.
        EXPECT_EQ(cache->stats().liveBytes, 4 * (100 * 2 * 26 + 11 * (2 * 128 + 8)));
        EXPECT_EQ(cache->stats().scaleBytes, 4 * 100 * 2 * 2);
        EXPECT_EQ(cache->stats().exactBytes, 4 * 11 * (2 * 128 + 8));
        EXPECT_LT(relativeError(keyIn(*cache, 1, 1, 99), keyRow(cache->shape(), 1, 1, 99)), 1e-6);
        EXPECT_LT(relativeError(valueIn(*cache, 1, 1, 2), valueRow(cache->shape(), 1, 1, 2)), 1e-6);
        EXPECT_GT(relativeError(keyIn(*cache, 1, 1, 91), keyRow(cache->shape(), 1, 1, 91)), 1e-3);
        EXPECT_GT(relativeError(keyIn(*cache, 1, 1, 3), keyRow(cache->shape(), 1, 1, 3)), 1e-3);
    }
}

// Attention runs before the commit: each query of a long run must see the preceding tokens exactly.
TEST(ExactWindow, runningAppend_showsItsRowsIn16Bits_andAddsNoMemoryAfterwards) {
    for (const bool window : {false, true}) {
        auto cache = window ? makeWindowCache(turnedExact(8, 3), {1000, 4}).value()
                            : makeSlotCache(turnedExact(8, 3)).value();
        ASSERT_TRUE(append(*cache, 20));
        const std::int64_t before = cache->stats().allocatedBytes;
        ASSERT_TRUE(cache->beginAppend(300));
        const Floats zeros(300 * 2 * 64, 0.0F);
        const View<const float, 3> rows{zeros.data(), {300, 2, 64}};
        for (int layer = 0; layer < 2; ++layer) {
            cache->writeLayer(LayerIndex(layer), rows, rows);
            const KvHeadView view = cache->head(LayerIndex(layer), HeadIndex(1));
            EXPECT_EQ(view.exact.count, 3 + 8 + 300);
            EXPECT_EQ(view.exact.within(20, 300).size(), 300U);
        }
        cache->abortAppend();
        EXPECT_EQ(halvesOf(*cache), joined({0, 1, 2}, range(12, 20)));
        ASSERT_TRUE(append(*cache, 300));
        EXPECT_EQ(halvesOf(*cache), joined({0, 1, 2}, range(312, 320)));
        const std::int64_t codes = 4 * 2 * 26 * (window ? 1000 : 512);
        EXPECT_LT(cache->stats().allocatedBytes, before + codes);
    }
}

// Several threads write the same bytes as one, for any length of a run.
TEST(ExactWindow, rowsEncodedByAThreadPool_areTheSameBytes) {
    const auto saved = [](const KvShape& shape, bool window, int chunk, ThreadPool* pool) {
        auto cache =
            window ? makeWindowCache(shape, {64, 4}).value() : makeSlotCache(shape).value();
        RandomStream random(9, 1);
        Floats rows(static_cast<std::size_t>(chunk * shape.kvHeads * shape.keyDim));
        for (int at = 0; at < 120; at += chunk) {
            EXPECT_TRUE(cache->beginAppend(chunk));
            for (int layer = 0; layer < shape.layers; ++layer) {
                for (float& x : rows) x = static_cast<float>(random.normal());
                const View<const float, 3> part{rows.data(), {chunk, shape.kvHeads, shape.keyDim}};
                cache->writeLayer(LayerIndex(layer), part, part, pool);
            }
            cache->commitAppend();
        }
        return cache->save().value();
    };
    KvShape groups = turned(3, 2);
    groups.keyQuant = {.bits = 8, .group = 32};
    groups.valueQuant = {.bits = 4, .group = 32};
    KvShape mixed = turnedExact(8, 3);
    mixed.kvHeads = 5;
    mixed.valueQuant = {};
    ThreadPool two(2);
    ThreadPool seven(7);
    for (const KvShape& shape : {turnedExact(8, 3), turned(8, 1), groups, mixed})
        for (const bool window : {false, true})
            for (const int chunk : {1, 8, 30, 120}) {
                const std::string alone = saved(shape, window, chunk, nullptr);
                EXPECT_EQ(saved(shape, window, chunk, &two), alone) << chunk;
                EXPECT_EQ(saved(shape, window, chunk, &seven), alone) << chunk;
            }
}

// A token that has left the window exists only as codes.
TEST(ExactWindow, tokensReenteringTheWindowAfterRollback_useTheirCodes) {
    auto cache = makeSlotCache(turnedExact(8, 3)).value();
    ASSERT_TRUE(append(*cache, 40));
    ASSERT_TRUE(cache->rollback(5));
    EXPECT_EQ(halvesOf(*cache), joined({0, 1, 2}, range(32, 35)));
    ASSERT_TRUE(append(*cache, 2));
    EXPECT_EQ(halvesOf(*cache), joined({0, 1, 2}, range(32, 37)));
    // Rejected drafts leave the window as if they had never been in it.
    auto drafted = makeSlotCache(turnedExact(8, 3)).value();
    auto plain = makeSlotCache(turnedExact(8, 3)).value();
    ASSERT_TRUE(append(*drafted, 40));
    ASSERT_TRUE(append(*plain, 40));
    ASSERT_TRUE(drafted->speculation().begin(6));
    ASSERT_TRUE(append(*drafted, 6));
    ASSERT_TRUE(drafted->speculation().rewind(5));
    ASSERT_TRUE(drafted->speculation().commit());
    for (KvCache* one : {drafted.get(), plain.get()})
        ASSERT_TRUE(append(*one, 41 - one->size() + 3));
    EXPECT_EQ(halvesOf(*drafted), halvesOf(*plain));
    EXPECT_EQ(drafted->save().value(), plain->save().value());
}

TEST(ExactWindow, compaction_movesExactRowsWithTheirTokens) {
    ThreadPool pool(1);
    for (const bool inPlace : {false, true}) {
        auto cache = makeSlotCache(turnedExact(8, 3)).value();
        ASSERT_TRUE(append(*cache, 40));
        const auto plan = keepEverywhere(*cache, {0, 2, 20, 21, 33, 35, 38, 39});
        ASSERT_TRUE(inPlace ? cache->compactable()->applyInPlace(plan, pool)
                            : cache->compactable()->apply(plan));
        while (cache->compactable()->defragment(1 << 20, pool, true)) {
        }
        cache->checkInvariants();
        EXPECT_EQ(cache->slots(LayerIndex(1), HeadIndex(1)), 8);
        EXPECT_EQ(halvesOf(*cache), (std::vector<std::int32_t>{0, 2, 33, 35, 38, 39})) << inPlace;
        // The window follows positions, whatever was dropped.
        ASSERT_TRUE(append(*cache, 4));
        EXPECT_EQ(halvesOf(*cache), (std::vector<std::int32_t>{0, 2, 38, 39, 40, 41, 42, 43}));
        EXPECT_TRUE(holdsItsTokens(*cache));
    }
}

TEST(ExactWindow, unchangedValuesOfAFit_stayIn16Bits_newOnesAreEncoded) {
    auto cache = makeSlotCache(turnedExact(8, 3)).value();
    ASSERT_TRUE(append(*cache, 20));
    CompactionPlan plan = keepEverywhere(*cache, {1, 7, 15, 19});
    for (const int slot : {1, 7, 15, 19}) {
        Floats row = valueIn(*cache, 1, 1, slot);
        if (slot == 15) row = valueRow(cache->shape(), 5, 0, 1);
        plan.heads[3].values.insert(plan.heads[3].values.end(), row.begin(), row.end());
    }
    ASSERT_TRUE(cache->compactable()->apply(plan));
    cache->checkInvariants();
    EXPECT_EQ(halvesOf(*cache), (std::vector<std::int32_t>{1, 19}));
    EXPECT_EQ(halvesOf(*cache, 1, 0), (std::vector<std::int32_t>{1, 15, 19}));
    EXPECT_TRUE(holds(*cache, 1, 1, 3, 19)) << "and their codes are those of the token still";
    EXPECT_LT(relativeError(valueIn(*cache, 1, 1, 2), valueRow(cache->shape(), 5, 0, 1)), 0.1);
}

TEST(ExactWindow, snapshot_copiesExactRows_andAdoptsTheNewestOnes) {
    auto cache = makeSlotCache(turnedExact(8, 3)).value();
    ASSERT_TRUE(append(*cache, 100));
    auto twin = cache->snapshots()->snapshot().value();
    ASSERT_TRUE(append(*cache, 5));
    EXPECT_EQ(halvesOf(*twin), joined({0, 1, 2}, range(92, 100))) << "as it was then";
    ASSERT_TRUE(twin->compactable()->apply(keepEverywhere(*twin, joined({0, 2}, range(50, 100)))));
    ASSERT_TRUE(twin->snapshots()->follow(*cache));
    ASSERT_TRUE(cache->snapshots()->adopt(*twin));
    cache->checkInvariants();
    EXPECT_EQ(halvesOf(*cache), joined({0, 2}, range(97, 105)));
    EXPECT_TRUE(holdsItsTokens(*cache));
    auto copy = cache->clone().value();
    EXPECT_EQ(copy->save().value(), cache->save().value());
    ASSERT_TRUE(append(*cache, 3));
    EXPECT_EQ(halvesOf(*copy), joined({0, 2}, range(97, 105)));
}

TEST(ExactWindow, savedState_readsBack_withTheRequestedWindow) {
    for (const bool window : {false, true}) {
        auto cache = window ? makeWindowCache(turnedExact(8, 3), {50, 4}).value()
                            : makeSlotCache(turnedExact(8, 3)).value();
        ASSERT_TRUE(append(*cache, 40));
        const std::string bytes = cache->save().value();
        auto loaded = loadCache(bytes).value();
        loaded->checkInvariants();
        EXPECT_EQ(loaded->shape(), cache->shape());
        EXPECT_EQ(loaded->save().value(), bytes);
        EXPECT_EQ(halvesOf(*loaded), halvesOf(*cache));
        ASSERT_TRUE(append(*loaded, 2));
        EXPECT_EQ(halvesOf(*loaded), joined({0, 1, 2}, range(34, 42)));
        const auto wanted = [&](int newest, int first) {
            auto other = loadCacheAs(bytes, turnedExact(newest, first)).value();
            other->checkInvariants();
            EXPECT_EQ(other->shape(), turnedExact(newest, first));
            return halvesOf(*other);
        };
        EXPECT_EQ(wanted(4, 1), joined({0}, range(36, 40)));
        EXPECT_EQ(wanted(0, 0), std::vector<std::int32_t>{});
        EXPECT_EQ(wanted(20, 3), joined({0, 1, 2}, range(32, 40))) << "older ones are codes by now";
        auto none = makeSlotCache(turned(3, 3)).value();
        ASSERT_TRUE(append(*none, 10));
        auto some = loadCacheAs(none->save().value(), turnedExact(8, 3)).value();
        ASSERT_TRUE(append(*some, 2));
        EXPECT_EQ(halvesOf(*some), range(10, 12));
    }
}

TEST(ExactWindow, savedState_withGaps_numbersSlotsAsSaved) {
    ThreadPool pool(1);
    auto cache = makeSlotCache(turnedExact(8, 3)).value();
    cache->compactable()->keepNorms();
    ASSERT_TRUE(append(*cache, 40));
    ASSERT_TRUE(cache->compactable()->applyInPlace(
        keepEverywhere(*cache, joined({0, 2}, range(25, 40))), pool));
    ASSERT_TRUE(append(*cache, 1));  // fills a hole
    const auto loaded = loadCache(cache->save().value()).value();
    loaded->checkInvariants();
    EXPECT_EQ(halvesOf(*loaded), joined({0, 2}, range(33, 41)));
    EXPECT_TRUE(holdsItsTokens(*loaded));
}

TEST(ExactWindow, alteredTruncatedOrContradictorySavedState_isRefused) {
    for (const bool window : {false, true}) {
        KvShape shape = turned(3, 2, 32);
        shape.exact = {2, 1};
        auto cache = window ? makeWindowCache(shape, {8, 2}).value() : makeSlotCache(shape).value();
        ASSERT_TRUE(append(*cache, 5));
        const std::string bytes = cache->save().value();
        ASSERT_EQ(halvesOf(*loadCache(bytes).value()), (std::vector<std::int32_t>{0, 3, 4}));
        for (std::size_t at = 0; at < bytes.size(); ++at) {
            EXPECT_FALSE(loadCache(std::string_view(bytes).substr(0, at))) << at;
            if (at >= 8) {
                EXPECT_FALSE(loadCache(resealed(bytes.substr(0, at)))) << at;
            }
            std::string flipped = bytes;
            flipped[at] = static_cast<char>(flipped[at] ^ 0x40);
            EXPECT_FALSE(loadCache(flipped)) << at;
            // With a matching checksum the result is either an error or a consistent cache.
            const auto loaded = loadCache(resealed(flipped));
            if (loaded) (*loaded)->checkInvariants();
        }
        const auto with = [&](std::size_t at, std::uint32_t word) {
            std::string altered = bytes;
            std::memcpy(altered.data() + at, &word, sizeof word);
            return loadCache(resealed(altered));
        };
        constexpr std::size_t kWindowAt = kSeedAt + 8;
        for (const std::uint32_t newest : {0U, 1025U, 0xFFFFFFFFU})
            EXPECT_EQ(with(kWindowAt, newest).error().code, ErrorCode::Corrupt) << newest;
        EXPECT_EQ(with(kWindowAt + 4, 1025).error().code, ErrorCode::Corrupt);
        EXPECT_EQ(with(8, 3).error().code, ErrorCode::Incompatible) << "another version";
        // The rows of the last head are at the end: slots 0, 3, 4 and three rows of 2 x 32 f16.
        const std::size_t slots = bytes.size() - 8 - 3 * (4 + 128);
        EXPECT_TRUE(with(slots, 1));
        EXPECT_EQ(with(slots, 3).error().code, ErrorCode::Corrupt) << "slots ascend";
        EXPECT_EQ(with(slots + 8, 5).error().code, ErrorCode::Corrupt) << "there are 5";
        EXPECT_EQ(with(slots, 0xFFFFFFFFU).error().code, ErrorCode::Corrupt);
    }
    auto plain = makeSlotCache({.layers = 1, .kvHeads = 1, .keyDim = 4, .valueDim = 4}).value();
    std::string bytes = plain->save().value();
    bytes[8] = 2;
    EXPECT_EQ(loadCache(resealed(bytes)).error().code, ErrorCode::Corrupt)
        << "rows in 16 bits alongside plain numbers";
}

TEST(ExactWindow, rowOutsideF16Range_isHeldAsCodeOnly) {
    auto cache = makeSlotCache(turnedExact(8, 3)).value();
    Floats row = keyRow(turned(3, 3), 0, 0, 0);
    for (float& x : row) x *= 60000;
    writeAlike(*cache, row);
    EXPECT_EQ(cache->head(LayerIndex(0), HeadIndex(0)).exact.count, 0);
    for (const float x : keyIn(*cache, 0, 0, 0)) EXPECT_TRUE(std::isfinite(x));
    row[5] = std::numeric_limits<float>::quiet_NaN();
    writeAlike(*cache, row);
    EXPECT_EQ(cache->head(LayerIndex(0), HeadIndex(0)).exact.count, 0);
    ASSERT_TRUE(append(*cache, 1));
    EXPECT_EQ(cache->head(LayerIndex(0), HeadIndex(0)).exact.count, 1);
    cache->checkInvariants();
}

TEST(RotatedCache, keyNorms_equalThoseOfTheDecodedRows) {
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

TEST(RotatedCache, nonFiniteValue_staysVisible_andStaysInItsRow) {
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
    // A loaded cache has rotations of its own and cannot serve as a snapshot of the original.
    auto loaded = loadCache(cache->save().value()).value();
    auto other = loaded->snapshots()->snapshot().value();
    ASSERT_TRUE(other->compactable()->apply(keepEverywhere(*other, range(100, 200))));
    EXPECT_EQ(cache->snapshots()->adopt(*other).error().code, ErrorCode::Incompatible);
}

}  // namespace
}  // namespace lacuna::test
