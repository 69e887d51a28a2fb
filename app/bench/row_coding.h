#pragma once
/// \file
/// Codes of the rows of a cache as functions of a row: the bytes it takes, and what reading it
/// gives back. Those that caches have and those that are compared with them, which no cache has
/// (docs/number-formats.md, "Codes to compare with"). Pure functions, any thread.

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
    Rotated,   ///< Lloyd's codes of the rotated row, 1 to 8 bits, as caches have them
    Sketched,  ///< those of one bit less, and a sign for each number of a sketch of what they leave
               ///< (QJL, arXiv 2406.03482; 2504.19874), 2 to 8 bits
    Affine,    ///< group codes: a scale and a bias for each 32, 8 or 4 bits, as caches have them
    Blocks,    ///< ggml's Q8_0 and Q4_0: a scale for each 32
    Uniform,   ///< steps of one size between two bounds for each 128 numbers at most, 1 to 8 bits;
               ///< of some narrower bounds the ones that leave the least squared error (OSCAR)
};

struct RowCoding {
    RowCode code = RowCode::Rotated;
    int bits = 4;
    CodeScale scale = CodeScale::LeastSquares;  ///< of Rotated
    /// The row is rotated before it is coded, and turned back. Rotated and Sketched always are.
    bool turned = true;
    friend bool operator==(const RowCoding&, const RowCoding&) = default;
};

/// What keys and values of a cache are coded as.
struct SimulatedRows {
    RowCoding keys, values;
    [[nodiscard]] bool turned() const { return keys.turned || values.turned; }
    friend bool operator==(const SimulatedRows&, const SimulatedRows&) = default;
};

/// Errors: InvalidArgument, naming what is coded, its length and bits.
[[nodiscard]] Status checkRowCoding(const char* what, const RowCoding& coding, int dim);
/// Of a row, everything that is stored with it counted. @pre checkRowCoding passed
[[nodiscard]] std::size_t rowCodingBytes(const RowCoding& coding, int dim);

class RowCoder {
  public:
    /// `rotation` outlives it and is there where rows are turned; `seed` is that of a sketch.
    /// @pre checkRowCoding passed
    RowCoder(const RowCoding& coding, int dim, const Rotation* rotation, std::uint64_t seed);
    /// Into the basis that rows are coded in: rotated, or as they are. `out` may be `row`.
    void turn(std::span<const float> row, std::span<float> out) const;
    /// What reading the coded row gives, both in that basis. A row or group with a number that is
    /// not finite gives none that is. `out` is not `row`.
    void recode(std::span<const float> row, std::span<float> out) const;
    /// Null: that basis is the model's.
    [[nodiscard]] const Rotation* rotation() const { return coding_.turned ? rotation_ : nullptr; }

  private:
    void addSketch(std::span<const float> left, std::span<float> out) const;

    RowCoding coding_;
    int dim_ = 0;
    const Rotation* rotation_ = nullptr;
    std::shared_ptr<const std::vector<float>> sketch_;  ///< [dim, dim] of N(0, 1), or null
};

}  // namespace lacuna
