// Rows of rotated codes: every table against the plain decoder, and no table reads outside of the
// block.

#include "engine/kernels/rotated_rows.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "engine/base/half.h"
#include "engine/tensor/rotated_codes.h"
#include "tests/engine/kernels/kernel_fixtures.h"

namespace lacuna::test {
namespace {

constexpr int kColumns[] = {32, 34, 36, 42, 64, 72, 80, 96, 112, 126, 128, 160, 192, 256, 576};

/// Pages followed by an inaccessible guard page.
class GuardedPages {
  public:
    explicit GuardedPages(std::size_t bytes) {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        whole_ = (bytes + page - 1) / page * page + page;
        void* at =
            mmap(nullptr, whole_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        EXPECT_NE(at, MAP_FAILED);
        memory_ = static_cast<std::byte*>(at);
        end_ = memory_ + whole_ - page;
        EXPECT_EQ(mprotect(end_, page, PROT_NONE), 0);
    }
    ~GuardedPages() { munmap(memory_, whole_); }
    GuardedPages(const GuardedPages&) = delete;
    GuardedPages& operator=(const GuardedPages&) = delete;
    /// The last `bytes` bytes before the guard.
    [[nodiscard]] std::byte* last(std::size_t bytes) const { return end_ - bytes; }

  private:
    std::size_t whole_ = 0;
    std::byte* memory_ = nullptr;
    std::byte* end_ = nullptr;
};

/// Random bytes with small scales, `gap` bytes between rows, the last row at the end of the pages.
struct Block {
    GuardedPages pages;
    RotatedRows rows;

    Block(std::int64_t count, int columns, int bits, std::int64_t gap)
        : pages(static_cast<std::size_t>(count) *
                (rotatedRowBytes(bits, columns) + static_cast<std::size_t>(gap))) {
        const std::size_t bytes = rotatedRowBytes(bits, columns);
        const auto stride = static_cast<std::int64_t>(bytes) + gap;
        const auto size = static_cast<std::size_t>((count - 1) * stride) + bytes;
        std::byte* at = pages.last(size);
        RandomStream random(static_cast<std::uint64_t>(columns * 64 + bits), 3);
        for (std::size_t i = 0; i < size; ++i) at[i] = static_cast<std::byte>(random.bits() & 255U);
        for (std::int64_t r = 0; r < count; ++r) {
            const std::uint16_t half = floatToHalf(static_cast<float>(0.02 + random.uniform()));
            std::memcpy(at + r * stride + bytes - 2, &half, 2);
        }
        rows = {at, stride, count, columns, bits};
    }
};

std::vector<float> decodedBy(const KernelTable& kernels, const RotatedRows& block) {
    std::vector<float> out(static_cast<std::size_t>(block.count * block.columns) + 1, 99.0F);
    kernels.decodeRotated(block, out.data());
    EXPECT_EQ(out.back(), 99.0F);
    out.pop_back();
    return out;
}

class RotatedRowsByTable : public EveryKernelTable {};

TEST_P(RotatedRowsByTable, decode_anyFormat_equalsThePlainDecoder) {
    for (int bits = 1; bits <= kMaxCodeBits; ++bits)
        for (const int columns : kColumns)
            for (const std::int64_t gap : {0, 3, 70}) {
                const Block block(13, columns, bits, gap);
                const auto found = decodedBy(kernels(), block.rows);
                std::vector<float> expected(static_cast<std::size_t>(columns));
                for (std::int64_t r = 0; r < block.rows.count; ++r) {
                    decodeRotated(block.rows.row(r), bits, expected);
                    for (std::size_t c = 0; c < expected.size(); ++c)
                        ASSERT_EQ(found[static_cast<std::size_t>(r * columns) + c], expected[c])
                            << bits << " bits, row " << r << " of " << columns << ", " << c;
                }
            }
}

TEST_P(RotatedRowsByTable, decodeToBfloat_anyFormat_roundsTheDecodedRowOnce) {
    if (kernels().decodeRotatedBfloat == nullptr) GTEST_SKIP() << "no products of bfloat16";
    for (int bits = 1; bits <= kMaxCodeBits; ++bits)
        for (const int columns : kColumns)
            for (const std::int64_t gap : {0, 3, 70}) {
                const Block block(13, columns, bits, gap);
                const auto floats = decodedBy(kernels(), block.rows);
                std::vector<std::uint16_t> expected(floats.size() + 1, 99);
                oracle().toBfloat(floats.data(), expected.data(),
                                  static_cast<std::int64_t>(floats.size()));
                std::vector<std::uint16_t> found(floats.size() + 1, 99);
                kernels().decodeRotatedBfloat(block.rows, found.data());
                ASSERT_EQ(found, expected) << bits << " bits of " << columns;
            }
}

/// Rows of every kind to be encoded, the last one at the end of the pages.
struct Encoding {
    static constexpr int kRows = 9;
    GuardedPages from;
    GuardedPages to;
    std::vector<float> largest;
    RotatedEncoding job;

