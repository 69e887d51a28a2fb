// Exponentials to bfloat16 against the C library's in double.

#include "engine/kernels/bfloat_exponentials.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "engine/base/random.h"
#include "engine/kernels/cpu_features.h"

namespace lacuna::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

double asNumber(std::uint16_t bits) {
    float out = 0;
    bestKernels().toFloat[kernelIndex(DType::BF16)](reinterpret_cast<const std::byte*>(&bits), &out,
                                                    1);
    return static_cast<double>(out);
}

TEST(BfloatExponentials, anyLength_matchesDoubleWithinRounding) {
    const BfloatExponentials exponentials = bfloatExponentials(bestKernels());
    if (exponentials == nullptr) GTEST_SKIP() << "no bfloat16 products on this machine";
    RandomStream random(7, 0);
    for (std::int64_t n = 1; n <= 100; ++n) {
        std::vector<float> x;
        for (std::int64_t i = 0; i < n; ++i)
            x.push_back(3.0F - 40.0F * static_cast<float>(random.uniform() * random.uniform()));
        std::vector<std::uint16_t> out(static_cast<std::size_t>(n + 1), 0x1234);
        const float sum = exponentials(x.data(), 3.0F, n, out.data());
        double expected = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double one = std::exp(static_cast<double>(x[i]) - 3.0);
            expected += one;
            // The tolerance is half a step of eight bits plus the error of the polynomial.
            EXPECT_NEAR(asNumber(out[i]), one, one * (1.0 / 256 + 1e-5) / 1.0 + 1e-37) << x[i];
        }
        EXPECT_NEAR(static_cast<double>(sum), expected, 2e-5 * expected) << n;
        EXPECT_EQ(out.back(), 0x1234) << "nothing is written after the end";
    }
}

TEST(BfloatExponentials, minusInfinity_isZero_andNanMakesTheSumNan) {
    const BfloatExponentials exponentials = bfloatExponentials(bestKernels());
    if (exponentials == nullptr) GTEST_SKIP() << "no bfloat16 products on this machine";
    for (const std::size_t at : {0U, 17U, 40U}) {
        std::vector<float> x(41, 0.0F);
        std::vector<std::uint16_t> out(41);
        x[at] = -kInfinity;
        EXPECT_EQ(exponentials(x.data(), 0.0F, 41, out.data()), 40.0F);
        EXPECT_EQ(out[at], 0);
        x[at] = -3e38F;
        EXPECT_EQ(exponentials(x.data(), 0.0F, 41, out.data()), 40.0F);
        x[at] = std::numeric_limits<float>::quiet_NaN();
        EXPECT_FALSE(std::isfinite(exponentials(x.data(), 0.0F, 41, out.data())));
        x[at] = kInfinity;
        EXPECT_FALSE(std::isfinite(exponentials(x.data(), 0.0F, 41, out.data())));
    }
}

}  // namespace
}  // namespace lacuna::test
