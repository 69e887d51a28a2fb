// Products with interleaved rows against those with plain ones, for every table. Tables without
// group kernels restore the plain order first.

#include <string_view>

#include "engine/kernels/matmul.h"
#include "engine/tensor/row_groups.h"
#include "kernel_fixtures.h"

namespace lacuna::test {
namespace {

class GroupProducts : public EveryKernelTable {};

struct Shape {
    std::int64_t tokens;
    std::int64_t rows;
    std::int64_t columns;
};

// Row counts that are not multiples of a group or a panel, and more columns than one chunk of a
// product.
constexpr Shape kShapes[] = {{1, 48, 256}, {2, 37, 512},  {5, 16, 96},   {7, 64, 256},
                             {13, 35, 64}, {1, 70, 2304}, {26, 33, 2304}};

struct GroupedMatrix {
    EncodedMatrix plain;
    std::vector<std::byte> groups;
};

GroupedMatrix groupedMatrix(DType type, const Shape& shape) {
    GroupedMatrix m{encodedMatrix(type, static_cast<std::size_t>(shape.rows),
                                  static_cast<std::size_t>(shape.columns), 17),
                    {}};
    const std::int64_t all = (shape.rows + kGroupRows - 1) / kGroupRows * kGroupRows;
    m.groups.resize(static_cast<std::size_t>(all * m.plain.stride));
    for (std::int64_t row = 0; row < shape.rows; row += kGroupRows)
        groupRows({type, m.plain.data() + row * m.plain.stride, m.plain.stride, shape.columns,
                   static_cast<int>(std::min<std::int64_t>(kGroupRows, shape.rows - row))},
                  m.groups.data() + row * m.plain.stride);
    return m;
}

struct Products {
    std::vector<float> plain;
    std::vector<float> grouped;
};

std::vector<DType> groupedTypes(std::int64_t columns) {
    std::vector<DType> types = typesFor(static_cast<std::size_t>(columns));
    std::erase_if(types, [&](DType type) { return !canGroup(type, columns); });
    return types;
}

std::vector<float> multiply(const KernelTable& kernels, int threads, const MatrixRef& weights,
                            const Shape& shape, Precision precision) {
    ThreadPool pool(threads);
    auto matmul = Matmul::create(kernels, pool,
                                 {shape.tokens, shape.columns, shape.columns,
                                  /*twoTerms=*/precision == Precision::TwoTerms});
    EXPECT_TRUE(matmul.has_value());
    const auto x = randomFloats(static_cast<std::size_t>(26 * shape.columns), 4);
    std::vector<float> out(static_cast<std::size_t>(shape.tokens * shape.rows), -7.0F);
    const MatmulProduct job{weights, out.data()};
    matmul->multiply({x.data(), {shape.tokens, shape.columns}}, std::span(&job, 1), precision);
    return out;
}

Products productsOf(const KernelTable& kernels, DType type, const Shape& shape,
                    Precision precision) {
    const GroupedMatrix m = groupedMatrix(type, shape);
    MatrixRef weights{type, shape.rows, shape.columns, m.plain.data()};
    Products found;
    found.plain = multiply(kernels, 2, weights, shape, precision);
    weights.data = m.groups.data();
    weights.order = RowLayout::Groups;
    found.grouped = multiply(kernels, 2, weights, shape, precision);
    EXPECT_EQ(found.grouped, multiply(kernels, 3, weights, shape, precision)) << "three threads";
    return found;
}

std::vector<double> wide(const std::vector<float>& x) {
    return {x.begin(), x.end()};
}

TEST_P(GroupProducts, exact_everyTypeAndShape_equalsPlainRowsBitForBit) {
    for (const Shape& shape : kShapes) {
        for (const DType type : groupedTypes(shape.columns)) {
            const Products found = productsOf(kernels(), type, shape, Precision::Exact);
            EXPECT_EQ(found.grouped, found.plain) << lacuna::info(type).name;
        }
    }
}

// Integer sums are exact; only for few tokens the order of the scaled sums differs.
TEST_P(GroupProducts, fast_quantisedTypes_equalPlainRows) {
    for (const Shape& shape : kShapes) {
        for (const DType type : groupedTypes(shape.columns)) {
            if (isPlainFloat(type)) continue;
            SCOPED_TRACE(lacuna::info(type).name);
            const Products found = productsOf(kernels(), type, shape, Precision::Fast);
            expectNear(found.grouped, wide(found.plain), 2e-6);
            // Tiles of integers, or of the floats that both layouts decode to.
            if (shape.tokens >= (kernels().tileInteger != nullptr ? 6 : 12)) {
                EXPECT_EQ(found.grouped, found.plain);
            }
        }
    }
}

TEST_P(GroupProducts, twoTerms_quantisedTypes_equalPlainRows) {
    for (const Shape& shape : kShapes) {
        for (const DType type : groupedTypes(shape.columns)) {
            if (isPlainFloat(type)) continue;
            SCOPED_TRACE(lacuna::info(type).name);
            const Products found = productsOf(kernels(), type, shape, Precision::TwoTerms);
            expectNear(found.grouped, wide(found.plain), 2e-6);
        }
    }
}

TEST_P(GroupProducts, fast_halves_equalPlainRowsWithinRounding) {
    for (const Shape& shape : kShapes) {
        for (const DType type : {DType::F16, DType::BF16}) {
            const Products found = productsOf(kernels(), type, shape, Precision::Fast);
            // Five tokens are rounded to bfloat16 with groups but not with plain rows.
            expectNear(found.grouped, wide(found.plain),
                       shape.tokens == 5 || shape.tokens == 7 ? 1e-2 : 2e-6);
        }
    }
}

// The result for a token must not depend on the other tokens of the batch.
TEST_P(GroupProducts, singleToken_equalsTheSameTokenInABatch) {
    for (const Precision precision : {Precision::Fast, Precision::TwoTerms})
        for (const DType type : groupedTypes(2304)) {
            if (kernels().packGroupsInteger[kernelIndex(type)] == nullptr) continue;
            const Shape many{26, 70, 2304};
            const Shape few{3, 70, 2304};
            const Shape one{1, 70, 2304};
            const auto together = productsOf(kernels(), type, many, precision).grouped;
            const auto some = productsOf(kernels(), type, few, precision).grouped;
            const auto alone = productsOf(kernels(), type, one, precision).grouped;
            EXPECT_TRUE(std::equal(alone.begin(), alone.end(), together.begin()))
                << lacuna::info(type).name;
            EXPECT_TRUE(std::equal(some.begin(), some.end(), together.begin()))
                << lacuna::info(type).name;
        }
}

// A group is multiplied with several tokens at once, in portions. Any number of tokens gives the
// results of single tokens.
TEST_P(GroupProducts, fast_fewTokens_equalSingleTokensBitForBit) {
    for (const DType type : groupedTypes(2304)) {
        if (kernels().dotGroupsInteger[kernelIndex(type)] == nullptr) continue;
        const Shape shape{26, 37, 2304};
        const GroupedMatrix m = groupedMatrix(type, shape);
        const auto x = randomFloats(static_cast<std::size_t>(26 * shape.columns), 4);
        std::vector<std::byte> memory(QuantisedRows::bytes(26 * 2304 / 512 * 512 + 512));
        QuantisedRows rows = QuantisedRows::in(memory.data(), 26 * 2304 / 512 * 512 + 512);
        rows.columns = shape.columns;
        for (std::int64_t t = 0; t < 26; ++t)
            kernels().quantise(x.data() + t * shape.columns, rows.at(t, 0), shape.columns);
        const RowBlock block{m.groups.data(), m.plain.stride, shape.rows, shape.columns};
        const auto dot = kernels().dotGroupsInteger[kernelIndex(type)];
        std::vector<float> alone(26 * 37);
        for (std::int64_t t = 0; t < 26; ++t)
            dot(block, rows.at(t, 0), {alone.data() + t * 37, 37, 1});
        for (const std::int64_t tokens : {2, 3, 4, 7, 12, 13, 26}) {
            std::vector<float> together(static_cast<std::size_t>(tokens * 40), -7.0F);
            dot(block, rows.at(0, 0), {together.data(), 40, tokens});
            for (std::int64_t t = 0; t < tokens; ++t) {
                const float* const row = together.data() + t * 40;
                ASSERT_TRUE(std::equal(row, row + 37, alone.data() + t * 37))
                    << lacuna::info(type).name << " " << tokens << " " << t;
                ASSERT_EQ(row[37], -7.0F) << "nothing is written beside the rows";
            }
        }
    }
}

TEST(GroupKernels, everyVectorTable_hasKernelsForTheRequiredTypes) {
    for (const KernelTable& table : availableKernels()) {
        if (table.name == "scalar") continue;
        SCOPED_TRACE(table.name);
        for (const DType type : {DType::Q8_0, DType::Q4_0, DType::Q4_K, DType::Q6_K}) {
            EXPECT_NE(table.dotGroupsInteger[kernelIndex(type)], nullptr);
            EXPECT_NE(table.packFloatGroups[kernelIndex(type)], nullptr);
        }
        for (const DType type : {DType::F16, DType::BF16}) {
            EXPECT_NE(table.dotGroups[kernelIndex(type)], nullptr);
            EXPECT_NE(table.packFloatGroups[kernelIndex(type)], nullptr);
        }
    }
}

TEST(GroupKernels, fastestTable_hasKernelsForTheRequiredTypes) {
    const KernelTable& table = availableKernels().back();
    if (table.tileInteger == nullptr) GTEST_SKIP() << "no int8 tiles on this processor";
    for (const DType type : {DType::Q8_0, DType::Q4_0, DType::Q4_K, DType::Q6_K}) {
        EXPECT_NE(table.dotGroupsInteger[kernelIndex(type)], nullptr);
        EXPECT_NE(table.packGroupsInteger[kernelIndex(type)], nullptr);
    }
}

INSTANTIATE_TEST_SUITE_P(Tables, GroupProducts, ::testing::ValuesIn(tableNames()), tableTestName);

}  // namespace
}  // namespace lacuna::test
