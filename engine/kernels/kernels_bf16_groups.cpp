// Panels of bfloat16 for the tiles, cut from interleaved rows of halves and bfloats without
// transposing.

#include "engine/kernels/kernel_parts.h"
#include "engine/kernels/target_region.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include "engine/tensor/row_groups.h"

LACUNA_TARGET_BEGIN("avx2,fma,f16c,avx512f,avx512vl,avx512dq,avx512bw,avx512bf16")
namespace lacuna {
namespace bf16 {
namespace {

constexpr std::int64_t kPairBytes = 4;
constexpr std::int64_t kVector = kGroupRows * kPairBytes;

inline __m512 eightRows(const std::byte* at) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)));
}

inline __m512i roundedPairs(const std::byte* at) {
    const __m512bh rounded = _mm512_cvtne2ps_pbh(eightRows(at + kVector / 2), eightRows(at));
    __m512i bits;
    __builtin_memcpy(&bits, &rounded, sizeof bits);
    return bits;
}

void packGroups(const PanelSource& source, std::byte* panel) noexcept {
    const std::int64_t vectors = source.columns / 2;
    for (int half = 0; half < 2; ++half, panel += kVector) {
        const std::byte* at = source.rows + half * kGroupRows * source.rowStride;
        const bool missing = half * kGroupRows >= source.rowCount;
        for (std::int64_t i = 0; i < vectors; ++i) {
            __m512i pairs = _mm512_setzero_si512();
            if (!missing)
                pairs = source.type == DType::BF16 ? _mm512_loadu_si512(at + kVector * i)
                                                   : roundedPairs(at + kVector * i);
            _mm512_storeu_si512(panel + 2 * kVector * i, pairs);
        }
    }
}

}  // namespace
}  // namespace bf16
}  // namespace lacuna
LACUNA_TARGET_END

namespace lacuna {

void fillBfloatGroupKernels(KernelTable& table) noexcept {
    table.packBfloatGroups = bf16::packGroups;
}

}  // namespace lacuna
#endif
