// Row codes as functions: those of caches against the cache formats, ggml's against the errors of
// ggml's own quantiser, the sketch against its guarantee, sizes against published figures.

#include "app/bench/row_coding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "engine/base/json.h"
#include "engine/base/random.h"
#include "engine/kernels/rotation.h"
#include "engine/kv/row_format.h"
#include "tests/support/npy_file.h"

namespace lacuna {
namespace {

std::vector<float> normalRow(int dim, std::uint64_t seed) {
    RandomStream random(seed, 1);
    std::vector<float> row(static_cast<std::size_t>(dim));
    for (float& x : row) x = static_cast<float>(random.normal());
    return row;
}

double product(std::span<const float> a, std::span<const float> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * double{b[i]};
    return sum;
}

double squaredError(std::span<const float> a, std::span<const float> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += std::pow(double{a[i]} - double{b[i]}, 2);
    return sum;
}

std::vector<float> recoded(const RowCoding& coding, const std::vector<float>& row,
                           const Rotation* rotation = nullptr, std::uint64_t seed = 1) {
    const RowCoder coder(coding, static_cast<int>(row.size()), rotation, seed);
    std::vector<float> rotated(row.size()), out(row.size());
    coder.turn(row, rotated);
    coder.recode(rotated, out);
    if (coder.rotation() != nullptr) coder.rotation()->undo(out.data(), out.data());
    return out;
}

TEST(RowCoding, cacheCodes_decodeAsInTheCache) {
    constexpr int kDim = 96;
    const Rotation rotation = Rotation::hadamard(kDim, 3).value();
    const std::vector<float> row = normalRow(kDim, 5);
    for (const CodeScale scale :
         {CodeScale::Plain, CodeScale::Preserve, CodeScale::LeastSquares, CodeScale::Unbiased})
        for (int bits = 1; bits <= 8; ++bits) {
            const RowFormat format{.type = DType::F16,
                                   .quant = {.bits = bits, .group = 0},
                                   .dim = kDim,
                                   .rotation = &rotation,
                                   .scale = scale};
            std::vector<std::byte> bytes(formatBytes(format));
            std::vector<float> expected(row.size());
            encodeRow(format, row, bytes.data());
            decodeRow(format, bytes.data(), expected);
            const RowCoding coding{.code = RowCode::Rotated, .bits = bits, .scale = scale};
            EXPECT_EQ(recoded(coding, row, &rotation), expected) << bits;
            EXPECT_EQ(rowCodingBytes(coding, kDim), bytes.size());
        }
    for (const int bits : {8, 4}) {
        const RowFormat format{.quant = {.bits = bits, .group = 32}, .dim = kDim};
        std::vector<std::byte> bytes(formatBytes(format));
        std::vector<float> expected(row.size());
        encodeRow(format, row, bytes.data());
        decodeRow(format, bytes.data(), expected);
        const RowCoding coding{.code = RowCode::Affine, .bits = bits, .rotated = false};
        EXPECT_EQ(recoded(coding, row), expected) << bits;
        EXPECT_EQ(rowCodingBytes(coding, kDim), bytes.size());
    }
}

TEST(RowCoding, blockCodes_haveTheErrorOfTheGgmlQuantiser) {
    const std::filesystem::path golden = std::filesystem::path(LACUNA_GOLDEN_DIR) / "quantised";
    const Json errors = parseJson(readFile(golden / "peer_errors.json", 1U << 20).value()).value();
    for (const char* name : {"student_t.npy", "spikes.npy"}) {
        const auto matrix = test::readNpyMatrix(golden / name);
        ASSERT_TRUE(matrix);
        for (const auto& [type, bits] : {std::pair("Q4_0", 4), std::pair("Q8_0", 8)}) {
            const RowCoding coding{.code = RowCode::Blocks, .bits = bits, .rotated = false};
            double error = 0;
            for (std::size_t at = 0; at < matrix->values.size(); at += 64) {
                const std::vector<float> row(
                    matrix->values.begin() + static_cast<std::ptrdiff_t>(at),
                    matrix->values.begin() + static_cast<std::ptrdiff_t>(at + 64));
                error += squaredError(recoded(coding, row), row);
            }
            error /= static_cast<double>(matrix->values.size());
            const double expected = errors[type][name].get<double>();
            EXPECT_NEAR(error, expected, 1e-4 * expected) << type << name;
        }
    }
}

// QJL, arXiv:2406.03482: the mean over sketches equals the inner product; the variance of the
// residual's sketch is (pi / 2 - cos^2) |q|^2 |left|^2 / dim.
TEST(RowCoding, sketch_isUnbiasedWithThePublishedVariance) {
    constexpr int kDim = 32, kDraws = 4000;
    const Rotation rotation = Rotation::hadamard(kDim, 3).value();
    const std::vector<float> row = normalRow(kDim, 5), query = normalRow(kDim, 6);
    const RowCoding coding{.code = RowCode::Sketched, .bits = 3};
    double sum = 0, squares = 0;
    for (int draw = 0; draw < kDraws; ++draw) {
        const double one =
            product(query, recoded(coding, row, &rotation, 100 + static_cast<std::uint64_t>(draw)));
        sum += one;
        squares += one * one;
    }
    const double mean = sum / kDraws, variance = squares / kDraws - mean * mean;
    EXPECT_NEAR(mean, product(query, row), 3 * std::sqrt(variance / kDraws));
    std::vector<float> left =
        recoded({.code = RowCode::Rotated, .bits = 2, .scale = CodeScale::Plain}, row, &rotation);
    for (std::size_t i = 0; i < left.size(); ++i) left[i] = row[i] - left[i];
    const double lengths = product(query, query) * product(left, left);
    const double expected =
        (std::acos(-1.0) / 2 * lengths - std::pow(product(query, left), 2)) / kDim;
    EXPECT_NEAR(variance, expected, 0.15 * expected);
}

TEST(RowCoding, uniformCodes_stayWithinTheirLevels_narrowBoundsReduceError) {
    constexpr int kDim = 128;
    for (const int bits : {2, 3, 4}) {
        const RowCoding coding{.code = RowCode::Uniform, .bits = bits, .rotated = false};
        double error = 0, errorOfAll = 0;
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const std::vector<float> row = normalRow(kDim, seed);
            const std::vector<float> out = recoded(coding, row);
            EXPECT_LE(std::set<float>(out.begin(), out.end()).size(), std::size_t{1} << bits);
            error += squaredError(out, row);
            const auto [low, high] = std::ranges::minmax(row);
            const float step = (high - low) / static_cast<float>((1 << bits) - 1);
            for (const float x : row)
                errorOfAll += std::pow(low + step * std::round((x - low) / step) - x, 2);
        }
        EXPECT_LT(error, errorOfAll) << bits;
        EXPECT_GT(error, 0.2 * errorOfAll) << bits;
    }
    const std::vector<float> flat(64, 1.5F);
    EXPECT_EQ(recoded({.code = RowCode::Uniform, .bits = 2, .rotated = false}, flat), flat);
}

TEST(RowCoding, rotatedRow_isCodedInTheRotatedBasis) {
    constexpr int kDim = 64;
    const Rotation rotation = Rotation::hadamard(kDim, 3).value();
    std::vector<float> row(kDim, 0.01F);
    row[7] = 10;
    const RowCoding straight{.code = RowCode::Blocks, .bits = 4, .rotated = false};
    RowCoding rotated = straight;
    rotated.rotated = true;
    std::vector<float> basis(kDim);
    rotation.apply(row.data(), basis.data());
    std::vector<float> expected = recoded(straight, basis);
    rotation.undo(expected.data(), expected.data());
    EXPECT_EQ(recoded(rotated, row, &rotation), expected);
}

TEST(RowCoding, byteCount_includesAllStoredParts) {
    const auto bytes = [](RowCode code, int bits, int dim) {
        return rowCodingBytes({.code = code, .bits = bits}, dim);
    };
    EXPECT_EQ(bytes(RowCode::Rotated, 3, 128), 50U);
    EXPECT_EQ(bytes(RowCode::Sketched, 3, 128), (3U * 128 + 32) / 8);
    EXPECT_EQ(bytes(RowCode::Sketched, 2, 64), (2U * 64 + 32) / 8);
    EXPECT_EQ(bytes(RowCode::Affine, 4, 128), 80U);
    EXPECT_EQ(bytes(RowCode::Blocks, 4, 128), 72U) << "4.5 bits";
    EXPECT_EQ(bytes(RowCode::Blocks, 8, 64), 68U) << "8.5 bits";
    EXPECT_EQ(bytes(RowCode::Uniform, 2, 128), 36U) << "2.25 bits, as OSCAR counts";
    EXPECT_EQ(bytes(RowCode::Uniform, 2, 64), 20U);
    EXPECT_EQ(bytes(RowCode::Uniform, 4, 256), 136U) << "two pairs of bounds";
    EXPECT_EQ(bytes(RowCode::Uniform, 4, 160), 88U) << "two of 80";
}

TEST(RowCoding, nonFiniteValue_staysNonFinite) {
    const Rotation rotation = Rotation::hadamard(64, 3).value();
    std::vector<float> row = normalRow(64, 5);
    row[40] = std::numeric_limits<float>::infinity();
    for (const RowCode code : {RowCode::Affine, RowCode::Blocks, RowCode::Uniform}) {
        const auto out = recoded({.code = code, .bits = 4, .rotated = false}, row);
        EXPECT_FALSE(std::isfinite(out[41]));
        EXPECT_EQ(std::isfinite(out[3]), code != RowCode::Uniform) << "of another group";
    }
    for (const RowCode code : {RowCode::Rotated, RowCode::Sketched})
        EXPECT_FALSE(std::isfinite(recoded({.code = code, .bits = 4}, row, &rotation)[3]));
}

TEST(RowCoding, unsupportedCodes_areRejectedWithTheirParameters) {
    const auto refused = [](const RowCoding& coding, int dim) {
        const Status checked = checkRowCoding("keys", coding, dim);
        return checked ? std::string() : checked.error().what;
    };
    EXPECT_NE(refused({.code = RowCode::Affine, .bits = 3, .rotated = false}, 64), "");
    EXPECT_NE(refused({.code = RowCode::Blocks, .bits = 4, .rotated = false}, 80), "");
    EXPECT_NE(refused({.code = RowCode::Sketched, .bits = 1}, 64), "");
    EXPECT_NE(refused({.code = RowCode::Rotated, .bits = 9}, 64), "");
    EXPECT_NE(refused({.code = RowCode::Rotated, .bits = 4, .rotated = false}, 64), "");
    EXPECT_NE(refused({.code = RowCode::Rotated, .bits = 4}, 1024), "");
    EXPECT_NE(refused({.code = RowCode::Uniform, .bits = 4}, 33), "") << "has no rotation";
    EXPECT_EQ(refused({.code = RowCode::Uniform, .bits = 4, .rotated = false}, 33), "");
    EXPECT_NE(refused({.code = RowCode::Blocks, .bits = 4, .rotated = false}, 80).find("80"),
              std::string::npos);
}

}  // namespace
}  // namespace lacuna
