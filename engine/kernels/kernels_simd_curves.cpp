// The activation curves of Gemma on rows, for each instruction set.

#include "engine/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/kernels_simd_curves.cpp"
// clang-format off
#include <hwy/foreach_target.h>  // first: it compiles this file once per target
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

#include "engine/kernels/kernel_parts.h"
#include "engine/kernels/simd_loads-inl.h"

#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace lacuna {
namespace HWY_NAMESPACE {
namespace {

// (1 + tanh(z)) / 2 is 1 / (1 + exp(-2z)), which avoids cancellation when the tanh is near -1.
V geluOf(V gate, V up) {
    const D d;
    const V cubic = hn::MulAdd(hn::Mul(gate, gate), hn::Set(d, 0.044715F), hn::Set(d, 1.0F));
    const V exponent = hn::Mul(hn::Mul(gate, cubic), hn::Set(d, -1.5957691216057308F));
    // Above 88 the quotient is below the smallest float, and exp would leave its domain.
    const V power = hn::Exp(d, hn::Min(exponent, hn::Set(d, 88.0F)));
    return hn::Mul(hn::Div(gate, hn::Add(hn::Set(d, 1.0F), power)), up);
}

void geluMultiply(float* gate, const float* up, std::int64_t n) noexcept {
    const D d;
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
        hn::StoreU(geluOf(hn::LoadU(d, gate + i), hn::LoadU(d, up + i)), d, gate + i);
    if (i < n)
        storeFirst(geluOf(loadFirst(gate + i, n - i), loadFirst(up + i, n - i)), gate + i, n - i);
}

V capOf(V x, V cap) {
    return hn::Mul(cap, hn::Tanh(D(), hn::Div(x, cap)));
}

void softCap(float* x, float cap, std::int64_t n) noexcept {
    const D d;
    const V caps = hn::Set(d, cap);
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) hn::StoreU(capOf(hn::LoadU(d, x + i), caps), d, x + i);
    if (i < n) storeFirst(capOf(loadFirst(x + i, n - i), caps), x + i, n - i);
}

}  // namespace

void fillCurves(KernelTable& table) noexcept {
    table.geluMultiply = geluMultiply;
    table.softCap = softCap;
}

}  // namespace HWY_NAMESPACE
}  // namespace lacuna
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace lacuna {

void fillSimdCurveKernels([[maybe_unused]] SimdLevel level,
                          [[maybe_unused]] KernelTable& table) noexcept {
#if HWY_ARCH_X86
    switch (level) {
        case SimdLevel::Avx2:
            return N_AVX2::fillCurves(table);
        case SimdLevel::Avx512:
            return N_AVX3::fillCurves(table);
    }
#endif
}

}  // namespace lacuna
#endif
