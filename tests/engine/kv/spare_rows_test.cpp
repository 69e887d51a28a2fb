// Memory behind the remaining rows after a trim, as counted by the system.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kv_fixture.h"

namespace lacuna::test {
namespace {

const KvShape kWide{.layers = 1, .kvHeads = 1, .keyDim = 128, .valueDim = 128, .type = DType::F32};
constexpr int kRow = 128 * 4;

/// Returns the number of resident pages that lie entirely between two rows of the keys.
int pagesBetween(const KvCache& cache, int from, int to) {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto keys =
        reinterpret_cast<std::uintptr_t>(cache.head(LayerIndex(0), HeadIndex(0)).keys);
    const auto row = static_cast<std::uintptr_t>(kRow);
    const std::uintptr_t begin =
        (keys + static_cast<std::uintptr_t>(from) * row + page - 1) / page * page;
    const std::uintptr_t end = (keys + static_cast<std::uintptr_t>(to) * row) / page * page;
    std::vector<unsigned char> present((end - begin) / page);
    EXPECT_EQ(::mincore(reinterpret_cast<void*>(begin), end - begin, present.data()), 0);
    int count = 0;
    for (const unsigned char one : present) count += one & 1;
    return count;
}

TEST(SpareRows, GR_13_trim_keepsCapacity_andReleasesItsPages) {
    auto cache = makeSlotCache(kWide).value();
    ASSERT_TRUE(append(*cache, 4096));
    const KvStats full = cache->stats();
    ASSERT_EQ(pagesBetween(*cache, 104, 4096), (4096 - 104) * kRow / 4096);
    ASSERT_EQ(*cache->trim(4000), 4000);
    EXPECT_EQ(pagesBetween(*cache, 104, 4096), 0);
    EXPECT_GT(pagesBetween(*cache, 0, 96), 0);
    EXPECT_EQ(cache->stats().allocatedBytes, full.allocatedBytes);
    for (int slot = 0; slot < 96; ++slot) ASSERT_TRUE(holds(*cache, 0, 0, slot, slot));
    ASSERT_TRUE(append(*cache, 1000));
    EXPECT_EQ(cache->stats().reallocations, full.reallocations);
    for (int slot = 0; slot < 1096; ++slot) ASSERT_TRUE(holds(*cache, 0, 0, slot, slot));
}

TEST(SpareRows, reservedRows_useNoMemoryUntilWritten) {
    auto cache = makeSlotCache(kWide).value();
    ASSERT_TRUE(append(*cache, 2048));
    ASSERT_TRUE(append(*cache, 8));
    ASSERT_EQ(cache->stats().allocatedBytes, 2 * 4096 * kRow) << "twice the room";
    EXPECT_EQ(pagesBetween(*cache, 2064, 4096), 0);
}

// The rows of a snapshot stay, however far its original is trimmed.
TEST(SpareRows, trim_withASnapshot_keepsTheRowsOfTheSnapshot) {
    auto cache = makeSlotCache(kWide).value();
    ASSERT_TRUE(append(*cache, 2000));
    const auto snapshot = cache->snapshots()->snapshot();
    ASSERT_TRUE(snapshot);
    ASSERT_EQ(*cache->trim(1900), 1900);
    for (int slot = 0; slot < 2000; ++slot) ASSERT_TRUE(holds(**snapshot, 0, 0, slot, slot));
}

}  // namespace
}  // namespace lacuna::test
