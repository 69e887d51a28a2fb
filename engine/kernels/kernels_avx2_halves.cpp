// Interleaved rows of halves and bfloats with AVX2: two columns of four or eight rows per register.
// A single token is multiplied in float; panels for float tiles are decoded without transposing.

#include "engine/kernels/kernel_parts.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include "engine/kernels/avx2_row_groups.h"
#include "engine/kernels/target_region.h"

LACUNA_TARGET_BEGIN("avx2,fma,f16c")
namespace lacuna {
namespace avx2 {
namespace {

constexpr int kQuarters = 4;

LACUNA_AVX2_INLINE __m256 pairEverywhere(const float* x) {
    double pair;
    __builtin_memcpy(&pair, x, sizeof pair);
    return _mm256_castpd_ps(_mm256_set1_pd(pair));
}

/// Returns a quarter of sixteen rows with two columns each. For halves: four rows with adjacent
/// columns; for bfloats: one column of eight rows (quarters 0 and 1: the first column).
template <DType type>
LACUNA_AVX2_INLINE __m256 quarterOf(const std::byte* at, int quarter) {
    if constexpr (type == DType::F16) {
        const std::byte* from = at + 16 * quarter;
        return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    }
    const __m256i both = sideOf(at, quarter % 2);
    const __m256i column =
        quarter < 2 ? _mm256_slli_epi32(both, 16)
                    : _mm256_and_si256(both, _mm256_set1_epi32(static_cast<int>(0xFFFF0000U)));
    return _mm256_castsi256_ps(column);
}

template <DType type>
LACUNA_AVX2_INLINE __m256 inputOf(const float* x, int quarter) {
    if constexpr (type == DType::F16) return pairEverywhere(x);
    return _mm256_set1_ps(x[quarter / 2]);
}

/// Restores the row order of sums or columns that were joined by halves of a register.
LACUNA_AVX2_INLINE __m256 ordered(__m256 v) {
    return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(v), 0b11011000));
}

/// Returns eight rows from the sums of their quarters.
template <DType type>
LACUNA_AVX2_INLINE __m256 sideSums(const __m256* sums, int side) {
    if constexpr (type == DType::BF16) return _mm256_add_ps(sums[side], sums[2 + side]);
    return ordered(_mm256_hadd_ps(sums[2 * side], sums[2 * side + 1]));
}

template <DType type>
LACUNA_AVX2_INLINE void dotGroup(const std::byte* group, std::int64_t columns, const float* x,
                                 __m256* rows) {
    __m256 sums[2][kQuarters];
    for (auto& set : sums)
        for (__m256& sum : set) sum = _mm256_setzero_ps();
    std::int64_t column = 0;
    for (; column + 4 <= columns; column += 4)
#pragma GCC unroll 2
        for (int i = 0; i < 2; ++i, group += kVector)
#pragma GCC unroll 4
            for (int q = 0; q < kQuarters; ++q)
                sums[i][q] = _mm256_fmadd_ps(quarterOf<type>(group, q),
                                             inputOf<type>(x + column + 2 * i, q), sums[i][q]);
    for (; column < columns; column += 2, group += kVector)
        for (int q = 0; q < kQuarters; ++q)
            sums[0][q] = _mm256_fmadd_ps(quarterOf<type>(group, q), inputOf<type>(x + column, q),
                                         sums[0][q]);
    for (int q = 0; q < kQuarters; ++q) sums[0][q] = _mm256_add_ps(sums[0][q], sums[1][q]);
    for (int side = 0; side < 2; ++side) rows[side] = sideSums<type>(sums[0], side);
}

template <DType type>
void dotHalfGroups(const RowBlock& block, const float* x, float* out) noexcept {
    for (std::int64_t row = 0; row < block.count; row += kGroupRows) {
        alignas(32) __m256 rows[2];
        dotGroup<type>(block.rows + row * block.rowStride, block.columns, x, rows);
        if (row + kGroupRows <= block.count) {
            _mm256_storeu_ps(out + row, rows[0]);
            _mm256_storeu_ps(out + row + kSideRows, rows[1]);
            continue;
        }
        alignas(32) float part[kGroupRows];
        _mm256_store_ps(part, rows[0]);
        _mm256_store_ps(part + kSideRows, rows[1]);
        for (std::int64_t r = row; r < block.count; ++r) out[r] = part[r - row];
    }
}

/// Decodes two columns of sixteen rows.
template <DType type>
LACUNA_AVX2_INLINE void decodePair(const std::byte* at, float* first, float* second) {
    for (int side = 0; side < 2; ++side) {
        float* const one = first + kSideRows * side;
        float* const two = second + kSideRows * side;
        if constexpr (type == DType::BF16) {
            _mm256_storeu_ps(one, quarterOf<type>(at, side));
            _mm256_storeu_ps(two, quarterOf<type>(at, 2 + side));
        } else {
            const __m256 a = quarterOf<type>(at, 2 * side);
            const __m256 b = quarterOf<type>(at, 2 * side + 1);
            _mm256_storeu_ps(one, ordered(_mm256_shuffle_ps(a, b, 0b10001000)));
            _mm256_storeu_ps(two, ordered(_mm256_shuffle_ps(a, b, 0b11011101)));
        }
    }
}

template <DType type, int panelRows>
void packHalfGroups(const PanelSource& source, float* panel) noexcept {
    for (int row = 0; row < panelRows; row += kGroupRows)
        for (std::int64_t column = 0; column < source.columns; column += 2) {
            float* const first = panel + column * panelRows + row;
            if (row < source.rowCount) {
                const std::byte* at = source.rows + row * source.rowStride + kVector / 2 * column;
                decodePair<type>(at, first, first + panelRows);
            } else {
                for (int r = 0; r < kGroupRows; ++r) first[r] = first[panelRows + r] = 0.0F;
            }
        }
}

template <DType... types>
void fillHalfGroups(KernelTable& table) {
    ((table.dotGroups[kernelIndex(types)] = dotHalfGroups<types>), ...);
    if (table.panelRows == kGroupRows)
        ((table.packFloatGroups[kernelIndex(types)] = packHalfGroups<types, kGroupRows>), ...);
    else
        ((table.packFloatGroups[kernelIndex(types)] = packHalfGroups<types, 2 * kGroupRows>), ...);
}

}  // namespace
}  // namespace avx2
}  // namespace lacuna
LACUNA_TARGET_END

namespace lacuna {

void fillAvx2HalfKernels(KernelTable& table) noexcept {
    avx2::fillHalfGroups<DType::F16, DType::BF16>(table);
}

}  // namespace lacuna
#endif
