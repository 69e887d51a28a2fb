// Every requirement of the cache contract for this module has a test with its id.

#include "tests/support/contract_numbers.h"

namespace lacuna::test {
namespace {

TEST(LoopContract, everyRequirementOfThisModule_hasATest) {
    EXPECT_GT(expectNumbersOf("generate"), 25);
}

}  // namespace
}  // namespace lacuna::test
