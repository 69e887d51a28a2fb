#include "engine/tensor/rotated_codes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/half.h"

namespace lacuna {
namespace {

constexpr std::size_t kRowSpace = kMaxRotatedDim;
constexpr float kLargestHalf = 65504.0F;
constexpr std::uint16_t kNotANumberHalf = 0x7E00;
constexpr double kZeroLength = 1e-20;  // shorter rows count as zero

// Upper halves of the published codebooks, ascending.
constexpr std::array<double, 1> kOneBit{0.797885};
constexpr std::array<double, 2> kTwoBits{0.452780, 1.510418};
constexpr std::array<double, 4> kThreeBits{0.245094, 0.756005, 1.343909, 2.151946};
constexpr std::array<double, 8> kFourBits{0.128395, 0.388048, 0.656759, 0.942340,
                                          1.256231, 1.618046, 2.069017, 2.732590};
constexpr std::array<double, 16> kFiveBits{
    0.065890, 0.198052, 0.331378, 0.466700, 0.604934, 0.747136, 0.894565, 1.048783,
    1.211804, 1.386340, 1.576228, 1.787233, 2.028728, 2.317739, 2.691120, 3.260732};

double density(double x) {
    return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
}

/// Returns the probability of more than x.
double above(double x) {
    return std::erfc(x / std::numbers::sqrt2) / 2;
}

/// Returns the x with above(x) = p, by bisection.
double quantileAbove(double p) {
    double low = 0;
    double high = 12;
    for (int i = 0; i < 100; ++i) {
        const double middle = (low + high) / 2;
        (above(middle) > p ? low : high) = middle;
    }
    return low;
}

/// Returns the upper half of the codebook of `count` positive centroids: the fixed point of Lloyd's
/// iteration, in which each centroid is the mean of its cell and each border the middle of two
/// centroids. Newton steps find it to the last digits, whereas the iteration itself converges
/// slowly. They start from the optimal density for many cells, that of N(0, 3) (Panter & Dite
/// 1951).
std::vector<double> fixedPoint(std::size_t count) {
    std::vector<double> centroids(count);
    for (std::size_t k = 0; k < count; ++k) {
        const double share = (static_cast<double>(k) + 0.5) / static_cast<double>(count);
        centroids[k] = std::numbers::sqrt3 * quantileAbove(0.5 * (1 - share));
    }
    std::vector<double> upper(count);  // upper diagonal of the tridiagonal system after elimination
    std::vector<double> change(count);  // its right-hand side, then its solution
    constexpr int kSteps = 60;
    for (int step = 0; step < kSteps; ++step) {
        for (std::size_t k = 0; k < count; ++k) {
            const double c = centroids[k];
            const double low = k == 0 ? 0 : (centroids[k - 1] + c) / 2;
            const bool last = k + 1 == count;
            const double high = last ? 0 : (c + centroids[k + 1]) / 2;
            const double densityHigh = last ? 0 : density(high);
            const double mass = above(low) - (last ? 0 : above(high));
            const double mean = (density(low) - densityHigh) / mass;
            // Derivative of the mean by its borders, which move by half of each neighbouring
            // centroid.
            const double byLow = k == 0 ? 0 : density(low) * (mean - low) / mass / 2;
            const double byHigh = last ? 0 : densityHigh * (high - mean) / mass / 2;
            const double pivot = 1 - byLow - byHigh + (k == 0 ? 0 : byLow * upper[k - 1]);
            upper[k] = -byHigh / pivot;
            change[k] = (mean - c + (k == 0 ? 0 : byLow * change[k - 1])) / pivot;
        }
        double largest = 0;
        for (std::size_t k = count; k-- > 0;) {
            if (k + 1 < count) change[k] -= upper[k] * change[k + 1];
            centroids[k] += change[k];
            largest = std::max(largest, std::fabs(change[k]));
        }
        if (largest < 1e-12) break;
    }
    return centroids;
}

/// A codebook and a grid that finds the code of a number in two comparisons.
class Codebook {
  public:
    explicit Codebook(std::span<const double> upperHalf) {
        const std::size_t half = upperHalf.size();
        centroids_.resize(2 * half);
        for (std::size_t k = 0; k < half; ++k) {
            centroids_[half + k] = static_cast<float>(upperHalf[k]);
            centroids_[half - 1 - k] = -centroids_[half + k];
        }
        for (std::size_t k = 0; k + 1 < 2 * half; ++k)
            thresholds_.push_back(static_cast<float>(
                (static_cast<double>(centroids_[k]) + static_cast<double>(centroids_[k + 1])) / 2));
        makeGrid();
    }
    [[nodiscard]] std::span<const float> centroids() const { return centroids_; }
    [[nodiscard]] std::span<const float> thresholds() const {
        return std::span(thresholds_).first(centroids_.size() - 1);
    }
    /// Returns the number of borders below y. @pre y is finite
    [[nodiscard]] std::uint8_t codeOf(float y) const {
        const float clamped = std::min(std::max(y, -kReach), kReach);
        std::size_t code = grid_[static_cast<std::size_t>((clamped + kReach) * kCells)];
        code += y > thresholds_[code] ? 1 : 0;
        code += y > thresholds_[code] ? 1 : 0;
        return static_cast<std::uint8_t>(code);
    }

