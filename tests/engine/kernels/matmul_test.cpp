// Products of every weight type and instruction set against float64, for decoding and for prefill.

#include "engine/kernels/matmul.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "engine/base/half.h"
#include "kernel_fixtures.h"

namespace lacuna::test {
namespace {

class MatmulByTable : public EveryKernelTable {};

struct Shape {
    std::size_t tokens;
    std::size_t rows;
    std::size_t columns;
};

constexpr Shape kShapes[] = {{1, 5, 32},   {3, 33, 64},   {4, 32, 96},    {7, 70, 160},
                             {13, 1, 64},  {26, 100, 32}, {25, 67, 2144}, {1, 33, 512},
                             {5, 40, 256}, {13, 35, 2304}};

template <class Number>
std::vector<double> expectedProduct(const EncodedMatrix& w, const std::vector<Number>& x,
                                    const Shape& shape) {
    std::vector<double> out(shape.tokens * shape.rows);
    for (std::size_t t = 0; t < shape.tokens; ++t)
        for (std::size_t r = 0; r < shape.rows; ++r)
            for (std::size_t i = 0; i < shape.columns; ++i)
                out[t * shape.rows + r] +=
                    double{w.decoded[r * shape.columns + i]} * double{x[t * shape.columns + i]};
    return out;
}

std::int64_t wide(std::size_t n) {
    return static_cast<std::int64_t>(n);
}

std::vector<float> product(const KernelTable& kernels, int threads, DType type,
                           const EncodedMatrix& w, const std::vector<float>& x, const Shape& shape,
                           Precision precision, float scale = 1.0F) {
    ThreadPool pool(threads);
    auto matmul = Matmul::create(kernels, pool,
                                 {.maxTokens = wide(shape.tokens),
                                  .maxColumns = wide(shape.columns),
                                  .twoTerms = precision == Precision::TwoTerms});
    EXPECT_TRUE(matmul.has_value());
    std::vector<float> out(shape.tokens * shape.rows, -7.0F);
    const MatmulProduct job{{.type = type,
                             .rows = wide(shape.rows),
                             .columns = wide(shape.columns),
                             .data = w.data(),
                             .scale = scale},
                            out.data()};
    matmul->multiply({x.data(), {wide(shape.tokens), wide(shape.columns)}}, std::span(&job, 1),
                     precision);
    return out;
}

TEST_P(MatmulByTable, exact_everyTypeAndShape_isWithin1e5OfFloat64) {
    for (const Shape& shape : kShapes) {
        for (const DType type : typesFor(shape.columns)) {
            const EncodedMatrix w = encodedMatrix(type, shape.rows, shape.columns, shape.rows);
            const auto x = randomFloats(shape.tokens * shape.columns, shape.tokens);
            SCOPED_TRACE(lacuna::info(type).name);
            expectNear(product(kernels(), 2, type, w, x, shape, Precision::Exact),
                       expectedProduct(w, x, shape), 1e-5);
        }
    }
}

TEST_P(MatmulByTable, fast_everyTypeAndShape_isWithinRoundingOfActivations) {
    for (const Shape& shape : kShapes) {
        for (const DType type : typesFor(shape.columns)) {
            const EncodedMatrix w = encodedMatrix(type, shape.rows, shape.columns, shape.rows);
            const auto x = randomFloats(shape.tokens * shape.columns, shape.tokens);
            SCOPED_TRACE(lacuna::info(type).name);
            expectNear(product(kernels(), 2, type, w, x, shape, Precision::Fast),
                       expectedProduct(w, x, shape), 1.5e-2);
        }
    }
}

/// Reference coding of a row as blocks of 32 codes and a scale.
struct Term {
    std::vector<double> values;  ///< scale * code
    std::vector<float> left;     ///< remainder of the row
};
Term termOf(const std::vector<float>& x) {
    Term term{std::vector<double>(x.size()), std::vector<float>(x.size())};
    for (std::size_t block = 0; block < x.size(); block += 32) {
        float largest = 0;
        for (std::size_t i = block; i < block + 32; ++i)
            largest = std::max(largest, std::fabs(x[i]));
        const float scale = largest / 127.0F;
        const float inverse = largest > 0 ? 127.0F / largest : 0;
        for (std::size_t i = block; i < block + 32; ++i) {
            const float code = std::nearbyint(x[i] * inverse);
            term.values[i] = double{scale} * double{code};
            term.left[i] = std::fma(-scale, code, x[i]);
        }
    }
    return term;
}

/// The product of rows that lie apart in x, with its rows apart in the result. What lies between
/// is NaN in x and must stay as it was in the result.
std::vector<float> stridedProduct(const KernelTable& kernels, int threads, DType type,
                                  const EncodedMatrix& w, const std::vector<float>& x,
                                  const Shape& shape, Precision precision) {
    constexpr std::size_t kGap = 5;
    constexpr float kUntouched = -7.0F;
    ThreadPool pool(threads);
    auto matmul = Matmul::create(kernels, pool,
                                 {.maxTokens = wide(shape.tokens),
                                  .maxColumns = wide(shape.columns),
                                  .twoTerms = precision == Precision::TwoTerms});
    EXPECT_TRUE(matmul.has_value());
    const std::size_t inStride = shape.columns + kGap;
    const std::size_t outStride = shape.rows + kGap;
    std::vector<float> in(shape.tokens * inStride, std::numeric_limits<float>::quiet_NaN());
    std::vector<float> out(shape.tokens * outStride, kUntouched);
    for (std::size_t t = 0; t < shape.tokens; ++t)
        std::copy_n(x.data() + t * shape.columns, shape.columns, in.data() + t * inStride);
    const MatmulProduct job{
        {.type = type, .rows = wide(shape.rows), .columns = wide(shape.columns), .data = w.data()},
        out.data(),
        wide(outStride)};
    matmul->multiply({in.data(), wide(shape.tokens), wide(shape.columns), wide(inStride)},
                     std::span(&job, 1), precision);
    std::vector<float> dense;
    for (std::size_t t = 0; t < shape.tokens; ++t) {
        const float* const row = out.data() + t * outStride;
        dense.insert(dense.end(), row, row + shape.rows);
        for (std::size_t i = 0; i < kGap; ++i) EXPECT_EQ(row[shape.rows + i], kUntouched);
    }
    return dense;
}

TEST_P(MatmulByTable, rowsThatLieApart_everyTypeAndPrecision_giveTheSameBits) {
    for (const Shape& shape : kShapes)
        for (const DType type : typesFor(shape.columns))
            for (const Precision precision :
                 {Precision::Exact, Precision::Fast, Precision::TwoTerms}) {
                const EncodedMatrix w = encodedMatrix(type, shape.rows, shape.columns, shape.rows);
                const auto x = randomFloats(shape.tokens * shape.columns, shape.tokens);
                SCOPED_TRACE(lacuna::info(type).name);
                const auto dense = product(kernels(), 2, type, w, x, shape, precision);
                for (const int threads : {1, 3})
                    EXPECT_EQ(stridedProduct(kernels(), threads, type, w, x, shape, precision),
                              dense)
                        << threads << " threads";
            }
}

TEST_P(MatmulByTable, matrixWithScale_everyTypeAndPrecision_scalesTheProduct) {
    for (const Shape& shape : {Shape{1, 33, 512}, Shape{7, 70, 256}, Shape{13, 35, 2304}}) {
        const auto x = randomFloats(shape.tokens * shape.columns, shape.tokens);
        for (const DType type : typesFor(shape.columns))
            for (const Precision precision : {Precision::Exact, Precision::Fast}) {
                SCOPED_TRACE(lacuna::info(type).name);
                const EncodedMatrix w = encodedMatrix(type, shape.rows, shape.columns, shape.rows);
                std::vector<float> expected = product(kernels(), 2, type, w, x, shape, precision);
                for (float& v : expected) v *= 0.375F;
                EXPECT_EQ(product(kernels(), 2, type, w, x, shape, precision, 0.375F), expected);
            }
    }
}

// Both terms by the reference coding, then float64: only the sums round.
TEST_P(MatmulByTable, twoTerms_everyTypeAndShape_isTheProductWithBothTerms) {
    for (const Shape& shape : kShapes) {
        const auto x = randomFloats(shape.tokens * shape.columns, shape.tokens);
        const Term first = termOf(x);
        std::vector<double> both = termOf(first.left).values;
        for (std::size_t i = 0; i < x.size(); ++i) both[i] += first.values[i];
        for (const DType type : typesFor(shape.columns)) {
            SCOPED_TRACE(lacuna::info(type).name);
            const EncodedMatrix w = encodedMatrix(type, shape.rows, shape.columns, shape.rows);
            const auto found = product(kernels(), 2, type, w, x, shape, Precision::TwoTerms);
            // Tables without integer tiles multiply floats in this case, which is closer to x.
            const bool floats = kernels().dotRowsInteger[kernelIndex(type)] == nullptr ||
                                (kernels().tileInteger == nullptr && shape.tokens >= 12);
            if (floats)
                expectNear(found, expectedProduct(w, x, shape), 1e-5);
            else
                expectNear(found, expectedProduct(w, both, shape), 3e-6);
        }
    }
}

TEST_P(MatmulByTable, twoTerms_nanInput_givesNan) {
    const Shape shape{3, 40, 256};
    for (const DType type : typesFor(shape.columns)) {
        const EncodedMatrix w = encodedMatrix(type, shape.rows, shape.columns, 5);
        auto x = randomFloats(shape.tokens * shape.columns, 6);
        x[256 + 40] = std::nanf("");
        const auto out = product(kernels(), 1, type, w, x, shape, Precision::TwoTerms);
        for (std::size_t i = 0; i < out.size(); ++i)
            ASSERT_EQ(std::isnan(out[i]), i / shape.rows == 1) << lacuna::info(type).name;
    }
}

TEST_P(MatmulByTable, threads_oneTwoThree_giveTheSameBits) {
    const Shape shape{9, 150, 256};
    for (const Precision precision : {Precision::Exact, Precision::Fast, Precision::TwoTerms}) {
        for (const DType type : typesFor(shape.columns)) {
            const EncodedMatrix w = encodedMatrix(type, shape.rows, shape.columns, 5);
            const auto x = randomFloats(shape.tokens * shape.columns, 6);
            const auto one = product(kernels(), 1, type, w, x, shape, precision);
            EXPECT_EQ(one, product(kernels(), 2, type, w, x, shape, precision));
            EXPECT_EQ(one, product(kernels(), 3, type, w, x, shape, precision));
        }
    }
}

// Integer arithmetic is exact. Activations that quantise without loss leave only the rounding of
// float scales.
TEST_P(MatmulByTable, fast_activationsOnTheGrid_equalsFloat64) {
    for (const std::size_t columns : {std::size_t{96}, std::size_t{512}}) {
        const Shape shape{7, 40, columns};
        std::vector<float> x(shape.tokens * shape.columns);
        RandomStream random(3, 3);
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = i % 32 == 0 ? 127.0F : static_cast<float>(random.below(255)) - 127.0F;
        for (const DType type : typesFor(columns)) {
            if (isPlainFloat(type)) continue;
            SCOPED_TRACE(lacuna::info(type).name);
            const EncodedMatrix w = encodedMatrix(type, shape.rows, shape.columns, 8);
            for (const std::size_t tokens : {std::size_t{1}, shape.tokens}) {
                const Shape part{tokens, shape.rows, shape.columns};
                const std::vector<float> head(x.begin(), x.begin() + wide(tokens * columns));
                expectNear(product(kernels(), 1, type, w, head, part, Precision::Fast),
                           expectedProduct(w, head, part), 2e-6);
            }
        }
    }
}

TEST_P(MatmulByTable, severalProducts_mixedTypes_shareOneInput) {
    constexpr std::size_t columns = 64;
    constexpr std::size_t tokens = 6;
    const auto x = randomFloats(tokens * columns, 1);
    const EncodedMatrix a = encodedMatrix(DType::Q8_0, 40, columns, 2);
    const EncodedMatrix b = encodedMatrix(DType::BF16, 7, columns, 3);
    std::vector<float> outA(tokens * 40);
    std::vector<float> outB(tokens * 7);
    ThreadPool pool(2);
    auto matmul = Matmul::create(kernels(), pool, {tokens, columns});
    ASSERT_TRUE(matmul.has_value());
    const MatmulProduct jobs[] = {{{DType::Q8_0, 40, columns, a.data()}, outA.data()},
                                  {{DType::BF16, 7, columns, b.data()}, outB.data()}};
    matmul->multiply({x.data(), {tokens, columns}}, jobs, Precision::Exact);
    expectNear(outA, expectedProduct(a, x, {tokens, 40, columns}), 1e-5);
    expectNear(outB, expectedProduct(b, x, {tokens, 7, columns}), 1e-5);
}

void expectBfloatPairs(const KernelTable& kernels, DType type, std::size_t tokens,
                       std::size_t depth, std::size_t width) {
    const EncodedMatrix values = encodedMatrix(type, depth, width, depth + width);
    const std::size_t even = (depth + 1) / 2 * 2;
    const std::vector<float> weights = randomFloats(tokens * even, 5);
    std::vector<std::uint16_t> bits(tokens * even);
    for (std::size_t i = 0; i < bits.size(); ++i)
        bits[i] = i % even < depth ? floatToBfloat(weights[i]) : std::uint16_t{0};
    std::vector<std::byte> panel(static_cast<std::size_t>(panelBytes(wide(even))));
    std::vector<float> out(tokens * width, 0.5F);
    kernels.packBfloatPairs(
        {type, values.data(), values.stride, wide(width), static_cast<int>(depth)}, panel.data());
    kernels.tileBfloat({bits.data(), wide(even), panel.data(), out.data(), wide(width), wide(depth),
                        wide(tokens), static_cast<int>(width), TileStore::Accumulate});
    // Products of rounded inputs: only the float sums differ.
    std::vector<double> expected(out.size(), 0.5);
    for (std::size_t t = 0; t < tokens; ++t)
        for (std::size_t k = 0; k < depth; ++k)
            for (std::size_t j = 0; j < width; ++j)
                expected[t * width + j] +=
                    double{bfloatToFloat(bits[t * even + k])} *
                    double{bfloatToFloat(floatToBfloat(values.decoded[k * width + j]))};
    expectNear(out, expected, 1e-5);
}

// Attention multiplies the weights of slots with rows of values, so the rows are the depth of the
// product.
TEST_P(MatmulByTable, bfloatPairs_anyDepthAndWidth_equalsFloat64) {
    if (kernels().packBfloatPairs == nullptr) {
        EXPECT_EQ(kernels().tileBfloat, nullptr);
        return;
    }
    for (const DType type : {DType::F16, DType::BF16})
        for (const std::size_t tokens : {1, 5, 16, 17, 32, 45})
            for (const std::size_t depth : {1, 2, 7, 32, 33, 64, 100})
                for (const std::size_t width : {1, 16, 19, 32})
                    expectBfloatPairs(kernels(), type, tokens, depth, width);
}

// A prompt gives the same bits however it is split, because the products of a token are always
// summed in the same order.
TEST_P(MatmulByTable, bfloatTile_tokenInABatch_equalsTheSingleToken) {
    if (kernels().tileBfloat == nullptr) GTEST_SKIP() << "no bfloat16 products";
    constexpr std::size_t depth = 71;
    constexpr std::size_t even = 72;
    constexpr std::size_t tokens = 45;
    constexpr std::size_t width = 27;
    const EncodedMatrix values = encodedMatrix(DType::BF16, depth, width, 3);
    const std::vector<float> weights = randomFloats(tokens * even, 4);
    std::vector<std::uint16_t> bits(weights.size());
    for (std::size_t i = 0; i < bits.size(); ++i)
        bits[i] = i % even < depth ? floatToBfloat(weights[i]) : std::uint16_t{0};
    std::vector<std::byte> panel(static_cast<std::size_t>(panelBytes(wide(even))));
    kernels().packBfloatPairs(
        {DType::BF16, values.data(), values.stride, wide(width), static_cast<int>(depth)},
        panel.data());
    const auto multiply = [&](std::size_t first, std::size_t count, float* out) {
        kernels().tileBfloat({bits.data() + first * even, wide(even), panel.data(), out,
                              wide(width), wide(depth), wide(count), static_cast<int>(width),
                              TileStore::Replace});
    };
    std::vector<float> together(tokens * width);
    multiply(0, tokens, together.data());
    for (const std::size_t piece : {1, 3, 16, 20}) {
        std::vector<float> apart(together.size());
        for (std::size_t first = 0; first < tokens; first += piece)
            multiply(first, std::min(piece, tokens - first), apart.data() + first * width);
        EXPECT_EQ(apart, together) << piece << " at a time";
    }
}

TEST_P(MatmulByTable, fast_nonFiniteActivation_staysVisible) {
    for (const std::size_t tokens : {std::size_t{1}, std::size_t{4}}) {
        const Shape shape{tokens, 4, 256};
        for (const DType type : typesFor(shape.columns)) {
            SCOPED_TRACE(lacuna::info(type).name);
            const EncodedMatrix w = encodedMatrix(type, shape.rows, shape.columns, 8);
            for (const std::size_t at : {std::size_t{0}, std::size_t{33}}) {
                auto x = randomFloats(tokens * shape.columns, 2);
                x[at] = std::numeric_limits<float>::quiet_NaN();
                const auto out = product(kernels(), 1, type, w, x, shape, Precision::Fast);
                for (std::size_t i = 0; i < out.size(); ++i)
                    EXPECT_EQ(std::isfinite(out[i]), i >= shape.rows);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Tables, MatmulByTable, ::testing::ValuesIn(tableNames()), tableTestName);

TEST(KernelChoice, unknownName_findsNoTable) {
    EXPECT_EQ(findKernels("avx9000"), nullptr);
    ASSERT_NE(findKernels("scalar"), nullptr);
}

TEST(KernelChoice, best_noChoice_isTheLastTable) {
    if (std::getenv("LACUNA_KERNELS") != nullptr) GTEST_SKIP() << "LACUNA_KERNELS is set";
    EXPECT_EQ(&bestKernels(), &availableKernels().back());
}

TEST(KernelChoice, environment_unknownTable_isRefusedByName) {
    const char* before = std::getenv("LACUNA_KERNELS");
    const std::string kept = before != nullptr ? before : "";
    ::setenv("LACUNA_KERNELS", "avx9000", 1);
    const Status unknown = checkKernelChoice();
    ::setenv("LACUNA_KERNELS", "scalar", 1);
    const Status known = checkKernelChoice();
    ::unsetenv("LACUNA_KERNELS");
    EXPECT_TRUE(checkKernelChoice().has_value());
    if (before != nullptr) ::setenv("LACUNA_KERNELS", kept.c_str(), 1);
    EXPECT_TRUE(known.has_value());
    ASSERT_FALSE(unknown.has_value());
    EXPECT_NE(unknown.error().what.find("avx9000"), std::string::npos);
    EXPECT_NE(unknown.error().what.find("scalar"), std::string::npos);
}

TEST(KernelChoice, tables_matchTheCpuFeatures) {
    const CpuFeatures features = detectCpuFeatures();
    EXPECT_EQ(findKernels("avx2") != nullptr, features.avx2);
    EXPECT_EQ(findKernels("avx512") != nullptr, features.avx512);
    EXPECT_TRUE(!features.avx512Vnni || features.avx512);
    for (const KernelTable& table : availableKernels()) {
        EXPECT_LE(table.panelRows, kMaxPanelRows);
        EXPECT_NE(table.tileFloat, nullptr);
    }
}

}  // namespace
}  // namespace lacuna::test
