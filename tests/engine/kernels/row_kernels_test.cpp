// Row kernels of every instruction set against the scalar table and float64 formulas.

#include <limits>

#include "engine/base/half.h"
#include "kernel_fixtures.h"

namespace lacuna::test {
namespace {

class RowKernels : public EveryKernelTable {};

constexpr std::size_t kSizes[] = {1, 3, 8, 15, 16, 31, 32, 33, 64, 100, 257, 1024};

TEST_P(RowKernels, rmsNorm_anySize_equalsFormula) {
    for (const std::size_t n : kSizes) {
        const auto x = randomFloats(n + 1, n);
        const auto gain = randomFloats(n, n + 1);
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += double{x[i + 1]} * double{x[i + 1]};
        const double factor = 1.0 / std::sqrt(sum / static_cast<double>(n) + 1e-6);
        std::vector<double> expected(n);
        for (std::size_t i = 0; i < n; ++i)
            expected[i] = double{x[i + 1]} * factor * double{gain[i]};
        std::vector<float> out(n);
        kernels().rmsNorm(x.data() + 1, gain.data(), out.data(), static_cast<std::int64_t>(n),
                          1e-6F);
        expectNear(out, expected, 1e-6);
    }
}

TEST_P(RowKernels, siluMultiply_wideRange_equalsFormula) {
    for (const std::size_t n : kSizes) {
        auto gate = randomFloats(n, n, 30.0);
        if (n > 2) {
            gate[0] = -200.0F;
            gate[1] = 200.0F;
        }
        const auto up = randomFloats(n, n + 5);
        std::vector<double> expected(n);
        for (std::size_t i = 0; i < n; ++i)
            expected[i] = double{gate[i]} / (1.0 + std::exp(-double{gate[i]})) * double{up[i]};
        kernels().siluMultiply(gate.data(), up.data(), static_cast<std::int64_t>(n));
        expectNear(gate, expected, 1e-6);
    }
}

TEST_P(RowKernels, geluMultiply_wideRange_equalsFormula) {
    for (const std::size_t n : kSizes) {
        auto gate = randomFloats(n, n, 3.0);
        if (n > 3) {
            gate[0] = -2000.0F;
            gate[1] = 2000.0F;
            gate[2] = -1e20F;
        }
        const auto up = randomFloats(n, n + 5);
        std::vector<double> expected(n);
        for (std::size_t i = 0; i < n; ++i) {
            const double x = double{gate[i]};
            const double inner = std::sqrt(2.0 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
            expected[i] = 0.5 * x * (1.0 + std::tanh(inner)) * double{up[i]};
        }
        kernels().geluMultiply(gate.data(), up.data(), static_cast<std::int64_t>(n));
        for (std::size_t i = 0; i < n; ++i)
            ASSERT_NEAR(double{gate[i]}, expected[i], 1e-6 * (0.5 + std::fabs(expected[i]))) << i;
    }
}

TEST_P(RowKernels, softCap_wideRange_equalsFormula) {
    for (const std::size_t n : kSizes) {
        auto x = randomFloats(n, n, 60.0);
        if (n > 4) {
            x[0] = 1e-6F;
            x[1] = -0.01F;
            x[2] = 1e30F;
            x[3] = -std::numeric_limits<float>::infinity();
        }
        std::vector<double> expected(n);
        for (std::size_t i = 0; i < n; ++i) expected[i] = 50.0 * std::tanh(double{x[i]} / 50.0);
        kernels().softCap(x.data(), 50.0F, static_cast<std::int64_t>(n));
        for (std::size_t i = 0; i < n; ++i)
            ASSERT_NEAR(double{x[i]}, expected[i], 1e-6 * std::fabs(expected[i])) << i;
    }
}

TEST_P(RowKernels, expSum_withMinusInfinity_countsItAsZero) {
    for (const std::size_t n : kSizes) {
        auto x = randomFloats(n, n, 10.0);
        if (n > 1) x[n / 2] = -std::numeric_limits<float>::infinity();
        const float top = kernels().maximum(x.data(), static_cast<std::int64_t>(n));
        EXPECT_EQ(top, oracle().maximum(x.data(), static_cast<std::int64_t>(n)));
        std::vector<double> expected(n);
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
            expected[i] = std::exp(double{x[i]} - double{top});
            sum += expected[i];
        }
        const float found = kernels().expSum(x.data(), top, static_cast<std::int64_t>(n));
        EXPECT_NEAR(double{found}, sum, 1e-6 * sum);
        expectNear(x, expected, 1e-6);
        if (n > 1) {
            EXPECT_EQ(x[n / 2], 0.0F);
        }
    }
}

TEST_P(RowKernels, maximum_ofAnEmptyRow_isMinusInfinity) {
    EXPECT_EQ(kernels().maximum(nullptr, 0), -std::numeric_limits<float>::infinity());
}

TEST_P(RowKernels, scaleAndAdd_anySize_equalScalar) {
    for (const std::size_t n : kSizes) {
        auto x = randomFloats(n, n);
        auto y = x;
        const auto other = randomFloats(n, n + 2);
        const auto count = static_cast<std::int64_t>(n);
        kernels().scale(x.data(), 0.37F, count);
        kernels().addTo(x.data(), other.data(), count);
        oracle().scale(y.data(), 0.37F, count);
        oracle().addTo(y.data(), other.data(), count);
        EXPECT_EQ(x, y);
    }
}

TEST_P(RowKernels, rotations_anyPairCount_equalScalar) {
    for (const int pairs : {1, 4, 7, 16, 20, 32, 64}) {
        const auto size = static_cast<std::size_t>(pairs);
        const auto angles = randomFloats(size, 3);
        std::vector<float> cosine(size);
        std::vector<float> sine(size);
        for (std::size_t i = 0; i < size; ++i) {
            cosine[i] = std::cos(angles[i]);
            sine[i] = std::sin(angles[i]);
        }
        const RotaryStep rotation{cosine.data(), sine.data(), pairs};
        auto halves = randomFloats(2 * size, 9);
        auto halvesExpected = halves;
        auto interleaved = halves;
        auto interleavedExpected = halves;
        kernels().rotateHalves(halves.data(), rotation);
        oracle().rotateHalves(halvesExpected.data(), rotation);
        kernels().rotateInterleaved(interleaved.data(), rotation);
        oracle().rotateInterleaved(interleavedExpected.data(), rotation);
        for (std::size_t i = 0; i < 2 * size; ++i) {
            EXPECT_NEAR(halves[i], halvesExpected[i], 1e-6F);
            EXPECT_NEAR(interleaved[i], interleavedExpected[i], 1e-6F);
        }
    }
}

TEST_P(RowKernels, toFloat_everyType_isBitEqual) {
    for (const std::size_t n : {std::size_t{32}, std::size_t{96}, std::size_t{1024}}) {
        for (const DType type : typesFor(n)) {
            const EncodedMatrix m = encodedMatrix(type, 1, n, n);
            std::vector<float> out(n);
            kernels().toFloat[kernelIndex(type)](m.data(), out.data(),
                                                 static_cast<std::int64_t>(n));
            EXPECT_EQ(out, m.decoded) << lacuna::info(type).name << " " << n;
        }
    }
}

TEST_P(RowKernels, toHalfAndToBfloat_specialValues_roundLikeTheReference) {
    std::vector<float> x = randomFloats(61, 4, 100.0);
    for (const float v :
         {0.0F, -0.0F, 1e-8F, 6e-8F, 65504.0F, 65520.0F, 1e30F, -1e30F, 1.0009765625F,
          1.00048828125F, std::numeric_limits<float>::infinity(), 1.00390625F})
        x.push_back(v);
    std::vector<std::uint16_t> half(x.size());
    std::vector<std::uint16_t> bfloat(x.size());
    kernels().toHalf(x.data(), half.data(), static_cast<std::int64_t>(x.size()));
    kernels().toBfloat(x.data(), bfloat.data(), static_cast<std::int64_t>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_EQ(half[i], floatToHalf(x[i])) << x[i];
        EXPECT_EQ(bfloat[i], floatToBfloat(x[i])) << x[i];
    }
    const float nan = std::numeric_limits<float>::quiet_NaN();
    kernels().toHalf(&nan, half.data(), 1);
    kernels().toBfloat(&nan, bfloat.data(), 1);
    EXPECT_TRUE(std::isnan(halfToFloat(half[0])));
    EXPECT_TRUE(std::isnan(bfloatToFloat(bfloat[0])));
}

TEST_P(RowKernels, dotRows_everyTypeUnaligned_equalsFloat64) {
    for (const std::size_t columns :
         {std::size_t{32}, std::size_t{64}, std::size_t{160}, std::size_t{768}}) {
        for (const DType type : typesFor(columns)) {
            SCOPED_TRACE(lacuna::info(type).name);
            const std::size_t rows = 7;
            const EncodedMatrix m = encodedMatrix(type, rows, columns, columns);
            const auto x = randomFloats(columns, 11);
            std::vector<float> out(rows);
            kernels().dotRows[kernelIndex(type)](
                {m.data(), m.stride, static_cast<std::int64_t>(rows),
                 static_cast<std::int64_t>(columns)},
                x.data(), out.data());
            std::vector<double> expected(rows);
            for (std::size_t r = 0; r < rows; ++r)
                for (std::size_t i = 0; i < columns; ++i)
                    expected[r] += double{m.decoded[r * columns + i]} * double{x[i]};
            expectNear(out, expected, 1e-5);
        }
    }
}

TEST_P(RowKernels, rowsOfOddLength_dotAndWeightedSum_equalFloat64) {
    for (const DType type : {DType::F32, DType::F16, DType::BF16}) {
        for (const std::size_t columns :
             {std::size_t{1}, std::size_t{8}, std::size_t{37}, std::size_t{80}, std::size_t{130}}) {
            const std::size_t rows = 9;
            const EncodedMatrix m = encodedMatrix(type, rows, columns, columns);
            const RowBlock block{m.data(), m.stride, static_cast<std::int64_t>(rows),
                                 static_cast<std::int64_t>(columns)};
            const auto x = randomFloats(columns, 11);
            const auto weights = randomFloats(rows, 12);
            std::vector<float> dots(rows);
            std::vector<float> sums(columns, 0.5F);
            kernels().dotRows[kernelIndex(type)](block, x.data(), dots.data());
            kernels().addWeightedRows[kernelIndex(type)](block, weights.data(), sums.data());
            std::vector<double> expectedDots(rows);
            std::vector<double> expectedSums(columns, 0.5);
            for (std::size_t r = 0; r < rows; ++r) {
                for (std::size_t i = 0; i < columns; ++i) {
                    expectedDots[r] += double{m.decoded[r * columns + i]} * double{x[i]};
                    expectedSums[i] += double{weights[r]} * double{m.decoded[r * columns + i]};
                }
            }
            expectNear(dots, expectedDots, 1e-5);
            expectNear(sums, expectedSums, 1e-5);
        }
    }
}

TEST_P(RowKernels, manyQueries_anyCountAndShape_equalSingleQueries) {
    for (const DType type : {DType::F32, DType::F16, DType::BF16}) {
        for (const std::size_t columns : {8, 16, 37, 64, 128, 130, 200}) {
            for (const std::size_t count : {1, 2, 3, 4, 5, 8}) {
                for (const std::size_t rows : {1, 4, 11}) {
                    SCOPED_TRACE(testing::Message() << lacuna::info(type).name << " " << columns
                                                    << " columns " << count << " queries " << rows);
                    const EncodedMatrix m = encodedMatrix(type, rows, columns, columns);
                    const std::size_t stride = columns + 3;
                    std::vector<float> queries = randomFloats(count * stride, 13);
                    std::vector<float> weights(count * (rows + 5), 7.0F);
                    std::vector<float> sums(count * stride, 0.25F);
                    const QueryRows q{.queries = queries.data(),
                                      .queryStride = static_cast<std::int64_t>(stride),
                                      .weights = weights.data(),
                                      .weightStride = static_cast<std::int64_t>(rows + 5),
                                      .sums = sums.data(),
                                      .sumStride = static_cast<std::int64_t>(stride),
                                      .count = static_cast<int>(count)};
                    const RowBlock block{m.data(), m.stride, static_cast<std::int64_t>(rows),
                                         static_cast<std::int64_t>(columns)};
                    kernels().dotManyQueries[kernelIndex(type)](block, q);
                    kernels().addManyQueries[kernelIndex(type)](block, q);
                    std::vector<double> expectedWeights(weights.size(), 7.0);
                    std::vector<double> expectedSums(sums.size(), 0.25);
                    for (std::size_t i = 0; i < count; ++i) {
                        for (std::size_t r = 0; r < rows; ++r) {
                            double dot = 0;
                            for (std::size_t k = 0; k < columns; ++k)
                                dot += double{m.decoded[r * columns + k]} *
                                       double{queries[i * stride + k]};
                            expectedWeights[i * (rows + 5) + r] = dot;
                            for (std::size_t k = 0; k < columns; ++k)
                                expectedSums[i * stride + k] +=
                                    double{weights[i * (rows + 5) + r]} *
                                    double{m.decoded[r * columns + k]};
                        }
                    }
                    expectNear(weights, expectedWeights, 1e-5);
                    expectNear(sums, expectedSums, 1e-5);
                }
            }
        }
    }
}

TEST_P(RowKernels, quantise_anyBlock_isWithinHalfAStepAndOffsetsAreExact) {
    if (kernels().quantise == nullptr) {
        EXPECT_EQ(kernels().tileInteger, nullptr);
        for (const auto dot : kernels().dotRowsInteger) EXPECT_EQ(dot, nullptr);
        return;
    }
    constexpr std::size_t n = 512;
    std::vector<float> x = randomFloats(n, 21);
    for (std::size_t i = 32; i < 64; ++i) x[i] = 0.0F;
    std::vector<std::byte> memory(QuantisedRows::bytes(n));
    QuantisedRows rows = QuantisedRows::in(memory.data(), n);
    rows.columns = n;
    kernels().quantise(x.data(), rows, n);
    const auto sumOf = [&](std::size_t first, std::size_t count) {
        int sum = 0;
        for (std::size_t i = first; i < first + count; ++i) sum += rows.codes[i];
        return sum;
    };
    for (std::size_t i = 0; i < n; ++i)
        EXPECT_NEAR(x[i], rows.scales[i / 32] * static_cast<float>(rows.codes[i]),
                    0.5001F * rows.scales[i / 32]);
    for (std::size_t g = 0; g < n / 4; ++g) EXPECT_EQ(rows.groupOffsets[g], -128 * sumOf(4 * g, 4));
    for (std::size_t h = 0; h < n / 16; ++h) {
        EXPECT_EQ(rows.halfOffsets[h], -128 * sumOf(16 * h, 16));
        EXPECT_FLOAT_EQ(rows.halfSums[h],
                        rows.scales[h / 2] * static_cast<float>(sumOf(16 * h, 16)));
    }
    for (std::size_t b = 0; b < n / 32; ++b) {
        EXPECT_EQ(rows.blockOffsets[b], -128 * sumOf(32 * b, 32));
        EXPECT_FLOAT_EQ(rows.blockSums[b], rows.scales[b] * static_cast<float>(sumOf(32 * b, 32)));
    }
}

INSTANTIATE_TEST_SUITE_P(Tables, RowKernels, ::testing::ValuesIn(tableNames()), tableTestName);

}  // namespace
}  // namespace lacuna::test
