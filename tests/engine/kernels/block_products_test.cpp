// Products of block formats under realistic conditions: many columns, errors relative to the norm
// of the result.

#include "engine/kernels/matmul.h"
#include "kernel_fixtures.h"

namespace lacuna::test {
namespace {

constexpr std::size_t kRows = 48;
constexpr std::size_t kColumns = 2560;

struct Expectation {
    Precision precision;
    double error;
};

class BlockProducts : public EveryKernelTable {
  protected:
    /// Returns |found - float64 product| / |float64 product| over all tokens and rows.
    [[nodiscard]] double relativeError(DType type, std::size_t tokens, Precision precision) {
        const EncodedMatrix w = encodedMatrix(type, kRows, kColumns, 91);
        const std::vector<float> x = randomFloats(tokens * kColumns, 92);
        std::vector<float> out(tokens * kRows);
        ThreadPool pool(2);
        auto matmul = Matmul::create(kernels(), pool,
                                     {.maxTokens = static_cast<std::int64_t>(tokens),
                                      .maxColumns = kColumns,
                                      .twoTerms = precision == Precision::TwoTerms});
        EXPECT_TRUE(matmul.has_value());
        const MatmulProduct job{{type, kRows, kColumns, w.data()}, out.data()};
        matmul->multiply({x.data(), {static_cast<std::int64_t>(tokens), kColumns}},
                         std::span(&job, 1), precision);
        double off = 0;
        double length = 0;
        for (std::size_t t = 0; t < tokens; ++t) {
            for (std::size_t r = 0; r < kRows; ++r) {
                double exact = 0;
                for (std::size_t i = 0; i < kColumns; ++i)
                    exact += double{w.decoded[r * kColumns + i]} * double{x[t * kColumns + i]};
                off += std::pow(double{out[t * kRows + r]} - exact, 2);
                length += exact * exact;
            }
        }
        return std::sqrt(off / length);
    }
};

TEST_P(BlockProducts, everyType_exactAndFast_areWithinTheirBounds) {
    for (const Expectation expected :
         {Expectation{Precision::Exact, 1e-5}, Expectation{Precision::Fast, 1e-2}})
        for (const std::size_t tokens : {std::size_t{1}, std::size_t{17}})
            for (const DType type : typesFor(kColumns))
                EXPECT_LE(relativeError(type, tokens, expected.precision), expected.error)
                    << lacuna::info(type).name << ", " << tokens << " tokens, "
                    << (expected.precision == Precision::Fast ? "fast" : "exact");
}

// The second term codes the remainder of the first, at most half a step of 1/127, and so divides
// the error by another 254.
TEST_P(BlockProducts, twoTerms_everyQuantisedType_hasAHundredthOfTheErrorOfOne) {
    for (const std::size_t tokens : {std::size_t{1}, std::size_t{5}, std::size_t{17}})
        for (const DType type : typesFor(kColumns)) {
            if (isPlainFloat(type)) continue;
            const double one = relativeError(type, tokens, Precision::Fast);
            const double two = relativeError(type, tokens, Precision::TwoTerms);
            if (one < 1e-5)
                continue;  // computed in floats: this table has no integer kernels for them
            EXPECT_GT(one, 1e-3) << lacuna::info(type).name << ", " << tokens << " tokens";
            EXPECT_LT(two, one / 100) << lacuna::info(type).name << ", " << tokens << " tokens";
        }
}

INSTANTIATE_TEST_SUITE_P(Tables, BlockProducts, ::testing::ValuesIn(tableNames()), tableTestName);

}  // namespace
}  // namespace lacuna::test
