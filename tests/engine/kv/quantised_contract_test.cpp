// Vectors Q of the cache contract: rows as group codes, in every kind of cache.

#include <gtest/gtest.h>

#include <cmath>

#include "engine/base/half.h"
#include "engine/base/string_format.h"
#include "engine/kernels/rotation.h"
#include "engine/kv/kv_factory.h"
#include "engine/kv/window/window_cache.h"
#include "kv_fixture.h"

namespace lacuna::test {
namespace {

KvShape coded(int bits, int group, int dim = 64) {
    return {.layers = 2,
            .kvHeads = 2,
            .keyDim = dim,
            .valueDim = dim,
            .type = DType::F16,
            .keyQuant = {bits, group},
            .valueQuant = {bits, group}};
}

void expectBytes(int dim, int bits, int group, std::size_t bytes, double ratio) {
    const RowFormat format{DType::F16, {bits, group}, dim};
    EXPECT_EQ(formatBytes(format), bytes);
    EXPECT_NEAR(2.0 * dim / static_cast<double>(formatBytes(format)), ratio, 0.005);
}

TEST(Quantised, Q_01_eightBitOf64_uses68Bytes) {
    expectBytes(64, 8, 64, 68, 1.88);
}
TEST(Quantised, Q_02_fourBitOf64_uses36Bytes) {
    expectBytes(64, 4, 64, 36, 3.56);
}
TEST(Quantised, Q_03_fourBitGroups32_use40Bytes) {
    expectBytes(64, 4, 32, 40, 3.20);
}
TEST(Quantised, Q_04_eightBitOf128_uses136Bytes) {
    expectBytes(128, 8, 64, 136, 1.88);
}
TEST(Quantised, Q_05_fourBitOf128_uses72Or80Bytes) {
    expectBytes(128, 4, 64, 72, 3.56);
    expectBytes(128, 4, 32, 80, 3.20);
}

std::vector<float> roundTrip(const RowFormat& format, const std::vector<float>& row) {
    const auto bytes = stored(format, row);
    std::vector<float> out(row.size());
    decodeRow(format, bytes.data(), out);
    return out;
}

TEST(Quantised, Q_06_constantGroup_roundTripsExactly) {
    for (const int bits : {4, 8}) {
        for (const float x : {0.0F, -3.5F, 0.125F, 60000.0F}) {
            const std::vector<float> row(64, halfToFloat(floatToHalf(x)));
            EXPECT_EQ(roundTrip({DType::F16, {bits, 32}, 64}, row), row);
        }
    }
}

TEST(Quantised, Q_07_everyElement_errsByAtMostHalfAScale) {
    RandomStream random(7, 0);
    for (int round = 0; round < 400; ++round) {
        const int bits = round % 2 == 0 ? 4 : 8;
        const int group = 32 << (round / 2 % 3);
        std::vector<float> row(128);
        const double size = std::exp(8.0 * random.uniform() - 4.0);
        const double shift = size * 4.0 * (random.uniform() - 0.5);
        for (float& x : row) x = static_cast<float>(size * random.normal() + shift);
        const auto back = roundTrip({DType::F16, {bits, group}, 128}, row);
        for (std::size_t g = 0; g < row.size(); g += static_cast<std::size_t>(group)) {
            const auto [low, high] =
                std::minmax_element(row.begin() + static_cast<std::ptrdiff_t>(g),
                                    row.begin() + static_cast<std::ptrdiff_t>(g) + group);
            const float scale = (*high - *low) / static_cast<float>((1 << bits) - 1);
            // The tolerance covers the f16 rounding of the bias and of the scale over all codes.
            const float rounding = (std::abs(*low) + (*high - *low)) * 0x1p-11F + scale * 0x1p-10F;
            for (std::size_t i = g; i < g + static_cast<std::size_t>(group); ++i)
                ASSERT_LE(std::abs(back[i] - row[i]), scale / 2 + rounding)
                    << bits << " " << group << " seed 7 round " << round;
        }
    }
}

TEST(Quantised, Q_08_groupNotDividingTheRow_isRefusedWithBothNumbers) {
    const auto made = makeSlotCache(coded(8, 64, 80));
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, ErrorCode::InvalidArgument);
    EXPECT_NE(made.error().what.find("80"), std::string::npos);
    EXPECT_NE(made.error().what.find("64"), std::string::npos);
    EXPECT_EQ(makeSlotCache(coded(3, 64)).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(makeSlotCache(coded(8, 16)).error().code, ErrorCode::InvalidArgument);
}

TEST(Quantised, Q_09_trimSaveLoadAndCopy_workAsInAPlainCache) {
    for (const KvShape& shape : {coded(8, 64), coded(4, 32)}) {
        auto cache = makeSlotCache(shape).value();
        EXPECT_TRUE(cache->empty());
        ASSERT_TRUE(append(*cache, 300));
        EXPECT_EQ(cache->trim(40).value(), 40);
        EXPECT_EQ(cache->size(), 260);
        auto loaded = loadCache(cache->save().value()).value();
        EXPECT_EQ(loaded->shape(), shape);
        auto twin = loaded->clone().value();
        ASSERT_TRUE(append(*twin, 5));
        EXPECT_EQ(loaded->size(), 260);
        EXPECT_TRUE(holdsItsTokens(*twin));
        EXPECT_EQ(twin->trim(1000).value(), 265);
        EXPECT_TRUE(twin->empty());
    }
}

TEST(Quantised, Q_10_stateWithOtherBits_isRefusedWithBothNumbers) {
    auto cache = makeSlotCache(coded(8, 64)).value();
    ASSERT_TRUE(append(*cache, 5));
    const auto loaded = loadCacheAs(cache->save().value(), coded(4, 32));
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, ErrorCode::Incompatible);
    EXPECT_NE(loaded.error().what.find("8 bits in groups of 64"), std::string::npos)
        << loaded.error().what;
    EXPECT_NE(loaded.error().what.find("4 bits in groups of 32"), std::string::npos);
    EXPECT_TRUE(loadCacheAs(cache->save().value(), coded(8, 64)));
}

TEST(Quantised, Q_11_D_06_windowLayers_areQuantisedToo) {
    auto cache = makeWindowCache(coded(8, 64), {16, 2}).value();
    for (int i = 0; i < 40; ++i) ASSERT_TRUE(append(*cache, 1 + i % 3));
    EXPECT_TRUE(holdsItsTokens(*cache));
    auto loaded = loadCache(cache->save().value()).value();
    EXPECT_EQ(loaded->save().value(), cache->save().value());
}

TEST(Quantised, Q_12_hadamardRotation_keepsDotProducts) {
    const Rotation rotation = Rotation::hadamard(128, 12).value();
    RandomStream random(12, 0);
    std::vector<float> a(128);
    std::vector<float> b(128);
    for (float& x : a) x = static_cast<float>(random.normal());
    for (float& x : b) x = static_cast<float>(random.normal());
    const auto dot = [](const std::vector<float>& x, const std::vector<float>& y) {
        double sum = 0;
        for (std::size_t i = 0; i < x.size(); ++i)
            sum += static_cast<double>(x[i]) * static_cast<double>(y[i]);
        return sum;
    };
    const double before = dot(a, b);
    const std::vector<float> original = a;
    rotation.apply(a.data(), a.data());
    rotation.apply(b.data(), b.data());
    EXPECT_NEAR(dot(a, b), before, 1e-4);
    rotation.undo(a.data(), a.data());
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], original[i], 1e-5F);
}

