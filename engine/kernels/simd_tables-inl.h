// Tables of floats in registers, for each instruction set. Included once per Highway target by the
// files that foreach_target compiles; the guard below flips with it.
#if defined(LACUNA_KERNELS_SIMD_TABLES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LACUNA_KERNELS_SIMD_TABLES_INL_H_
#undef LACUNA_KERNELS_SIMD_TABLES_INL_H_
#else
#define LACUNA_KERNELS_SIMD_TABLES_INL_H_
#endif

#include "engine/kernels/simd_loads-inl.h"

#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace lacuna {
namespace HWY_NAMESPACE {
namespace {

/// A table of `count` numbers, a power of two: in registers if they fit, otherwise in memory.
template <int count>
struct FloatTable {
    static constexpr int kTables = count <= kLanes ? 1 : count / kLanes;
    static constexpr int kMaxTables = HWY_TARGET == HWY_AVX3 ? 8 : 4;
    static constexpr bool kGather = kTables > kMaxTables;
    using Index = hn::Vec<hn::RebindToSigned<D>>;
    V tables[kGather ? 1 : kTables];
    const float* all;

    HWY_INLINE explicit FloatTable(const float* numbers) : all(numbers) {
        const D d;
        if constexpr (kGather) {
            tables[0] = hn::Zero(d);
        } else if constexpr (count < kLanes) {
            tables[0] = loadFirst(numbers, count);
        } else {
            for (int i = 0; i < kTables; ++i) tables[i] = hn::LoadU(d, numbers + i * kLanes);
        }
    }

    /// @pre every index is below `count`
    HWY_INLINE V at(Index index) const {
        const D d;
        if constexpr (kGather) {
            return hn::GatherIndex(d, all, index);
        } else {
            return within<0, kTables>(index);
        }
    }

  private:
    /// Looks up tables [first, first + some) by the lower bits of the index.
    template <int first, int some>
    HWY_INLINE V within(Index index) const {
        if constexpr (some == 1) {
            return one(tables[first], index);
        } else if constexpr (some == 2) {
            return two(tables[first], tables[first + 1], index);
        } else {
            constexpr int kUpperBit = (kLanes == 16 ? 4 : 3) + (some == 8 ? 2 : 1);
            const V upper = hn::BitCast(D(), hn::ShiftLeft<31 - kUpperBit>(index));
            return hn::IfNegativeThenElse(upper, within<first + some / 2, some / 2>(index),
                                          within<first, some / 2>(index));
        }
    }
    HWY_INLINE static V one(V table, Index index) {
        const D d;
        const auto within = hn::And(index, hn::Set(hn::RebindToSigned<D>(), kLanes - 1));
        return hn::TableLookupLanes(table, hn::IndicesFromVec(d, within));
    }
    HWY_INLINE static V two(V low, V high, Index index) {
#if HWY_TARGET == HWY_AVX3
        return V{_mm512_permutex2var_ps(low.raw, index.raw, high.raw)};
#else
        const D d;
        const V upper = hn::BitCast(d, hn::ShiftLeft<28>(index));
        return hn::IfNegativeThenElse(upper, one(high, index), one(low, index));
#endif
    }
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lacuna
HWY_AFTER_NAMESPACE();
#endif
#endif
