// The float product on packed panels, for each instruction set. A tile of tokens x panel rows stays
// in registers over the entire depth; the panel is streamed once per tile.

#include "engine/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/kernels_simd_tiles.cpp"
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

constexpr int kPanelRows = 2 * kLanes;
// Two vectors per token: sums take 24 of 32 registers with AVX-512, 12 of 16 with AVX2.
constexpr int kTokens = HWY_TARGET == HWY_AVX3 ? 12 : 6;
constexpr std::int64_t kPiece = 256;  // columns decoded at once; a multiple of every block length

// Four decoded rows [4, count] into columns `row`..`row + 3` of the panel, by 4 x 4 transposes.
void interleaveFour(const float* rows, std::int64_t count, float* panel) {
    const hn::CappedTag<float, 4> d4;
    const hn::Repartition<double, hn::CappedTag<float, 4>> d2;
    std::int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
        const auto a = hn::LoadU(d4, rows + i);
        const auto b = hn::LoadU(d4, rows + kPiece + i);
        const auto c = hn::LoadU(d4, rows + 2 * kPiece + i);
        const auto e = hn::LoadU(d4, rows + 3 * kPiece + i);
        const auto abLow = hn::BitCast(d2, hn::InterleaveLower(d4, a, b));
        const auto abHigh = hn::BitCast(d2, hn::InterleaveUpper(d4, a, b));
        const auto ceLow = hn::BitCast(d2, hn::InterleaveLower(d4, c, e));
        const auto ceHigh = hn::BitCast(d2, hn::InterleaveUpper(d4, c, e));
        float* out = panel + i * kPanelRows;
        hn::StoreU(hn::BitCast(d4, hn::InterleaveLower(d2, abLow, ceLow)), d4, out);
        hn::StoreU(hn::BitCast(d4, hn::InterleaveUpper(d2, abLow, ceLow)), d4, out + kPanelRows);
        hn::StoreU(hn::BitCast(d4, hn::InterleaveLower(d2, abHigh, ceHigh)), d4,
                   out + 2 * kPanelRows);
        hn::StoreU(hn::BitCast(d4, hn::InterleaveUpper(d2, abHigh, ceHigh)), d4,
                   out + 3 * kPanelRows);
    }
    for (; i < count; ++i)
#pragma GCC unroll 4
        for (int r = 0; r < 4; ++r) panel[i * kPanelRows + r] = rows[r * kPiece + i];
}

template <DType type>
void pack(const PanelSource& source, float* panel) {
    HWY_ALIGN float rows[4 * kPiece];
    for (int row = 0; row < kPanelRows; row += 4) {
        for (std::int64_t at = 0; at < source.columns; at += kPiece) {
            const std::int64_t count = source.columns - at < kPiece ? source.columns - at : kPiece;
#pragma GCC unroll 4
            for (int r = 0; r < 4; ++r) {
                float* target = rows + r * kPiece;
                if (row + r < source.rowCount) {
                    const std::byte* from = source.rows + (row + r) * source.rowStride +
                                            rowBytes(type, static_cast<std::uint64_t>(at));
                    decodeRow<type>(from, target, count);
                } else {
                    for (std::int64_t i = 0; i < count; ++i) target[i] = 0.0F;
                }
            }
            interleaveFour(rows, count, panel + at * kPanelRows + row);
        }
    }
}

