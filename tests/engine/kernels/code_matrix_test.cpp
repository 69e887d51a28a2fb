// Products of integers and bytes: equal for all tables and equal to plain sums.

#include "engine/kernels/code_matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engine/base/random.h"
#include "engine/kernels/cpu_features.h"

namespace lacuna::test {
namespace {

constexpr auto kTokens = static_cast<std::size_t>(kCodeTokens);

/// Returns numbers [depth][kCodeTokens]. Components in the bit set `large` have one value that
/// exceeds a byte.
std::vector<std::int16_t> numbersOf(std::int64_t depth, std::uint64_t large, RandomStream& random) {
    std::vector<std::int16_t> out;
    for (std::int64_t d = 0; d < depth; ++d) {
        const int most = random.below(large) == 0 ? kLargestCoded : 127;
        for (std::size_t t = 0; t < kTokens; ++t)
            out.push_back(static_cast<std::int16_t>(
                static_cast<int>(random.below(static_cast<std::uint64_t>(2 * most + 1))) - most));
    }
    return out;
}

TEST(CodeMatrix, everyTable_givesExactIntegerSums) {
    RandomStream random(1, 0);
    ASSERT_GT(availableKernels().size(), 0U);
    for (const std::int64_t depth : {4, 64, 300})
        for (const std::uint64_t large : {1U, 9U, 1000000U})
            for (const int width : {32, 19, 3})
                for (const std::int64_t tokens : {64, 63, 10, 1}) {
                    SCOPED_TRACE(testing::Message()
                                 << depth << ' ' << large << ' ' << width << ' ' << tokens);
                    const auto numbers = numbersOf(depth, large, random);
                    CodedNumbers coded;
                    splitNumbers(numbers.data(), depth, coded);
                    if (large == 1000000U) {
                        EXPECT_TRUE(coded.highQuads.empty());
                    }
                    std::vector<std::int8_t> matrix;
                    constexpr std::int64_t kStride = 50;
                    constexpr std::int64_t kFirst = 11;
                    const std::int64_t rows = depth - 2;  // the last two rows are absent
                    for (std::int64_t i = 0; i < rows * kStride; ++i)
                        matrix.push_back(
                            static_cast<std::int8_t>(static_cast<int>(random.below(255)) - 127));
                    std::vector<std::uint8_t> panel(codePanelBytes(depth));
                    packCodes(matrix.data(), kStride, rows, kFirst, width, depth, panel.data());
                    std::vector<float> scale(kCodeColumns);
                    std::vector<float> shift(kCodeColumns);
                    for (std::size_t j = 0; j < scale.size(); ++j) {
                        scale[j] = static_cast<float>(0.001 * (1 + random.uniform()));
                        shift[j] = static_cast<float>(random.normal());
                    }
                    std::vector<float> first;
                    for (const KernelTable& table : availableKernels()) {
                        std::vector<float> c(kTokens * kStride, 77.0F);
                        codeProductOf(table)({.numbers = &coded,
                                              .panel = panel.data(),
                                              .scale = scale.data(),
                                              .shift = shift.data(),
                                              .c = c.data(),
                                              .cStride = kStride,
                                              .tokens = tokens,
                                              .width = width});
                        if (first.empty()) first = c;
                        ASSERT_EQ(c, first) << table.name;
                    }
                    for (std::size_t t = 0; t < kTokens; ++t)
                        for (std::size_t j = 0; j < static_cast<std::size_t>(kStride); ++j) {
                            double expected = 77;
                            if (static_cast<std::int64_t>(t) < tokens &&
                                j < static_cast<std::size_t>(width)) {
                                std::int64_t sum = 0;
                                for (std::int64_t d = 0; d < rows; ++d)
                                    sum +=
                                        std::int64_t{
                                            numbers[static_cast<std::size_t>(d) * kTokens + t]} *
                                        matrix[static_cast<std::size_t>(d * kStride + kFirst) + j];
                                expected =
                                    double{shift[j]} + double{scale[j]} * static_cast<double>(sum);
                            }
                            ASSERT_NEAR(double{first[t * kStride + j]}, expected,
                                        1e-6 * (1 + std::fabs(expected)))
                                << t << ' ' << j;
                        }
                }
}

TEST(CodeMatrix, anyInteger_isSplitIntoTwoBytes) {
    std::vector<std::int16_t> numbers(4 * kTokens);
    const std::vector<int> some{0,    1,   -1,  127,  128,   -127,   -128,
                                -129, 255, 256, -256, 32639, -32639, 383};
    for (std::size_t t = 0; t < some.size(); ++t)
        numbers[2 * kTokens + t] = static_cast<std::int16_t>(some[t]);
    CodedNumbers coded;
    splitNumbers(numbers.data(), 4, coded);
    ASSERT_EQ(coded.highQuads, std::vector<std::int32_t>{0});
    for (std::size_t t = 0; t < kTokens; ++t) {
        EXPECT_EQ(256 * coded.high[4 * t + 2] + coded.low[4 * t + 2], numbers[2 * kTokens + t])
            << t;
        EXPECT_EQ(coded.offsets[t], -128 * numbers[2 * kTokens + t]);
        EXPECT_EQ(coded.low[4 * t] | coded.low[4 * t + 1] | coded.low[4 * t + 3], 0);
    }
}

}  // namespace
}  // namespace lacuna::test
