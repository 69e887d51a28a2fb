// Products of interleaved rows with AVX2, for processors without VNNI: every lane is the sum of one
// row, so no scales are gathered and nothing is transposed. Bytes are multiplied and added in pairs
// of 16 bits, and as many pairs are summed as cannot overflow. Codes of 32 columns stay in
// registers for all tokens. Panels for float tiles are decoded from the groups lane by lane.

#include "engine/kernels/kernel_parts.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <utility>

#include "engine/kernels/avx2_row_groups.h"
#include "engine/kernels/target_region.h"

LACUNA_TARGET_BEGIN("avx2,fma,f16c")
namespace lacuna {
namespace avx2 {
namespace {

constexpr std::int64_t kPart = 32;  // columns
constexpr std::int64_t kMaxTokens = 12;
constexpr int kMaxInput = 127;

/// Calls work.template operator()<0>() ... <count - 1>().
template <int count, class Work>
LACUNA_AVX2_INLINE void unrolled(const Work& work) {
    [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
        (work.template operator()<i>(), ...);
    }
    (std::make_integer_sequence<int, count>());
}

/// Returns how many groups of four columns are summed in 16 bits before they are widened.
template <DType type>
constexpr int foursTogether() {
    const int most = 32767 / (2 * kMaxInput * RowGroup<type>::kMaxCode);
    return most >= 8 ? 8 : most >= 4 ? 4 : most >= 2 ? 2 : 1;
}

LACUNA_AVX2_INLINE __m256i fourEverywhere(const std::int8_t* codes) {
    std::int32_t four;
    __builtin_memcpy(&four, codes, 4);
    return _mm256_set1_epi32(four);
}

template <DType type>
LACUNA_AVX2_INLINE __m256i pairsOf(__m256i codes, __m256i x) {
    if constexpr (RowGroup<type>::kSigned)
        return _mm256_maddubs_epi16(_mm256_abs_epi8(codes), _mm256_sign_epi8(x, codes));
    return _mm256_maddubs_epi16(codes, x);
}

/// Returns the sums of fours [first, first + count) of a part for eight rows.
template <DType type, int first, int count>
LACUNA_AVX2_INLINE __m256 productOf(const __m256i* codes, const std::int8_t* x) {
    constexpr int kTogether = foursTogether<type>() < count ? foursTogether<type>() : count;
    __m256i sum = _mm256_setzero_si256();
    unrolled<count / kTogether>([&]<int set>() __attribute__((always_inline)) {
        __m256i pairs = _mm256_setzero_si256();
        unrolled<kTogether>([&]<int i>() __attribute__((always_inline)) {
            constexpr int kFour = first + set * kTogether + i;
            pairs =
                _mm256_add_epi16(pairs, pairsOf<type>(codes[kFour], fourEverywhere(x + 4 * kFour)));
        });
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
    });
    return _mm256_cvtepi32_ps(sum);
}

/// Sums of sixteen rows for each token.
struct GroupSums {
    __m256 of[kMaxTokens][2];
};

/// Adds a part of a block to the sums of all tokens; `x` is the first token's input at the block.
template <DType type, int part>
LACUNA_AVX2_INLINE void addPart(const RowGroup<type>& block, const QuantisedRows& x,
                                std::int64_t tokens, GroupSums& sums) {
    constexpr int kScales = RowGroup<type>::kHalves ? 2 : 1;
    constexpr int kFours = 8 / kScales;
    for (int side = 0; side < 2; ++side) {
        __m256i codes[8];
        unrolled<8>([&]<int four>() __attribute__((always_inline)) {
            codes[four] = block.template codes<part, four>(side);
        });
        unrolled<kScales>([&]<int half>() __attribute__((always_inline)) {
            const __m256 scales = block.template scales<part>(half, side);
            __m256 smallest = scales;
            if constexpr (!RowGroup<type>::kSigned)
                smallest = block.template smallest<part>(half, side);
            for (std::int64_t t = 0; t < tokens; ++t) {
                const std::int8_t* input = x.codes + t * x.columns + kPart * part;
                const float scale = x.scales[t * (x.columns / 32) + part];
                const float* totals = RowGroup<type>::kHalves ? x.halfSums + t * (x.columns / 16)
                                                              : x.blockSums + t * (x.columns / 32);
                const __m256 product = productOf<type, half * kFours, kFours>(codes, input);
                __m256 sum = sums.of[t][side];
                sum = _mm256_fmadd_ps(product, times(scales, scale), sum);
                if constexpr (!RowGroup<type>::kSigned)
                    sum = _mm256_fmadd_ps(smallest, _mm256_set1_ps(totals[kScales * part + half]),
                                          sum);
                sums.of[t][side] = sum;
            }
        });
    }
}

template <DType type>
LACUNA_AVX2_INLINE void addGroup(const std::byte* group, std::int64_t columns,
                                 const QuantisedRows& x, std::int64_t tokens, GroupSums& sums) {
    constexpr std::int64_t kColumns = RowGroup<type>::kParts * kPart;
    for (std::int64_t at = 0; at < columns; at += kColumns, group += RowGroup<type>::kBytes) {
        const RowGroup<type> block(group);
        const QuantisedRows input = x.at(0, at);
        unrolled<RowGroup<type>::kParts>([&]<int part>() __attribute__((always_inline)) {
            addPart<type, part>(block, input, tokens, sums);
        });
    }
}

/// Stores the first `count` of sixteen sums.
LACUNA_AVX2_INLINE void storeRows(const __m256* sums, std::int64_t count, float* out) {
    if (count >= kGroupRows) {
        _mm256_storeu_ps(out, sums[0]);
        _mm256_storeu_ps(out + kSideRows, sums[1]);
        return;
    }
    alignas(32) float rows[kGroupRows];
    _mm256_store_ps(rows, sums[0]);
    _mm256_store_ps(rows + kSideRows, sums[1]);
    for (std::int64_t r = 0; r < count; ++r) out[r] = rows[r];
}

template <DType type>
void dotGroups(const RowBlock& block, const QuantisedRows& x, const ProductRows& out) noexcept {
    for (std::int64_t row = 0; row < block.count; row += kGroupRows)
        for (std::int64_t first = 0; first < out.tokens; first += kMaxTokens) {
            const std::int64_t left = out.tokens - first;
            const std::int64_t tokens = left < kMaxTokens ? left : kMaxTokens;
            GroupSums sums;
            for (std::int64_t t = 0; t < tokens; ++t)
                sums.of[t][0] = sums.of[t][1] = _mm256_setzero_ps();
            const std::byte* const group = block.rows + row * block.rowStride;
            if (tokens == 1)
                addGroup<type>(group, block.columns, x.at(first, 0), 1, sums);
            else if (tokens == 2)  // one token in two terms
                addGroup<type>(group, block.columns, x.at(first, 0), 2, sums);
            else
                addGroup<type>(group, block.columns, x.at(first, 0), tokens, sums);
            for (std::int64_t t = 0; t < tokens; ++t)
                storeRows(sums.of[t], block.count - row,
                          out.first + (first + t) * out.stride + row);
        }
}

/// Returns column `column` of four for eight rows, as floats.
template <bool isSigned, int column>
LACUNA_AVX2_INLINE __m256 columnOf(__m256i codes) {
    if constexpr (isSigned)
        return _mm256_cvtepi32_ps(_mm256_srai_epi32(_mm256_slli_epi32(codes, 24 - 8 * column), 24));
    return _mm256_cvtepi32_ps(
        _mm256_and_si256(_mm256_srli_epi32(codes, 8 * column), _mm256_set1_epi32(0xFF)));
}

/// Decodes one part of a block into the columns of a panel, for one side of its rows.
template <DType type, int part>
LACUNA_AVX2_INLINE void decodePart(const RowGroup<type>& block, int side, std::int64_t panelRows,
                                   float* panel) {
    constexpr int kScales = RowGroup<type>::kHalves ? 2 : 1;
    constexpr int kFours = 8 / kScales;
    unrolled<8>([&]<int four>() __attribute__((always_inline)) {
        const __m256i codes = block.template codes<part, four>(side);
        const __m256 scales = block.template scales<part>(four / kFours, side);
        unrolled<4>([&]<int column>() __attribute__((always_inline)) {
            const __m256 code = columnOf<RowGroup<type>::kSigned, column>(codes);
            float* const to = panel + (kPart * part + 4 * four + column) * panelRows;
            if constexpr (RowGroup<type>::kSigned)
                _mm256_storeu_ps(to, _mm256_mul_ps(code, scales));
            else
                _mm256_storeu_ps(
                    to, _mm256_fmadd_ps(code, scales,
                                        block.template smallest<part>(four / kFours, side)));
        });
    });
}

/// Zeros the rows of a panel that belong to no group.
LACUNA_AVX2_INLINE void clearRows(const PanelSource& source, std::int64_t panelRows, float* panel) {
    for (std::int64_t column = 0; column < source.columns; ++column)
        for (int r = 0; r < kGroupRows; ++r) panel[column * panelRows + r] = 0.0F;
}

template <DType type, int panelRows>
void packGroups(const PanelSource& source, float* panel) noexcept {
    constexpr std::int64_t kColumns = RowGroup<type>::kParts * kPart;
    for (int row = 0; row < panelRows; row += kGroupRows) {
        if (row >= source.rowCount) {
            clearRows(source, panelRows, panel + row);
            continue;
        }
        const std::byte* group = source.rows + row * source.rowStride;
        for (std::int64_t at = 0; at < source.columns; at += kColumns) {
            const RowGroup<type> block(group);
            float* const to = panel + at * panelRows + row;
            for (int side = 0; side < 2; ++side)
                unrolled<RowGroup<type>::kParts>([&]<int part>() __attribute__((always_inline)) {
                    decodePart<type, part>(block, side, panelRows, to + kSideRows * side);
                });
            group += RowGroup<type>::kBytes;
        }
    }
}

template <DType... types>
void fillGroups(KernelTable& table) {
    ((table.dotGroupsInteger[kernelIndex(types)] = dotGroups<types>), ...);
    if (table.panelRows == kGroupRows)
        ((table.packFloatGroups[kernelIndex(types)] = packGroups<types, kGroupRows>), ...);
    else
        ((table.packFloatGroups[kernelIndex(types)] = packGroups<types, 2 * kGroupRows>), ...);
}

}  // namespace
}  // namespace avx2
}  // namespace lacuna
LACUNA_TARGET_END

namespace lacuna {

void fillAvx2GroupKernels(KernelTable& table) noexcept {
    avx2::fillGroups<DType::Q8_0, DType::Q4_0, DType::Q4_1, DType::Q5_0, DType::Q5_1, DType::IQ4_NL,
                     DType::MXFP4, DType::Q4_K, DType::Q5_K, DType::Q6_K>(table);
}

}  // namespace lacuna
#endif
