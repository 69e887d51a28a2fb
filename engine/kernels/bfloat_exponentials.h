#pragma once
/// \file
/// Exponentials for products in bfloat16, in one pass: what is stored is rounded at once and needs
/// no more digits than that. Pure function of any thread. A door alongside the kernel table, which
/// only one caller needs.

#include <cstdint>

#include "engine/kernels/kernels.h"

namespace lacuna {

/// out [n] = exp(x - top) as bfloat16, each within 1e-5 of its size before it is rounded; returns
/// their sum before rounding. 0 for -infinity; a sum that is not finite where an x is no number or
/// +infinity. @pre top is finite and no less than any x that is
using BfloatExponentials = float (*)(const float* x, float top, std::int64_t n,
                                     std::uint16_t* out) noexcept;

/// Null where the table has no bfloat16 products.
[[nodiscard]] BfloatExponentials bfloatExponentials(const KernelTable& table);

}  // namespace lacuna
