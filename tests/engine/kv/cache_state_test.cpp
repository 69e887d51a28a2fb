// Saving and loading: equal states, equal continuations, and no trust in the bytes.

#include "engine/kv/cache_state.h"

#include <gtest/gtest.h>

#include "engine/base/hash.h"
#include "kv_fixture.h"

namespace lacuna::test {
namespace {

KvShape shape() {
    return {.layers = 2, .kvHeads = 2, .keyDim = 4, .valueDim = 6, .type = DType::BF16};
}

std::unique_ptr<KvCache> compacted() {
    auto cache = makeSlotCache(shape()).value();
    EXPECT_TRUE(append(*cache, 128));
    CompactionPlan plan = keepEverywhere(*cache, range(64, 128));
    plan.heads[1].keep = range(0, 100);
    plan.heads[2].bias.assign(64, 0.5F);
    EXPECT_TRUE(cache->apply(plan));
    return cache;
}

/// The same bytes with a checksum that matches them again.
std::string resealed(std::string bytes) {
    bytes.resize(bytes.size() - 8);
    const std::uint64_t sum = hash64(bytes);
    bytes.append(reinterpret_cast<const char*>(&sum), 8);
    return bytes;
}

TEST(CacheState, emptyCache_roundTrips) {
    const auto cache = makeSlotCache(shape()).value();
    auto loaded = loadCache(cache->save().value()).value();
    EXPECT_TRUE(loaded->empty());
    EXPECT_EQ(loaded->shape(), shape());
    ASSERT_TRUE(append(*loaded, 3));
    EXPECT_EQ(loaded->offset(), Position(3));
}

TEST(CacheState, compactedCache_continuesBitEqual) {
    auto cache = compacted();
    auto loaded = loadCache(cache->save().value()).value();
    loaded->checkInvariants();
    EXPECT_EQ(loaded->save().value(), cache->save().value());
    ASSERT_TRUE(append(*cache, 1));
    ASSERT_TRUE(append(*loaded, 1));
    EXPECT_EQ(loaded->offset(), Position(129));
    EXPECT_EQ(loaded->slots(LayerIndex(0), HeadIndex(0)), 65);
    EXPECT_EQ(loaded->save().value(), cache->save().value());
    EXPECT_EQ(loaded->rollback(2).error().code, ErrorCode::Unsupported);
    EXPECT_EQ(loaded->stats().compactions, 1);
}

TEST(CacheState, firstAppendAfterLoad_needsNoMemory) {
    CountingAllocator allocator;
    auto loaded = loadCache(compacted()->save().value(), allocator).value();
    const int before = allocator.allocations;
    ASSERT_TRUE(append(*loaded, 1));
    EXPECT_EQ(allocator.allocations, before);
}

TEST(CacheState, headroom_isNotSaved) {
    auto cache = makeSlotCache(shape()).value();
    ASSERT_TRUE(append(*cache, 1));
    const std::size_t one = cache->save().value().size();
    ASSERT_TRUE(append(*cache, 1));
    EXPECT_EQ(cache->save().value().size() - one, 4U * (4 + 6) * 2);
    // Rows past the end never show: the same cache after a rollback saves the same bytes.
    auto other = makeSlotCache(shape()).value();
    ASSERT_TRUE(append(*other, 200));
    ASSERT_TRUE(other->rollback(198));
    EXPECT_EQ(other->save().value(), cache->save().value());
}

TEST(CacheState, everyTruncation_isRefused) {
    const std::string bytes = compacted()->save().value();
    for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 16) {
        const auto loaded = loadCache(std::string_view(bytes).substr(0, size));
        ASSERT_FALSE(loaded) << size;
        EXPECT_EQ(loaded.error().code, ErrorCode::Corrupt);
        if (size < 16) continue;
        EXPECT_FALSE(loadCache(resealed(bytes.substr(0, size))))
            << size << " with a fitting checksum";
    }
}

TEST(CacheState, everyAlteredByte_isRefused) {
    const std::string bytes = compacted()->save().value();
    for (std::size_t at = 0; at < bytes.size(); at += 1 + at / 16) {
        std::string altered = bytes;
        altered[at] = static_cast<char>(altered[at] ^ 0x40);
        EXPECT_FALSE(loadCache(altered)) << at;
    }
}

TEST(CacheState, contradictingHeader_isRefusedBeforeAllocation) {
    const std::string bytes = compacted()->save().value();
    // Offsets of: version, type, layers, heads, key length, value length, tokens, settled, heads.
    for (std::size_t at : {8U, 12U, 16U, 20U, 24U, 28U, 32U, 40U, 56U, 60U, 72U}) {
        for (const int value : {0x7f, 0xff}) {
            std::string altered = bytes;
            altered[at + 3] = static_cast<char>(value);
            CountingAllocator allocator;
            EXPECT_FALSE(loadCache(resealed(altered), allocator)) << at;
            EXPECT_EQ(allocator.allocations, 0) << at;
        }
    }
}

TEST(CacheState, otherVersion_saysSo) {
    std::string bytes = compacted()->save().value();
    bytes[8] = 9;
    const auto loaded = loadCache(resealed(bytes));
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, ErrorCode::Incompatible);
    EXPECT_NE(loaded.error().what.find("version 9"), std::string::npos);
}

TEST(CacheState, loadWithoutMemory_isAnError) {
    CountingAllocator allocator;
    allocator.failAfter = 3;
    const auto loaded = loadCache(compacted()->save().value(), allocator);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, ErrorCode::NoMemory);
}

}  // namespace
}  // namespace lacuna::test
