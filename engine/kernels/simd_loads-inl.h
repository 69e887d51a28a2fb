// Loads that convert every number format to float vectors. Included once per Highway target by the
// files that foreach_target compiles; the guard below flips with it.
#if defined(LACUNA_KERNELS_SIMD_LOADS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LACUNA_KERNELS_SIMD_LOADS_INL_H_
#undef LACUNA_KERNELS_SIMD_LOADS_INL_H_
#else
#define LACUNA_KERNELS_SIMD_LOADS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "engine/kernels/kernel_parts.h"
#include "engine/tensor/dtype.h"

#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace lacuna {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

template <class T>
HWY_INLINE const T* elements(const std::byte* row, std::int64_t at) {
    return reinterpret_cast<const T*>(row) + at;
}

/// Loads kLanes elements of a row from element `at` on.
template <DType type>
HWY_INLINE V loadAs(const std::byte* row, std::int64_t at) {
    const D d;
    if constexpr (type == DType::F32) {
        return hn::LoadU(d, elements<float>(row, at));
    } else if constexpr (type == DType::F16) {
        const hn::Rebind<hwy::float16_t, D> dh;
        return hn::PromoteTo(d, hn::LoadU(dh, elements<hwy::float16_t>(row, at)));
    } else {
        const hn::Rebind<hwy::bfloat16_t, D> db;
        return hn::PromoteTo(d, hn::LoadU(db, elements<hwy::bfloat16_t>(row, at)));
    }
}

/// Broadcasts the half at `source`.
[[maybe_unused]] HWY_INLINE V broadcastHalf(const std::byte* source) {
    std::uint16_t bits;
    __builtin_memcpy(&bits, source, 2);
    const hn::Rebind<std::uint16_t, D> du;
    const hn::Rebind<hwy::float16_t, D> dh;
    return hn::PromoteTo(D(), hn::BitCast(dh, hn::Set(du, bits)));
}

template <DType type>
HWY_INLINE float elementAs(const std::byte* row, std::int64_t at) {
    if constexpr (type == DType::F32) {
        float value;
        __builtin_memcpy(&value, row + 4 * at, 4);
        return value;
    } else if constexpr (type == DType::F16) {
        return hn::GetLane(broadcastHalf(row + 2 * at));
    } else {
        std::uint32_t bits = 0;
        __builtin_memcpy(reinterpret_cast<char*>(&bits) + 2, row + 2 * at, 2);
        float value;
        __builtin_memcpy(&value, &bits, 4);
        return value;
    }
}

/// Loads kLanes int8 codes as floats.
[[maybe_unused]] HWY_INLINE V loadCodes(const std::byte* codes) {
    const hn::RebindToSigned<D> di;
    const hn::Rebind<std::int8_t, D> d8;
    return hn::ConvertTo(D(), hn::PromoteTo(di, hn::LoadU(d8, elements<std::int8_t>(codes, 0))));
}

/// Loads the first n < kLanes floats, followed by zeros.
[[maybe_unused]] HWY_INLINE V loadFirst(const float* x, std::int64_t n) {
    HWY_ALIGN float part[kLanes] = {};
    for (std::int64_t i = 0; i < n; ++i) part[i] = x[i];
    return hn::Load(D(), part);
}
[[maybe_unused]] HWY_INLINE void storeFirst(V v, float* out, std::int64_t n) {
    HWY_ALIGN float part[kLanes];
    hn::Store(v, D(), part);
    for (std::int64_t i = 0; i < n; ++i) out[i] = part[i];
}

template <DType type>
HWY_INLINE void decodeRow(const std::byte* source, float* out, std::int64_t n) {
    const D d;
    if constexpr (type == DType::Q8_0) {
        for (std::int64_t i = 0; i < n; i += 32, source += 34)
            for (int k = 0; k < 32; k += kLanes)
                hn::StoreU(hn::Mul(loadCodes(source + 2 + k), broadcastHalf(source)), d,
                           out + i + k);
    } else if constexpr (!isPlainFloat(type)) {
        decodeScalar(type, source, out, n);
    } else {
        std::int64_t i = 0;
        for (; i + kLanes <= n; i += kLanes) hn::StoreU(loadAs<type>(source, i), d, out + i);
        for (; i < n; ++i) out[i] = elementAs<type>(source, i);
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lacuna
HWY_AFTER_NAMESPACE();
#endif
#endif
