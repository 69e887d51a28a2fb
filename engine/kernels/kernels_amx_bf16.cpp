// bfloat16 products with tile registers (AMX), on the panels of kernels_avx512_bf16: a row of a
// panel is two rows of a right operand side by side. Products of pairs are summed in float;
// denormal inputs count as zero. A token's result does not depend on how many others there are.

#include "engine/kernels/tile_registers.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "engine/kernels/target_region.h"

LACUNA_TARGET_BEGIN("avx2,fma,f16c,avx512f,avx512vl,avx512dq,avx512bw,avx512bf16,amx-tile,amx-bf16")
namespace lacuna {
namespace amx {
namespace {

constexpr int kPanelRows = 32;
constexpr int kRows = 16;         // of a tile register
constexpr int kDepth = 32;        // numbers in a row of one
constexpr int kRowBytes = 64;     // likewise
constexpr int kPanelBytes = 128;  // of a pair of depths
constexpr int kTokens = 2 * kRows;

// Tile registers, which the compiler wants as plain numbers: 0 to 3 are sums of the upper and then
// of the lower tokens, each with the low and the high half of a panel; 4 and 5 hold the upper and
// the lower tokens, 6 and 7 the halves.

struct alignas(64) TileShapes {
    std::uint8_t palette = 1;
    std::uint8_t startRow = 0;
    std::uint8_t reserved[14] = {};
    std::uint16_t rowBytes[16] = {};
    std::uint8_t rows[16] = {};
};

/// Up to 32 tokens.
struct Block {
    int upper = 0;
    int lower = 0;
};

/// Loads and stores of tile registers say nothing of memory to the compiler.
inline void settleMemory() {
    __asm__ volatile("" : : : "memory");
}

inline void shapeTiles(Block block) {
    TileShapes shapes;
    const auto set = [&](int tile, int rows) __attribute__((always_inline)) {
        shapes.rows[tile] = static_cast<std::uint8_t>(rows);
        shapes.rowBytes[tile] = static_cast<std::uint16_t>(rows > 0 ? kRowBytes : 0);
    };
    for (const int tile : {0, 1, 4}) set(tile, block.upper);
    for (const int tile : {2, 3, 5}) set(tile, block.lower);
    for (const int tile : {6, 7}) set(tile, kDepth / 2);
    settleMemory();
    _tile_loadconfig(&shapes);
}

template <bool lower>
inline void multiplyStep(const std::uint16_t* a, std::int64_t aBytes, const std::byte* panel) {
    _tile_loadd(6, panel, kPanelBytes);
    _tile_loadd(7, panel + kRowBytes, kPanelBytes);
    _tile_loadd(4, a, aBytes);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    if constexpr (lower) {
        _tile_loadd(5, reinterpret_cast<const std::byte*>(a) + kRows * aBytes, aBytes);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }
}

/// What is left of the depth, padded with zeros: neither operand may be read beyond its end.
template <bool lower>
inline void multiplyLast(const std::uint16_t* a, std::int64_t aStride, const std::byte* panel,
                         std::int64_t pairs, Block block) {
    alignas(64) std::uint16_t rows[kTokens][kDepth];
    alignas(64) std::byte columns[kDepth / 2][kPanelBytes];
    const auto there = static_cast<__mmask16>((1U << static_cast<unsigned>(pairs)) - 1U);
    for (int t = 0; t < block.upper + block.lower; ++t)
        _mm512_store_si512(rows[t], _mm512_maskz_loadu_epi32(there, a + t * aStride));
    for (int p = 0; p < kDepth / 2; ++p)
        for (int half = 0; half < kPanelBytes; half += kRowBytes)
            _mm512_store_si512(columns[p] + half,
                               p < pairs ? _mm512_loadu_si512(panel + p * kPanelBytes + half)
                                         : _mm512_setzero_si512());
    settleMemory();
    multiplyStep<lower>(rows[0], kRowBytes, columns[0]);
    settleMemory();
}

inline void storeSums(const float* sums, int tokens, const BfloatTile& tile, float* c) {
    const bool whole = tile.width == kPanelRows;
    const auto mask = whole ? 0xFFFFFFFFU : (1U << static_cast<unsigned>(tile.width)) - 1U;
    const auto lowMask = static_cast<__mmask16>(mask & 0xFFFFU);
    const auto highMask = static_cast<__mmask16>(mask >> 16U);
    for (int t = 0; t < tokens; ++t, sums += kPanelRows, c += tile.cStride) {
        __m512 low = _mm512_load_ps(sums);
        __m512 high = _mm512_load_ps(sums + 16);
        if (tile.store == TileStore::Accumulate) {
            low = _mm512_add_ps(low, _mm512_maskz_loadu_ps(lowMask, c));
            high = _mm512_add_ps(high, _mm512_maskz_loadu_ps(highMask, c + 16));
        }
        _mm512_mask_storeu_ps(c, lowMask, low);
        _mm512_mask_storeu_ps(c + 16, highMask, high);
    }
}

template <bool lower>
void multiplyBlock(const BfloatTile& tile, std::int64_t first, Block block) {
    alignas(64) float sums[kTokens * kPanelRows];
    _tile_zero(0);
    _tile_zero(1);
    if constexpr (lower) {
        _tile_zero(2);
        _tile_zero(3);
    }
    const std::uint16_t* a = tile.a + first * tile.aStride;
    const std::byte* panel = tile.panel;
    std::int64_t left = (tile.depth + 1) / 2;
    for (; left >= kDepth / 2; left -= kDepth / 2, a += kDepth, panel += kDepth / 2 * kPanelBytes)
        multiplyStep<lower>(a, tile.aStride * 2, panel);
    if (left > 0) multiplyLast<lower>(a, tile.aStride, panel, left, block);
    constexpr int kSumBytes = kPanelRows * 4;
    _tile_stored(0, sums, kSumBytes);
    _tile_stored(1, sums + 16, kSumBytes);
    if constexpr (lower) {
        _tile_stored(2, sums + kRows * kPanelRows, kSumBytes);
        _tile_stored(3, sums + kRows * kPanelRows + 16, kSumBytes);
    }
    settleMemory();
    storeSums(sums, block.upper + block.lower, tile, tile.c + first * tile.cStride);
}

void tileBfloat(const BfloatTile& tile) noexcept {
    std::int64_t t = 0;
    if (tile.tokens >= kTokens) shapeTiles({kRows, kRows});
    for (; t + kTokens <= tile.tokens; t += kTokens) multiplyBlock<true>(tile, t, {kRows, kRows});
    const auto left = static_cast<int>(tile.tokens - t);
    if (left > kRows) {
        shapeTiles({kRows, left - kRows});
        multiplyBlock<true>(tile, t, {kRows, left - kRows});
    } else if (left > 0) {
        shapeTiles({left, 0});
        multiplyBlock<false>(tile, t, {left, 0});
    }
    _tile_release();
}

}  // namespace
}  // namespace amx
}  // namespace lacuna
LACUNA_TARGET_END

namespace lacuna {

void fillTileRegisterKernels(KernelTable& table) noexcept {
    table.tileBfloat = amx::tileBfloat;
}

}  // namespace lacuna
#endif
