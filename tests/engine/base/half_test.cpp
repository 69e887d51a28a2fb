#include "engine/base/half.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lacuna {
namespace {

TEST(Half, everyPattern_roundTrips) {
    for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
        const auto pattern = static_cast<std::uint16_t>(bits);
        const float value = halfToFloat(pattern);
        if (std::isnan(value)) {
            EXPECT_TRUE(std::isnan(halfToFloat(floatToHalf(value))));
            continue;
        }
        ASSERT_EQ(floatToHalf(value), pattern) << bits;
    }
}

// Finds the nearest of the two neighbouring halves by trying both, ties to even.
TEST(Half, midpointsBetweenPatterns_roundToEven) {
    for (std::uint32_t bits = 0; bits < 0x7bffU; ++bits) {
        const float low = halfToFloat(static_cast<std::uint16_t>(bits));
        const float high = halfToFloat(static_cast<std::uint16_t>(bits + 1));
        const float middle = low + (high - low) / 2;  // exact: one more mantissa bit
        const std::uint16_t even = static_cast<std::uint16_t>(bits % 2 == 0 ? bits : bits + 1);
        ASSERT_EQ(floatToHalf(middle), even) << bits;
        ASSERT_EQ(floatToHalf(std::nextafter(middle, 1e9F)), bits + 1) << bits;
        ASSERT_EQ(floatToHalf(std::nextafter(middle, -1.0F)), bits) << bits;
    }
    EXPECT_EQ(floatToHalf(65519.0F), 0x7bffU);
    EXPECT_EQ(floatToHalf(65520.0F), 0x7c00U);
    EXPECT_EQ(floatToHalf(-1e20F), 0xfc00U);
}

TEST(Bfloat, rounding_isToNearestEven) {
    EXPECT_EQ(floatToBfloat(1.0F), 0x3f80U);
    EXPECT_EQ(floatToBfloat(std::bit_cast<float>(0x3f808000U)), 0x3f80U);
    EXPECT_EQ(floatToBfloat(std::bit_cast<float>(0x3f818000U)), 0x3f82U);
    EXPECT_EQ(floatToBfloat(std::bit_cast<float>(0x3f808001U)), 0x3f81U);
    EXPECT_TRUE(std::isnan(bfloatToFloat(floatToBfloat(std::nanf("")))));
    EXPECT_TRUE(std::isinf(bfloatToFloat(floatToBfloat(INFINITY))));
}

}  // namespace
}  // namespace lacuna
