#include "engine/base/byte_reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace lacuna {
namespace {

TEST(ByteReader, lengthsBeyondTheEnd_returnNothing_andDoNotAdvance) {
    const std::string text = "abcdefgh";
    ByteReader reader(std::as_bytes(std::span(text.data(), text.size())));
    EXPECT_EQ(reader.takeText(3), "abc");
    EXPECT_FALSE(reader.read<std::uint64_t>());
    EXPECT_FALSE(reader.take(6));
    EXPECT_FALSE(reader.take(std::numeric_limits<std::uint64_t>::max()));
    EXPECT_EQ(reader.offset(), 3U);
    EXPECT_EQ(reader.takeText(5), "defgh");
    EXPECT_TRUE(reader.take(0));
    EXPECT_FALSE(reader.read<std::uint8_t>());
}

TEST(CheckedArithmetic, overflow_isDetected) {
    EXPECT_EQ(checkedMultiply(1ULL << 32, (1ULL << 32) - 1), ((1ULL << 32) - 1) << 32);
    EXPECT_FALSE(checkedMultiply(1ULL << 32, 1ULL << 32));
    EXPECT_FALSE(checkedAdd(~0ULL, 1));
}

TEST(InRange, nan_isOutside) {
    EXPECT_TRUE(inRange(1.0, 1.0, 8.0));
    EXPECT_FALSE(inRange(8.0000001, 1.0, 8.0));
    EXPECT_FALSE(inRange(std::nan(""), 1.0, 8.0));
}

}  // namespace
}  // namespace lacuna
