// Rows of rotated codes to bfloat16 for the tiles. A row has few distinct numbers, so these are
// multiplied by its scale and rounded once, and each code looks up its number. The same bits as
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

using avx512::codesOfPlane;
using avx512::hasWholePlanes;
using avx512::kVector;
using avx512::load;
using avx512::spreadPlane;
using avx512::store;

constexpr std::int64_t kSpace = kMaxRotatedDim + 2 * kVector;
constexpr int kEntries = 32;  // entries of a table of 16 bits in a register

/// Expands to one code per byte; bytes after the columns are arbitrary.
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

/// The numbers of a row as bfloat16. From 6 bits on only the positive ones, which saves most of the
/// work: codes below the middle stand for the same numbers with opposite sign in reverse order.
template <int bits>
class RowNumbers {
  public:
    RowNumbers(const float* centroids, float scale) {
        const __m512 factor = _mm512_set1_ps(scale);
        const float* const first = centroids + (kSigned ? kNumbers : 0);
        for (int k = 0; k < kTables; ++k) {
            const __m512 low = _mm512_mul_ps(part(first, 2 * k), factor);
            const __m512 high = _mm512_mul_ps(part(first, 2 * k + 1), factor);
            const __m512bh rounded = _mm512_cvtne2ps_pbh(high, low);
            __builtin_memcpy(&tables_[k], &rounded, sizeof(rounded));
        }
    }
    /// Returns the numbers of 32 codes in lanes of 16 bits.
    __m512i at(__m512i codes) const {
        if constexpr (!kSigned) return _mm512_permutexvar_epi16(codes, tables_[0]);
        const __mmask32 below = _mm512_testn_epi16_mask(codes, _mm512_set1_epi16(kNumbers));
        // Reversed below the middle; lookups use only the lower bits of an index.
        const __m512i place = _mm512_xor_si512(codes, _mm512_movm_epi16(below));
        const __m512i sign =
            _mm512_and_si512(_mm512_movm_epi16(below), _mm512_set1_epi16(kSignBit));
        return _mm512_xor_si512(above(place), sign);
    }

  private:
    static constexpr bool kSigned = bits > 5;
    static constexpr short kSignBit = -32768;
    static constexpr int kNumbers = kSigned ? 1 << (bits - 1) : 1 << bits;
    static constexpr int kTables = kSigned ? kNumbers / kEntries : 1;
    __m512i above(__m512i place) const {
        if constexpr (kTables == 1) return _mm512_permutexvar_epi16(place, tables_[0]);
        const __m512i first = _mm512_permutex2var_epi16(tables_[0], place, tables_[1]);
        if constexpr (kTables == 2) return first;
        const __m512i second = _mm512_permutex2var_epi16(tables_[2], place, tables_[3]);
        const __mmask32 upper = _mm512_test_epi16_mask(place, _mm512_set1_epi16(2 * kEntries));
        return _mm512_mask_blend_epi16(upper, first, second);
    }
    /// Returns numbers 16 i to 16 i + 15, with zeros for missing ones.
    static __m512 part(const float* numbers, int i) {
        const int left = kNumbers - 16 * i;
        const auto lanes = static_cast<__mmask16>(left >= 16 ? 0xFFFF
                                                  : left > 0 ? (1 << left) - 1
                                                             : 0);
        return _mm512_maskz_loadu_ps(lanes, numbers + (left > 0 ? 16 * i : 0));
    }
    __m512i tables_[kTables];
};

/// Returns the codes of 64 columns of a row from column `i` on. @pre hasWholePlanes
template <int bits>
[[gnu::always_inline]] inline __m512i wholeCodes(const std::uint8_t* row, std::int64_t columns,
                                                 std::int64_t i) {
    if constexpr (bits == 8) return load(row + i);
    const std::uint8_t* plane = row;
    __m512i codes = _mm512_setzero_si512();
    if constexpr ((bits & 4) != 0) {
        codes = codesOfPlane<4>(plane, columns / 2, i);
        plane += columns / 2;
    }
    if constexpr ((bits & 2) != 0) {
        const __m512i two = codesOfPlane<2>(plane, columns / 4, i);
        codes = bits > 4 ? _mm512_or_si512(codes, _mm512_slli_epi16(two, 4)) : two;
        plane += columns / 4;
    }
    if constexpr ((bits & 1) != 0) {
        __mmask64 top;
        __builtin_memcpy(&top, plane + i / 8, sizeof(top));
        codes = _mm512_mask_add_epi8(codes, top, codes, _mm512_set1_epi8(1 << (bits - 1)));
    }
    return codes;
}

template <int bits>
RowNumbers<bits> numbersOf(const ReadableRows& rows, const std::uint8_t* row,
                           const float* centroids) {
    return {centroids, _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(rows.scale(row))))};
}

/// Decodes rows with full planes, with codes in registers. `fixed` columns, or any number if it is
/// 0.
template <int bits, std::int64_t fixed>
void decodeWhole(const RotatedRows& block, std::uint16_t* out) {
    const std::int64_t columns = fixed == 0 ? block.columns : fixed;
    const ReadableRows rows(block);
    const float* centroids = rotatedCodebook(bits);
    for (std::int64_t r = 0; r < block.count; ++r) {
        const std::uint8_t* row = rows.row(r);
        const RowNumbers<bits> numbers = numbersOf<bits>(rows, row, centroids);
        std::uint16_t* to = out + r * columns;
        for (std::int64_t at = 0; at < columns; at += kVector) {
            const __m512i codes = wholeCodes<bits>(row, columns, at);
            store(to + at, numbers.at(_mm512_cvtepu8_epi16(_mm512_castsi512_si256(codes))));
            store(to + at + kEntries,
                  numbers.at(_mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(codes, 1))));
        }
    }
}

template <int bits>
void decodeRows(const RotatedRows& block, std::uint16_t* out) {
    if (block.columns == 64) return decodeWhole<bits, 64>(block, out);
    if (block.columns == 128) return decodeWhole<bits, 128>(block, out);
    if (hasWholePlanes(block.columns)) return decodeWhole<bits, 0>(block, out);
    const ReadableRows rows(block);
    const float* centroids = rotatedCodebook(bits);
    alignas(64) std::uint8_t space[kSpace];
    for (std::int64_t r = 0; r < block.count; ++r) {
        const std::uint8_t* row = rows.row(r);
        const std::uint8_t* codes = spreadCodes<bits>(row, block.columns, space);
        const RowNumbers<bits> numbers = numbersOf<bits>(rows, row, centroids);
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
