#pragma once
/// \file
/// Orthogonal rotations of the rows of a cache, before they are coded and after weighted sums of
/// them were taken. docs/number-formats.md, "Rotated codes".

#include <array>
#include <cstdint>
#include <vector>

#include "engine/base/result.h"

namespace lacuna {

/// What a calibration found of rows along with a rotation.
struct RowFit {
    /// [dim] in the rotated basis, what every row is less by before it is coded; empty: nothing.
    std::vector<float> centre = {};
    /// By bits of a code, 1 to 8: what a coordinate is multiplied with before its place in the
    /// codebook is sought. Below 1 outlying ones are spared, above 1 they are clipped.
    std::array<float, 8> ranges{1, 1, 1, 1, 1, 1, 1, 1};
    friend bool operator==(const RowFit&, const RowFit&) = default;
};

/// Rows that are turned together, so many floats apart. `out` may be `in` with the same distance.
struct TurnedRows {
    const float* in = nullptr;
    std::int64_t inStride = 0;
    float* out = nullptr;
    std::int64_t outStride = 0;
    int count = 0;
};

/// An orthogonal rotation of rows of one length, and the centre of those rows. Immutable; any
/// thread.
class Rotation {
  public:
    static constexpr int kMinDim = 32;
    static constexpr int kMaxDim = 576;
    static constexpr float kMinRange = 0.25F;
    static constexpr float kMaxRange = 4.0F;

    /// Random signs from the counter generator, then a normalised Hadamard matrix of the length:
    /// Sylvester's of the power of two, times (Kronecker) one of 12, 20, 28 or 36 by Paley where
    /// that leaves a power of two, else the orthonormal DCT-II of the odd factor. Never padded. The
    /// same bits for the same seed, whatever the kernels.
    /// Errors: InvalidArgument, naming dim, unless it is even and in [kMinDim, kMaxDim].
    [[nodiscard]] static Result<Rotation> hadamard(int dim, std::uint64_t seed);
    /// Any orthogonal matrix [dim, dim], row-major. Fast kernels apply it, so the last bits are
    /// those of the instruction set.
    /// Errors: InvalidArgument when dim is not in [2, kMaxDim], the matrix or the centre has
    /// another size or a number that is not finite, a range is not in [kMinRange, kMaxRange], or
    /// the rows of the matrix are not orthonormal to 1e-4.
    [[nodiscard]] static Result<Rotation> dense(int dim, std::vector<float> matrix,
                                                RowFit fit = {});

    [[nodiscard]] int dim() const { return dim_; }
    /// Of rows: out = R in - centre. Several together give the bits that each alone would.
    void apply(const TurnedRows& rows) const;
    /// And back: out = R^T (in + centre).
    void undo(const TurnedRows& rows) const;
    /// Of queries: out = R in. Their products with rows that `apply` made lack one number, the same
    /// for all rows, which a softmax does not see.
    void turn(const TurnedRows& rows) const;
    /// Of one row; `in` may be `out`.
    void apply(const float* in, float* out) const { apply({in, dim_, out, dim_, 1}); }
    void undo(const float* in, float* out) const { undo({in, dim_, out, dim_, 1}); }
    void turn(const float* in, float* out) const { turn({in, dim_, out, dim_, 1}); }
    /// RowFit::ranges of so many bits.
    [[nodiscard]] float range(int bits) const {
        return fit_.ranges[static_cast<std::size_t>(bits - 1)];
    }
    /// The same numbers throughout.
    friend bool operator==(const Rotation&, const Rotation&) = default;

  private:
    Rotation() = default;
    void turnRow(const float* in, float* out) const;
    void undoRow(const float* in, float* out) const;

    int dim_ = 0;
    int factor_ = 1;                 ///< length of the matrix that is no power of two; 1: none
    std::vector<float> signs_;       ///< [dim] of +-1 over sqrt of the power of two; empty: dense
    std::vector<float> matrix_;      ///< [factor, factor]; dense: [dim, dim]
    std::vector<float> transposed_;  ///< the same, transposed
    RowFit fit_;
};

}  // namespace lacuna
