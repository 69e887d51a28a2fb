// int8 products of rows with VNNI, which Highway lacks. The instruction multiplies unsigned by
// signed bytes. Codes of Q8_0 become code + 128, and the sums start at -128 times the sum of the
// activations' codes (QuantisedRows), which makes the product exact. All other types are read in
// octets of groups with unsigned codes; their smallest values are multiplied by the sums of the
// activations once per group.

#include "engine/kernels/kernel_parts.h"
#include "engine/kernels/target_region.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include "engine/kernels/vnni_octets.h"

LACUNA_TARGET_BEGIN("avx2,fma,f16c,avx512f,avx512vl,avx512dq,avx512bw,avx512vnni")
namespace lacuna {
namespace vnni {
namespace {

constexpr std::int64_t kBlock = 32;
constexpr std::int64_t kBlockBytes = 34;
constexpr int kInFlight = 4;                   // independent sums of one dot product
constexpr std::int64_t kPrefetchBytes = 2048;  // distance ahead of the row being read
constexpr std::int64_t kOctetsAheadBytes = 4096;
constexpr std::int64_t kOctet = 256;  // columns

inline std::int32_t sumOf(__m128i v) {
    const __m128i two = _mm_add_epi32(v, _mm_unpackhi_epi64(v, v));
    return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 1)));
}

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
        const std::int32_t first = sumOf(_mm256_castsi256_si128(offsets));
        const std::int32_t second = sumOf(_mm256_extracti128_si256(offsets, 1));
        out.halfOffsets[2 * b] = first;
        out.halfOffsets[2 * b + 1] = second;
        out.blockOffsets[b] = first + second;
        // A NaN has no code and max may drop it, so it is stored in the scale, which makes products
        // NaN.
        const bool hasNan = _mm512_cmp_ps_mask(low, high, _CMP_UNORD_Q) != 0;
        const float scale = hasNan ? __builtin_nanf("") : largest / 127.0F;
        const float sumScale = scale / -128.0F;
        out.scales[b] = scale;
        out.halfSums[2 * b] = sumScale * static_cast<float>(first);
        out.halfSums[2 * b + 1] = sumScale * static_cast<float>(second);
        out.blockSums[b] = sumScale * static_cast<float>(first + second);
    }
}

void remainder(const float* x, const QuantisedRows& row, float* out, std::int64_t n) noexcept {
    for (std::int64_t at = 0; at < n; at += 16) {
        const __m128i codes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row.codes + at));
        const __m512 scale = _mm512_set1_ps(row.scales[at / kBlock]);
        _mm512_storeu_ps(out + at, _mm512_fnmadd_ps(_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(codes)),
                                                    scale, _mm512_loadu_ps(x + at)));
    }
}

// Adds one block of one row: scale * (codes . activations), spread over eight lanes.
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

// Processes one row after the other: the weights are then a single stream, which the memory system
// handles best. Decoding is memory-bound, so lines are prefetched well ahead, across row ends.
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

void dotRowsQ8(const RowBlock& block, const QuantisedRows& x, float* out) noexcept {
    const std::int64_t blocks = block.columns / kBlock;
    for (std::int64_t r = 0; r < block.count; ++r)
        out[r] = dotOne(block.rows + r * block.rowStride, blocks, x);
}

/// Running sums of one row.
struct OctetSums {
    __m512 even;
    __m512 odd;
    __m512 smallest;
};

LACUNA_INLINE OctetSums noSums() {
    return {_mm512_setzero_ps(), _mm512_setzero_ps(), _mm512_setzero_ps()};
}

template <DType type>
LACUNA_INLINE __m512 totalOf(const OctetSums& sums) {
    constexpr int kCentre = Octet<type>::kCentre;
    const __m512 factor = _mm512_set1_ps(kCentre == 0 ? 1.0F : static_cast<float>(-kCentre));
    return _mm512_fmadd_ps(factor, sums.smallest, _mm512_add_ps(sums.even, sums.odd));
}

// Lane i of the product of a pair of groups belongs to column 4 i, so the scales of the pair are
// spread over its lanes.
template <bool halves, int pair>
LACUNA_INLINE __m512 spread(__m512 scales) {
    const __m512i lanes = halves
                              ? _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3)
                              : _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
    const __m512i first = _mm512_set1_epi32(halves ? 4 * pair : 2 * pair);
    return _mm512_permutexvar_ps(_mm512_add_epi32(lanes, first), scales);
}

