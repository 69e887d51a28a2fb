// int8 products of Q8_0 weights with VNNI, which Highway lacks. The instruction multiplies unsigned
// by signed bytes: weights become code + 128, and the sums start at -128 times the sum of the
// activations' codes (QuantisedRows), which makes the product exact.

#include "engine/kernels/kernel_parts.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include "engine/kernels/avx512_transpose.h"

#pragma GCC push_options
#pragma GCC target("avx2,fma,f16c,avx512f,avx512vl,avx512dq,avx512bw,avx512vnni")
namespace lacuna {
namespace vnni {
namespace {

constexpr int kPanelRows = 32;
constexpr int kTokens = 6;
constexpr std::int64_t kBlock = 32;
constexpr std::int64_t kBlockBytes = 34;
constexpr int kInFlight = 4;                   // independent sums of one dot product
constexpr std::int64_t kPrefetchBytes = 2048;  // ahead of the row being read
constexpr std::int64_t kPackAheadBytes = 512;

/// 32 columns of 32 rows: codes as [4 columns][row][code + 128].
struct PanelBlock {
    float scales[2][16];
    std::uint8_t codes[8][2][64];
};
static_assert(sizeof(PanelBlock) == 1152);

const std::byte kMissingRow[kBlockBytes] = {};

void quantise(const float* x, const QuantisedRows& out, std::int64_t n) noexcept {
    for (std::int64_t b = 0; b < n / kBlock; ++b) {
        const __m512 low = _mm512_loadu_ps(x + b * kBlock);
        const __m512 high = _mm512_loadu_ps(x + b * kBlock + 16);
        const float largest =
            _mm512_reduce_max_ps(_mm512_max_ps(_mm512_abs_ps(low), _mm512_abs_ps(high)));
        const float inverse = largest > 0.0F ? 127.0F / largest : 0.0F;
        const __m512 factor = _mm512_set1_ps(inverse);
        const __m128i a = _mm512_cvtsepi32_epi8(_mm512_cvtps_epi32(_mm512_mul_ps(low, factor)));
        const __m128i c = _mm512_cvtsepi32_epi8(_mm512_cvtps_epi32(_mm512_mul_ps(high, factor)));
        const __m256i codes = _mm256_inserti128_si256(_mm256_castsi128_si256(a), c, 1);
        const __m256i sums =
            _mm256_dpbusd_epi32(_mm256_setzero_si256(), _mm256_set1_epi8(-128), codes);
        const __m256i offsets = _mm256_sub_epi32(_mm256_setzero_si256(), sums);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out.codes + b * kBlock), codes);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out.groupOffsets + b * 8), offsets);
        out.blockOffsets[b] = _mm512_reduce_add_epi32(_mm512_zextsi256_si512(offsets));
        // A NaN has no code and max may drop it: it goes into the scale, so that products show it.
        const bool hasNan = _mm512_cmp_ps_mask(low, high, _CMP_UNORD_Q) != 0;
        out.scales[b] = hasNan ? __builtin_nanf("") : largest / 127.0F;
    }
}

// One block of one row: scale * (codes . activations), spread over eight lanes.
inline __m256 rowBlock(const std::byte* block, __m256i codes, __m256i offsets, __m256 scale,
                       __m256 sum) {
    const __m256i weights = _mm256_xor_si256(
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block + 2)), _mm256_set1_epi8(-128));
    const __m256 product = _mm256_cvtepi32_ps(_mm256_dpbusd_epi32(offsets, weights, codes));
    std::int16_t half;
    __builtin_memcpy(&half, block, 2);
    const __m256 weightScale = _mm256_cvtph_ps(_mm_set1_epi16(half));
    return _mm256_fmadd_ps(product, _mm256_mul_ps(weightScale, scale), sum);
}

