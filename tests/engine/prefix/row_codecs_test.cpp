#include "engine/prefix/row_codecs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/kv/cache_list.h"
#include "engine/kv/stored_rows.h"
#include "tier_fixture.h"

namespace lacuna {
namespace {

using namespace test;

struct Format {
    const char* name;
    DType type;
    KvQuant keys;
    KvQuant values;
};

const std::vector<Format>& formats() {
    static const std::vector<Format> all{{"f16", DType::F16, {}, {}},
                                         {"bf16", DType::BF16, {}, {}},
                                         {"f32", DType::F32, {}, {}},
                                         {"groups", DType::F16, {8, 32}, {4, 64}},
                                         {"rotated", DType::F16, {5, 0}, {3, 0}},
                                         {"mixed", DType::BF16, {8, 32}, {}}};
    return all;
}

KvShape shapeOf(const Format& format) {
    KvShape shape = tierShape(format.type);
    shape.keyQuant = format.keys;
    shape.valueQuant = format.values;
    return shape;
}

TEST(RowsCodec, everyFormat_roundTripsBitForBit_andCanBeContinued) {
    const auto codec = makeRowsCodec();
    const auto tokens = text(300);
    for (const Format& format : formats()) {
        SCOPED_TRACE(format.name);
        const auto cache = cacheOver(tokens, shapeOf(format));
        const auto first = codec->encode(*cache, {0, 128});
        const auto second = codec->encode(*cache, {128, 130});
        ASSERT_TRUE(first && second);
        auto copy = cacheOver({}, shapeOf(format));
        ASSERT_TRUE(codec->decode(*first, {0, 128}, *copy));
        ASSERT_TRUE(codec->decode(*second, {128, 130}, *copy));
        EXPECT_EQ(copy->offset().value, 258);
        EXPECT_TRUE(sameRows(*copy, *cache, 258));
        evaluate(*copy, tokens);
        copy->checkInvariants();
        EXPECT_TRUE(sameRows(*copy, *cache, 300));
    }
}

TEST(RowsCodec, threadPool_givesTheSameBytes) {
    ThreadPool pool(2);
    const auto tokens = text(64);
    const auto cache = cacheOver(tokens);
    const auto bytes = makeRowsCodec()->encode(*cache, {0, 64});
    ASSERT_TRUE(bytes);
    const auto copy = cacheOver({});
    ASSERT_TRUE(makeRowsCodec(&pool)->decode(*bytes, {0, 64}, *copy));
    EXPECT_TRUE(sameRows(*copy, *cache, 64));
}

TEST(RowsCodec, rowsWithFewExponents_areCompressed) {
    const auto cache = cacheOver(text(256));
    const auto bytes = makeRowsCodec()->encode(*cache, {0, 256});
    ASSERT_TRUE(bytes);
    EXPECT_LT(static_cast<double>(bytes->size()),
              0.93 * static_cast<double>(cache->stats().liveBytes));
}

TEST(EightBitCodec, plainRows_errorIsBelowASixthOfAPercentOfTheRange) {
    for (const DType type : {DType::F16, DType::BF16, DType::F32}) {
        const auto cache = cacheOver(text(100), tierShape(type));
        const auto codec = makeEightBitCodec();
        const auto bytes = codec->encode(*cache, {0, 100});
        ASSERT_TRUE(bytes);
        const auto copy = cacheOver({}, tierShape(type));
        ASSERT_TRUE(codec->decode(*bytes, {0, 100}, *copy));
        std::vector<float> a(100 * 64);
        std::vector<float> b(100 * 64);
        double worst = 0;
        for (int layer = 0; layer < 2; ++layer)
            for (int head = 0; head < 2; ++head) {
                readValues(cache->head(LayerIndex(layer), HeadIndex(head)), 64, 0, 100, a.data());
                readValues(copy->head(LayerIndex(layer), HeadIndex(head)), 64, 0, 100, b.data());
                for (std::size_t i = 0; i < a.size(); ++i)
                    worst = std::max(
                        worst, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
            }
        EXPECT_GT(worst, 0);
        EXPECT_LT(worst, type == DType::BF16 ? 0.025 : 0.0125);  // relative to 4; bf16 rounds to 1
                                                                 // in 256
    }
}

TEST(EightBitCodec, quantisedOrOddLengthRows_areRefused) {
    KvShape coded = tierShape();
    coded.keyQuant = {8, 32};
    KvShape odd = tierShape();
    odd.keyDim = 40;
    for (const KvShape& shape : {coded, odd}) {
        const auto cache = cacheOver(text(4), shape);
        const auto bytes = makeEightBitCodec()->encode(*cache, {0, 4});
        ASSERT_FALSE(bytes);
        EXPECT_EQ(bytes.error().code, ErrorCode::Unsupported);
    }
}

TEST(RowsCodec, cacheWithMissingTokens_isRefused) {
    const auto codec = makeRowsCodec();
    std::vector<std::unique_ptr<KvCache>> caches;
    caches.push_back(cacheOver(
        text(40), KvChoice{.shape = tierShape(), .window = WindowRule{16, 0}, .layers = {}}));
    std::vector<LayerPlan> plans(2);
    plans[0].window = WindowRule{16, 0};
    caches.push_back(
        cacheOver(text(40), KvChoice{.shape = tierShape(), .window = {}, .layers = plans}));
    caches.push_back(cacheOver(text(40)));
    CompactionPlan plan;
    plan.heads.resize(4);
    for (auto& head : plan.heads)
        head.keep = SlotMarks(40, std::vector<std::int32_t>{0, 1, 2, 38, 39});
    ASSERT_TRUE(caches.back()->compactable()->apply(plan));
    KvShape exact = tierShape();
    exact.keyQuant = {4, 0};
    exact.exact = {4, 2};
    caches.push_back(cacheOver(text(40), exact));
    for (const auto& cache : caches) {
        EXPECT_FALSE(holdsRowsOfTokens(*cache));
        const auto bytes = codec->encode(*cache, {0, 8});
        ASSERT_FALSE(bytes);
        EXPECT_EQ(bytes.error().code, ErrorCode::Unsupported);
        const auto source = cacheOver(text(8), cache->shape());
        if (source->shape().keepsExact()) continue;
        const auto rows = codec->encode(*source, {0, 8});
        ASSERT_TRUE(rows);
        const auto before = cache->save().value();
        EXPECT_FALSE(codec->decode(*rows, {40, 8}, *cache));
        EXPECT_EQ(cache->save().value(), before);
    }
}

TEST(RowsCodec, runsOutsideTheCache_areRefused) {
    const auto codec = makeRowsCodec();
    const auto cache = cacheOver(text(40));
    for (const TokenRun run : {TokenRun{-1, 4}, {0, 0}, {0, 41}, {38, 3}, {41, 1}, {0, -3}})
        EXPECT_FALSE(codec->encode(*cache, run)) << run.first << " " << run.count;
    const auto bytes = codec->encode(*cache, {8, 16});
    ASSERT_TRUE(bytes);
    const auto eight = cacheOver(text(8));
    for (const TokenRun run : {TokenRun{0, 16}, {8, 15}, {8, 17}, {9, 16}, {8, 0}})
        EXPECT_FALSE(codec->decode(*bytes, run, *eight)) << run.first << " " << run.count;
    EXPECT_TRUE(codec->decode(*bytes, {8, 16}, *eight));
}

TEST(RowsCodec, truncatedOrExtendedData_isCorrupt_andLeavesTheCache) {
    const auto codec = makeRowsCodec();
    const auto cache = cacheOver(text(4));
    auto bytes = codec->encode(*cache, {0, 4}).value();
    const auto copy = cacheOver({});
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        const Status status = codec->decode(std::span(bytes).first(length), {0, 4}, *copy);
        ASSERT_FALSE(status) << length;
        ASSERT_EQ(status.error().code, ErrorCode::Corrupt);
    }
    bytes.push_back(std::byte{0});
    EXPECT_FALSE(codec->decode(bytes, {0, 4}, *copy));
    EXPECT_EQ(copy->offset().value, 0);
    copy->checkInvariants();
}

TEST(RowsCodec, everyFlippedByte_isDecodedOrReportedCorrupt) {
    const auto codec = makeRowsCodec();
    const auto cache = cacheOver(text(4));
    const auto bytes = codec->encode(*cache, {0, 4}).value();
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        auto flipped = bytes;
        flipped[at] ^= std::byte{0x40};
        const auto copy = cacheOver({});
        const Status status = codec->decode(flipped, {0, 4}, *copy);
        EXPECT_EQ(copy->offset().value, status ? 4 : 0);
        copy->checkInvariants();
    }
}

TEST(Frame, unexpectedLengths_areCorrupt) {
    const std::vector<std::byte> content(5000, std::byte{7});
    const auto frame = compressFrame(content).value();
    EXPECT_LT(frame.size(), 100U);
    std::vector<std::byte> out(5000);
    EXPECT_TRUE(decompressFrame(frame, out));
    EXPECT_EQ(out, content);
    for (const std::size_t size : {std::size_t{0}, std::size_t{4999}, std::size_t{5001}}) {
        std::vector<std::byte> other(size);
        EXPECT_FALSE(decompressFrame(frame, other)) << size;
    }
    auto twice = frame;
    twice.insert(twice.end(), frame.begin(), frame.end());
    EXPECT_FALSE(decompressFrame(twice, out));
}

}  // namespace
}  // namespace lacuna
