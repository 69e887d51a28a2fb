// Eight tile registers of 16 rows with 64 bytes: four hold the sums of 32 tokens and 32 columns,
// two the tokens and two the panel, whose column pairs already have the layout of the unit. Sums
// accumulate in float; denormal inputs count as zero, as in kernels_avx512_bf16.cpp.

#include "engine/kernels/bfloat_matrix.h"

#include "engine/kernels/cpu_features.h"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/kernels/target_region.h"

namespace lacuna {
namespace {

/// The processor's tile configuration: bytes per row and rows of each tile register.
struct alignas(64) TileShapes {
    std::uint8_t palette = 1;
    std::uint8_t startRow = 0;
    std::uint8_t reserved[14] = {};
    std::uint16_t rowBytes[16] = {};
    std::uint8_t rows[16] = {};
};
static_assert(sizeof(TileShapes) == 64);

constexpr std::int64_t kTileRows = 16;
constexpr int kPanelColumns = 32;
constexpr std::int64_t kPairBytes = 128;  // of a panel: 32 columns of two bfloat16 numbers
// The part of a panel that is multiplied with all tokens before the next one; fits the first-level
// cache.
constexpr std::int64_t kDepthAtOnce = 256;

}  // namespace
}  // namespace lacuna

LACUNA_TARGET_BEGIN("avx2,fma,avx512f,amx-tile,amx-bf16")
namespace lacuna {
namespace amx {
namespace {

/// Sets the tile registers to `rows` tokens in the first half and 16 in the second.
void shapeTiles(std::int64_t rows) {
    TileShapes shapes;
    for (int tile = 0; tile < 8; ++tile) {
        const bool ofTokens = tile == 0 || tile == 1 || tile == 4;
        shapes.rowBytes[tile] = 64;
        shapes.rows[tile] = static_cast<std::uint8_t>(ofTokens ? rows : kTileRows);
    }
    // The compiler does not know that tile loads read memory; this forces earlier stores.
    __asm__ volatile("" : : : "memory");
    _tile_loadconfig(&shapes);
}

/// Adds the products of a part of the depth for 32 tokens.
void addBoth(const BfloatTile& tile, std::int64_t token, std::int64_t from, std::int64_t to) {
    const std::int64_t cBytes = tile.cStride * 4;
    const std::int64_t aBytes = tile.aStride * 2;
    float* const upper = tile.c + token * tile.cStride;
    float* const lower = upper + kTileRows * tile.cStride;
    const std::uint16_t* const a = tile.a + token * tile.aStride;
    _tile_loadd(0, upper, cBytes);
    _tile_loadd(1, upper + 16, cBytes);
    _tile_loadd(2, lower, cBytes);
    _tile_loadd(3, lower + 16, cBytes);
    for (std::int64_t d = from; d < to; d += kMatrixDepth) {
        const std::byte* const panel = tile.panel + d / 2 * kPairBytes;
        _tile_loadd(4, a + d, aBytes);
        _tile_loadd(5, a + kTileRows * tile.aStride + d, aBytes);
        _tile_loadd(6, panel, kPairBytes);
        _tile_loadd(7, panel + kPairBytes / 2, kPairBytes);
        _tile_dpbf16ps(0, 4, 6);
        _tile_dpbf16ps(1, 4, 7);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }
    _tile_stored(0, upper, cBytes);
    _tile_stored(1, upper + 16, cBytes);
    _tile_stored(2, lower, cBytes);
    _tile_stored(3, lower + 16, cBytes);
}

/// The same for the number of tokens set for the first half.
void addUpper(const BfloatTile& tile, std::int64_t token, std::int64_t from, std::int64_t to) {
    const std::int64_t cBytes = tile.cStride * 4;
    float* const upper = tile.c + token * tile.cStride;
    const std::uint16_t* const a = tile.a + token * tile.aStride;
    _tile_loadd(0, upper, cBytes);
    _tile_loadd(1, upper + 16, cBytes);
    for (std::int64_t d = from; d < to; d += kMatrixDepth) {
        const std::byte* const panel = tile.panel + d / 2 * kPairBytes;
        _tile_loadd(4, a + d, tile.aStride * 2);
        _tile_loadd(6, panel, kPairBytes);
        _tile_loadd(7, panel + kPairBytes / 2, kPairBytes);
        _tile_dpbf16ps(0, 4, 6);
        _tile_dpbf16ps(1, 4, 7);
    }
    _tile_stored(0, upper, cBytes);
    _tile_stored(1, upper + 16, cBytes);
}

void addProducts(const BfloatTile& tile) {
    const std::int64_t both = tile.tokens / (2 * kTileRows) * (2 * kTileRows);
    const std::int64_t whole = tile.tokens / kTileRows * kTileRows;
    for (std::int64_t from = 0; from < tile.depth; from += kDepthAtOnce) {
        const std::int64_t to = from + kDepthAtOnce < tile.depth ? from + kDepthAtOnce : tile.depth;
        shapeTiles(kTileRows);
        for (std::int64_t t = 0; t < both; t += 2 * kTileRows) addBoth(tile, t, from, to);
        if (both < whole) addUpper(tile, both, from, to);
        if (whole < tile.tokens) {
            shapeTiles(tile.tokens - whole);
            addUpper(tile, whole, from, to);
        }
    }
    _tile_release();
}

void multiply(const BfloatTile& tile) noexcept {
    if (tile.width != kPanelColumns) return bestKernels().tileBfloat(tile);
    if (tile.store == TileStore::Replace)
        for (std::int64_t t = 0; t < tile.tokens; ++t)
            for (int column = 0; column < kPanelColumns; ++column)
                tile.c[t * tile.cStride + column] = 0;
    addProducts(tile);
}

}  // namespace
}  // namespace amx
}  // namespace lacuna
LACUNA_TARGET_END

namespace lacuna {
namespace {

/// Returns whether the unit exists and its registers may be used: they are large, so Linux grants
/// them only on request.
bool mayUseTiles() {
    constexpr unsigned kTileBit = 1U << 24;  // leaf 7.0, EDX
    constexpr unsigned kBf16Bit = 1U << 22;  // leaf 7.0, EDX
    constexpr long kAskForPermission = 0x1023;
    constexpr long kTileData = 18;
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
    if ((d & kTileBit) == 0 || (d & kBf16Bit) == 0) return false;
    return ::syscall(SYS_arch_prctl, kAskForPermission, kTileData) == 0;
}

}  // namespace

MatrixTile matrixTileBfloat() {
    static const bool usable = bestKernels().tileBfloat != nullptr &&
                               bestKernels().panelRows == kPanelColumns && mayUseTiles();
    return usable ? amx::multiply : nullptr;
}

}  // namespace lacuna
#else
namespace lacuna {

MatrixTile matrixTileBfloat() {
    return nullptr;
}

}  // namespace lacuna
#endif
