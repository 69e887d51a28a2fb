#pragma once
/// \file
/// Codes of cache rows as pure functions: size in bytes and reconstruction of a row. Covers the
/// codes of real caches and the codes they are compared with (docs/number-formats.md, "Codes to
/// compare with"). Callable from any thread.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/tensor/rotated_codes.h"

namespace lacuna {

class Rotation;

enum class RowCode {
    Rotated,   ///< Lloyd codes of the rotated row, 1 to 8 bits, as in real caches
    Sketched,  ///< Rotated with one bit less plus a sign per number of a sketch of the residual
               ///< (QJL, arXiv:2406.03482; arXiv:2504.19874), 2 to 8 bits
    Affine,    ///< group codes: scale and bias per 32 numbers, 8 or 4 bits, as in real caches
    Blocks,    ///< ggml's Q8_0 and Q4_0: one scale per 32 numbers
    Uniform,  ///< uniform steps between two bounds per at most 128 numbers, 1 to 8 bits; the bounds
              ///< are narrowed to minimise the squared error (OSCAR)
};

struct RowCoding {
    RowCode code = RowCode::Rotated;
    int bits = 4;
    CodeScale scale = CodeScale::LeastSquares;  ///< for Rotated only
    /// The row is rotated before coding and rotated back afterwards. Always true for Rotated and
    /// Sketched.
    bool rotated = true;
    friend bool operator==(const RowCoding&, const RowCoding&) = default;
};

/// Codes of the keys and values of a cache.
struct SimulatedRows {
    RowCoding keys, values;
    [[nodiscard]] bool rotated() const { return keys.rotated || values.rotated; }
    friend bool operator==(const SimulatedRows&, const SimulatedRows&) = default;
};

/// Errors: InvalidArgument, naming `what`, the row length and the bits.
[[nodiscard]] Status checkRowCoding(const char* what, const RowCoding& coding, int dim);
/// Returns the bytes of a row, including all side data. @pre checkRowCoding passed
[[nodiscard]] std::size_t rowCodingBytes(const RowCoding& coding, int dim);

class RowCoder {
  public:
    /// `rotation` must outlive the coder and be set if rows are rotated; `seed` is that of the
    /// sketch. @pre checkRowCoding passed
    RowCoder(const RowCoding& coding, int dim, const Rotation* rotation, std::uint64_t seed);
    /// Converts a row to the coding basis: rotated or unchanged. `out` may be `row`.
    void turn(std::span<const float> row, std::span<float> out) const;
    /// Reconstructs a coded row, in the coding basis. A row or group with a non-finite number
    /// yields no finite numbers. `out` must not be `row`.
    void recode(std::span<const float> row, std::span<float> out) const;
    /// Null if the coding basis is the model's.
    [[nodiscard]] const Rotation* rotation() const { return coding_.rotated ? rotation_ : nullptr; }

  private:
    void addSketch(std::span<const float> left, std::span<float> out) const;

    RowCoding coding_;
    int dim_ = 0;
    const Rotation* rotation_ = nullptr;
    std::shared_ptr<const std::vector<float>> sketch_;  ///< [dim, dim] of N(0, 1), or null
};

}  // namespace lacuna
