// Rows of group codes: every table against the plain one, and the plain one against reference
// arithmetic in this file.

#include "engine/kernels/coded_rows.h"

#include <cstring>

#include "engine/base/half.h"
#include "tests/engine/kernels/kernel_fixtures.h"

namespace lacuna::test {
namespace {

struct Coded {
    std::vector<std::byte> bytes;  ///< preceded by one byte of slack, so that rows are unaligned
    CodedRows block;
};

/// Random codes, scales and biases; the block refers to the bytes.
Coded randomCodes(std::int64_t count, std::int64_t columns, int bits, int group) {
    Coded coded;
    coded.block = {nullptr, 0, count, columns, bits, group};
    coded.block.rowStride = coded.block.codeBytes() + 4 * coded.block.groups();
    coded.bytes.resize(static_cast<std::size_t>(count * coded.block.rowStride + 1));
    RandomStream random(static_cast<std::uint64_t>(columns * 16 + bits), 3);
    for (std::byte& b : coded.bytes) b = static_cast<std::byte>(random.bits() & 255U);
    coded.block.rows = coded.bytes.data() + 1;
    for (std::int64_t r = 0; r < count; ++r)
        for (std::int64_t g = 0; g < 2 * coded.block.groups(); ++g) {
            const std::uint16_t half = floatToHalf(static_cast<float>(random.normal() * 0.01));
            std::memcpy(coded.bytes.data() + 1 + r * coded.block.rowStride +
                            coded.block.codeBytes() + 2 * g,
                        &half, 2);
        }
    return coded;
}

std::vector<float> decodedBy(const KernelTable& kernels, const CodedRows& block) {
    std::vector<float> out(static_cast<std::size_t>(block.count * block.columns));
    kernels.decodeCoded(block, out.data());
    return out;
}

TEST(CodedRows, scalarDecode_knownBytes_isScaleTimesCodePlusBias) {
    std::vector<std::byte> row(32 / 2 + 4);
    row[0] = std::byte{0xA3};   // element 0: 3, element 1: 10
    row[15] = std::byte{0xF0};  // element 30: 0, element 31: 15
    const std::uint16_t scale = floatToHalf(0.5F);
    const std::uint16_t bias = floatToHalf(-2.0F);
    std::memcpy(row.data() + 16, &scale, 2);
    std::memcpy(row.data() + 18, &bias, 2);
    const CodedRows block{row.data(), static_cast<std::int64_t>(row.size()), 1, 32, 4, 32};
    const auto found = decodedBy(*findKernels("scalar"), block);
    EXPECT_EQ(found[0], -0.5F);
    EXPECT_EQ(found[1], 3.0F);
    EXPECT_EQ(found[2], -2.0F);
    EXPECT_EQ(found[30], -2.0F);
    EXPECT_EQ(found[31], 5.5F);
}

class CodedRowsByTable : public EveryKernelTable {};

TEST_P(CodedRowsByTable, decode_anyFormat_equalsScalar) {
    for (const int bits : {8, 4})
        for (const int group : {32, 64, 128})
            for (const std::int64_t columns : {128, 384, 2048}) {
                const Coded coded = randomCodes(5, columns, bits, group);
                const auto expected = decodedBy(oracle(), coded.block);
                const auto found = decodedBy(kernels(), coded.block);
                for (std::size_t i = 0; i < found.size(); ++i)
                    ASSERT_NEAR(found[i], expected[i], 1e-6F * (1 + std::fabs(expected[i])));
            }
}

TEST_P(CodedRowsByTable, dotAndAdd_anyFormatAndQueries_equalDecodedRows) {
    for (const int bits : {8, 4})
        for (const int group : {32, 64, 128})
            for (const std::int64_t columns : {32, 64, 128, 192, 1152, 2048}) {
                if (columns % group != 0) continue;
                for (const std::int64_t count : {1, 4, 9})
                    for (const int queries : {1, 2, 3, 4, 7}) {
                        const Coded coded = randomCodes(count, columns, bits, group);
                        const auto rows = decodedBy(oracle(), coded.block);
                        const auto n = static_cast<std::size_t>(queries);
                        const auto width = static_cast<std::size_t>(columns);
                        const auto height = static_cast<std::size_t>(count);
                        const auto x = randomFloats(n * width, 4);
                        std::vector<float> weights(n * height, 7.0F);
                        auto sums = randomFloats(n * width, 5);
                        std::vector<double> expectedWeights(weights.size());
                        std::vector<double> expectedSums(sums.begin(), sums.end());
                        for (std::size_t i = 0; i < n; ++i)
                            for (std::size_t r = 0; r < height; ++r)
                                for (std::size_t c = 0; c < width; ++c)
                                    expectedWeights[i * height + r] +=
                                        double{x[i * width + c]} * double{rows[r * width + c]};
                        QueryRows q{.queries = x.data(),
                                    .queryStride = columns,
                                    .weights = weights.data(),
                                    .weightStride = count,
                                    .sums = sums.data(),
                                    .sumStride = columns,
                                    .count = queries};
                        kernels().dotManyCoded(coded.block, q);
                        expectNear(weights, expectedWeights, 1e-5);
                        for (std::size_t i = 0; i < n; ++i)
                            for (std::size_t r = 0; r < height; ++r)
                                for (std::size_t c = 0; c < width; ++c)
                                    expectedSums[i * width + c] += double{weights[i * height + r]} *
                                                                   double{rows[r * width + c]};
                        kernels().addManyCoded(coded.block, q);
                        expectNear(sums, expectedSums, 1e-5);
                    }
            }
}

INSTANTIATE_TEST_SUITE_P(Tables, CodedRowsByTable, ::testing::ValuesIn(tableNames()),
                         tableTestName);

}  // namespace
}  // namespace lacuna::test
