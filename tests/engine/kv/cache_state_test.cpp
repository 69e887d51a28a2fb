// Saving and loading: equal states, equal continuations, and full validation of the bytes.

#include "engine/kv/kv_factory.h"

#include <gtest/gtest.h>

#include <cstring>

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
    plan.heads[1].keep = {plan.heads[1].keep.slots(), range(0, 100)};
    plan.heads[2].bias.assign(64, 0.5F);
    EXPECT_TRUE(cache->compactable()->apply(plan));
    return cache;
}

/// Returns the same bytes with a matching checksum.
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

TEST(CacheState, compactedCache_continuesBitForBit) {
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

TEST(CacheState, firstAppendAfterLoad_allocatesNothing) {
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
    // Rows past the end are not saved: the same cache gives the same bytes after a rollback.
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

TEST(CacheState, contradictoryHeader_isRefusedBeforeAllocation) {
    const std::string bytes = compacted()->save().value();
    // Offsets: version, type, layers, heads, key length, value length, tokens, settled, heads.
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

/// Offsets of the columns after the rows of the heads, as described in slot_state.h.
struct Places {
    std::size_t rows = 0, positions = 0;
    std::size_t slots = 0;
};
std::vector<Places> placesOfHeads(const std::string& bytes) {
    constexpr std::size_t kTable = 56;
    const auto word = [&](std::size_t at) {
        std::uint32_t value = 0;
        std::memcpy(&value, bytes.data() + at, sizeof value);
        return value;
    };
    const std::size_t heads = 4;
    std::size_t at = kTable + heads * 8;
    std::vector<Places> places;
    for (std::size_t h = 0; h < heads; ++h) {
        const std::size_t slots = word(kTable + h * 8);
        const std::uint32_t columns = word(kTable + h * 8 + 4);
        places.push_back({at, at + slots * (4 + 6) * 2, slots});
        at = places.back().positions + ((columns & 1U) + (columns >> 1U & 1U)) * slots * 4;
    }
    EXPECT_EQ(at + 8, bytes.size());
    return places;
}

// With a matching checksum, invalid content is refused with its own error.
TEST(CacheState, nonAscendingPositions_areRefused) {
    const std::string bytes = compacted()->save().value();
    for (const Places& head : placesOfHeads(bytes)) {
        ASSERT_GT(head.slots, 3U);
        const auto position = [&](std::size_t slot) { return head.positions + slot * 4; };
        std::string equal = bytes;
        equal.replace(position(2), 4, bytes.substr(position(1), 4));
        std::string exchanged = bytes;
        exchanged.replace(position(0), 4, bytes.substr(position(1), 4));
        exchanged.replace(position(1), 4, bytes.substr(position(0), 4));
        std::string last = bytes;
        last.replace(position(head.slots - 1), 4, bytes.substr(position(0), 4));
        for (const std::string& altered : {equal, exchanged, last}) {
            CountingAllocator allocator;
            const auto loaded = loadCache(resealed(altered), allocator);
            ASSERT_FALSE(loaded);
            EXPECT_EQ(loaded.error().code, ErrorCode::Corrupt);
            EXPECT_NE(loaded.error().what.find("ascending"), std::string::npos)
                << loaded.error().what;
        }
        EXPECT_TRUE(loadCache(resealed(bytes)));
    }
}

TEST(CacheState, nonFiniteValues_areReportedWithTheirPosition) {
    const std::string bytes = compacted()->save().value();
    KvChoice choice;
    choice.shape = shape();
    ASSERT_TRUE(loadCacheFor(bytes, choice));
    const std::vector<Places> heads = placesOfHeads(bytes);
    for (const std::string& number : {std::string("\xc0\x7f"), std::string("\x80\xff")}) {
        for (std::size_t h = 0; h < heads.size(); ++h) {
            const std::size_t key = heads[h].rows + 7 * 4 * 2 + 2;
            const std::size_t value = heads[h].rows + heads[h].slots * 4 * 2 + 9 * 6 * 2;
            for (const auto& [at, part] :
                 {std::pair{key, "key of slot 7"}, {value, "value of slot 9"}}) {
                std::string altered = bytes;
                altered.replace(at, 2, number);
                const auto loaded = loadCacheFor(resealed(altered), choice);
                ASSERT_FALSE(loaded) << h << part;
                EXPECT_EQ(errorName(loaded.error().code), "KV_NON_FINITE");
                for (const std::string& said : {std::string(part), "layer " + std::to_string(h / 2),
                                                "head " + std::to_string(h % 2)})
                    EXPECT_NE(loaded.error().what.find(said), std::string::npos)
                        << loaded.error().what;
            }
        }
    }
}

TEST(CacheState, otherVersion_isRefusedWithItsNumber) {
    std::string bytes = compacted()->save().value();
    bytes[8] = 9;
    const auto loaded = loadCache(resealed(bytes));
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, ErrorCode::Incompatible);
    EXPECT_NE(loaded.error().what.find("version 9"), std::string::npos);
}

TEST(CacheState, loadWithoutMemory_returnsAnError) {
    CountingAllocator allocator;
    allocator.failAfter = 3;
    const auto loaded = loadCache(compacted()->save().value(), allocator);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, ErrorCode::NoMemory);
}

}  // namespace
}  // namespace lacuna::test
