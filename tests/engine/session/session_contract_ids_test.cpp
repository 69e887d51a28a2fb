// Every requirement of the cache contract for this module has a test with its id.

#include "tests/support/contract_numbers.h"

namespace lacuna::test {
namespace {

TEST(SessionContract, everyRequirementOfThisModule_hasATest) {
    EXPECT_GT(expectNumbersOf("session"), 10);
}

}  // namespace
}  // namespace lacuna::test
