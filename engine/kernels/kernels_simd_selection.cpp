// The passes of a selection by score, for each instruction set. A compaction runs them over every
// slot of every head between two tokens, so each must be one pass at cache speed.

#include "engine/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/kernels_simd_selection.cpp"
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

constexpr std::int64_t kWord = 64;     // slots whose marks share a word
constexpr int kVectors = 64 / kLanes;  // vectors per word
constexpr std::size_t kMaskBytes = kLanes / 8;
// Highway loads and stores masks eight bytes at a time, at any offset.
constexpr std::size_t kWordBytes = 8 + 8;

HWY_INLINE bool isFinite(float x) {
    return x - x == 0.0F;
}

FiniteRange scaleFinite(const float* x, float factor, float substitute, float* out,
                        std::int64_t n) noexcept {
    const D d;
    const V times = hn::Set(d, factor);
    const V other = hn::Set(d, substitute);
    const V most = hn::Set(d, __builtin_inff());
    V low = most;
    V high = hn::Neg(most);
    FiniteRange range;
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        const V from = hn::LoadU(d, x + i);
        const V scaled = hn::Mul(from, times);
        const auto finite = hn::Eq(hn::Sub(from, from), hn::Zero(d));
        low = hn::Min(low, hn::IfThenElse(finite, scaled, most));
        high = hn::Max(high, hn::IfThenElse(finite, scaled, hn::Neg(most)));
        range.count += static_cast<std::int64_t>(hn::CountTrue(d, finite));
        hn::StoreU(hn::IfThenElse(finite, scaled, other), d, out + i);
    }
    range.low = hn::GetLane(hn::MinOfLanes(d, low));
    range.high = hn::GetLane(hn::MaxOfLanes(d, high));
    for (; i < n; ++i) {
        const bool finite = isFinite(x[i]);
        out[i] = finite ? factor * x[i] : substitute;
        if (!finite) continue;
        range.low = out[i] < range.low ? out[i] : range.low;
        range.high = out[i] > range.high ? out[i] : range.high;
        ++range.count;
    }
    return range;
}

std::int64_t countAbove(const float* x, float limit, std::int64_t n) noexcept {
    const D d;
    const hn::RebindToSigned<D> di;
    const V limits = hn::Set(d, limit);
    // A mask is -1 in every counted lane.
    auto counts = hn::Zero(di);
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        const auto above = hn::Gt(hn::LoadU(d, x + i), limits);
        counts = hn::Sub(counts, hn::VecFromMask(di, hn::RebindMask(di, above)));
    }
    std::int64_t count = hn::GetLane(hn::SumOfLanes(di, counts));
    for (; i < n; ++i) count += x[i] > limit ? 1 : 0;
    return count;
}

void markAbove(const float* x, float limit, std::uint64_t* bits, std::int64_t n) noexcept {
    const D d;
    const V limits = hn::Set(d, limit);
    std::int64_t i = 0;
    for (; i + kWord <= n; i += kWord) {
        std::uint8_t bytes[kWordBytes];
        for (int v = 0; v < kVectors; ++v)
            hn::StoreMaskBits(d, hn::Gt(hn::LoadU(d, x + i + v * kLanes), limits),
                              bytes + static_cast<std::size_t>(v) * kMaskBytes);
        __builtin_memcpy(bits + i / kWord, bytes, 8);
    }
    if (i == n) return;
    std::uint64_t word = 0;
    for (std::int64_t j = i; j < n; ++j)
        word |= std::uint64_t{x[j] > limit ? 1U : 0U} << static_cast<unsigned>(j - i);
    bits[i / kWord] = word;
}

void fillUnmarked(const std::uint64_t* bits, float value, float* x, std::int64_t n) noexcept {
    const D d;
    const V fill = hn::Set(d, value);
    std::int64_t i = 0;
    for (; i + kWord <= n; i += kWord) {
        std::uint8_t bytes[kWordBytes] = {};
        __builtin_memcpy(bytes, bits + i / kWord, 8);
        for (int v = 0; v < kVectors; ++v) {
            float* const at = x + i + v * kLanes;
            const auto marked =
                hn::LoadMaskBits(d, bytes + static_cast<std::size_t>(v) * kMaskBytes);
            hn::StoreU(hn::IfThenElse(marked, hn::LoadU(d, at), fill), d, at);
        }
    }
    for (; i < n; ++i)
        if ((bits[i / kWord] >> static_cast<unsigned>(i % kWord) & 1U) == 0) x[i] = value;
}

}  // namespace

void fillSelection(KernelTable& table) noexcept {
    table.scaleFinite = scaleFinite;
    table.countAbove = countAbove;
    table.markAbove = markAbove;
    table.fillUnmarked = fillUnmarked;
}

}  // namespace HWY_NAMESPACE
}  // namespace lacuna
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace lacuna {

void fillSimdSelectionKernels([[maybe_unused]] SimdLevel level,
                              [[maybe_unused]] KernelTable& table) noexcept {
#if HWY_ARCH_X86
    switch (level) {
        case SimdLevel::Avx2:
            return N_AVX2::fillSelection(table);
        case SimdLevel::Avx512:
            return N_AVX3::fillSelection(table);
    }
#endif
}

}  // namespace lacuna
#endif