TEST(Quantised, Q_13_keysAndValues_haveSeparateBits) {
    KvShape shape = coded(8, 64);
    shape.valueQuant = {4, 32};
    auto cache = makeSlotCache(shape).value();
    ASSERT_TRUE(append(*cache, 10));
    EXPECT_TRUE(holdsItsTokens(*cache));
    EXPECT_EQ(cache->stats().liveBytes, 10 * 4 * (68 + 40));
    EXPECT_EQ(cache->stats().scaleBytes, 10 * 4 * (4 + 8)) << "of each group a scale and a bias";
    shape.valueQuant = {};
    auto keysOnly = makeSlotCache(shape).value();
    ASSERT_TRUE(append(*keysOnly, 10));
    EXPECT_EQ(keysOnly->stats().liveBytes, 10 * 4 * (68 + 128));
}

TEST(Quantised, Q_14_typeNames_areMappedOrRefusedWithTheList) {
    EXPECT_EQ(kvTypeFromName("f16").value(), (KvRowType{DType::F16, {}}));
    EXPECT_EQ(kvTypeFromName("bf16").value(), (KvRowType{DType::BF16, {}}));
    EXPECT_EQ(kvTypeFromName("f32").value(), (KvRowType{DType::F32, {}}));
    EXPECT_EQ(kvTypeFromName("q8_0").value(), (KvRowType{DType::F16, {8, 32}}));
    EXPECT_EQ(kvTypeFromName("q4_1").value(), (KvRowType{DType::F16, {4, 32}}));
    for (int bits = 1; bits <= 8; ++bits)
        EXPECT_EQ(kvTypeFromName(format("t{}", bits)).value(), (KvRowType{DType::F16, {bits, 0}}));
    for (const char* name : {"q5_1", "q5_0", "iq4_nl", "", "F17", "t0", "t9", "t"}) {
        const auto type = kvTypeFromName(name);
        ASSERT_FALSE(type) << name;
        EXPECT_EQ(type.error().code, ErrorCode::InvalidArgument);
        EXPECT_NE(type.error().what.find("f16, bf16, f32, q8_0, q4_0, t8, t7, t6, t5, t4, t3, t2, "
                                         "t1, q4_1"),
                  std::string::npos);
    }
}

TEST(Quantised, nonFiniteValue_staysVisible) {
    std::vector<float> row(64, 1.0F);
    row[3] = std::numeric_limits<float>::infinity();
    const auto back = roundTrip({DType::F16, {8, 64}, 64}, row);
    EXPECT_FALSE(std::isfinite(back[3]));
}

TEST(Quantised, compaction_keepsCodesBitForBit) {
    auto cache = makeSlotCache(coded(4, 32)).value();
    ASSERT_TRUE(append(*cache, 40));
    ASSERT_TRUE(cache->compactable()->apply(keepEverywhere(*cache, {0, 1, 5, 9, 30, 39})));
    ASSERT_TRUE(append(*cache, 3));
    EXPECT_EQ(tokensOf(*cache), (std::vector<std::int32_t>{0, 1, 5, 9, 30, 39, 40, 41, 42}));
    EXPECT_TRUE(holdsItsTokens(*cache));
}

}  // namespace
}  // namespace lacuna::test