void packFloat(const PanelSource& source, float* panel) noexcept {
    switch (source.type) {
        case DType::F32:
            return pack<DType::F32>(source, panel);
        case DType::F16:
            return pack<DType::F16>(source, panel);
        case DType::BF16:
            return pack<DType::BF16>(source, panel);
        case DType::Q8_0:
            return pack<DType::Q8_0>(source, panel);
        case DType::Q4_0:
            return pack<DType::Q4_0>(source, panel);
        case DType::Q4_1:
            return pack<DType::Q4_1>(source, panel);
        case DType::Q5_0:
            return pack<DType::Q5_0>(source, panel);
        case DType::Q5_1:
            return pack<DType::Q5_1>(source, panel);
        case DType::Q2_K:
            return pack<DType::Q2_K>(source, panel);
        case DType::Q3_K:
            return pack<DType::Q3_K>(source, panel);
        case DType::Q4_K:
            return pack<DType::Q4_K>(source, panel);
        case DType::Q5_K:
            return pack<DType::Q5_K>(source, panel);
        case DType::Q6_K:
            return pack<DType::Q6_K>(source, panel);
        case DType::IQ4_NL:
            return pack<DType::IQ4_NL>(source, panel);
        case DType::IQ4_XS:
            return pack<DType::IQ4_XS>(source, panel);
        case DType::MXFP4:
            return pack<DType::MXFP4>(source, panel);
        case DType::NVFP4:
            return pack<DType::NVFP4>(source, panel);
        case DType::IQ3_S:
            return pack<DType::IQ3_S>(source, panel);
        case DType::IQ3_XXS:
            return pack<DType::IQ3_XXS>(source, panel);
        case DType::IQ2_S:
            return pack<DType::IQ2_S>(source, panel);
        case DType::IQ2_XS:
            return pack<DType::IQ2_XS>(source, panel);
        case DType::IQ2_XXS:
            return pack<DType::IQ2_XXS>(source, panel);
        case DType::IQ1_S:
            return pack<DType::IQ1_S>(source, panel);
        case DType::IQ1_M:
            return pack<DType::IQ1_M>(source, panel);
        case DType::TQ1_0:
            return pack<DType::TQ1_0>(source, panel);
        case DType::TQ2_0:
            return pack<DType::TQ2_0>(source, panel);
        case DType::Q1_0:
            return pack<DType::Q1_0>(source, panel);
        case DType::Q2_0:
            return pack<DType::Q2_0>(source, panel);
    }
}

HWY_INLINE void storeTile(V low, V high, const FloatTile& tile, float* c) {
    const D d;
    if (tile.width == kPanelRows) {
        if (tile.store == TileStore::Accumulate) {
            low = hn::Add(low, hn::LoadU(d, c));
            high = hn::Add(high, hn::LoadU(d, c + kLanes));
        }
        hn::StoreU(low, d, c);
        hn::StoreU(high, d, c + kLanes);
        return;
    }
    HWY_ALIGN float part[kPanelRows];
    hn::Store(low, d, part);
    hn::Store(high, d, part + kLanes);
    for (int j = 0; j < tile.width; ++j)
        c[j] = tile.store == TileStore::Accumulate ? c[j] + part[j] : part[j];
}

template <int tokens>
void tileOf(const FloatTile& tile, std::int64_t first) {
    const D d;
    V low[tokens];
    V high[tokens];
#pragma GCC unroll 12
    for (int t = 0; t < tokens; ++t) low[t] = high[t] = hn::Zero(d);
    const float* a = tile.a + first * tile.aStride;
    const float* panel = tile.panel;
    for (std::int64_t k = 0; k < tile.depth; ++k, panel += tile.panelStride) {
        const V b0 = hn::LoadU(d, panel);
        const V b1 = hn::LoadU(d, panel + kLanes);
#pragma GCC unroll 12
        for (int t = 0; t < tokens; ++t) {
            const V x = hn::Set(d, a[t * tile.aStride + k]);
            low[t] = hn::MulAdd(x, b0, low[t]);
            high[t] = hn::MulAdd(x, b1, high[t]);
        }
    }
#pragma GCC unroll 12
    for (int t = 0; t < tokens; ++t)
        storeTile(low[t], high[t], tile, tile.c + (first + t) * tile.cStride);
}

template <int tokens>
void tileRest(const FloatTile& tile, std::int64_t first) {
    if constexpr (tokens > 0) {
        if (tile.tokens - first == tokens) return tileOf<tokens>(tile, first);
        tileRest<tokens - 1>(tile, first);
    }
}

void tileFloat(const FloatTile& tile) noexcept {
    std::int64_t t = 0;
    for (; t + kTokens <= tile.tokens; t += kTokens) tileOf<kTokens>(tile, t);
    tileRest<kTokens - 1>(tile, t);
}

}  // namespace

void fillTiles(KernelTable& table) noexcept {
    table.panelRows = kPanelRows;
    table.packFloat = packFloat;
    table.tileFloat = tileFloat;
}

}  // namespace HWY_NAMESPACE
}  // namespace lacuna
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace lacuna {

void fillSimdTileKernels([[maybe_unused]] SimdLevel level,
                         [[maybe_unused]] KernelTable& table) noexcept {
#if HWY_ARCH_X86
    switch (level) {
        case SimdLevel::Avx2:
            return N_AVX2::fillTiles(table);
        case SimdLevel::Avx512:
            return N_AVX3::fillTiles(table);
    }
#endif
}

}  // namespace lacuna
#endif
