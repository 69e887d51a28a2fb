// Passes over scores: every table against reference arithmetic in this file.

#include <limits>

#include "tests/engine/kernels/kernel_fixtures.h"

namespace lacuna::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::size_t kSizes[] = {0, 1, 7, 15, 16, 17, 63, 64, 65, 127, 128, 200, 1031};

/// Returns numbers that include ties, infinities and NaN.
std::vector<float> mixedNumbers(std::size_t n) {
    auto x = randomFloats(n, n + 1, 3.0);
    for (std::size_t i = 0; i < n; i += 5) x[i] = std::round(x[i]);
    for (std::size_t i = 3; i < n; i += 41) x[i] = std::numeric_limits<float>::quiet_NaN();
    for (std::size_t i = 4; i < n; i += 37) x[i] = kInfinity;
    for (std::size_t i = 6; i < n; i += 43) x[i] = -kInfinity;
    return x;
}

class SelectionKernels : public EveryKernelTable {};

TEST_P(SelectionKernels, scaleFinite_replacesNonFiniteValues_andReturnsTheRange) {
    for (const std::size_t n : kSizes)
        for (const float factor : {1.0F, -1.0F, 0.5F}) {
            const auto x = mixedNumbers(n);
            std::vector<float> out(n);
            const FiniteRange range = kernels().scaleFinite(x.data(), factor, -99.0F, out.data(),
                                                            static_cast<std::int64_t>(n));
            FiniteRange expected;
            for (std::size_t i = 0; i < n; ++i) {
                if (!std::isfinite(x[i])) {
                    EXPECT_EQ(out[i], -99.0F) << i;
                    continue;
                }
                EXPECT_EQ(out[i], factor * x[i]) << i;
                expected.low = std::min(expected.low, factor * x[i]);
                expected.high = std::max(expected.high, factor * x[i]);
                ++expected.count;
            }
            EXPECT_EQ(range.low, expected.low);
            EXPECT_EQ(range.high, expected.high);
            EXPECT_EQ(range.count, expected.count);
        }
}

TEST_P(SelectionKernels, countAndMark_anyLimit_agree) {
    for (const std::size_t n : kSizes)
        for (const float limit : {-kInfinity, -2.0F, 0.0F, 1.0F, kInfinity}) {
            const auto x = mixedNumbers(n);
            std::vector<std::uint64_t> bits((n + 63) / 64, ~std::uint64_t{0});
            const auto count = static_cast<std::int64_t>(n);
            kernels().markAbove(x.data(), limit, bits.data(), count);
            std::int64_t above = 0;
            for (std::size_t i = 0; i < bits.size() * 64; ++i) {
                const bool expected = i < n && x[i] > limit;
                ASSERT_EQ((bits[i / 64] >> (i % 64) & 1U) != 0, expected) << n << " " << i;
                above += expected ? 1 : 0;
            }
            EXPECT_EQ(kernels().countAbove(x.data(), limit, count), above);
        }
}

TEST_P(SelectionKernels, fillUnmarked_keepsMarkedValues) {
    for (const std::size_t n : kSizes) {
        auto x = randomFloats(n, 3);
        const auto before = x;
        std::vector<std::uint64_t> bits((n + 63) / 64);
        RandomStream random(n, 5);
        for (std::uint64_t& word : bits) word = random.bits();
        kernels().fillUnmarked(bits.data(), -kInfinity, x.data(), static_cast<std::int64_t>(n));
        for (std::size_t i = 0; i < n; ++i)
            ASSERT_EQ(x[i], (bits[i / 64] >> (i % 64) & 1U) != 0 ? before[i] : -kInfinity) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Tables, SelectionKernels, ::testing::ValuesIn(tableNames()),
                         tableTestName);

}  // namespace
}  // namespace lacuna::test
