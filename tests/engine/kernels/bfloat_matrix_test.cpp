// Matrix products in bfloat16 against sums in double.

#include "engine/kernels/bfloat_matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engine/base/random.h"
#include "engine/kernels/cpu_features.h"

namespace lacuna::test {
namespace {

std::vector<std::uint16_t> bfloats(std::size_t count, std::uint64_t seed) {
    RandomStream random(seed, 0);
    std::vector<float> numbers(count);
    for (float& x : numbers) x = static_cast<float>(random.normal());
    std::vector<std::uint16_t> out(count);
    bestKernels().toBfloat(numbers.data(), out.data(), static_cast<std::int64_t>(count));
    return out;
}

double numberOf(std::uint16_t bits) {
    float out = 0;
    bestKernels().toFloat[kernelIndex(DType::BF16)](reinterpret_cast<const std::byte*>(&bits), &out,
                                                    1);
    return double{out};
}

TEST(BfloatMatrix, anyTokenCount_matchesDouble) {
    const MatrixTile multiply = matrixTileBfloat();
    if (multiply == nullptr) GTEST_SKIP() << "no unit for matrices on this machine";
    constexpr std::int64_t kStride = 40;
    const KernelTable& kernels = bestKernels();
    for (const std::int64_t depth : {32, 96, 320})
        for (const std::int64_t tokens : {1, 7, 15, 16, 17, 31, 32, 33, 48, 63, 80})
            for (const int width : {32, 19})
                for (const TileStore store : {TileStore::Replace, TileStore::Accumulate}) {
                    SCOPED_TRACE(testing::Message() << depth << ' ' << tokens << ' ' << width);
                    const std::int64_t aStride = depth + 16;
                    const auto a = bfloats(static_cast<std::size_t>(tokens * aStride), 1);
                    const auto rows = bfloats(static_cast<std::size_t>(width * depth), 2);
                    std::vector<std::byte> panel(static_cast<std::size_t>(panelBytes(depth)));
                    kernels.packBfloat({.type = DType::BF16,
                                        .rows = reinterpret_cast<const std::byte*>(rows.data()),
                                        .rowStride = depth * 2,
                                        .columns = depth,
                                        .rowCount = width},
                                       panel.data());
                    std::vector<float> c(static_cast<std::size_t>(tokens * kStride), 0.5F);
                    multiply({.a = a.data(),
                              .aStride = aStride,
                              .panel = panel.data(),
                              .c = c.data(),
                              .cStride = kStride,
                              .depth = depth,
                              .tokens = tokens,
                              .width = width,
                              .store = store});
                    for (std::int64_t t = 0; t < tokens; ++t)
                        for (std::int64_t column = 0; column < kStride; ++column) {
                            double expected = store == TileStore::Accumulate ? 0.5 : 0;
                            if (column >= width) expected = 0.5;  // outside of the result
                            for (std::int64_t d = 0; column < width && d < depth; ++d)
                                expected +=
                                    numberOf(a[static_cast<std::size_t>(t * aStride + d)]) *
                                    numberOf(rows[static_cast<std::size_t>(column * depth + d)]);
                            ASSERT_NEAR(double{c[static_cast<std::size_t>(t * kStride + column)]},
                                        expected, 1e-3)
                                << t << ' ' << column;
                        }
                }
}

}  // namespace
}  // namespace lacuna::test
