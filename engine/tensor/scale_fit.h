#pragma once
/// \file
/// The scale, and the offset, with which evenly spaced codes come closest to given numbers: least
/// sum of squared errors. Private to this room's encoders. Method: several starting scales, each
/// improved by turns of rounding to codes and least squares over the codes (Lloyd 1982); the best
/// is kept. Pure; float arithmetic in a fixed order, so the same numbers give the same bits.

namespace lacuna {

/// v[i] = scale * code[i] - smallest, codes 0..levels.
struct AffineScale {
    float scale = 0;
    float smallest = 0;
};

enum class OffsetSign { Any, NotNegative };

/// What one rounding to codes costs and what least squares over these codes needs.
struct CodeSums {
    float error = 0;  ///< sum of (x - v)^2
    float codes = 0;
    float squares = 0;
    float products = 0;  ///< sum of x * code
};

/// Rounds n numbers to codes lowest..highest of v = scale * code - offset. With scale 0 all codes
/// are 0 (or the one nearest to it). @pre n is a multiple of 4
template <int n>
[[nodiscard]] CodeSums roundToCodes(const float* x, AffineScale fit, int lowest, int highest,
                                    float* codes);

/// Best scale and offset of n numbers (16 or 32) for codes 0..levels.
template <int n>
[[nodiscard]] AffineScale fitAffine(const float* x, int levels, OffsetSign sign);
/// Best scale of n numbers (16 or 32), of either sign, for codes lowest..highest, lowest < 0.
template <int n>
[[nodiscard]] float fitSymmetric(const float* x, int lowest, int highest);

/// Least squares over codes that are already chosen.
[[nodiscard]] AffineScale solveAffine(const CodeSums& sums, float sumOfX, int n, OffsetSign sign);

}  // namespace lacuna
