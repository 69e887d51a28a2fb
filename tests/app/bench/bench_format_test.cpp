// Row names of the format table and the settings they stand for.

#include "app/bench/bench_format.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

TEST(BenchFormat, cacheFormatNames_giveCacheSettings) {
    KvOptions base;
    base.exactWindow = 7;
    base.values = KvRowType{.type = DType::F16, .quant = {.bits = 8, .group = 0}};
    const auto kv = [&](std::string_view name) {
        const auto read = benchFormatNamed(name);
        EXPECT_TRUE(read) << name;
        const ShadowSetting setting = benchSetting(*read, base);
        EXPECT_FALSE(setting.rows) << name;
        EXPECT_EQ(setting.kv.exactWindow, 7);
        return setting.kv;
    };
    EXPECT_EQ(kv("t3").quant, (KvQuant{.bits = 3, .group = 0}));
    EXPECT_FALSE(kv("t3").values) << "those of the keys";
    EXPECT_EQ(kv("t3").rotation, KvRotation::Hadamard) << "also of a model that was calibrated";
    EXPECT_EQ(kv("t3 calibrated").rotation, KvRotation::Calibrated);
    EXPECT_EQ(kv("t4/t2").values->quant, (KvQuant{.bits = 2, .group = 0}));
    EXPECT_EQ(kv("q4_0").quant, (KvQuant{.bits = 4, .group = 32}));
    EXPECT_EQ(kv("t3").extraBits, 0);
    const KvOptions more = kv("t4/t3 calibrated +0.25");
    EXPECT_EQ(more.extraBits, 0.25);
    EXPECT_EQ(more.rotation, KvRotation::Calibrated);
    const KvOptions matched = kv("t4/t3 calibrated am 2.5x");
    EXPECT_EQ(matched.method, CompactionMethod::AttentionMatching);
    EXPECT_EQ(matched.amRatio, 2.5);
    EXPECT_EQ(matched.rotation, KvRotation::Calibrated);
    const ShadowSetting evicted = benchSetting(*benchFormatNamed("q8_0 l2 8x"), base);
    EXPECT_EQ(evicted.kv.method, CompactionMethod::Eviction);
    EXPECT_EQ(evicted.budgetShare, 0.125);
}

TEST(BenchFormat, codesWithoutACacheFormat_giveRowFunctions) {
    const auto rows = [](std::string_view name) {
        const auto read = benchFormatNamed(name);
        EXPECT_TRUE(read && read->rows) << name;
        return read && read->rows ? *read->rows : SimulatedRows{};
    };
    const SimulatedRows plain = rows("t3 plain");
    EXPECT_EQ(plain.keys.scale, CodeScale::Plain);
    EXPECT_EQ(plain.values.scale, CodeScale::LeastSquares) << "values as ever";
    EXPECT_EQ(rows("t3 preserve").keys.scale, CodeScale::Preserve);
    EXPECT_EQ(rows("t3 simulated").keys.scale, CodeScale::Unbiased);
    const SimulatedRows sketched = rows("t3/t2 qjl");
    EXPECT_EQ(sketched.keys.code, RowCode::Sketched);
    EXPECT_EQ(sketched.keys.bits, 3);
    EXPECT_EQ(sketched.values, (RowCoding{.code = RowCode::Rotated, .bits = 2}));
    const SimulatedRows rotated = rows("q4_0 rotated");
    EXPECT_EQ(rotated.keys.code, RowCode::Affine);
    EXPECT_TRUE(rotated.keys.rotated && rotated.values.rotated);
    EXPECT_FALSE(rows("q4_0 simulated").rotated());
    EXPECT_EQ(rows("ggml-q4_0 rotated").values.code, RowCode::Blocks);
    EXPECT_EQ(rows("ggml-q8_0").keys.bits, 8);
    EXPECT_TRUE(rows("u2 calibrated").keys.rotated);
    EXPECT_EQ(benchFormatNamed("u2 calibrated")->rotation, KvRotation::Calibrated);
    EXPECT_EQ(rows("t8/ggml-q4_0").keys.code, RowCode::Rotated);
}

TEST(BenchFormat, defaultFormats_haveUniqueValidNames) {
    std::set<std::string_view> seen;
    for (const std::string_view name : defaultBenchFormats()) {
        const auto read = benchFormatNamed(name);
        EXPECT_TRUE(read) << name;
        EXPECT_TRUE(seen.insert(name).second) << name;
    }
    for (const char* needed : {"t3 calibrated", "q4_0 rotated", "ggml-q4_0 rotated", "q8_0",
                               "t3 calibrated +0.25", "t3 plain", "t3 qjl", "t4 am 8x"})
        EXPECT_TRUE(seen.contains(needed)) << needed;
}

TEST(BenchFormat, unknownNames_areRejectedWithTheValidOnes) {
    for (const char* name : {"",
                             "  ",
                             "t9",
                             "t0",
                             "t33",
                             "q5_0",
                             "f16",
                             "t3 twisted",
                             "t3 +",
                             "t3 +0",
                             "t3 +5",
                             "t3 +0.25x",
                             "t3 qjl +0.25",
                             "q8_0 +0.25",
                             "t3/",
                             "/t3",
                             "t3 rotated",
                             "q4_0 plain",
                             "u3 qjl",
                             "t1 qjl",
                             "t3 plain preserve",
                             "q4_0 rotated rotated",
                             "q4_0 rotated calibrated",
                             "t3 am",
                             "t3 am x",
                             "t3 am 1x",
                             "t3 am 51x",
                             "t3 am 8x am 8x",
                             "t3 am 8x l2 8x",
                             "t3 qjl am 8x",
                             "t3 simulated l2 4x",
                             "t3 am nanx"}) {
        const auto read = benchFormatNamed(name);
        ASSERT_FALSE(read) << name;
        EXPECT_EQ(read.error().code, ErrorCode::InvalidArgument);
        EXPECT_NE(read.error().what.find("ggml-q4_0"), std::string::npos) << read.error().what;
        EXPECT_NE(read.error().what.find(format("\"{}\"", name)), std::string::npos);
    }
}

}  // namespace
}  // namespace lacuna
