// Rows of rotated codes against published digits and a second, bitwise implementation in this file.

#include "engine/tensor/rotated_codes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "engine/base/half.h"
#include "engine/base/random.h"

namespace lacuna::test {
namespace {

using Rows = std::vector<double>;

constexpr int kDims[] = {32, 64, 72, 80, 96, 112, 128, 160, 192, 256, 576};
constexpr CodeScale kScales[] = {CodeScale::Plain, CodeScale::Preserve, CodeScale::LeastSquares,
                                 CodeScale::Unbiased};

std::vector<float> normalRow(int dim, std::uint64_t seed, double scale = 1) {
    RandomStream random(seed, 21);
    std::vector<float> row(static_cast<std::size_t>(dim));
    for (float& x : row) x = static_cast<float>(random.normal() * scale);
    return row;
}

std::vector<std::byte> encoded(std::span<const float> row, int bits, CodeScale scale) {
    std::vector<std::byte> bytes(rotatedRowBytes(bits, static_cast<int>(row.size())));
    encodeRotated(row, bits, scale, bytes.data());
    return bytes;
}

std::vector<float> decoded(const std::vector<std::byte>& bytes, int bits, int dim) {
    std::vector<float> row(static_cast<std::size_t>(dim));
    decodeRotated(bytes.data(), bits, row);
    return row;
}

double dot(std::span<const float> a, std::span<const float> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * double{b[i]};
    return sum;
}

/// The second implementation: location of bit `bit` of coordinate i, and the nearest centroid.
struct BitPlace {
    std::size_t byte;
    unsigned bit;
};

BitPlace placeOf(int bits, int dim, int i, int bit) {
    std::size_t first = 0;
    int lowest = 0;
    for (const int width : {8, 4, 2, 1}) {
        if (bits / width % 2 == 0) continue;
        const int perByte = 8 / width;
        const int length = (dim + perByte - 1) / perByte;
        if (bit < lowest + width) {
            const int byte = width == 1 ? i / 8 : i % length;
            const int part = width == 1 ? i % 8 : i / length;
            return {first + static_cast<std::size_t>(byte),
                    static_cast<unsigned>(part * width + bit - lowest)};
        }
        first += static_cast<std::size_t>(length);
        lowest += width;
    }
    ADD_FAILURE() << "no such bit";
    return {};
}

std::vector<std::byte> encodedPlainly(const std::vector<float>& row, int bits, CodeScale scale) {
    const auto dim = static_cast<int>(row.size());
    std::vector<std::byte> bytes(rotatedRowBytes(bits, dim));
    const double sigma = std::sqrt(dot(row, row) / dim);
    const auto centroids = codeCentroids(bits);
    double yc = 0;
    double cc = 0;
    for (int i = 0; i < dim; ++i) {
        const double y = double{row[static_cast<std::size_t>(i)]} / sigma;
        std::size_t nearest = 0;
        for (std::size_t k = 1; k < centroids.size(); ++k)
            if (std::fabs(y - double{centroids[k]}) < std::fabs(y - double{centroids[nearest]}))
                nearest = k;
        yc += y * double{centroids[nearest]};
        cc += double{centroids[nearest]} * double{centroids[nearest]};
        for (int bit = 0; bit < bits; ++bit) {
            const BitPlace place = placeOf(bits, dim, i, bit);
            bytes[place.byte] |= std::byte((nearest >> bit & 1U) << place.bit);
        }
    }
    const double factor = scale == CodeScale::Plain          ? 1
                          : scale == CodeScale::Preserve     ? std::sqrt(dim / cc)
                          : scale == CodeScale::LeastSquares ? yc / cc
                                                             : dim / yc;
    const std::uint16_t half = floatToHalf(static_cast<float>(sigma * factor));
    std::memcpy(bytes.data() + bytes.size() - 2, &half, 2);
    return bytes;
}

TEST(CodeCentroids, oneToFiveBits_matchPublishedValues) {
    const std::vector<Rows> published{
        {.797885},
        {.452780, 1.510418},
        {.245094, .756005, 1.343909, 2.151946},
        {.128395, .388048, .656759, .942340, 1.256231, 1.618046, 2.069017, 2.732590},
        {.065890, .198052, .331378, .466700, .604934, .747136, .894565, 1.048783, 1.211804,
         1.386340, 1.576228, 1.787233, 2.028728, 2.317739, 2.691120, 3.260732}};
    const std::vector<Rows> borders{
        {},
        {.981599},
        {.500550, 1.049957, 1.747927},
        {.258222, .522404, .799550, 1.099286, 1.437139, 1.843532, 2.400803}};
    for (int bits = 1; bits <= 5; ++bits) {
        const auto centroids = codeCentroids(bits);
        const Rows& digits = published[static_cast<std::size_t>(bits - 1)];
        ASSERT_EQ(centroids.size(), 2 * digits.size());
        for (std::size_t k = 0; k < digits.size(); ++k) {
            EXPECT_NEAR(double{centroids[digits.size() + k]}, digits[k], 1e-5);
            EXPECT_NEAR(double{centroids[digits.size() - 1 - k]}, -digits[k], 1e-5);
        }
        const auto thresholds = codeThresholds(bits);
        ASSERT_EQ(thresholds.size(), centroids.size() - 1);
        EXPECT_EQ(thresholds[thresholds.size() / 2], 0.0F);
        if (bits > 4) continue;
        const Rows& middles = borders[static_cast<std::size_t>(bits - 1)];
        for (std::size_t k = 0; k < middles.size(); ++k)
            EXPECT_NEAR(double{thresholds[thresholds.size() / 2 + 1 + k]}, middles[k], 1e-5);
    }
}

// The Lloyd-Max condition, by a sum over a fine grid: every centroid is the mean of its cell. It
// holds for the published digits and for the computed ones.
TEST(CodeCentroids, anyBits_areCellMeansWithTheKnownError) {
    constexpr double kKnown[] = {.363380, .117482, .034548, .009501,
                                 .002505, .000644, .000163, .000041};
    for (int bits = 1; bits <= kMaxCodeBits; ++bits) {
        const auto centroids = codeCentroids(bits);
        const auto thresholds = codeThresholds(bits);
        ASSERT_EQ(centroids.size(), std::size_t{1} << bits);
        constexpr double kStep = 1e-5;
        double error = 0;
        std::size_t cell = 0;
        double mass = 0;
        double moment = 0;
        for (double x = -8 + kStep / 2; x < 8; x += kStep) {
            if (cell < thresholds.size() && x > double{thresholds[cell]}) {
                EXPECT_NEAR(double{centroids[cell]}, moment / mass, 2e-5) << bits << " " << cell;
                mass = moment = 0;
                ++cell;
            }
            const double p = std::exp(-x * x / 2) / std::sqrt(2 * M_PI) * kStep;
            mass += p;
            moment += p * x;
            const double away = x - double{centroids[cell]};
            error += p * away * away;
        }
        EXPECT_EQ(cell, thresholds.size());
        const double known = kKnown[bits - 1];
        EXPECT_NEAR(error, known, bits < 8 ? known * 4e-3 : 1e-6) << bits;
    }
}

TEST(RotatedRowBytes, everyDimAndBits_haveTheExactSize) {
    EXPECT_EQ(rotatedRowBytes(3, 128), 50U);
    EXPECT_EQ(rotatedRowBytes(4, 128), 66U);
    EXPECT_EQ(rotatedRowBytes(2, 128), 34U);
    EXPECT_EQ(rotatedRowBytes(1, 128), 18U);
    EXPECT_EQ(rotatedRowBytes(8, 128), 130U);
    EXPECT_EQ(rotatedRowBytes(3, 64), 26U);
    for (int bits = 1; bits <= kMaxCodeBits; ++bits)
        for (int dim = 32; dim <= 576; dim += 8)
            EXPECT_EQ(rotatedRowBytes(bits, dim),
                      static_cast<std::size_t>(dim) / 8 * static_cast<std::size_t>(bits) + 2);
    EXPECT_EQ(rotatedRowBytes(7, 34), 17U + 9U + 5U + 2U);
}

TEST(EncodeRotated, anyBitsDimAndScale_matchThePlainEncoder) {
    for (int bits = 1; bits <= kMaxCodeBits; ++bits)
        for (const int dim : {32, 34, 36, 42, 64, 72, 80, 96, 112, 128, 160, 192, 256, 576})
            for (const CodeScale scale : kScales) {
                const auto row = normalRow(dim, static_cast<std::uint64_t>(dim + bits), 3.5);
                ASSERT_EQ(encoded(row, bits, scale), encodedPlainly(row, bits, scale))
                    << bits << " bits of " << dim;
            }
}

TEST(EncodeRotated, range_changesCodesAndScale) {
    for (const int bits : {1, 2, 3, 5})
        for (const float range : {0.7F, 1.3F}) {
            const auto row = normalRow(128, static_cast<std::uint64_t>(bits), 3.5);
            double square = 0;
            for (const float x : row) square += double{x} * double{x};
            const double spread = std::sqrt(square / 128);
            std::vector<std::byte> bytes(rotatedRowBytes(bits, 128));
            encodeRotated(row, bits, CodeScale::LeastSquares, bytes.data(), range);
            const auto found = decoded(bytes, bits, 128);
            double together = 0;
            double codeSquare = 0;
            std::vector<double> centroids;
            for (const float x : row) {
                const auto y = static_cast<float>(double{x} / spread * double{range});
                const auto borders = codeThresholds(bits);
                const auto code = std::ranges::lower_bound(borders, y) - borders.begin();
                const double c = double{codeCentroids(bits)[static_cast<std::size_t>(code)]};
                centroids.push_back(c);
                together += double{x} * c;
                codeSquare += c * c;
            }
            for (std::size_t i = 0; i < row.size(); ++i)
                ASSERT_NEAR(found[i], together / codeSquare * centroids[i], 5e-3)
                    << bits << " bits, range " << range;
        }
}

TEST(DecodeRotated, anyBytes_decodeToScaleTimesCentroid) {
    RandomStream random(5, 5);
    for (int bits = 1; bits <= kMaxCodeBits; ++bits)
        for (const int dim : {32, 34, 42, 64, 72, 96, 112, 128, 160, 192, 576}) {
            std::vector<std::byte> bytes(rotatedRowBytes(bits, dim));
            for (std::byte& b : bytes) b = static_cast<std::byte>(random.bits() & 255U);
            std::uint16_t half = 0;
            std::memcpy(&half, bytes.data() + bytes.size() - 2, 2);
            const float scale = halfToFloat(half);
            const auto row = decoded(bytes, bits, dim);
            for (int i = 0; i < dim; ++i) {
                std::size_t code = 0;
                for (int bit = 0; bit < bits; ++bit) {
                    const BitPlace place = placeOf(bits, dim, i, bit);
                    code |= (std::to_integer<std::size_t>(bytes[place.byte]) >> place.bit & 1U)
                            << bit;
                }
                const float expected = scale * codeCentroids(bits)[code];
                const float found = row[static_cast<std::size_t>(i)];
                ASSERT_TRUE(found == expected || (std::isnan(found) && std::isnan(expected)));
            }
        }
}

TEST(EncodeRotated, eachScale_meetsItsDefinition) {
    for (int bits = 1; bits <= kMaxCodeBits; ++bits)
        for (const int dim : kDims) {
            const auto row = normalRow(dim, static_cast<std::uint64_t>(3 * dim + bits), 0.7);
            const auto read = [&](CodeScale scale) {
                return decoded(encoded(row, bits, scale), bits, dim);
            };
            const double square = dot(row, row);
            constexpr double kHalf = 1e-3;  // rounding of the scale
            EXPECT_NEAR(dot(row, read(CodeScale::Unbiased)) / square, 1, kHalf);
            const auto kept = read(CodeScale::Preserve);
            EXPECT_NEAR(dot(kept, kept) / square, 1, 2 * kHalf);
            const auto errorOf = [&](CodeScale scale) {
                const auto found = read(scale);
                double error = 0;
                for (std::size_t i = 0; i < row.size(); ++i)
                    error += std::pow(double{found[i]} - double{row[i]}, 2);
                return error / square;
            };
            const double least = errorOf(CodeScale::LeastSquares);
            for (const CodeScale other : kScales)
                EXPECT_LE(least, errorOf(other) * (1 + kHalf) + kHalf * kHalf);
        }
}

TEST(EncodeRotated, zeroOrTinyRow_encodesToZero) {
    for (int bits = 1; bits <= kMaxCodeBits; ++bits)
        for (const float x : {0.0F, -0.0F, 1e-25F}) {
            const std::vector<float> row(96, x);
            for (const float y : decoded(encoded(row, bits, CodeScale::Unbiased), bits, 96))
                EXPECT_EQ(y, 0.0F);
        }
}

TEST(EncodeRotated, nonFiniteRow_decodesToNan) {
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
          -std::numeric_limits<float>::infinity()})
        for (int bits = 1; bits <= kMaxCodeBits; ++bits) {
            auto row = normalRow(64, 9);
            row[37] = bad;
            for (const float y : decoded(encoded(row, bits, CodeScale::LeastSquares), bits, 64))
                EXPECT_TRUE(std::isnan(y));
        }
}

