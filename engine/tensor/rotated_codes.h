#pragma once
/// \file
/// Rows of rotated codes, plainly: the format and the oracle of the kernels. A row that an
/// orthogonal rotation spread is nearly normal, so each coordinate takes the nearest centroid of
/// one codebook, and the row one scale: element = scale * centroid[code]. docs/number-formats.md,
/// "Rotated codes". Zandieh et al. 2025 (arXiv 2504.19874); scales of Vargaftik et al. 2022 (EDEN).
/// Pure functions, any thread.

#include <cstddef>
#include <cstdint>
#include <span>

namespace lacuna {

inline constexpr int kMaxCodeBits = 8;
/// The longest row that is coded.
inline constexpr int kMaxRotatedDim = 1024;

/// Codebook of Lloyd and Max for N(0, 1): 2^bits centroids, ascending and symmetric.
/// @pre 1 <= bits <= kMaxCodeBits
[[nodiscard]] std::span<const float> codeCentroids(int bits);
/// The 2^bits - 1 borders between neighbouring centroids, ascending: a number on a border belongs
/// to the lower one.
[[nodiscard]] std::span<const float> codeThresholds(int bits);

/// How long the decoded row is, for a unit row y (times sqrt(d)) and its centroids c.
enum class CodeScale {
    Plain,         ///< the row's length over sqrt(d): shrinks dot products
    Preserve,      ///< the decoded row is as long as the row
    LeastSquares,  ///< smallest squared error: <y, c> / <c, c>
    Unbiased,      ///< <row, decoded row> = <row, row>: d / <y, c>
};

/// Mean squared error of a normal number of variance 1 in codes of so many bits: what Lloyd's
/// codebook leaves. @pre 1 <= bits <= kMaxCodeBits
[[nodiscard]] double codeError(int bits);

/// Planes of a code, lowest bits first: the binary digits of `bits`. 3 = 2 + 1, 7 = 4 + 2 + 1, 8 is
/// one plane of bytes. Plane of 4: byte i holds coordinates i and i + n, n = ceil(dim / 2), lower
/// bits first; plane of 2: i, i + n, i + 2n, i + 3n, n = ceil(dim / 4); plane of 1: bit i % 8 of
/// byte i / 8. Bits that belong to no coordinate are 0.
[[nodiscard]] constexpr std::size_t codePlaneBytes(int width, int dim) {
    return (static_cast<std::size_t>(dim) * static_cast<std::size_t>(width) + 7) / 8;
}
/// Bytes of all planes: the scale, an f16, follows them.
[[nodiscard]] constexpr std::size_t rotatedCodeBytes(int bits, int dim) {
    std::size_t bytes = 0;
    for (int width = 8; width >= 1; width /= 2)
        if ((bits & width) != 0) bytes += codePlaneBytes(width, dim);
    return bytes;
}
/// Bytes of a row: dim * bits / 8 + 2 where 8 divides dim (3 bits at 128: 50); elsewhere the last
/// byte of a plane is padded.
[[nodiscard]] constexpr std::size_t rotatedRowBytes(int bits, int dim) {
    return rotatedCodeBytes(bits, dim) + 2;
}

/// `row` is rotated already; its coordinates are multiplied with `range` where their places in the
/// codebook are sought, and nowhere else. A zero row gives a zero one. A row with a number that is
/// not finite reads back as not a number. The scale saturates at the largest f16.
/// @pre row.size() <= kMaxRotatedDim; `out` holds rotatedRowBytes(bits, row.size())
void encodeRotated(std::span<const float> row, int bits, CodeScale scale, std::byte* out,
                   float range = 1.0F);

/// Sums over a row in float64, in an order that vectors can keep: coordinate i is added to lane
/// i % 16, then lane i gets lane i + 8, and so on to one. The bytes of a row depend on it.
inline constexpr std::size_t kCodeLanes = 16;
[[nodiscard]] double sumOfCodeLanes(const double* lanes) noexcept;
/// What is found of a row before its codes are chosen.
struct RowSpread {
    bool codes = false;      ///< it has some; else they are 0 and `half` is the scale
    std::uint16_t half = 0;  ///< f16: zero, or not a number
    double spread = 0;       ///< length over sqrt(dim)
    double inverse = 0;      ///< of the spread
};
[[nodiscard]] RowSpread rowSpread(double square, int dim) noexcept;
/// The f16 that stands for the scale of a row: `together` is <y, c>, `codeSquare` <c, c>.
[[nodiscard]] std::uint16_t rowScale(CodeScale scale, int dim, double spread, double together,
                                     double codeSquare) noexcept;

/// In the rotated basis. Any bytes are a row.
void decodeRotated(const std::byte* row, int bits, std::span<float> out);

}  // namespace lacuna