inline float sumOf(__m256 v) {
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

// One row after the other: the weights are then a single stream, which the memory system follows
// best. Decoding is bound by it, so the next lines are asked for well ahead, across the ends of
// rows.
float dotOne(const std::byte* row, std::int64_t blocks, const QuantisedRows& x) {
    __m256 sums[kInFlight];
#pragma GCC unroll 4
    for (int i = 0; i < kInFlight; ++i) sums[i] = _mm256_setzero_ps();
    std::int64_t b = 0;
    const auto add = [&](std::int64_t at, __m256 sum) __attribute__((always_inline)) {
        const auto* codes = reinterpret_cast<const __m256i*>(x.codes + at * kBlock);
        const auto* offsets = reinterpret_cast<const __m256i*>(x.groupOffsets + at * 8);
        return rowBlock(row + at * kBlockBytes, _mm256_loadu_si256(codes),
                        _mm256_loadu_si256(offsets), _mm256_broadcast_ss(x.scales + at), sum);
    };
    for (; b + kInFlight <= blocks; b += kInFlight) {
        const char* ahead = reinterpret_cast<const char*>(row + b * kBlockBytes) + kPrefetchBytes;
        _mm_prefetch(ahead, _MM_HINT_T0);
        _mm_prefetch(ahead + 64, _MM_HINT_T0);
#pragma GCC unroll 4
        for (int i = 0; i < kInFlight; ++i) sums[i] = add(b + i, sums[i]);
    }
    for (; b < blocks; ++b) sums[0] = add(b, sums[0]);
    return sumOf(_mm256_add_ps(_mm256_add_ps(sums[0], sums[1]), _mm256_add_ps(sums[2], sums[3])));
}

void dotRowsInteger(const RowBlock& block, const QuantisedRows& x, float* out) noexcept {
    const std::int64_t blocks = block.columns / kBlock;
    for (std::int64_t r = 0; r < block.count; ++r)
        out[r] = dotOne(block.rows + r * block.rowStride, blocks, x);
}

void packInteger(const PanelSource& source, std::byte* panel) noexcept {
    auto* target = reinterpret_cast<PanelBlock*>(panel);
    const __m512i shift = _mm512_set1_epi8(-128);
    for (std::int64_t b = 0; b < source.columns / kBlock; ++b, ++target) {
        for (int half = 0; half < 2; ++half) {
            const std::byte* codes[16];
            std::uint16_t scales[16];
            for (int r = 0; r < 16; ++r) {
                const int row = 16 * half + r;
                const std::byte* block =
                    row < source.rowCount ? source.rows + row * source.rowStride + b * kBlockBytes
                                          : kMissingRow;
                __builtin_memcpy(&scales[r], block, 2);
                codes[r] = block + 2;
                // Thirty-two rows are more streams than the hardware follows by itself.
                _mm_prefetch(reinterpret_cast<const char*>(block) + kPackAheadBytes, _MM_HINT_T0);
            }
            const TransposedRows turned = transposeSixteenRows(codes);
            for (int g = 0; g < 8; ++g)
                _mm512_storeu_si512(target->codes[g][half],
                                    _mm512_xor_si512(turned.groups[g], shift));
            const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(scales));
            _mm512_storeu_ps(target->scales[half], _mm512_cvtph_ps(halves));
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

template <int tokens>
void tileOf(const IntegerTile& tile, std::int64_t first) {
    __m512 low[tokens];
    __m512 high[tokens];
#pragma GCC unroll 12
    for (int t = 0; t < tokens; ++t) low[t] = high[t] = _mm512_setzero_ps();
    const auto* block = reinterpret_cast<const PanelBlock*>(tile.panel);
    const QuantisedRows a = tile.a.at(first, 0);
    const std::int64_t blockStride = a.columns / kBlock;
    for (std::int64_t b = 0; b < tile.depth / kBlock; ++b, ++block) {
        __m512i lowSum[tokens];
        __m512i highSum[tokens];
#pragma GCC unroll 12
        for (int t = 0; t < tokens; ++t)
            lowSum[t] = highSum[t] = _mm512_set1_epi32(a.blockOffsets[t * blockStride + b]);
        for (int g = 0; g < 8; ++g) {
            const __m512i w0 = _mm512_loadu_si512(block->codes[g][0]);
            const __m512i w1 = _mm512_loadu_si512(block->codes[g][1]);
#pragma GCC unroll 12
            for (int t = 0; t < tokens; ++t) {
                std::int32_t four;
                __builtin_memcpy(&four, a.codes + t * a.columns + b * kBlock + 4 * g, 4);
                const __m512i x = _mm512_set1_epi32(four);
                lowSum[t] = _mm512_dpbusd_epi32(lowSum[t], w0, x);
                highSum[t] = _mm512_dpbusd_epi32(highSum[t], w1, x);
            }
        }
        const __m512 s0 = _mm512_loadu_ps(block->scales[0]);
        const __m512 s1 = _mm512_loadu_ps(block->scales[1]);
#pragma GCC unroll 12
        for (int t = 0; t < tokens; ++t) {
            const __m512 scale = _mm512_set1_ps(a.scales[t * blockStride + b]);
            low[t] =
                _mm512_fmadd_ps(_mm512_cvtepi32_ps(lowSum[t]), _mm512_mul_ps(s0, scale), low[t]);
            high[t] =
                _mm512_fmadd_ps(_mm512_cvtepi32_ps(highSum[t]), _mm512_mul_ps(s1, scale), high[t]);
        }
    }
#pragma GCC unroll 12
    for (int t = 0; t < tokens; ++t)
        storeTile(low[t], high[t], tile, tile.c + (first + t) * tile.cStride);
}

template <int tokens>
void tileRest(const IntegerTile& tile, std::int64_t first) {
    if constexpr (tokens > 0) {
        if (tile.tokens - first == tokens) return tileOf<tokens>(tile, first);
        tileRest<tokens - 1>(tile, first);
    }
}

void tileInteger(const IntegerTile& tile) noexcept {
    std::int64_t t = 0;
    for (; t + kTokens <= tile.tokens; t += kTokens) tileOf<kTokens>(tile, t);
    tileRest<kTokens - 1>(tile, t);
}

}  // namespace
}  // namespace vnni
}  // namespace lacuna
#pragma GCC pop_options

namespace lacuna {

void fillVnniKernels(KernelTable& table) noexcept {
    table.quantise = vnni::quantise;
    table.dotRowsInteger = vnni::dotRowsInteger;
    table.packInteger = vnni::packInteger;
    table.tileInteger = vnni::tileInteger;
}

}  // namespace lacuna
#endif
