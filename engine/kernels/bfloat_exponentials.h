#pragma once
/// \file
/// Exponentials for products in bfloat16, in one pass. The results are rounded at once, so their
/// precision is limited accordingly. Pure function, any thread. Separate from the kernel table
/// because it has only one caller.

#include <cstdint>

#include "engine/kernels/kernels.h"

namespace lacuna {

/// out [n] = exp(x - top) as bfloat16, each within a relative error of 1e-5 before rounding.
/// Returns the sum before rounding. -infinity gives 0; NaN or +infinity in x makes the sum
/// non-finite. @pre top is finite and not less than any finite x
using BfloatExponentials = float (*)(const float* x, float top, std::int64_t n,
                                     std::uint16_t* out) noexcept;

/// Returns null if the table has no bfloat16 products.
[[nodiscard]] BfloatExponentials bfloatExponentials(const KernelTable& table);

}  // namespace lacuna