TEST(EncodeRotated, hugeRow_saturatesTheScale) {
    for (const double size : {1e6, 1e30, 3e37})
        for (const CodeScale scale : kScales) {
            const auto row = normalRow(128, 4, size);
            const auto bytes = encoded(row, 4, scale);
            std::uint16_t half = 0;
            std::memcpy(&half, bytes.data() + bytes.size() - 2, 2);
            EXPECT_EQ(halfToFloat(half), 65504.0F);
            for (const float y : decoded(bytes, 4, 128)) EXPECT_TRUE(std::isfinite(y));
        }
}

TEST(EncodeRotated, oneHotRow_keepsItsPositionAndDotProduct) {
    for (int bits = 1; bits <= kMaxCodeBits; ++bits)
        for (const float x : {2.5F, -2.5F}) {
            std::vector<float> row(128, 0.0F);
            row[77] = x;
            const auto found = decoded(encoded(row, bits, CodeScale::Unbiased), bits, 128);
            EXPECT_NEAR(double{found[77]}, double{x}, 2e-3);
            for (const float y : found) EXPECT_LE(std::fabs(y), std::fabs(found[77]));
            EXPECT_LT(found[0], 0.0F) << "0 is a border, which belongs to the lower centroid";
        }
}

TEST(EncodeRotated, sameRow_givesTheSameBytes_scalingChangesOnlyTheScale) {
    for (int bits = 1; bits <= kMaxCodeBits; ++bits) {
        auto row = normalRow(112, 12);
        const auto first = encoded(row, bits, CodeScale::Unbiased);
        EXPECT_EQ(first, encoded(row, bits, CodeScale::Unbiased));
        for (float& x : row) x *= 4;
        const auto scaled = encoded(row, bits, CodeScale::Unbiased);
        EXPECT_TRUE(std::equal(first.begin(), first.end() - 2, scaled.begin()));
        EXPECT_NE(first, scaled);
    }
}

}  // namespace
}  // namespace lacuna::test
