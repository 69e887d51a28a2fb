// Interleaving of rows and back: a permutation of bytes for every type.

#include "engine/tensor/row_groups.h"

#include <gtest/gtest.h>

#include <vector>

#include "engine/base/random.h"
#include "engine/tensor/buffer.h"

namespace lacuna::test {
namespace {

constexpr std::int64_t kColumns = 768;  // three blocks of 256

std::vector<std::byte> randomBytes(std::size_t count) {
    RandomStream random(5, 1);
    std::vector<std::byte> bytes(count);
    for (std::byte& b : bytes) b = static_cast<std::byte>(1 + random.below(255));  // never zero
    return bytes;
}

std::vector<DType> groupedTypes() {
    std::vector<DType> types;
    for (const DTypeInfo& type : allDTypes())
        if (canGroup(type.type, kColumns)) types.push_back(type.type);
    return types;
}

class RowGroups : public ::testing::TestWithParam<DType> {
  protected:
    DType type_ = GetParam();
    std::int64_t stride_ =
        static_cast<std::int64_t>(rowBytes(type_, static_cast<std::uint64_t>(kColumns)));
    std::vector<std::byte> rows_ = randomBytes(static_cast<std::size_t>(kGroupRows * stride_));
    [[nodiscard]] std::vector<std::byte> grouped(int count = kGroupRows) const {
        std::vector<std::byte> group(rows_.size(), std::byte{7});
        groupRows({type_, rows_.data(), stride_, kColumns, count}, group.data());
        return group;
    }
};

TEST_P(RowGroups, fields_coverEveryByteOfABlockOnce) {
    const std::int64_t blocks = kColumns / groupBlockColumns(type_);
    std::vector<int> seen(static_cast<std::size_t>(stride_ / blocks));
    for (const BlockField& field : blockFields(type_)) {
        EXPECT_EQ(field.bytes % field.unit, 0);
        for (int i = 0; i < field.bytes; ++i) ++seen.at(static_cast<std::size_t>(field.offset + i));
    }
    EXPECT_EQ(seen, std::vector<int>(seen.size(), 1));
}

TEST_P(RowGroups, everyRow_roundTrips) {
    const std::vector<std::byte> group = grouped();
    EXPECT_NE(group, rows_);
    std::vector<std::byte> back(rows_.size());
    ungroupRows(type_, group.data(), kColumns, kGroupRows, back.data(), stride_);
    EXPECT_EQ(back, rows_);
    for (const int row : {0, 3, 15}) {
        std::vector<std::byte> one(static_cast<std::size_t>(stride_));
        ungroupRow(type_, group.data(), kColumns, row, one.data());
        EXPECT_TRUE(std::equal(one.begin(), one.end(), rows_.begin() + row * stride_)) << row;
    }
}

// Kernels and panels may start in the middle of a group.
TEST_P(RowGroups, partialColumns_areReadAtTheirOffset) {
    const std::vector<std::byte> group = grouped();
    const auto before = static_cast<std::int64_t>(rowBytes(type_, 256));
    std::vector<std::byte> part(static_cast<std::size_t>(before));
    ungroupRow(type_, group.data() + kGroupRows * before, 256, 9, part.data());
    EXPECT_TRUE(std::equal(part.begin(), part.end(), rows_.begin() + 9 * stride_ + before));
}

TEST_P(RowGroups, missingRows_areZeros) {
    const std::vector<std::byte> group = grouped(5);
    std::vector<std::byte> back(rows_.size());
    ungroupRows(type_, group.data(), kColumns, kGroupRows, back.data(), stride_);
    const auto there = static_cast<std::size_t>(5 * stride_);
    for (std::size_t i = 0; i < back.size(); ++i)
        ASSERT_EQ(back[i], i < there ? rows_[i] : std::byte{0}) << i;
}

INSTANTIATE_TEST_SUITE_P(Types, RowGroups, ::testing::ValuesIn(groupedTypes()),
                         [](const auto& test) {
                             return std::string(lacuna::info(test.param).name);
                         });

TEST(RowGroupsSupport, floatsAndPartialBlocks_areRefused) {
    EXPECT_FALSE(canGroup(DType::F32, 64));
    EXPECT_FALSE(canGroup(DType::F16, 33));
    EXPECT_FALSE(canGroup(DType::Q4_K, 128));
    EXPECT_TRUE(canGroup(DType::Q4_0, 96));
}

TEST(LargePages, filledAndJoined_keepEveryByte) {
    constexpr std::size_t kBytes = 3 * LargePages::kPage + 12345;
    auto pages = LargePages::allocate(kBytes);
    ASSERT_TRUE(pages.has_value());
    EXPECT_EQ(pages->size(), kBytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pages->data()) % LargePages::kPage, 0U);
    EXPECT_EQ(pages->data()[kBytes - 1], std::byte{0});
    for (std::size_t i = 0; i < kBytes; ++i) pages->data()[i] = static_cast<std::byte>(i * 31 >> 3);
    const LargePages moved = [&pages] {
        pages->joinPages();
        return std::move(*pages);
    }();
    for (int pass = 0; pass < 2; ++pass) {
        for (std::size_t i = 0; i < kBytes; ++i)
            ASSERT_EQ(moved.data()[i], static_cast<std::byte>(i * 31 >> 3)) << i;
        moved.waitUntilJoined();
    }
}

TEST(LargePages, noPages_countAsJoined) {
    EXPECT_TRUE(LargePages().waitUntilJoined());
    EXPECT_TRUE(LargePages::allocate(LargePages::kPage)->waitUntilJoined()) << "not begun";
}

TEST(LargePages, destroyedWhileJoining_endsCleanly) {
    for (int i = 0; i < 5; ++i) {
        auto pages = LargePages::allocate(4 * LargePages::kPage);
        ASSERT_TRUE(pages.has_value());
        pages->joinPages();
    }
    EXPECT_EQ(LargePages::allocate(0)->size(), 0U);
}

TEST(LargePages, allocationBeyondMemory_returnsAnError) {
    const auto pages = LargePages::allocate(std::size_t{1} << 62);
    ASSERT_FALSE(pages.has_value());
    EXPECT_EQ(pages.error().code, ErrorCode::NoMemory);
}

}  // namespace
}  // namespace lacuna::test
