#pragma once
/// \file
/// The norm that subtracts the mean. Source: Ba et al. 2016 (arXiv:1607.06450).

#include <span>

namespace lacuna {

/// out = (x - mean) / sqrt(variance + epsilon) * gain + bias over [gain.size()] numbers; `bias` may
/// be empty, `out` may be `x`.
void layerNorm(const float* x, std::span<const float> gain, std::span<const float> bias, float* out,
               float epsilon) noexcept;

}  // namespace lacuna