    Encoding(int columns, int bits, std::int64_t gap)
        : from(static_cast<std::size_t>(kRows * (columns + gap)) * sizeof(float)),
          to(static_cast<std::size_t>(kRows) *
             (rotatedRowBytes(bits, columns) + static_cast<std::size_t>(gap))),
          largest(kRows + 1, -1.0F) {
        const std::int64_t stride = columns + gap;
        const auto floats = static_cast<std::size_t>((kRows - 1) * stride + columns);
        auto* rows = reinterpret_cast<float*>(from.last(floats * sizeof(float)));
        const auto numbers = randomFloats(floats, static_cast<std::uint64_t>(columns * 8 + bits));
        std::ranges::copy(numbers, rows);
        const auto row = [&](int r) {
            return std::span(rows + r * stride, static_cast<std::size_t>(columns));
        };
        std::ranges::fill(row(1), 0.0F);
        std::ranges::fill(row(2), 0.0F);
        row(2).back() = -3.0F;  // the entire length in one coordinate
        for (float& x : row(3)) x *= 1e-25F;
        for (float& x : row(4)) x *= 1e30F;
        row(5)[static_cast<std::size_t>(columns / 2)] = std::numeric_limits<float>::quiet_NaN();
        row(6).back() = -std::numeric_limits<float>::infinity();
        for (float& x : row(7)) x *= 3000.0F;
        const auto bytes = static_cast<std::int64_t>(rotatedRowBytes(bits, columns));
        const auto size = static_cast<std::size_t>((kRows - 1) * (bytes + gap) + bytes);
        std::byte* const codes = to.last(size);
        std::fill_n(codes, size, std::byte{0xA5});
        job = {.rows = rows,
               .rowStride = stride,
               .count = kRows,
               .columns = columns,
               .bits = bits,
               .codes = codes,
               .codeStride = bytes + gap,
               .largest = largest.data()};
    }
    [[nodiscard]] std::vector<std::byte> coded(const KernelTable& kernels) const {
        kernels.encodeRotated(job);
        const auto bytes =
            static_cast<std::int64_t>(rotatedRowBytes(job.bits, static_cast<int>(job.columns)));
        return {job.codes, job.codes + (kRows - 1) * job.codeStride + bytes};
    }
};

TEST_P(RotatedRowsByTable, encode_anyFormatAndRow_givesTheBytesOfThePlainEncoder) {
    for (int bits = 1; bits <= kMaxCodeBits; ++bits)
        for (const int columns : kColumns)
            for (const std::int64_t gap : {0, 3})
                for (const CodeScale scale : {CodeScale::Plain, CodeScale::Preserve,
                                              CodeScale::LeastSquares, CodeScale::Unbiased}) {
                    Encoding expected(columns, bits, gap);
                    Encoding found(columns, bits, gap);
                    expected.job.scale = found.job.scale = scale;
                    expected.job.range = found.job.range = gap == 0 ? 1.0F : 1.17F;
                    ASSERT_EQ(found.coded(kernels()), expected.coded(oracle()))
                        << bits << " bits of " << columns << ", gap " << gap;
                    ASSERT_EQ(found.largest, expected.largest);
                    EXPECT_EQ(found.largest.back(), -1.0F);
                }
}

// A number on a border belongs to the lower centroid, at any index of a vector.
TEST_P(RotatedRowsByTable, encode_valuesOnCellBoundaries_keepTheirSide) {
    for (int bits = 1; bits <= kMaxCodeBits; ++bits) {
        const std::span<const float> borders = codeThresholds(bits);
        std::vector<float> row(256);
        for (std::size_t i = 0; i < row.size(); ++i) row[i] = borders[i % borders.size()];
        row[0] = 0.0F;
        double square = 0;
        for (const float x : row) square += double{x} * double{x};
        const double spread = std::sqrt(square / 256);
        std::vector<std::byte> expected(rotatedRowBytes(bits, 256));
        std::vector<std::byte> found(expected.size());
        // The range removes the factor that the length of the row adds.
        RotatedEncoding job{.rows = row.data(),
                            .rowStride = 256,
                            .count = 1,
                            .columns = 256,
                            .bits = bits,
                            .range = static_cast<float>(spread),
                            .codes = expected.data()};
        oracle().encodeRotated(job);
        job.codes = found.data();
        kernels().encodeRotated(job);
        EXPECT_EQ(found, expected) << bits;
    }
}

TEST_P(RotatedRowsByTable, transform_everyPowerOfTwo_equalsThePlainOneBitForBit) {
    for (std::int64_t n = 32; n <= 512; n *= 2) {
        const auto row = randomFloats(static_cast<std::size_t>(n) + 1, 3);
        const auto signs = randomFloats(static_cast<std::size_t>(n), 4);
        for (const auto which : {&KernelTable::signThenHadamard, &KernelTable::hadamardThenSign}) {
            auto expected = row;
            auto apart = row;
            auto inPlace = row;
            (oracle().*which)(row.data(), signs.data(), expected.data(), n);
            (kernels().*which)(row.data(), signs.data(), apart.data(), n);
            (kernels().*which)(inPlace.data(), signs.data(), inPlace.data(), n);
            EXPECT_EQ(apart, expected) << n;
            EXPECT_EQ(inPlace, expected) << n;
        }
    }
}

/// Weights and query products, with a stride and slack that no kernel may write to.
struct Products {
    std::vector<float> x;
    std::vector<float> weights;
    std::vector<float> sums;
    QueryRows q;

