// The plain reference for rows of rotated codes: one row after the other, float64 sums.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "engine/kernels/rotated_parts.h"
#include "engine/tensor/rotated_codes.h"

namespace lacuna {
namespace scalar {
namespace {

using Row = std::array<float, kMaxRotatedDim>;

std::span<const float> decodedRow(const RotatedRows& block, std::int64_t r, Row& space) {
    const std::span<float> row = std::span(space).first(static_cast<std::size_t>(block.columns));
    lacuna::decodeRotated(block.row(r), block.bits, row);
    return row;
}

void decodeRotated(const RotatedRows& block, float* out) noexcept {
    for (std::int64_t r = 0; r < block.count; ++r)
        lacuna::decodeRotated(block.row(r), block.bits,
                              {out + r * block.columns, static_cast<std::size_t>(block.columns)});
}

void dotManyRotated(const RotatedRows& block, const QueryRows& q) noexcept {
    Row space;
    for (std::int64_t r = 0; r < block.count; ++r) {
        const std::span<const float> row = decodedRow(block, r, space);
        for (int i = 0; i < q.count; ++i) {
            const float* query = q.queries + i * q.queryStride;
            double sum = 0;
            for (std::size_t c = 0; c < row.size(); ++c) sum += double{row[c]} * double{query[c]};
            q.weights[i * q.weightStride + r] = static_cast<float>(sum);
        }
    }
}

void addManyRotated(const RotatedRows& block, const QueryRows& q) noexcept {
    Row space;
    for (int i = 0; i < q.count; ++i) {
        const float* weights = q.weights + i * q.weightStride;
        float* sums = q.sums + i * q.sumStride;
        std::array<double, kMaxRotatedDim> total;
        for (std::int64_t c = 0; c < block.columns; ++c)
            total[static_cast<std::size_t>(c)] = double{sums[c]};
        for (std::int64_t r = 0; r < block.count; ++r) {
            const std::span<const float> row = decodedRow(block, r, space);
            for (std::size_t c = 0; c < row.size(); ++c)
                total[c] += double{weights[r]} * double{row[c]};
        }
        for (std::int64_t c = 0; c < block.columns; ++c)
            sums[c] = static_cast<float>(total[static_cast<std::size_t>(c)]);
    }
}

}  // namespace
}  // namespace scalar

const float* rotatedCodebook(int bits) noexcept {
    return codeCentroids(bits).data();
}

namespace {

/// The largest level is one of 64 to 127: finer ones lose less, and some meet the others better.
ByteCodebook bytesOf(int bits) {
    const std::span<const float> centroids = codeCentroids(bits);
    const double top = double{centroids.back()};
    ByteCodebook book{};
    double least = std::numeric_limits<double>::infinity();
    for (int largest = 127; largest >= 64; --largest) {
        const double step = top / largest;
        double lost = 0;
        for (const float c : centroids)
            lost = std::max(lost, std::fabs(double{c} - step * std::round(double{c} / step)));
        if (lost >= least) continue;
        least = lost;
        book.step = static_cast<float>(step);
        for (std::size_t k = 0; k < centroids.size(); ++k)
            book.levels[k] =
                static_cast<std::uint8_t>(128 + std::lround(double{centroids[k]} / step));
    }
    return book;
}

WideCodebook wordsOf(int bits) {
    constexpr int kLargest = 127 * 256;
    const std::span<const float> centroids = codeCentroids(bits);
    const double step = double{centroids.back()} / kLargest;
    WideCodebook book{};
    book.step = static_cast<float>(step);
    for (std::size_t k = 0; k < centroids.size(); ++k) {
        const long level = std::lround(double{centroids[k]} / step) + 128 * 256;
        book.high[k] = static_cast<std::uint8_t>(level / 256);
        book.low[k] = static_cast<std::uint8_t>(level % 256);
    }
    return book;
}

}  // namespace

const WideCodebook& wideCodebook(int bits) noexcept {
    static const std::array<WideCodebook, 3> books{wordsOf(6), wordsOf(7), wordsOf(8)};
    return books[static_cast<std::size_t>(bits - 6)];
}

const ByteCodebook& byteCodebook(int bits) noexcept {
    static const std::array<ByteCodebook, 5> books{bytesOf(1), bytesOf(2), bytesOf(3), bytesOf(4),
                                                   bytesOf(5)};
    return books[static_cast<std::size_t>(bits - 1)];
}

void fillScalarRotatedKernels(KernelTable& table) noexcept {
    table.decodeRotated = scalar::decodeRotated;
    table.dotManyRotated = scalar::dotManyRotated;
    table.addManyRotated = scalar::addManyRotated;
    table.dotManyRotatedFast = scalar::dotManyRotated;
    table.addManyRotatedFast = scalar::addManyRotated;
}

}  // namespace lacuna
