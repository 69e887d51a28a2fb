// int8 products of rows with AVX2, for processors without VNNI. The byte multiplication takes an
// unsigned and a signed operand and adds pairs in 16 bits with saturation. Codes up to 63 cannot
// saturate; signed codes enter as absolute values, and their signs move to the activations.

#include "engine/kernels/kernel_parts.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include "engine/kernels/avx2_groups.h"
#include "engine/kernels/target_region.h"

LACUNA_TARGET_BEGIN("avx2,fma,f16c")
namespace lacuna {
namespace avx2 {
namespace {

constexpr std::int64_t kBlock = 32;
constexpr std::int64_t kAheadBytes = 2048;

inline float largestOf(__m256 v) {
    const __m128 four = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}
inline float sumOf(__m256 v) {
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}
inline std::int32_t sumOf(__m128i v) {
    const __m128i two = _mm_add_epi32(v, _mm_unpackhi_epi64(v, v));
    return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 1)));
}

// Packs thirty-two integers of -127..127 into bytes, in order.
inline __m256i narrow(const __m256i* quarters) {
    const __m256i low = _mm256_packs_epi32(quarters[0], quarters[1]);
    const __m256i high = _mm256_packs_epi32(quarters[2], quarters[3]);
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);  // packing works on 128-bit
                                                                      // halves
    return _mm256_permutevar8x32_epi32(_mm256_packs_epi16(low, high), order);
}

void quantise(const float* x, const QuantisedRows& out, std::int64_t n) noexcept {
    const __m256 sign = _mm256_set1_ps(-0.0F);
    for (std::int64_t b = 0; b < n / kBlock; ++b) {
        __m256 quarters[4];
        __m256 tops = _mm256_setzero_ps();
        __m256 unordered = _mm256_setzero_ps();
        for (int i = 0; i < 4; ++i) {
            quarters[i] = _mm256_loadu_ps(x + b * kBlock + 8 * i);
            tops = _mm256_max_ps(tops, _mm256_andnot_ps(sign, quarters[i]));
            unordered =
                _mm256_or_ps(unordered, _mm256_cmp_ps(quarters[i], quarters[i], _CMP_UNORD_Q));
        }
        const float largest = largestOf(tops);
        const __m256 factor = _mm256_set1_ps(largest > 0.0F ? 127.0F / largest : 0.0F);
        __m256i integers[4];
        for (int i = 0; i < 4; ++i)
            integers[i] = _mm256_cvtps_epi32(_mm256_mul_ps(quarters[i], factor));
        const __m256i codes = narrow(integers);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out.codes + b * kBlock), codes);
        const __m256i pairs = _mm256_maddubs_epi16(_mm256_set1_epi8(1), codes);
        const __m256i groups = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
        const __m256i offsets =
            _mm256_sub_epi32(_mm256_setzero_si256(), _mm256_slli_epi32(groups, 7));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out.groupOffsets + b * 8), offsets);
        const std::int32_t first = sumOf(_mm256_castsi256_si128(groups));
        const std::int32_t second = sumOf(_mm256_extracti128_si256(groups, 1));
        // A NaN has no code and max may drop it, so it is stored in the scale, which makes products
        // NaN.
        const bool hasNan = _mm256_movemask_ps(unordered) != 0;
        const float scale = hasNan ? __builtin_nanf("") : largest / 127.0F;
        out.scales[b] = scale;
        out.halfOffsets[2 * b] = -128 * first;
        out.halfOffsets[2 * b + 1] = -128 * second;
        out.blockOffsets[b] = -128 * (first + second);
        out.halfSums[2 * b] = scale * static_cast<float>(first);
        out.halfSums[2 * b + 1] = scale * static_cast<float>(second);
        out.blockSums[b] = scale * static_cast<float>(first + second);
    }
}

void remainder(const float* x, const QuantisedRows& row, float* out, std::int64_t n) noexcept {
    for (std::int64_t at = 0; at < n; at += 8) {
        const __m128i codes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(row.codes + at));
        const __m256 scale = _mm256_broadcast_ss(row.scales + at / kBlock);
        _mm256_storeu_ps(out + at, _mm256_fnmadd_ps(_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(codes)),
                                                    scale, _mm256_loadu_ps(x + at)));
    }
}

template <bool isSigned>
inline __m256 productOf(__m256i codes, __m256i x) {
    const __m256i pairs =
        isSigned ? _mm256_maddubs_epi16(_mm256_abs_epi8(codes), _mm256_sign_epi8(x, codes))
                 : _mm256_maddubs_epi16(codes, x);
    return _mm256_cvtepi32_ps(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

template <DType type>
float dotOne(const std::byte* row, std::int64_t blocks, const QuantisedRows& x) {
    __m256 sum = _mm256_setzero_ps();
    float smallest = 0.0F;
    for (std::int64_t b = 0; b < blocks; ++b) {
        const Group<type> group(row, b);
        __builtin_prefetch(group.block + kAheadBytes);
        const __m256i codes = load32(reinterpret_cast<const std::byte*>(x.codes + b * kBlock));
        const __m256 product = productOf<Group<type>::kSigned>(group.codes(), codes);
        const GroupScales scales = group.scales();
        const __m256 both =
            _mm256_set_m128(_mm_set1_ps(scales.scale[1]), _mm_set1_ps(scales.scale[0]));
        sum = _mm256_fmadd_ps(product, _mm256_mul_ps(both, _mm256_broadcast_ss(x.scales + b)), sum);
        if constexpr (!Group<type>::kSigned)
            smallest +=
                scales.smallest[0] * x.halfSums[2 * b] + scales.smallest[1] * x.halfSums[2 * b + 1];
    }
    return sumOf(sum) + smallest;
}

template <DType type>
void dotRows(const RowBlock& block, const QuantisedRows& x, float* out) noexcept {
    for (std::int64_t r = 0; r < block.count; ++r)
        out[r] = dotOne<type>(block.rows + r * block.rowStride, block.columns / kBlock, x);
}

template <DType... types>
void fillRows(KernelTable& table) {
    ((table.dotRowsInteger[kernelIndex(types)] = dotRows<types>), ...);
}

}  // namespace
}  // namespace avx2
}  // namespace lacuna
LACUNA_TARGET_END

namespace lacuna {

void fillAvx2IntegerKernels(KernelTable& table) noexcept {
    table.quantise = avx2::quantise;
    table.remainder = avx2::remainder;
    avx2::fillRows<DType::Q8_0, DType::Q4_0, DType::Q4_1, DType::Q5_0, DType::Q5_1, DType::Q2_K,
                   DType::Q3_K, DType::Q4_K, DType::Q5_K, DType::Q6_K, DType::IQ4_NL, DType::IQ4_XS,
                   DType::MXFP4, DType::IQ3_S, DType::IQ3_XXS, DType::IQ2_S, DType::IQ2_XS,
                   DType::IQ2_XXS>(table);
}

}  // namespace lacuna
#endif