// Returns the scales of the groups times those of the activations, and the smallest values times
// the sums of the activations. `groups` selects those that the row has; others count as zero.
template <DType type>
LACUNA_INLINE __m512 octetScales(const Octet<type>& octet, const QuantisedRows& x, __mmask8 groups,
                                 OctetSums& sums) {
    using Form = Octet<type>;
    if constexpr (Form::kHalves) {
        const __m512i twice = _mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
        const __m512 factors =
            _mm512_permutexvar_ps(twice, _mm512_castps256_ps512(_mm256_loadu_ps(x.scales)));
        const __m512 scales = octet.scales();
        if constexpr (Form::kCentre != 0) {
            sums.smallest = _mm512_fmadd_ps(scales, _mm512_loadu_ps(x.halfSums), sums.smallest);
        } else {
            sums.smallest =
                _mm512_fmadd_ps(octet.smallest(), _mm512_loadu_ps(x.halfSums), sums.smallest);
        }
        return _mm512_mul_ps(scales, factors);
    } else {
        const __m256 factors = _mm256_maskz_loadu_ps(groups, x.scales);
        const __m256 totals = _mm256_maskz_loadu_ps(groups, x.blockSums);
        const __m256 scales = octet.scales();
        __m256 smallest = scales;
        if constexpr (Form::kCentre == 0) smallest = octet.smallest();
        sums.smallest = _mm512_zextps256_ps512(
            _mm256_fmadd_ps(smallest, totals, _mm512_castps512_ps256(sums.smallest)));
        return _mm512_castps256_ps512(_mm256_mul_ps(scales, factors));
    }
}

template <DType type, int pair>
LACUNA_INLINE __m512 addPair(const Octet<type>& octet, const QuantisedRows& x, __m512 scales,
                             __m512 sum) {
    const __m512i codes = _mm512_loadu_si512(x.codes + 64 * pair);
    const __m512i product =
        _mm512_dpbusd_epi32(_mm512_setzero_si512(), octet.template codes<pair>(), codes);
    return _mm512_fmadd_ps(_mm512_cvtepi32_ps(product), spread<Octet<type>::kHalves, pair>(scales),
                           sum);
}

template <DType type>
LACUNA_INLINE void addOctet(const std::byte* at, const QuantisedRows& x, __mmask8 groups,
                            OctetSums& sums) {
    const Octet<type> octet{at};
    const __m512 scales = octetScales<type>(octet, x, groups, sums);
    sums.even = addPair<type, 0>(octet, x, scales, sums.even);
    sums.odd = addPair<type, 1>(octet, x, scales, sums.odd);
    sums.even = addPair<type, 2>(octet, x, scales, sums.even);
    sums.odd = addPair<type, 3>(octet, x, scales, sums.odd);
}

// Handles the groups after the last full octet as an octet whose missing groups have scales of
// zero.
template <DType type>
__attribute__((noinline)) __m512 lastOctet(const std::byte* at, std::int64_t columns,
                                           const QuantisedRows& x) {
    alignas(64) std::byte padded[Octet<type>::kBytes] = {};
    alignas(64) std::int8_t codes[kOctet] = {};
    const std::int64_t groups = columns / kBlock;
    __builtin_memcpy(padded, at, static_cast<std::size_t>(groups * (Octet<type>::kBytes / 8)));
    __builtin_memcpy(codes, x.codes, static_cast<std::size_t>(columns));
    QuantisedRows part = x;
    part.codes = codes;
    OctetSums sums = noSums();
    addOctet<type>(padded, part, static_cast<__mmask8>((1U << groups) - 1U), sums);
    return totalOf<type>(sums);
}

template <DType type>
LACUNA_INLINE float dotOctets(const std::byte* row, std::int64_t columns, const QuantisedRows& x) {
    constexpr int kBytes = Octet<type>::kBytes;
    OctetSums sums = noSums();
    std::int64_t at = 0;
    for (; at + kOctet <= columns; at += kOctet, row += kBytes) {
#pragma GCC unroll 5
        for (int line = 0; line < kBytes; line += 64)
            _mm_prefetch(reinterpret_cast<const char*>(row) + kOctetsAheadBytes + line,
                         _MM_HINT_T0);
        addOctet<type>(row, x.at(0, at), 0xFF, sums);
    }
    __m512 total = totalOf<type>(sums);
    if constexpr (!Octet<type>::kHalves)
        if (at < columns)
            total = _mm512_add_ps(total, lastOctet<type>(row, columns - at, x.at(0, at)));
    return _mm512_reduce_add_ps(total);
}

template <DType type>
void dotRows(const RowBlock& block, const QuantisedRows& x, float* out) noexcept {
    for (std::int64_t r = 0; r < block.count; ++r)
        out[r] = dotOctets<type>(block.rows + r * block.rowStride, block.columns, x);
}

template <DType... types>
void fillOctets(KernelTable& table) {
    ((table.dotRowsInteger[kernelIndex(types)] = dotRows<types>), ...);
}

}  // namespace
}  // namespace vnni
}  // namespace lacuna
LACUNA_TARGET_END

namespace lacuna {

void fillVnniRowKernels(KernelTable& table) noexcept {
    table.quantise = vnni::quantise;
    table.remainder = vnni::remainder;
    table.dotRowsInteger[kernelIndex(DType::Q8_0)] = vnni::dotRowsQ8;
    vnni::fillOctets<DType::Q4_0, DType::Q4_1, DType::Q5_0, DType::Q5_1, DType::Q2_K, DType::Q3_K,
                     DType::Q4_K, DType::Q5_K, DType::Q6_K, DType::IQ4_NL, DType::IQ4_XS,
                     DType::MXFP4, DType::IQ3_S, DType::IQ3_XXS, DType::IQ2_S, DType::IQ2_XS,
                     DType::IQ2_XXS>(table);
}

}  // namespace lacuna
#endif
