#include "engine/base/string_format.h"

#include <gtest/gtest.h>

namespace lacuna {
namespace {

TEST(NumberText, integers_areGroupedByThousands) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(123), "123");
    EXPECT_EQ(grouped(-123), "-123");
    EXPECT_EQ(grouped(1912), "1,912");
    EXPECT_EQ(grouped(-1234567), "-1,234,567");
    EXPECT_EQ(grouped(INT64_MIN), "-9,223,372,036,854,775,808");
}

}  // namespace
}  // namespace lacuna
