// Products of block formats as a model meets them: many columns, errors as a share of the result's
// length.

#include "engine/kernels/matmul.h"
#include "kernel_fixtures.h"

namespace lacuna::test {
namespace {

constexpr std::size_t kRows = 48;
constexpr std::size_t kColumns = 2560;

struct Expectation {
    MatmulPrecision precision;
    double error;
};

class BlockProducts : public EveryKernelTable {
  protected:
    /// |found - float64 product| / |float64 product| over all tokens and rows.
    [[nodiscard]] double relativeError(DType type, std::size_t tokens, MatmulPrecision precision) {
        const EncodedMatrix w = encodedMatrix(type, kRows, kColumns, 91);
        const std::vector<float> x = randomFloats(tokens * kColumns, 92);
        std::vector<float> out(tokens * kRows);
        ThreadPool pool(2);
        auto matmul =
            Matmul::create(kernels(), pool, {static_cast<std::int64_t>(tokens), kColumns});
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

TEST_P(BlockProducts, everyType_exactAndFast_keepTheirBounds) {
    for (const Expectation expected :
         {Expectation{MatmulPrecision::Exact, 1e-5}, Expectation{MatmulPrecision::Fast, 1e-2}})
        for (const std::size_t tokens : {std::size_t{1}, std::size_t{17}})
            for (const DType type : typesFor(kColumns))
                EXPECT_LE(relativeError(type, tokens, expected.precision), expected.error)
                    << lacuna::info(type).name << ", " << tokens << " tokens, "
                    << (expected.precision == MatmulPrecision::Fast ? "fast" : "exact");
}

INSTANTIATE_TEST_SUITE_P(Tables, BlockProducts, ::testing::ValuesIn(tableNames()), tableTestName);

}  // namespace
}  // namespace lacuna::test
