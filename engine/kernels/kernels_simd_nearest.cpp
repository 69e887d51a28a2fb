// Targets against packed rows, for each instruction set: the product tile of kernels_simd_tiles,
// but only the smallest distance of each row leaves the registers.

#include "engine/kernels/nearest_targets.h"
#include "engine/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/kernels_simd_nearest.cpp"
// clang-format off
#include <hwy/foreach_target.h>  // first: it compiles this file once per target
#include <hwy/highway.h>
// clang-format on

#include "engine/kernels/kernel_parts.h"
#include "engine/kernels/simd_loads-inl.h"

#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace lacuna {
namespace HWY_NAMESPACE {
namespace {

using Indices = hn::RebindToSigned<D>;

constexpr int kPanelRows = 2 * kLanes;
// Two vectors per target, as in the tiles.
constexpr int kTargets = HWY_TARGET == HWY_AVX3 ? 12 : 6;

/// The nearest target so far for the rows of a panel. Stored in memory, so that products can use
/// all registers.
struct Nearest {
    float* least;
    std::int32_t* which;
};

/// Updates kLanes rows with one target.
HWY_INLINE void lower(V distance, std::int32_t target, V& least, hn::Vec<Indices>& which) {
    const auto nearer = hn::Lt(distance, least);
    least = hn::IfThenElse(nearer, distance, least);
    which = hn::IfThenElse(hn::RebindMask(Indices(), nearer), hn::Set(Indices(), target), which);
}

/// Updates the nearest target of kLanes rows with the products of `count` targets from `first` on.
template <int count>
HWY_INLINE void lowerAll(const TargetRows& targets, int first, const V* products, float* least,
                         std::int32_t* which) {
    const D d;
    const Indices di;
    V low = hn::LoadU(d, least);
    auto whose = hn::LoadU(di, which);
#pragma GCC unroll 12
    for (int t = 0; t < count; ++t) {
        const V own = hn::Set(d, targets.own[first + t]);
        lower(hn::NegMulAdd(hn::Set(d, 2.0F), products[t], own), first + t, low, whose);
    }
    hn::StoreU(low, d, least);
    hn::StoreU(whose, di, which);
}

template <int count>
void compare(const TargetRows& targets, int first, const float* panel, Nearest nearest) {
    const D d;
    V low[count];
    V high[count];
#pragma GCC unroll 12
    for (int t = 0; t < count; ++t) low[t] = high[t] = hn::Zero(d);
    const float* rows = targets.rows + first * targets.depth;
    for (std::int64_t k = 0; k < targets.depth; ++k, panel += kPanelRows) {
        const V b0 = hn::LoadU(d, panel);
        const V b1 = hn::LoadU(d, panel + kLanes);
#pragma GCC unroll 12
        for (int t = 0; t < count; ++t) {
            const V x = hn::Set(d, rows[t * targets.depth + k]);
            low[t] = hn::MulAdd(x, b0, low[t]);
            high[t] = hn::MulAdd(x, b1, high[t]);
        }
    }
    lowerAll<count>(targets, first, low, nearest.least, nearest.which);
    lowerAll<count>(targets, first, high, nearest.least + kLanes, nearest.which + kLanes);
}

template <int count>
void compareRest(const TargetRows& targets, int first, const float* panel, Nearest nearest) {
    if constexpr (count > 0) {
        if (targets.count - first == count) return compare<count>(targets, first, panel, nearest);
        compareRest<count - 1>(targets, first, panel, nearest);
    }
}

void nearestOfPanel(const TargetRows& targets, const float* panel, float* least,
                    std::int32_t* which) noexcept {
    for (int row = 0; row < kPanelRows; ++row) {
        least[row] = __builtin_inff();
        which[row] = 0;
    }
    int first = 0;
    for (; first + kTargets <= targets.count; first += kTargets)
        compare<kTargets>(targets, first, panel, {least, which});
    compareRest<kTargets - 1>(targets, first, panel, {least, which});
}

}  // namespace

NearestTargets nearestFunction() noexcept {
    return nearestOfPanel;
}

}  // namespace HWY_NAMESPACE
}  // namespace lacuna
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace lacuna {
namespace {

constexpr int kPlainRows = 8;  // rows of a panel of the scalar table

// The plain reference, which reads its panels row by row.
void plainNearest(const TargetRows& targets, const float* panel, float* least,
                  std::int32_t* which) noexcept {
    for (int row = 0; row < kPlainRows; ++row) {
        least[row] = __builtin_inff();
        which[row] = 0;
        for (int t = 0; t < targets.count; ++t) {
            float dot = 0;
            for (std::int64_t k = 0; k < targets.depth; ++k)
                dot += targets.rows[t * targets.depth + k] * panel[k * kPlainRows + row];
            const float distance = targets.own[t] - 2 * dot;
            if (!(distance < least[row])) continue;
            least[row] = distance;
            which[row] = t;
        }
    }
}

}  // namespace

NearestTargets nearestTargets(const KernelTable& table) {
#if HWY_ARCH_X86
    if (table.name == "avx2") return N_AVX2::nearestFunction();
    if (table.name.starts_with("avx512")) return N_AVX3::nearestFunction();
#endif
    return plainNearest;
}

}  // namespace lacuna
#endif
