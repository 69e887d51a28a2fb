// Every requirement of the cache contract that belongs to this room has a test with its number.

#include "tests/support/contract_numbers.h"

namespace lacuna::test {
namespace {

TEST(SessionContract, everyRequirementOfThisRoom_hasATest) {
    EXPECT_GT(expectNumbersOf("session"), 10);
}

}  // namespace
}  // namespace lacuna::test
