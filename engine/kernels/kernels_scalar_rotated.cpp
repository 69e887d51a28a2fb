// The plain reference for rows of rotated codes: one row after the other, float64 sums.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

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

void encodeRotated(const RotatedEncoding& job) noexcept {
    for (std::int64_t r = 0; r < job.count; ++r) {
        const std::span<const float> row{job.rows + r * job.rowStride,
                                         static_cast<std::size_t>(job.columns)};
        lacuna::encodeRotated(row, job.bits, job.scale, job.codes + r * job.codeStride, job.range);
        if (job.largest == nullptr) continue;
        float largest = 0;
        for (const float x : row)
            largest = std::max(
                largest, std::isfinite(x) ? std::fabs(x) : std::numeric_limits<float>::infinity());
        job.largest[r] = largest;
    }
}

void hadamard(float* x, std::int64_t n) noexcept {
    for (std::int64_t step = 1; step < n; step *= 2)
        for (std::int64_t i = 0; i < n; i += 2 * step)
            for (std::int64_t j = i; j < i + step; ++j) {
                const float a = x[j];
                const float b = x[j + step];
                x[j] = a + b;
                x[j + step] = a - b;
            }
}

void signThenHadamard(const float* in, const float* signs, float* out, std::int64_t n) noexcept {
    for (std::int64_t i = 0; i < n; ++i) out[i] = signs[i] * in[i];
    hadamard(out, n);
}

void hadamardThenSign(const float* in, const float* signs, float* out, std::int64_t n) noexcept {
    std::copy_n(in, out == in ? 0 : n, out);
    hadamard(out, n);
    for (std::int64_t i = 0; i < n; ++i) out[i] *= signs[i];
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

/// Places the sorted borders in the subtree of node `at`.
void plant(std::span<const float> sorted, std::size_t at, std::vector<float>& tree) {
    if (sorted.empty()) return;
    const std::size_t middle = sorted.size() / 2;
    tree[at] = sorted[middle];
    plant(sorted.first(middle), 2 * at, tree);
    plant(sorted.subspan(middle + 1), 2 * at + 1, tree);
}

std::vector<float> bordersOf(int bits) {
    std::vector<float> tree(std::size_t{1} << bits, 0.0F);
    plant(codeThresholds(bits), 1, tree);
    return tree;
}

}  // namespace

const float* rotatedBorders(int bits) noexcept {
    static const std::array<std::vector<float>, kMaxCodeBits> trees{
        bordersOf(1), bordersOf(2), bordersOf(3), bordersOf(4),
        bordersOf(5), bordersOf(6), bordersOf(7), bordersOf(8)};
    return trees[static_cast<std::size_t>(bits - 1)].data();
}

namespace {

/// Returns the byte codebook with the least error, with a largest level of 64 to 127: a coarser
/// step sometimes matches the centroids better.
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
    table.encodeRotated = scalar::encodeRotated;
    table.signThenHadamard = scalar::signThenHadamard;
    table.hadamardThenSign = scalar::hadamardThenSign;
    table.dotManyRotated = scalar::dotManyRotated;
    table.addManyRotated = scalar::addManyRotated;
    table.dotManyRotatedFast = scalar::dotManyRotated;
    table.addManyRotatedFast = scalar::addManyRotated;
}

}  // namespace lacuna
