#pragma once
/// \file
/// Rows of rotated codes: the format, and a plain implementation as the oracle of the kernels. The
/// coordinates of a row under an orthogonal rotation are nearly normal, so each takes the nearest
/// centroid of one codebook, and the row has one scale: element = scale * centroid[code].
/// docs/number-formats.md, "Rotated codes". Zandieh et al. 2025 (arXiv:2504.19874); scales of
/// Vargaftik et al. 2022 (EDEN). Pure functions, any thread.

#include <cstddef>
#include <cstdint>
#include <span>

namespace lacuna {

inline constexpr int kMaxCodeBits = 8;
/// Largest supported row length.
inline constexpr int kMaxRotatedDim = 1024;

/// Returns the Lloyd-Max codebook for N(0, 1): 2^bits centroids, ascending and symmetric. @pre 1 <=
/// bits <= kMaxCodeBits
[[nodiscard]] std::span<const float> codeCentroids(int bits);
/// Returns the 2^bits - 1 borders between neighbouring centroids, ascending: a number on a border
/// belongs to the lower one.
[[nodiscard]] std::span<const float> codeThresholds(int bits);

/// Length of the decoded row, for a unit row y (times sqrt(d)) and its centroids c.
enum class CodeScale {
    Plain,         ///< the row's length over sqrt(d): shrinks dot products
    Preserve,      ///< the decoded row is as long as the row
    LeastSquares,  ///< smallest squared error: <y, c> / <c, c>
    Unbiased,      ///< <row, decoded row> = <row, row>: d / <y, c>
};

/// Returns the mean squared error of a normal number of variance 1 in codes of `bits` bits. @pre 1
/// <= bits <= kMaxCodeBits
[[nodiscard]] double codeError(int bits);

/// Planes of a code, lowest bits first: the binary digits of `bits`. 3 = 2 + 1, 7 = 4 + 2 + 1, 8 is
/// one plane of bytes. Plane of 4: byte i holds coordinates i and i + n, n = ceil(dim / 2), lower
/// bits first; plane of 2: i, i + n, i + 2n, i + 3n, n = ceil(dim / 4); plane of 1: bit i % 8 of
/// byte i / 8. Bits that belong to no coordinate are 0.
[[nodiscard]] constexpr std::size_t codePlaneBytes(int width, int dim) {
    return (static_cast<std::size_t>(dim) * static_cast<std::size_t>(width) + 7) / 8;
}
/// Returns the bytes of all planes; the scale, an f16, follows them.
[[nodiscard]] constexpr std::size_t rotatedCodeBytes(int bits, int dim) {
    std::size_t bytes = 0;
    for (int width = 8; width >= 1; width /= 2)
        if ((bits & width) != 0) bytes += codePlaneBytes(width, dim);
    return bytes;
}
/// Returns the bytes of a row: dim * bits / 8 + 2 if 8 divides dim (3 bits at 128: 50); otherwise
/// the last byte of a plane is padded.
[[nodiscard]] constexpr std::size_t rotatedRowBytes(int bits, int dim) {
    return rotatedCodeBytes(bits, dim) + 2;
}

/// Encodes a row that is already rotated. Its coordinates are multiplied by `range` only for the
/// search of the codebook. A zero row decodes to zeros, a row with a non-finite number to NaN. The
/// scale saturates at the largest f16. @pre row.size() <= kMaxRotatedDim; `out` holds
/// rotatedRowBytes(bits, row.size())
void encodeRotated(std::span<const float> row, int bits, CodeScale scale, std::byte* out,
                   float range = 1.0F);

/// Sums over a row use float64 in an order suited to vectors: coordinate i is added to lane i % 16,
/// then lane i gets lane i + 8, and so on down to one. The bytes of a row depend on it.
inline constexpr std::size_t kCodeLanes = 16;
[[nodiscard]] double sumOfCodeLanes(const double* lanes) noexcept;
/// Facts of a row determined before its codes are chosen.
struct RowSpread {
    bool codes = false;      ///< the row has codes; otherwise they are 0 and `half` is the scale
    std::uint16_t half = 0;  ///< f16: zero or NaN
    double spread = 0;       ///< length over sqrt(dim)
    double inverse = 0;      ///< reciprocal of the spread
};
[[nodiscard]] RowSpread rowSpread(double square, int dim) noexcept;
/// Returns the scale of a row as f16: `together` is <y, c>, `codeSquare` <c, c>.
[[nodiscard]] std::uint16_t rowScale(CodeScale scale, int dim, double spread, double together,
                                     double codeSquare) noexcept;

/// Decodes into the rotated basis. Any bytes are a valid row.
void decodeRotated(const std::byte* row, int bits, std::span<float> out);

}  // namespace lacuna
