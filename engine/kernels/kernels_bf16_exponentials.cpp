// Exponentials to bfloat16 with AVX-512: two to the power of x log2 e, with a polynomial of the
// fifth degree for the fraction.

#include "engine/kernels/bfloat_exponentials.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include "engine/kernels/target_region.h"

LACUNA_TARGET_BEGIN("avx2,fma,f16c,avx512f,avx512vl,avx512dq,avx512bw,avx512bf16")
namespace lacuna {
namespace bf16 {
namespace {

constexpr std::int64_t kLanes = 16;
constexpr float kLog2E = 1.44269504F;
constexpr float kNothing = -160.0F;  // two to this power is 0 in float

inline __m512 exponential(__m512 x, __m512 top) {
    const __m512 power = _mm512_mul_ps(_mm512_sub_ps(x, top), _mm512_set1_ps(kLog2E));
    // This operand order propagates NaN.
    const __m512 y = _mm512_max_ps(_mm512_set1_ps(kNothing), power);
    const __m512 whole = _mm512_roundscale_ps(y, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    const __m512 f = _mm512_sub_ps(y, whole);
    __m512 sum = _mm512_set1_ps(1.3333558e-3F);
    sum = _mm512_fmadd_ps(sum, f, _mm512_set1_ps(9.6181291e-3F));
    sum = _mm512_fmadd_ps(sum, f, _mm512_set1_ps(5.5504109e-2F));
    sum = _mm512_fmadd_ps(sum, f, _mm512_set1_ps(2.4022651e-1F));
    sum = _mm512_fmadd_ps(sum, f, _mm512_set1_ps(6.9314718e-1F));
    sum = _mm512_fmadd_ps(sum, f, _mm512_set1_ps(1.0F));
    return _mm512_scalef_ps(sum, whole);
}

inline __m256i rounded(__m512 x) {
    const __m256bh half = _mm512_cvtneps_pbh(x);
    __m256i bits;
    __builtin_memcpy(&bits, &half, sizeof bits);
    return bits;
}

float exponentials(const float* x, float top, std::int64_t n, std::uint16_t* out) noexcept {
    const __m512 tops = _mm512_set1_ps(top);
    __m512 first = _mm512_setzero_ps();
    __m512 second = _mm512_setzero_ps();
    std::int64_t i = 0;
    for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
        const __m512 a = exponential(_mm512_loadu_ps(x + i), tops);
        const __m512 b = exponential(_mm512_loadu_ps(x + i + kLanes), tops);
        first = _mm512_add_ps(first, a);
        second = _mm512_add_ps(second, b);
        const __m512bh both = _mm512_cvtne2ps_pbh(b, a);
        __builtin_memcpy(out + i, &both, sizeof both);
    }
    for (; i < n; i += kLanes) {
        const std::int64_t left = n - i < kLanes ? n - i : kLanes;
        const auto mask = static_cast<__mmask16>((1U << static_cast<unsigned>(left)) - 1U);
        const __m512 a =
            _mm512_maskz_mov_ps(mask, exponential(_mm512_maskz_loadu_ps(mask, x + i), tops));
        first = _mm512_add_ps(first, a);
        _mm256_mask_storeu_epi16(out + i, mask, rounded(a));
    }
    return _mm512_reduce_add_ps(_mm512_add_ps(first, second));
}

}  // namespace
}  // namespace bf16
}  // namespace lacuna
LACUNA_TARGET_END
#endif

namespace lacuna {

BfloatExponentials bfloatExponentials([[maybe_unused]] const KernelTable& table) {
#if defined(__x86_64__)
    if (table.tileBfloat != nullptr) return bf16::exponentials;
#endif
    return nullptr;
}

}  // namespace lacuna
