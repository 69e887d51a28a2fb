// int8 products on packed panels (vnni_panels.h) with VNNI. Sums of formats with a centre start at
// the offsets of the activations (QuantisedRows); formats with a smallest value multiply it by the
// sums of the activations once per block.

#include "engine/kernels/kernel_parts.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include "engine/kernels/avx512_transpose.h"
#include "engine/kernels/target_region.h"
#include "engine/kernels/vnni_octets.h"
#include "engine/kernels/vnni_panels.h"

LACUNA_TARGET_BEGIN("avx2,fma,f16c,avx512f,avx512vl,avx512dq,avx512bw,avx512vnni")
namespace lacuna {
namespace vnni {
namespace {

constexpr int kPanelRows = 32;
constexpr int kTokens = 6;  // 12 sums of integers and 12 of floats: 24 of 32 registers
constexpr std::int64_t kBlock = 32;
constexpr std::int64_t kOctet = 256;

/// The scaling of a type's groups.
struct Form {
    bool halves;    ///< sixteen columns share a scale, otherwise 32
    bool smallest;  ///< values have a smallest one, otherwise a centre
    [[nodiscard]] constexpr int parts() const { return halves ? 2 : 1; }
};
template <DType type>
constexpr Form kFormOf{Octet<type>::kHalves, Octet<type>::kCentre == 0};

/// One octet of sixteen rows, decoded.
struct DecodedRows {
    alignas(64) std::uint8_t codes[16][kOctet];
    alignas(64) float scales[16][16];
    alignas(64) float smallest[16][16];
};

template <DType type>
void decodeOctet(const std::byte* at, DecodedRows& rows, int row) {
    using Source = Octet<type>;
    const Source octet{at};
    const __m512i shift =
        _mm512_set1_epi8(static_cast<char>(Source::kCentre == 0 ? 0 : 128 - Source::kCentre));
    const auto put = [&](int pair, __m512i codes) __attribute__((always_inline)) {
        _mm512_store_si512(rows.codes[row] + 64 * pair, _mm512_add_epi8(codes, shift));
    };
    put(0, octet.template codes<0>());
    put(1, octet.template codes<1>());
    put(2, octet.template codes<2>());
    put(3, octet.template codes<3>());
    if constexpr (Source::kHalves) {
        _mm512_store_ps(rows.scales[row], octet.scales());
        if constexpr (Source::kCentre == 0) _mm512_store_ps(rows.smallest[row], octet.smallest());
    } else {
        _mm256_store_ps(rows.scales[row], octet.scales());
        if constexpr (Source::kCentre == 0) _mm256_store_ps(rows.smallest[row], octet.smallest());
    }
}

// Decodes sixteen rows of one octet. Missing rows and groups after the last column get scales of
// zero.
template <DType type>
void decodeRows(const PanelSource& source, int firstRow, std::int64_t column, DecodedRows& rows) {
    constexpr int kBytes = Octet<type>::kBytes;
    const std::int64_t left = source.columns - column;
    alignas(64) std::byte padded[kBytes] = {};
    for (int r = 0; r < 16; ++r) {
        const std::byte* at =
            source.rows + (firstRow + r) * source.rowStride + column / kOctet * kBytes;
        if (firstRow + r >= source.rowCount) {
            __builtin_memset(padded, 0, sizeof padded);
            at = padded;
        } else if (left < kOctet) {
            __builtin_memcpy(padded, at, static_cast<std::size_t>(left / kBlock * (kBytes / 8)));
            at = padded;
        } else {
#pragma GCC unroll 5
            for (int line = 0; line < kBytes; line += 64)
                _mm_prefetch(reinterpret_cast<const char*>(at) + kBytes + line, _MM_HINT_T0);
        }
        decodeOctet<type>(at, rows, r);
    }
}

template <DType type>
void packInteger(const PanelSource& source, std::byte* panel) noexcept {
    constexpr Form form = kFormOf<type>;
    auto* target = reinterpret_cast<PanelBlock<form.halves, form.smallest>*>(panel);
    DecodedRows rows;
    for (std::int64_t column = 0; column < source.columns; column += kOctet, target += 8) {
        const std::int64_t left = (source.columns - column) / kBlock;
        const int groups = left < 8 ? static_cast<int>(left) : 8;
        for (int half = 0; half < 2; ++half) {
            decodeRows<type>(source, 16 * half, column, rows);
            for (int g = 0; g < groups; ++g) {
                const std::byte* codes[16];
                for (int r = 0; r < 16; ++r)
                    codes[r] = reinterpret_cast<const std::byte*>(rows.codes[r] + kBlock * g);
                const TransposedRows turned = transposeSixteenRows(codes);
                for (int i = 0; i < 8; ++i)
                    _mm512_storeu_si512(target[g].codes[i][half], turned.groups[i]);
                for (int part = 0; part < form.parts(); ++part) {
                    const int at = g * form.parts() + part;
                    for (int r = 0; r < 16; ++r) {
                        target[g].scales[part][half][r] = rows.scales[r][at];
                        if constexpr (form.smallest)
                            target[g].minima[part][half][r] = rows.smallest[r][at];
                    }
                }
            }
        }
    }
}

inline void storeTile(__m512 low, __m512 high, const IntegerTile& tile, float* c) {
    const bool whole = tile.width == kPanelRows;
    const auto mask = whole ? 0xFFFFFFFFU : (1U << static_cast<unsigned>(tile.width)) - 1U;
    const auto lowMask = static_cast<__mmask16>(mask & 0xFFFFU);
    const auto highMask = static_cast<__mmask16>(mask >> 16U);
    if (tile.store == TileStore::Accumulate) {
        low = _mm512_add_ps(low, _mm512_maskz_loadu_ps(lowMask, c));
        high = _mm512_add_ps(high, _mm512_maskz_loadu_ps(highMask, c + 16));
    }
    _mm512_mask_storeu_ps(c, lowMask, low);
    _mm512_mask_storeu_ps(c + 16, highMask, high);
}

/// The sums of `tokens` rows of activations with 32 rows of weights.
template <int tokens>
struct TileSums {
    __m512 low[tokens];
    __m512 high[tokens];
};

// Adds one part of a block: all its columns, or the first or last sixteen.
template <int tokens, bool halves, bool smallest>
LACUNA_INLINE void addPart(const PanelBlock<halves, smallest>& block, const QuantisedRows& a,
                           int part, TileSums<tokens>& sums) {
    constexpr int kGroups = halves ? 4 : 8;
    const std::int64_t strideOfParts = a.columns / (halves ? 16 : 32);
    __m512i low[tokens];
    __m512i high[tokens];
#pragma GCC unroll 12
    for (int t = 0; t < tokens; ++t) {
        const std::int32_t* offsets = halves ? a.halfOffsets + part : a.blockOffsets;
        low[t] = smallest ? _mm512_setzero_si512() : _mm512_set1_epi32(offsets[t * strideOfParts]);
        high[t] = low[t];
    }
#pragma GCC unroll 8
    for (int g = 0; g < kGroups; ++g) {
        const int group = part * kGroups + g;
        const __m512i w0 = _mm512_loadu_si512(block.codes[group][0]);
        const __m512i w1 = _mm512_loadu_si512(block.codes[group][1]);
#pragma GCC unroll 12
        for (int t = 0; t < tokens; ++t) {
            std::int32_t four;
            __builtin_memcpy(&four, a.codes + t * a.columns + 4 * group, 4);
            const __m512i x = _mm512_set1_epi32(four);
            low[t] = _mm512_dpbusd_epi32(low[t], w0, x);
            high[t] = _mm512_dpbusd_epi32(high[t], w1, x);
        }
    }
    const __m512 s0 = _mm512_loadu_ps(block.scales[part][0]);
    const __m512 s1 = _mm512_loadu_ps(block.scales[part][1]);
#pragma GCC unroll 12
    for (int t = 0; t < tokens; ++t) {
        const __m512 scale = _mm512_set1_ps(a.scales[t * (a.columns / kBlock)]);
        sums.low[t] =
            _mm512_fmadd_ps(_mm512_cvtepi32_ps(low[t]), _mm512_mul_ps(s0, scale), sums.low[t]);
        sums.high[t] =
            _mm512_fmadd_ps(_mm512_cvtepi32_ps(high[t]), _mm512_mul_ps(s1, scale), sums.high[t]);
    }
    if constexpr (smallest) {
        const __m512 m0 = _mm512_loadu_ps(block.minima[part][0]);
        const __m512 m1 = _mm512_loadu_ps(block.minima[part][1]);
        const float* totals = halves ? a.halfSums + part : a.blockSums;
#pragma GCC unroll 12
        for (int t = 0; t < tokens; ++t) {
            const __m512 total = _mm512_set1_ps(totals[t * strideOfParts]);
            sums.low[t] = _mm512_fmadd_ps(m0, total, sums.low[t]);
            sums.high[t] = _mm512_fmadd_ps(m1, total, sums.high[t]);
        }
    }
}

template <int tokens, bool halves, bool smallest>
void tileOf(const IntegerTile& tile, std::int64_t first) {
    using Block = PanelBlock<halves, smallest>;
    TileSums<tokens> sums;
#pragma GCC unroll 12
    for (int t = 0; t < tokens; ++t) {
        sums.low[t] = sums.high[t] = _mm512_setzero_ps();
        // Rows of the result are far apart, so their lines are prefetched while the sums are
        // computed.
        const float* c = tile.c + (first + t) * tile.cStride;
        __builtin_prefetch(c, 1);
        __builtin_prefetch(c + 16, 1);
    }
    const auto* block = reinterpret_cast<const Block*>(tile.panel);
    for (std::int64_t column = 0; column < tile.depth; column += kBlock, ++block) {
        const QuantisedRows a = tile.a.at(first, column);
        addPart<tokens, halves, smallest>(*block, a, 0, sums);
        if constexpr (halves) addPart<tokens, halves, smallest>(*block, a, 1, sums);
    }
#pragma GCC unroll 12
    for (int t = 0; t < tokens; ++t)
        storeTile(sums.low[t], sums.high[t], tile, tile.c + (first + t) * tile.cStride);
}

template <int tokens, bool halves, bool smallest>
void tileRest(const IntegerTile& tile, std::int64_t first) {
    if constexpr (tokens > 0) {
        if (tile.tokens - first == tokens) return tileOf<tokens, halves, smallest>(tile, first);
        tileRest<tokens - 1, halves, smallest>(tile, first);
    }
}

template <bool halves, bool smallest>
void tiles(const IntegerTile& tile) {
    std::int64_t t = 0;
    for (; t + kTokens <= tile.tokens; t += kTokens) tileOf<kTokens, halves, smallest>(tile, t);
    tileRest<kTokens - 1, halves, smallest>(tile, t);
}

template <DType type>
void tilesOf(const IntegerTile& tile) {
    tiles<kFormOf<type>.halves, kFormOf<type>.smallest>(tile);
}

void tileInteger(const IntegerTile& tile) noexcept {
    switch (tile.type) {
        case DType::Q8_0:
        case DType::Q4_0:
        case DType::Q5_0:
        case DType::IQ4_NL:
        case DType::IQ4_XS:
        case DType::MXFP4:
        case DType::IQ3_S:
        case DType::IQ3_XXS:
        case DType::IQ2_XXS:
            return tilesOf<DType::Q8_0>(tile);
        case DType::Q4_1:
        case DType::Q5_1:
        case DType::Q4_K:
        case DType::Q5_K:
            return tilesOf<DType::Q4_K>(tile);
        case DType::Q3_K:
        case DType::Q6_K:
        case DType::IQ2_S:
        case DType::IQ2_XS:
            return tilesOf<DType::Q6_K>(tile);
        case DType::Q2_K:
            return tilesOf<DType::Q2_K>(tile);
        case DType::F32:
        case DType::F16:
        case DType::BF16:
        case DType::NVFP4:
        case DType::IQ1_S:
        case DType::IQ1_M:
        case DType::TQ1_0:
        case DType::TQ2_0:
        case DType::Q1_0:
        case DType::Q2_0:
            return;  // these have no integer panels
    }
}

template <DType... types>
void fillPackers(KernelTable& table) {
    ((table.packInteger[kernelIndex(types)] = packInteger<types>), ...);
}

}  // namespace
}  // namespace vnni
}  // namespace lacuna
LACUNA_TARGET_END

namespace lacuna {

void fillVnniTileKernels(KernelTable& table) noexcept {
    vnni::fillPackers<DType::Q8_0, DType::Q4_0, DType::Q4_1, DType::Q5_0, DType::Q5_1, DType::Q2_K,
                      DType::Q3_K, DType::Q4_K, DType::Q5_K, DType::Q6_K, DType::IQ4_NL,
                      DType::IQ4_XS, DType::MXFP4, DType::IQ3_S, DType::IQ3_XXS, DType::IQ2_S,
                      DType::IQ2_XS, DType::IQ2_XXS>(table);
    table.tileInteger = vnni::tileInteger;
}

}  // namespace lacuna
#endif
