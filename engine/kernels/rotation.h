#pragma once
/// \file
/// Orthogonal rotations of cache rows before they are coded, and of weighted sums of them
/// afterwards. docs/number-formats.md, "Rotated codes".

#include <array>
#include <cstdint>
#include <vector>

#include "engine/base/result.h"

namespace lacuna {

/// Parameters from a calibration that accompany a rotation.
struct RowFit {
    /// [dim] in the rotated basis, subtracted from every row before it is coded; empty = none
    std::vector<float> centre = {};
    /// By bits per code, 1 to 8: the factor of a coordinate in the search of the codebook. Values
    /// below 1 spare outliers, values above 1 clip them.
    std::array<float, 8> ranges{1, 1, 1, 1, 1, 1, 1, 1};
    friend bool operator==(const RowFit&, const RowFit&) = default;
};

/// Rows that are rotated together, with their strides in floats. `out` may be `in` with the same
/// stride.
struct RotationRows {
    const float* in = nullptr;
    std::int64_t inStride = 0;
    float* out = nullptr;
    std::int64_t outStride = 0;
    int count = 0;
};

/// An orthogonal rotation of rows of one length, and their centre. Immutable; any thread.
class Rotation {
  public:
    static constexpr int kMinDim = 32;
    static constexpr int kMaxDim = 576;
    static constexpr float kMinRange = 0.25F;
    static constexpr float kMaxRange = 4.0F;

    /// Random signs from the counter generator, then a normalised Hadamard matrix of the length:
    /// Sylvester's for the power of two, times (Kronecker) one of 12, 20, 28 or 36 by Paley if that
    /// leaves a power of two, otherwise the orthonormal DCT-II of the odd factor. Never padded. The
    /// same bits for the same seed, whatever the kernels. Errors: InvalidArgument, naming dim,
    /// unless it is even and in [kMinDim, kMaxDim].
    [[nodiscard]] static Result<Rotation> hadamard(int dim, std::uint64_t seed);
    /// Any orthogonal matrix [dim, dim], row-major, applied by fast kernels: the last bits depend
    /// on the instruction set. Errors: InvalidArgument if dim is not in [2, kMaxDim], the matrix or
    /// the centre has another size or a number that is not finite, a range is not in [kMinRange,
    /// kMaxRange], or the rows of the matrix are not orthonormal to 1e-4.
    [[nodiscard]] static Result<Rotation> dense(int dim, std::vector<float> matrix,
                                                RowFit fit = {});

    [[nodiscard]] int dim() const { return dim_; }
    /// Rotates rows: out = R in - centre. The bits do not depend on the other rows.
    void apply(const RotationRows& rows) const;
    /// Inverse of apply: out = R^T (in + centre).
    void undo(const RotationRows& rows) const;
    /// Rotates queries: out = R in. Their products with rows from `apply` lack a number that is the
    /// same for all rows, which softmax ignores.
    void turn(const RotationRows& rows) const;
    /// Rotates one row; `in` may be `out`.
    void apply(const float* in, float* out) const { apply({in, dim_, out, dim_, 1}); }
    void undo(const float* in, float* out) const { undo({in, dim_, out, dim_, 1}); }
    void turn(const float* in, float* out) const { turn({in, dim_, out, dim_, 1}); }
    /// Returns RowFit::ranges for a number of bits.
    [[nodiscard]] float range(int bits) const {
        return fit_.ranges[static_cast<std::size_t>(bits - 1)];
    }
    /// Equal if all numbers are equal.
    friend bool operator==(const Rotation&, const Rotation&) = default;

  private:
    Rotation() = default;
    void turnRow(const float* in, float* out) const;
    void undoRow(const float* in, float* out) const;

    int dim_ = 0;
    int factor_ = 1;  ///< length of the matrix for the factor that is not a power of two; 1 = none
    std::vector<float> signs_;       ///< [dim] of +-1 over sqrt of the power of two; empty = dense
    std::vector<float> matrix_;      ///< [factor, factor], or [dim, dim] if dense
    std::vector<float> transposed_;  ///< the same, transposed
    RowFit fit_;
};

}  // namespace lacuna