    Products(int queries, std::int64_t rows, std::int64_t columns) {
        const auto n = static_cast<std::size_t>(queries);
        x = randomFloats(n * static_cast<std::size_t>(columns + 5), 4);
        weights = randomFloats(n * static_cast<std::size_t>(rows + 3), 6);
        sums = randomFloats(n * static_cast<std::size_t>(columns + 7), 5);
        q = {.queries = x.data(),
             .queryStride = columns + 5,
             .weights = weights.data(),
             .weightStride = rows + 3,
             .sums = sums.data(),
             .sumStride = columns + 7,
             .count = queries};
    }
};

TEST_P(RotatedRowsByTable, dotAndAdd_anyFormatAndQueries_equalScalar) {
    for (int bits = 1; bits <= kMaxCodeBits; ++bits)
        for (const int columns : kColumns)
            for (const std::int64_t count : {1, 4, 9, 37})
                for (const int queries : {1, 2, 3, 4, 7}) {
                    if (columns != 64 && columns != 128 && queries != 7) continue;
                    const Block block(count, columns, bits, count == 9 ? 5 : 0);
                    Products expected(queries, count, columns);
                    Products found(queries, count, columns);
                    oracle().addManyRotated(block.rows, expected.q);
                    kernels().addManyRotated(block.rows, found.q);
                    const std::vector<double> sums(expected.sums.begin(), expected.sums.end());
                    expectNear(found.sums, sums, 1e-5);
                    oracle().dotManyRotated(block.rows, expected.q);
                    kernels().dotManyRotated(block.rows, found.q);
                    const std::vector<double> dots(expected.weights.begin(),
                                                   expected.weights.end());
                    expectNear(found.weights, dots, 1e-5);
                }
}

/// Upper bounds of the rounding errors. Up to 5 bits centroids and queries have 8 bits of their
/// maximum; weights have 16 bits of the maximum of 64 rows, up to 4 bits only 8 with the remainder
/// carried to the next row. From 6 bits on all have 16, and the omitted product of the lower bytes
/// costs as much as another rounding.
struct Rounding {
    explicit Rounding(int bits) : largest(double{codeCentroids(bits).back()}) {
        constexpr double kBytes = 1.001 / 254;
        constexpr double kWords = 1.001 / 65024;
        ofCentroid = largest * (bits <= 5 ? kBytes : kWords);
        ofQuery = bits <= 5 ? kBytes : 2.1 * kWords;
        ofWeight = bits <= 4 ? kBytes : bits == 5 ? kWords : 2.1 * kWords;
    }
    double largest;
    double ofCentroid;  ///< error of each centroid
    double ofQuery;     ///< error of a query, relative to its largest number
    double ofWeight;    ///< error of a weight, relative to the largest
};

double largestOf(const float* x, std::int64_t n) {
    double largest = 0;
    for (std::int64_t i = 0; i < n; ++i) largest = std::max(largest, std::fabs(double{x[i]}));
    return largest;
}

TEST_P(RotatedRowsByTable, fastDotAndAdd_anyFormatAndQueries_areWithinTheirRounding) {
    for (int bits = 1; bits <= kMaxCodeBits; ++bits)
        for (const int columns : kColumns)
            for (const std::int64_t count : {1, 3, 4, 70, 130})
                for (const int queries : {1, 2, 3, 4, 7, 13}) {
                    if (((columns != 64 && columns != 128) || count > 70) && queries != 7) continue;
                    // Softmax weights are not negative, which some tables rely on.
                    const bool positive = count != 4 && (bits + queries) % 4 != 0;
                    const Block block(count, columns, bits, count == 3 ? 5 : 0);
                    const Rounding rounding(bits);
                    std::vector<double> scales;
                    for (std::int64_t r = 0; r < count; ++r) {
                        std::uint16_t half = 0;
                        std::memcpy(&half, block.rows.row(r) + rotatedRowBytes(bits, columns) - 2,
                                    2);
                        scales.push_back(double{halfToFloat(half)});
                    }
                    Products expected(queries, count, columns);
                    Products found(queries, count, columns);
                    if (positive)
                        for (Products* p : {&expected, &found})
                            for (float& w : p->weights) w = std::fabs(w);
                    oracle().addManyRotated(block.rows, expected.q);
                    kernels().addManyRotatedFast(block.rows, found.q);
                    for (int i = 0; i < queries; ++i) {
                        const float* weights = found.q.weights + i * found.q.weightStride;
                        double bound = 1e-4;
                        for (std::int64_t first = 0; first < count; first += 64) {
                            const std::int64_t end = std::min<std::int64_t>(count, first + 64);
                            double sum = 0;
                            double top = 0;
                            for (std::int64_t r = first; r < end; ++r) {
                                const double w = std::fabs(double{weights[r]}) *
                                                 scales[static_cast<std::size_t>(r)];
                                sum += w;
                                top = std::max(top, w);
                            }
                            bound += sum * rounding.ofCentroid + static_cast<double>(end - first) *
                                                                     top * rounding.ofWeight *
                                                                     rounding.largest;
                        }
                        for (int c = 0; c < columns; ++c)
                            ASSERT_NEAR(double{found.q.sums[i * found.q.sumStride + c]},
                                        double{expected.q.sums[i * expected.q.sumStride + c]},
                                        bound)
                                << bits << " bits of " << columns << ", query " << i;
                    }
                    oracle().dotManyRotated(block.rows, expected.q);
                    kernels().dotManyRotatedFast(block.rows, found.q);
                    for (int i = 0; i < queries; ++i) {
                        const float* x = found.q.queries + i * found.q.queryStride;
                        double sum = 0;
                        for (int c = 0; c < columns; ++c) sum += std::fabs(double{x[c]});
                        const double bound =
                            (sum * rounding.ofCentroid + columns * largestOf(x, columns) *
                                                             rounding.ofQuery * rounding.largest) +
                            1e-4;
                        for (std::int64_t r = 0; r < count; ++r)
                            ASSERT_NEAR(double{found.q.weights[i * found.q.weightStride + r]},
                                        double{expected.q.weights[i * expected.q.weightStride + r]},
                                        bound * scales[static_cast<std::size_t>(r)])
                                << bits << " bits of " << columns << ", query " << i;
                    }
                    // Elements outside of the result stay unchanged.
                    EXPECT_EQ(found.sums.back(), expected.sums.back());
                    EXPECT_EQ(found.weights.back(), expected.weights.back());
                }
}

// The bounds above are worst cases. The mean rounding error is far below the error of the codes.
TEST_P(RotatedRowsByTable, fastDot_normalQueries_errsByAtMostOnePercent) {
    for (int bits = 1; bits <= kMaxCodeBits; ++bits) {
        const Block block(64, 128, bits, 0);
        Products expected(4, 64, 128);
        Products found(4, 64, 128);
        oracle().dotManyRotated(block.rows, expected.q);
        kernels().dotManyRotatedFast(block.rows, found.q);
        double square = 0;
        double error = 0;
        for (std::size_t i = 0; i < found.weights.size(); ++i) {
            square += std::pow(double{expected.weights[i]}, 2);
            error += std::pow(double{found.weights[i]} - double{expected.weights[i]}, 2);
        }
        EXPECT_LT(error, 1e-4 * square) << bits;
    }
}

// Each small weight would round to zero separately; together they are a fifth.
TEST_P(RotatedRowsByTable, fastAdd_manySmallWeights_addUp) {
    constexpr int kRows = 128;
    for (int bits = 1; bits <= kMaxCodeBits; ++bits) {
        const Block block(kRows, 128, bits, 0);
        const std::size_t bytes = rotatedRowBytes(bits, 128);
        auto* const rows = const_cast<std::byte*>(block.rows.rows);
        for (std::size_t r = 1; r < kRows; ++r) std::memcpy(rows + r * bytes, rows, bytes);
        Products expected(2, kRows, 128);
        Products found(2, kRows, 128);
        for (Products* p : {&expected, &found}) {
            std::ranges::fill(p->sums, 0.0F);
            std::ranges::fill(p->weights, 0.0019F);
            p->q.weights[40] = 1.0F;
        }
        oracle().addManyRotated(block.rows, expected.q);
        kernels().addManyRotatedFast(block.rows, found.q);
        for (int c = 0; c < 128; ++c)
            ASSERT_NEAR(found.sums[static_cast<std::size_t>(c)],
                        expected.sums[static_cast<std::size_t>(c)],
                        0.008 * std::fabs(double{codeCentroids(bits).back()}))
                << bits << " bits, " << c;
    }
}

TEST_P(RotatedRowsByTable, nonFiniteRow_staysVisible) {
    for (int bits = 1; bits <= kMaxCodeBits; ++bits) {
        const Block block(6, 64, bits, 0);
        std::vector<float> row(64, 1.0F);
        row[3] = std::numeric_limits<float>::infinity();
        encodeRotated(row, bits, CodeScale::Unbiased, const_cast<std::byte*>(block.rows.row(4)));
        for (const bool fast : {false, true}) {
            Products found(2, 6, 64);
            const auto dotMany = fast ? kernels().dotManyRotatedFast : kernels().dotManyRotated;
            const auto addMany = fast ? kernels().addManyRotatedFast : kernels().addManyRotated;
            dotMany(block.rows, found.q);
            for (int i = 0; i < 2; ++i)
                for (int r = 0; r < 6; ++r)
                    EXPECT_EQ(std::isnan(found.q.weights[i * found.q.weightStride + r]), r == 4);
            std::ranges::fill(found.weights, 1.0F);
            addMany(block.rows, found.q);
            for (int c = 0; c < 64; ++c) EXPECT_TRUE(std::isnan(found.q.sums[c]));
        }
    }
}

TEST_P(RotatedRowsByTable, nonFiniteQuery_staysVisible_andZerosGiveZeros) {
    for (int bits = 1; bits <= kMaxCodeBits; ++bits) {
        const Block block(6, 64, bits, 0);
        Products found(2, 6, 64);
        std::fill_n(found.x.begin(), 64, 0.0F);
        found.x[static_cast<std::size_t>(found.q.queryStride) + 9] =
            std::numeric_limits<float>::quiet_NaN();
        kernels().dotManyRotatedFast(block.rows, found.q);
        for (int r = 0; r < 6; ++r) {
            EXPECT_EQ(found.q.weights[r], 0.0F);
            EXPECT_TRUE(std::isnan(found.q.weights[found.q.weightStride + r]));
        }
        std::fill_n(found.weights.begin(), found.weights.size(), 0.0F);
        const auto before = found.sums;
        kernels().addManyRotatedFast(block.rows, found.q);
        EXPECT_EQ(found.sums, before);
    }
}

INSTANTIATE_TEST_SUITE_P(Tables, RotatedRowsByTable, ::testing::ValuesIn(tableNames()),
                         tableTestName);

}  // namespace
}  // namespace lacuna::test
