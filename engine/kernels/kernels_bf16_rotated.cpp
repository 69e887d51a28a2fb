// Rows of rotated codes to bfloat16 for the tiles. A row has few different numbers: they are
// multiplied with its scale and rounded once, and each code looks its number up. The same bits as
// decoding to floats and rounding those.

#include "engine/kernels/rotated_parts.h"
#include "engine/kernels/target_region.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include "engine/kernels/avx512_planes.h"

LACUNA_TARGET_BEGIN("avx2,fma,f16c,avx512f,avx512vl,avx512dq,avx512bw,avx512bf16")
namespace lacuna {
namespace bf16 {
namespace {

using avx512::kVector;
using avx512::load;
using avx512::spreadPlane;
using avx512::store;

constexpr std::int64_t kSpace = kMaxRotatedDim + 2 * kVector;
constexpr int kEntries = 32;  // of a table of 16 bits in a register

/// One code a byte; after the columns any codes.
template <int bits>
inline const std::uint8_t* spreadCodes(const std::uint8_t* row, std::int64_t columns,
                                       std::uint8_t* codes) {
    if constexpr (bits == 8) return row;
    const int dim = static_cast<int>(columns);
    const __m512i none = _mm512_setzero_si512();
    const std::uint8_t* plane = row;
    if constexpr ((bits & 4) != 0) {
        const auto bytes = static_cast<std::int64_t>(codePlaneBytes(4, dim));
        spreadPlane<4, false>(plane, bytes, none, codes);
        plane += bytes;
    }
    alignas(64) std::uint8_t upper[kSpace];
    if constexpr ((bits & 2) != 0) {
        const auto bytes = static_cast<std::int64_t>(codePlaneBytes(2, dim));
        spreadPlane<2, false>(plane, bytes, none, bits > 4 ? upper : codes);
        plane += bytes;
    }
    if constexpr (bits == 2 || bits == 4) return codes;
    for (std::int64_t i = 0; i < columns; i += kVector) {
        __m512i v = bits == 1 ? none : load(codes + i);
        if constexpr ((bits & 6) == 6)
            v = _mm512_or_si512(v, _mm512_slli_epi16(load(upper + i), 4));
        if constexpr ((bits & 1) != 0) {
            __mmask64 top;
            __builtin_memcpy(&top, plane + i / 8, sizeof(top));
            v = _mm512_mask_add_epi8(v, top, v, _mm512_set1_epi8(1 << (bits - 1)));
        }
        store(codes + i, v);
    }
    return codes;
}

/// The numbers of a row as bfloat16.
template <int bits>
class RowNumbers {
  public:
    RowNumbers(const float* centroids, float scale) {
        const __m512 factor = _mm512_set1_ps(scale);
        for (int k = 0; k < kTables; ++k) {
            const __m512 low = _mm512_mul_ps(part(centroids, 2 * k), factor);
            const __m512 high = _mm512_mul_ps(part(centroids, 2 * k + 1), factor);
            const __m512bh rounded = _mm512_cvtne2ps_pbh(high, low);
            __builtin_memcpy(&tables_[k], &rounded, sizeof(rounded));
        }
    }
    /// Of 32 codes in lanes of 16 bits.
    __m512i at(__m512i codes) const {
        if constexpr (kTables == 1) return _mm512_permutexvar_epi16(codes, tables_[0]);
        const __m512i first = _mm512_permutex2var_epi16(tables_[0], codes, tables_[1]);
        if constexpr (kTables == 2) return first;
        const __m512i second = _mm512_permutex2var_epi16(tables_[2], codes, tables_[3]);
        const __mmask32 odd = _mm512_test_epi16_mask(codes, _mm512_set1_epi16(2 * kEntries));
        const __m512i front = _mm512_mask_blend_epi16(odd, first, second);
        if constexpr (kTables == 4) return front;
        const __m512i third = _mm512_permutex2var_epi16(tables_[4], codes, tables_[5]);
        const __m512i fourth = _mm512_permutex2var_epi16(tables_[6], codes, tables_[7]);
        const __mmask32 top = _mm512_test_epi16_mask(codes, _mm512_set1_epi16(4 * kEntries));
        return _mm512_mask_blend_epi16(top, front, _mm512_mask_blend_epi16(odd, third, fourth));
    }

  private:
    static constexpr int kTables = bits <= 5 ? 1 : (1 << bits) / kEntries;
    /// Centroids 16 i to 16 i + 15, zeros for those that there are not.
    static __m512 part(const float* centroids, int i) {
        const int left = (1 << bits) - 16 * i;
        const auto lanes = static_cast<__mmask16>(left >= 16 ? 0xFFFF
                                                  : left > 0 ? (1 << left) - 1
                                                             : 0);
        return _mm512_maskz_loadu_ps(lanes, centroids + (left > 0 ? 16 * i : 0));
    }
    __m512i tables_[kTables];
};

template <int bits>
void decodeRows(const RotatedRows& block, std::uint16_t* out) {
    const ReadableRows rows(block);
    const float* centroids = rotatedCodebook(bits);
    alignas(64) std::uint8_t space[kSpace];
    for (std::int64_t r = 0; r < block.count; ++r) {
        const std::uint8_t* row = rows.row(r);
        const std::uint8_t* codes = spreadCodes<bits>(row, block.columns, space);
        const RowNumbers<bits> numbers(
            centroids, _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(rows.scale(row)))));
        std::uint16_t* to = out + r * block.columns;
        for (std::int64_t at = 0; at < block.columns; at += kEntries) {
            const std::int64_t left = block.columns - at;
            const __m512i found = numbers.at(_mm512_cvtepu8_epi16(
                _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes + at))));
            _mm512_mask_storeu_epi16(
                to + at, left >= kEntries ? ~__mmask32{0} : (__mmask32{1} << left) - 1, found);
        }
    }
}

void decodeRotated(const RotatedRows& block, std::uint16_t* out) noexcept {
    constexpr void (*kOf[])(const RotatedRows&, std::uint16_t*) = {
        decodeRows<1>, decodeRows<2>, decodeRows<3>, decodeRows<4>,
        decodeRows<5>, decodeRows<6>, decodeRows<7>, decodeRows<8>};
    kOf[block.bits - 1](block, out);
}

}  // namespace
}  // namespace bf16

void fillBfloatRotatedKernels(KernelTable& table) noexcept {
    table.decodeRotatedBfloat = bf16::decodeRotated;
}

}  // namespace lacuna
LACUNA_TARGET_END
#endif