  private:
    static constexpr float kReach = 5.0F;    // beyond the last border of 8 bits
    static constexpr float kCells = 128.0F;  // per unit: at most two borders in a cell

    void makeGrid() {
        const auto cells = static_cast<std::size_t>(2 * kReach * kCells) + 1;
        for (std::size_t i = 0; i < cells; ++i) {
            // Slightly early, so that rounding of the index never skips a border.
            const float from = static_cast<float>(i) / kCells - kReach - 1e-5F;
            const auto below = std::ranges::lower_bound(thresholds_, from) - thresholds_.begin();
            grid_.push_back(static_cast<std::uint8_t>(below));
        }
        const float never = std::numeric_limits<float>::infinity();
        thresholds_.insert(thresholds_.end(), {never, never});
    }

    std::vector<float> centroids_;
    std::vector<float> thresholds_;  // followed by two that no number exceeds
    std::vector<std::uint8_t> grid_;
};

const Codebook& codebook(int bits) {
    LACUNA_REQUIRE(bits >= 1 && bits <= kMaxCodeBits, "codes have 1 to 8 bits");
    static const std::array<Codebook, kMaxCodeBits> books{
        Codebook(kOneBit),        Codebook(kTwoBits),       Codebook(kThreeBits),
        Codebook(kFourBits),      Codebook(kFiveBits),      Codebook(fixedPoint(32)),
        Codebook(fixedPoint(64)), Codebook(fixedPoint(128))};
    return books[static_cast<std::size_t>(bits - 1)];
}

/// Codes of a row, one per byte, followed by zeros, so that planes need no tail.
using Codes = std::array<std::uint8_t, kRowSpace + 8>;

/// Packs `width` bits of each code from `shift` on.
void packPlane(const Codes& codes, int width, int shift, std::size_t dim, std::uint8_t* out) {
    const std::size_t bytes = codePlaneBytes(width, static_cast<int>(dim));
    const auto mask = static_cast<unsigned>((1 << width) - 1);
    const std::size_t step = width == 1 ? 1 : bytes;
    for (std::size_t i = 0; i < bytes; ++i) {
        const std::size_t first = width == 1 ? 8 * i : i;
        unsigned byte = 0;
        for (int part = 0; part * width < 8; ++part) {
            const unsigned code = codes[first + static_cast<std::size_t>(part) * step];
            byte |= ((code >> shift) & mask) << (part * width);
        }
        out[i] = static_cast<std::uint8_t>(byte);
    }
}

void addPlane(const std::uint8_t* plane, int width, int shift, std::size_t dim, Codes& codes) {
    const std::size_t bytes = codePlaneBytes(width, static_cast<int>(dim));
    const auto mask = static_cast<unsigned>((1 << width) - 1);
    for (std::size_t i = 0; i < dim; ++i) {
        const std::size_t byte = width == 1 ? i / 8 : i % bytes;
        const std::size_t part = width == 1 ? i % 8 : i / bytes;
        const unsigned code = (plane[byte] >> (part * static_cast<unsigned>(width))) & mask;
        codes[i] = static_cast<std::uint8_t>(codes[i] | (code << shift));
    }
}

double scaleFactor(CodeScale scale, double dim, double together, double codeSquare) {
    switch (scale) {
        case CodeScale::Plain:
            break;
        case CodeScale::Preserve:
            return std::sqrt(dim / codeSquare);
        case CodeScale::LeastSquares:
            return together / codeSquare;
        case CodeScale::Unbiased:
            return dim / together;
    }
    return 1;
}

}  // namespace

std::span<const float> codeCentroids(int bits) {
    return codebook(bits).centroids();
}

std::span<const float> codeThresholds(int bits) {
    return codebook(bits).thresholds();
}

double sumOfCodeLanes(const double* lanes) noexcept {
    std::array<double, kCodeLanes> sums;
    std::copy_n(lanes, kCodeLanes, sums.begin());
    for (std::size_t half = kCodeLanes / 2; half > 0; half /= 2)
        for (std::size_t i = 0; i < half; ++i) sums[i] += sums[i + half];
    return sums[0];
}

RowSpread rowSpread(double square, int dim) noexcept {
    const double length = std::sqrt(square);
    if (!std::isfinite(length)) return {.half = kNotANumberHalf};
    if (length < kZeroLength) return {};
    const double spread = length / std::sqrt(static_cast<double>(dim));
    return {true, 0, spread, 1 / spread};
}

std::uint16_t rowScale(CodeScale scale, int dim, double spread, double together,
                       double codeSquare) noexcept {
    const double sigma = spread * scaleFactor(scale, dim, together, codeSquare);
    return floatToHalf(static_cast<float>(std::min(sigma, double{kLargestHalf})));
}

void encodeRotated(std::span<const float> row, int bits, CodeScale scale, std::byte* out,
                   float range) {
    LACUNA_REQUIRE(row.size() <= kRowSpace, "a coded row has 1024 numbers at most");
    const Codebook& book = codebook(bits);
    const auto dim = static_cast<int>(row.size());
    const std::size_t codeBytes = rotatedCodeBytes(bits, dim);
    const auto finish = [&](std::uint16_t half) { std::memcpy(out + codeBytes, &half, 2); };
    using Lanes = std::array<double, kCodeLanes>;
    Lanes squares{};
    for (std::size_t i = 0; i < row.size(); ++i)
        squares[i % kCodeLanes] += double{row[i]} * double{row[i]};
    const RowSpread found = rowSpread(sumOfCodeLanes(squares.data()), dim);
    if (!found.codes) {
        std::memset(out, 0, codeBytes);
        return finish(found.half);
    }
    const std::span<const float> centroids = book.centroids();
    Codes codes;
    std::memset(codes.data() + row.size(), 0, codes.size() - row.size());
    Lanes together{};
    Lanes codeSquares{};
    for (std::size_t i = 0; i < row.size(); ++i) {
        const double y = double{row[i]} * found.inverse;
        codes[i] = book.codeOf(static_cast<float>(y * double{range}));
        const double c = double{centroids[codes[i]]};
        together[i % kCodeLanes] += y * c;
        codeSquares[i % kCodeLanes] += c * c;
    }
    auto* plane = reinterpret_cast<std::uint8_t*>(out);
    int shift = 0;
    for (int width = 8; width >= 1; width /= 2) {
        if ((bits & width) == 0) continue;
        packPlane(codes, width, shift, row.size(), plane);
        plane += codePlaneBytes(width, dim);
        shift += width;
    }
    finish(rowScale(scale, dim, found.spread, sumOfCodeLanes(together.data()),
                    sumOfCodeLanes(codeSquares.data())));
}

void decodeRotated(const std::byte* row, int bits, std::span<float> out) {
    LACUNA_REQUIRE(out.size() <= kRowSpace, "a coded row has 1024 numbers at most");
    const std::span<const float> centroids = codeCentroids(bits);
    const auto dim = static_cast<int>(out.size());
    Codes codes;
    std::memset(codes.data(), 0, out.size());
    const auto* plane = reinterpret_cast<const std::uint8_t*>(row);
    int shift = 0;
    for (int width = 8; width >= 1; width /= 2) {
        if ((bits & width) == 0) continue;
        addPlane(plane, width, shift, out.size(), codes);
        plane += codePlaneBytes(width, dim);
        shift += width;
    }
    std::uint16_t half = 0;
    std::memcpy(&half, plane, 2);
    const float scale = halfToFloat(half);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = scale * centroids[codes[i]];
}

namespace {

/// Returns 1 - sum of p c^2, which holds because each centroid is the mean of its cell.
double errorOfCodebook(int bits) {
    const auto centroids = codeCentroids(bits);
    const auto borders = codeThresholds(bits);
    double held = 0, below = 0;
    for (std::size_t i = 0; i < centroids.size(); ++i) {
        const double upTo =
            i < borders.size() ? 0.5 * std::erfc(-double{borders[i]} / std::numbers::sqrt2) : 1;
        held += (upTo - below) * double{centroids[i]} * double{centroids[i]};
        below = upTo;
    }
    return 1 - held;
}

}  // namespace

double codeError(int bits) {
    static const std::array<double, kMaxCodeBits> kErrors = [] {
        std::array<double, kMaxCodeBits> errors{};
        for (int b = 1; b <= kMaxCodeBits; ++b)
            errors[static_cast<std::size_t>(b - 1)] = errorOfCodebook(b);
        return errors;
    }();
    return kErrors[static_cast<std::size_t>(bits - 1)];
}

}  // namespace lacuna
