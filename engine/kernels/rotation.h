#pragma once
/// \file
/// Orthogonal rotations of the rows of a cache, before they are coded and after weighted sums of
/// them were taken. docs/number-formats.md, "Rotated codes".

#include <cstdint>
#include <vector>

#include "engine/base/result.h"

namespace lacuna {

/// An orthogonal rotation of rows of one length. Immutable; any thread.
class Rotation {
  public:
    static constexpr int kMinDim = 32;
    static constexpr int kMaxDim = 576;

    /// Random signs from the counter generator, then a normalised Hadamard matrix of the length:
    /// Sylvester's of the power of two, times (Kronecker) one of 12, 20, 28 or 36 by Paley where
    /// that leaves a power of two, else the orthonormal DCT-II of the odd factor. Never padded. The
    /// same bits for the same seed, whatever the kernels.
    /// Errors: InvalidArgument, naming dim, unless it is even and in [kMinDim, kMaxDim].
    [[nodiscard]] static Result<Rotation> hadamard(int dim, std::uint64_t seed);
    /// Any orthogonal matrix [dim, dim], row-major. Fast kernels apply it, so the last bits are
    /// those of the instruction set.
    /// Errors: InvalidArgument when dim is not in [2, kMaxDim], the matrix has another size or a
    /// number that is not finite, or its rows are not orthonormal to 1e-4.
    [[nodiscard]] static Result<Rotation> dense(int dim, std::vector<float> matrix);

    [[nodiscard]] int dim() const { return dim_; }
    void apply(const float* in, float* out) const;  ///< out = R in; `in` may be `out`
    void undo(const float* in, float* out) const;   ///< out = R^T in; `in` may be `out`

  private:
    Rotation() = default;

    int dim_ = 0;
    int factor_ = 1;                 ///< length of the matrix that is no power of two; 1: none
    std::vector<float> signs_;       ///< [dim] of +-1 over sqrt of the power of two; empty: dense
    std::vector<float> matrix_;      ///< [factor, factor]; dense: [dim, dim]
    std::vector<float> transposed_;  ///< the same, transposed
};

}  // namespace lacuna
