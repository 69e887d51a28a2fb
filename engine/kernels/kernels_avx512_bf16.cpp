// bfloat16 products of F16 and BF16 weights with the AVX-512 BF16 dot product, which Highway lacks.
// Products of pairs are summed in float; denormal inputs count as zero.

#include "engine/kernels/kernel_parts.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include "engine/kernels/avx512_transpose.h"
#include "engine/kernels/target_region.h"

LACUNA_TARGET_BEGIN("avx2,fma,f16c,avx512f,avx512vl,avx512dq,avx512bw,avx512bf16")
namespace lacuna {
namespace bf16 {
namespace {

constexpr int kPanelRows = 32;
constexpr int kTokens = 12;
constexpr std::int64_t kPackAheadBytes = 512;
constexpr std::int64_t kSegment = 16;  // columns transposed at once: 32 bytes

// Returns sixteen columns of one row as bfloat16. They are copied to `out` if they cannot be read
// in place: at the end of a row, beyond the last row, or in another format.
inline const std::byte* readSegment(const PanelSource& source, int row, std::int64_t column,
                                    std::byte* out) {
    const auto store = [out](__m256i bits) __attribute__((always_inline)) {
        _mm256_store_si256(reinterpret_cast<__m256i*>(out), bits);
        return out;
    };
    if (row >= source.rowCount) return store(_mm256_setzero_si256());
    const std::byte* from = source.rows + row * source.rowStride + 2 * column;
    _mm_prefetch(reinterpret_cast<const char*>(from) + kPackAheadBytes, _MM_HINT_T0);
    const std::int64_t left = source.columns - column;
    if (left >= kSegment && source.type == DType::BF16) return from;
    const auto mask = left >= kSegment
                          ? static_cast<__mmask16>(0xFFFF)
                          : static_cast<__mmask16>((1U << static_cast<unsigned>(left)) - 1U);
    const __m256i bits = _mm256_maskz_loadu_epi16(mask, from);
    if (source.type == DType::BF16) return store(bits);
    const __m256bh rounded = _mm512_cvtneps_pbh(_mm512_cvtph_ps(bits));
    __m256i roundedBits;
    __builtin_memcpy(&roundedBits, &rounded, 32);
    return store(roundedBits);
}

void packSegment(const PanelSource& source, int half, std::int64_t column, std::byte* panel) {
    alignas(64) std::byte segments[16][32];
    const std::byte* rows[16];
    for (int r = 0; r < 16; ++r) rows[r] = readSegment(source, 16 * half + r, column, segments[r]);
    const TransposedRows turned = transposeSixteenRows(rows);
    const std::int64_t pairsLeft = (source.columns - column + 1) / 2;
    const int groups = pairsLeft < 8 ? static_cast<int>(pairsLeft) : 8;
    std::byte* target = panel + (column / 2) * 128 + 64 * half;
    for (int g = 0; g < groups; ++g) _mm512_storeu_si512(target + 128 * g, turned.groups[g]);
}

// Both segments of a cache line are read in succession: row strides are powers of two, so only few
// lines fit the cache at once.
void packBfloat(const PanelSource& source, std::byte* panel) noexcept {
    for (std::int64_t column = 0; column < source.columns; column += 2 * kSegment) {
        for (int half = 0; half < 2; ++half) {
            packSegment(source, half, column, panel);
            if (column + kSegment < source.columns)
                packSegment(source, half, column + kSegment, panel);
        }
    }
}

// Returns sixteen numbers of a row as bfloat16, each in the low half of a lane; `mask` selects the
// present ones.
inline __m512i sixteenOf(const PanelSource& source, std::int64_t row, int column, __mmask16 mask) {
    if (row >= source.rowCount) return _mm512_setzero_si512();
    const __m256i bits =
        _mm256_maskz_loadu_epi16(mask, source.rows + row * source.rowStride + 2 * column);
    if (source.type == DType::BF16) return _mm512_cvtepu16_epi32(bits);
    const __m256bh rounded = _mm512_cvtneps_pbh(_mm512_cvtph_ps(bits));
    __m256i roundedBits;
    __builtin_memcpy(&roundedBits, &rounded, 32);
    return _mm512_cvtepu16_epi32(roundedBits);
}

void packBfloatPairs(const PanelSource& source, std::byte* panel) noexcept {
    const auto present = static_cast<std::uint32_t>((std::uint64_t{1} << source.columns) - 1);
    const auto low = static_cast<__mmask16>(present & 0xFFFFU);
    const auto high = static_cast<__mmask16>(present >> 16U);
    for (std::int64_t row = 0; row < source.rowCount; row += 2, panel += 128) {
        const auto pair = [&](int column, __mmask16 mask) __attribute__((always_inline)) {
            const __m512i first = sixteenOf(source, row, column, mask);
            const __m512i second = sixteenOf(source, row + 1, column, mask);
            return _mm512_or_si512(first, _mm512_slli_epi32(second, 16));
        };
        _mm512_storeu_si512(panel, pair(0, low));
        _mm512_storeu_si512(panel + 64, pair(16, high));
    }
}

inline void storeTile(__m512 low, __m512 high, const BfloatTile& tile, float* c) {
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

inline __m512bh asBfloats(__m512i bits) {
    __m512bh v;
    __builtin_memcpy(&v, &bits, sizeof v);
    return v;
}

template <int tokens>
void tileOf(const BfloatTile& tile, std::int64_t first) {
    __m512 low[tokens];
    __m512 high[tokens];
#pragma GCC unroll 12
    for (int t = 0; t < tokens; ++t) low[t] = high[t] = _mm512_setzero_ps();
    const std::uint16_t* a = tile.a + first * tile.aStride;
    const std::byte* panel = tile.panel;
    const std::int64_t pairs = (tile.depth + 1) / 2;
    for (std::int64_t p = 0; p < pairs; ++p, panel += 128) {
        const __m512bh w0 = asBfloats(_mm512_loadu_si512(panel));
        const __m512bh w1 = asBfloats(_mm512_loadu_si512(panel + 64));
#pragma GCC unroll 12
        for (int t = 0; t < tokens; ++t) {
            std::int32_t pair;
            __builtin_memcpy(&pair, a + t * tile.aStride + 2 * p, 4);
            const __m512bh x = asBfloats(_mm512_set1_epi32(pair));
            low[t] = _mm512_dpbf16_ps(low[t], w0, x);
            high[t] = _mm512_dpbf16_ps(high[t], w1, x);
        }
    }
#pragma GCC unroll 12
    for (int t = 0; t < tokens; ++t)
        storeTile(low[t], high[t], tile, tile.c + (first + t) * tile.cStride);
}

template <int tokens>
void tileRest(const BfloatTile& tile, std::int64_t first) {
    if constexpr (tokens > 0) {
        if (tile.tokens - first == tokens) return tileOf<tokens>(tile, first);
        tileRest<tokens - 1>(tile, first);
    }
}

void tileBfloat(const BfloatTile& tile) noexcept {
    std::int64_t t = 0;
    for (; t + kTokens <= tile.tokens; t += kTokens) tileOf<kTokens>(tile, t);
    tileRest<kTokens - 1>(tile, t);
}

}  // namespace
}  // namespace bf16
}  // namespace lacuna
LACUNA_TARGET_END

namespace lacuna {

void fillBfloatKernels(KernelTable& table) noexcept {
    table.packBfloat = bf16::packBfloat;
    table.packBfloatPairs = bf16::packBfloatPairs;
    table.tileBfloat = bf16::tileBfloat;
}

}  // namespace lacuna
#endif
