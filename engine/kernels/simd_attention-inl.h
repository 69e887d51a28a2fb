// Code shared by kernels over cache rows: units of work and lane sums. Included once per Highway
// target by the files that foreach_target compiles; the guard below flips with it.
#if defined(LACUNA_KERNELS_SIMD_ATTENTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LACUNA_KERNELS_SIMD_ATTENTION_INL_H_
#undef LACUNA_KERNELS_SIMD_ATTENTION_INL_H_
#else
#define LACUNA_KERNELS_SIMD_ATTENTION_INL_H_
#endif

#include "engine/kernels/simd_loads-inl.h"

#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace lacuna {
namespace HWY_NAMESPACE {
namespace {

constexpr int kQueries = 4;                             // queries processed at once
constexpr int kRows = 4;                                // rows whose sums are reduced together
constexpr int kSums = HWY_TARGET == HWY_AVX3 ? 16 : 8;  // registers that hold sums of values
constexpr std::int64_t kAheadBytes = 16384;

HWY_INLINE void fetchAhead(const std::byte* at, std::int64_t bytes) {
    constexpr std::int64_t kLine = 64;
    for (std::int64_t i = 0; i < bytes; i += kLine) __builtin_prefetch(at + kAheadBytes + i);
}

/// Returns the sums of four vectors, in four lanes.
HWY_INLINE hn::Vec<hn::Full128<float>> sumsOfFour(V a, V b, V c, V e) {
    const D d;
    const hn::RepartitionToWide<D> d2;
    const V ab = hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
    const V ce = hn::Add(hn::InterleaveLower(d, c, e), hn::InterleaveUpper(d, c, e));
    const auto ab2 = hn::BitCast(d2, ab);
    const auto ce2 = hn::BitCast(d2, ce);
    const V all = hn::Add(hn::BitCast(d, hn::InterleaveLower(d2, ab2, ce2)),
                          hn::BitCast(d, hn::InterleaveUpper(d2, ab2, ce2)));
    const hn::Half<D> dh;
    const auto half = hn::Add(hn::LowerHalf(dh, all), hn::UpperHalf(dh, all));
#if HWY_TARGET == HWY_AVX3
    const hn::Half<hn::Half<D>> dq;
    return hn::Add(hn::LowerHalf(dq, half), hn::UpperHalf(dq, half));
#else
    return half;
#endif
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lacuna
HWY_AFTER_NAMESPACE();
#endif
#endif
