// Blocks of every writable type: unusual inputs, and the error against plain rounding.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engine/base/random.h"
#include "engine/tensor/block_formats.h"

namespace lacuna {
namespace {

constexpr std::size_t kNumbers = 512;

std::vector<float> roundTrip(DType type, const std::vector<float>& in) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(rowBytes(type, in.size())));
    encodeRow(type, in, bytes.data());
    std::vector<float> out(in.size());
    decodeRow(type, bytes.data(), out);
    return out;
}

double squaredError(const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += (double{a[i]} - double{b[i]}) * (double{a[i]} - double{b[i]});
    return sum;
}

std::vector<float> normals(double scale, double mean = 0) {
    RandomStream random(17, 4);
    std::vector<float> x(kNumbers);
    for (float& v : x) v = static_cast<float>(random.normal() * scale + mean);
    return x;
}

class Encoder : public testing::TestWithParam<DTypeInfo> {
  protected:
    [[nodiscard]] static DType type() { return GetParam().type; }
    /// Returns the levels between the smallest and the largest number of a group.
    [[nodiscard]] static double steps() {
        switch (type()) {
            case DType::Q8_0:
                return 254;
            case DType::Q6_K:
                return 62;
            case DType::Q5_0:
            case DType::Q5_1:
            case DType::Q5_K:
                return 30;
            default:
                return 14;
        }
    }
};

TEST_P(Encoder, zeros_stayZeros) {
    const std::vector<float> zeros(kNumbers, 0.0F);
    EXPECT_EQ(roundTrip(type(), zeros), zeros);
}

TEST_P(Encoder, constantValue_isKept) {
    for (const float value : {1.0F, -3.5F, 0.004F, -60000.0F}) {
        for (const float back : roundTrip(type(), std::vector<float>(kNumbers, value)))
            EXPECT_NEAR(back, value, 0.02F * std::fabs(value)) << value;
    }
}

TEST_P(Encoder, singleSpikeAmongZeros_isKept) {
    for (const float value : {2.0F, -2.0F}) {
        std::vector<float> x(kNumbers, 0.0F);
        x[37] = value;
        const auto back = roundTrip(type(), x);
        for (std::size_t i = 0; i < x.size(); ++i)
            EXPECT_NEAR(back[i], x[i], 0.002F) << i;  // scale times code minus an offset
    }
}

TEST_P(Encoder, anyMagnitude_isWithinOneStep) {
    for (const double scale : {1e-3, 1.0, 1000.0}) {
        for (const double mean : {0.0, 2.0, -2.0}) {
            const auto x = normals(scale, mean * scale);
            const double error = squaredError(roundTrip(type(), x), x) / kNumbers;
            const double range = 8 * scale;  // covers 512 normal numbers around any mean used here
            EXPECT_LE(std::sqrt(error), range / steps() / 2) << scale << " " << mean;
        }
    }
}

// Numbers below the smallest half are lost, but none may become infinite.
TEST_P(Encoder, verySmallValues_haveNoLargerError) {
    for (const double scale : {1e-6, 1e-9, 1e-30, 1e-42}) {
        const auto x = normals(scale);
        EXPECT_LE(squaredError(roundTrip(type(), x), x),
                  1.0001 * squaredError(std::vector<float>(x.size(), 0.0F), x))
            << scale;
    }
}

std::vector<DTypeInfo> encodedTypes() {
    std::vector<DTypeInfo> types;
    for (const DTypeInfo& type : allDTypes())
        if (!isPlainFloat(type.type) && canEncode(type.type)) types.push_back(type);
    return types;
}

INSTANTIATE_TEST_SUITE_P(Types, Encoder, testing::ValuesIn(encodedTypes()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace lacuna
