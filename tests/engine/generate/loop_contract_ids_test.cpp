// Every requirement of the cache contract that belongs to this room has a test with its number.

#include "tests/support/contract_numbers.h"

namespace lacuna::test {
namespace {

TEST(LoopContract, everyRequirementOfThisRoom_hasATest) {
    EXPECT_GT(expectNumbersOf("generate"), 25);
}

}  // namespace
}  // namespace lacuna::test
