// The nearest of a few targets: every table against reference distances in this file.

#include "engine/kernels/nearest_targets.h"

#include <bit>
#include <limits>

#include "tests/engine/kernels/kernel_fixtures.h"

namespace lacuna::test {
namespace {

class NearestTargetsByTable : public EveryKernelTable {
  protected:
    /// Returns the rows [panelRows, depth] in the panel layout of the table.
    [[nodiscard]] std::vector<float> packed(const std::vector<float>& rows, std::int64_t depth) {
        std::vector<float> panel(rows.size());
        kernels().packFloat({.type = DType::F32,
                             .rows = reinterpret_cast<const std::byte*>(rows.data()),
                             .rowStride = depth * 4,
                             .columns = depth,
                             .rowCount = kernels().panelRows},
                            panel.data());
        return panel;
    }
};

double relative(const std::vector<float>& targets, float own, std::size_t t,
                const std::vector<float>& rows, std::size_t row, std::size_t depth) {
    double dot = 0;
    for (std::size_t k = 0; k < depth; ++k)
        dot += static_cast<double>(targets[t * depth + k]) *
               static_cast<double>(rows[row * depth + k]);
    return static_cast<double>(own) - 2 * dot;
}

TEST_P(NearestTargetsByTable, anyTargetCount_findsTheSmallestDistanceAndItsTarget) {
    const auto width = static_cast<std::size_t>(kernels().panelRows);
    for (const std::size_t depth : {1U, 5U, 32U, 128U})
        for (std::size_t count = 1; count <= 32; ++count) {
            const auto targets = randomFloats(count * depth, count + depth);
            const auto own = randomFloats(count, count, 3.0);
            const auto rows = randomFloats(width * depth, depth);
            const auto panel = packed(rows, static_cast<std::int64_t>(depth));
            std::vector<float> least(width);
            std::vector<std::int32_t> which(width);
            nearestTargets(kernels())({.rows = targets.data(),
                                       .own = own.data(),
                                       .depth = static_cast<std::int64_t>(depth),
                                       .count = static_cast<int>(count)},
                                      panel.data(), least.data(), which.data());
            for (std::size_t row = 0; row < width; ++row) {
                double smallest = std::numeric_limits<double>::infinity();
                for (std::size_t t = 0; t < count; ++t)
                    smallest = std::min(smallest, relative(targets, own[t], t, rows, row, depth));
                const double tolerance = 1e-5 * static_cast<double>(depth + 10);
                ASSERT_GE(which[row], 0);
                ASSERT_LT(which[row], static_cast<std::int32_t>(count));
                const auto found = static_cast<std::size_t>(which[row]);
                EXPECT_NEAR(static_cast<double>(least[row]), smallest, tolerance);
                EXPECT_NEAR(relative(targets, own[found], found, rows, row, depth), smallest,
                            tolerance);
            }
        }
}

TEST_P(NearestTargetsByTable, equalTargets_giveTheFirst) {
    const auto width = static_cast<std::size_t>(kernels().panelRows);
    const std::vector<float> targets{7, 0, 1, 1, 1, 1, 9, 0};
    const std::vector<float> own{49, 2, 2, 81};
    const auto panel = packed(std::vector<float>(width * 2, 1.0F), 2);
    std::vector<float> least(width);
    std::vector<std::int32_t> which(width);
    nearestTargets(kernels())({.rows = targets.data(), .own = own.data(), .depth = 2, .count = 4},
                              panel.data(), least.data(), which.data());
    for (std::size_t row = 0; row < width; ++row) {
        EXPECT_EQ(which[row], 1);
        EXPECT_EQ(least[row], -2.0F);
    }
}

/// Numbers that are exact in bfloat16, and their bits.
struct Bfloats {
    std::vector<float> numbers;
    std::vector<std::uint16_t> bits;
};

Bfloats randomBfloats(std::size_t count, std::uint64_t seed) {
    Bfloats out{randomFloats(count, seed), std::vector<std::uint16_t>(count)};
    for (std::size_t i = 0; i < count; ++i) {
        out.bits[i] =
            static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(out.numbers[i]) >> 16U);
        out.numbers[i] = std::bit_cast<float>(std::uint32_t{out.bits[i]} << 16U);
    }
    return out;
}

TEST_P(NearestTargetsByTable, bfloat_anyTargetCount_findsTheSmallestDistanceAndItsTarget) {
    const NearestBfloatTargets nearest = nearestBfloatTargets(kernels());
    if (nearest == nullptr) GTEST_SKIP() << "no bfloat16 products";
    const auto width = static_cast<std::size_t>(kernels().panelRows);
    for (const std::size_t depth : {2U, 6U, 32U, 128U})
        for (int count = 1; count <= 32; ++count) {
            const auto many = static_cast<std::size_t>(count);
            const Bfloats targets = randomBfloats(many * depth, many + depth);
            const auto own = randomFloats(many, many, 3.0);
            const Bfloats rows = randomBfloats(width * depth, depth);
            std::vector<std::byte> panel(
                static_cast<std::size_t>(panelBytes(static_cast<std::int64_t>(depth))));
            kernels().packBfloat({.type = DType::BF16,
                                  .rows = reinterpret_cast<const std::byte*>(rows.bits.data()),
                                  .rowStride = static_cast<std::int64_t>(depth) * 2,
                                  .columns = static_cast<std::int64_t>(depth),
                                  .rowCount = kernels().panelRows},
                                 panel.data());
            std::vector<float> least(width);
            std::vector<std::int32_t> which(width);
            // Every third row has a bound that excludes all targets, every seventh counts as a
            // copy, and the last rows are absent.
            const std::size_t present = width - many % 20;
            std::vector<float> squares;
            std::vector<float> bounds;
            for (std::size_t row = 0; row < present; ++row) {
                squares.push_back(row % 7 == 0 ? 20.0F : 1e3F);
                bounds.push_back(row % 3 == 0 ? -1e9F : row % 5 == 0 ? 1e3F : 2e9F);
            }
            const std::uint32_t near = nearest({.rows = targets.bits.data(),
                                                .stride = static_cast<std::int64_t>(depth),
                                                .own = own.data(),
                                                .depth = static_cast<std::int64_t>(depth),
                                                .count = count},
                                               panel.data(),
                                               {.squares = squares.data(),
                                                .distances = bounds.data(),
                                                .copies = 0.9F,
                                                .rows = static_cast<int>(present)},
                                               least.data(), which.data());
            EXPECT_EQ(present < width ? near >> present : 0U, 0U) << "rows that are not there";
            for (std::size_t row = 0; row < present; ++row) {
                const float found = squares[row] + least[row];
                const float copies = 0.9F * squares[row];
                EXPECT_EQ((near >> row & 1U) != 0, found < bounds[row] || found <= copies);
            }
            for (std::size_t row = 0; row < width; ++row) {
                double smallest = std::numeric_limits<double>::infinity();
                for (std::size_t t = 0; t < many; ++t)
                    smallest = std::min(
                        smallest, relative(targets.numbers, own[t], t, rows.numbers, row, depth));
                const double tolerance = 1e-5 * static_cast<double>(depth + 10);
                ASSERT_GE(which[row], 0);
                ASSERT_LT(which[row], count);
                const auto found = static_cast<std::size_t>(which[row]);
                EXPECT_NEAR(static_cast<double>(least[row]), smallest, tolerance);
                EXPECT_NEAR(relative(targets.numbers, own[found], found, rows.numbers, row, depth),
                            smallest, tolerance);
            }
        }
}

INSTANTIATE_TEST_SUITE_P(Tables, NearestTargetsByTable, ::testing::ValuesIn(tableNames()),
                         tableTestName);

}  // namespace
}  // namespace lacuna::test
