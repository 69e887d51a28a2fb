// Rows of up to 5 bits with VBMI, four of them in a vector before anything is looked up. Keys: each
// quarter of a vector has sixteen columns of another row, so that the sums of sixteen rows are
// added up at once. Values: the bytes of four rows lie side by side, as the instruction that
// multiplies and adds four of them wants it, and are taken apart there into the codes of all their
// columns. A table of 64 bytes is looked into with six bits of a byte, so that it can repeat the
// centroids wherever a code stands among them, and codes need be neither shifted nor masked.
// Weights of up to 4 bits have 8 bits, and what rounding leaves of one goes to the next, so that
// the small ones among them still add up; those of finer codes have 16.

#include "engine/kernels/rotated_parts.h"
#include "engine/kernels/target_region.h"
#include "engine/tensor/rotated_codes.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstdint>
#include <type_traits>

#include "engine/kernels/vnni_rotated.h"

LACUNA_TARGET_BEGIN(
    "avx2,fma,f16c,avx512f,avx512vl,avx512dq,avx512bw,avx512vnni,avx512vbmi,avx512bitalg")
namespace lacuna {
namespace vnni {
namespace {

constexpr int kFour = 4;
constexpr int kRowsOfDot = 16;
constexpr int kQueriesOfBatch = 12;
constexpr int kLargestBits = 5;
constexpr int kLargestNarrow = 4;  // bits of codes whose weights have 8 bits
/// Rows are taken in units of so many columns, the last one of half as many.
constexpr int kUnit = 128;
constexpr int kHalfUnit = 64;
constexpr std::int64_t kLongestRow = rotatedRowBytes(kLargestBits, kMaxRotatedDim);

inline __m128i load16(const void* at) {
    return _mm_loadu_si128(static_cast<const __m128i*>(at));
}
inline __m256i load32(const void* at) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(at));
}

/// Rows one after the other; nothing between them or after the last is read.
struct Rows {
    const std::uint8_t* at;
    std::int64_t stride;
    const std::uint8_t* operator[](std::int64_t r) const { return at + r * stride; }
    /// Asks for the memory that is read some rows later.
    void fetchAhead(std::int64_t first, int rows) const {
        constexpr std::int64_t kAhead = 4096;
        constexpr std::int64_t kLine = 64;
        for (std::int64_t i = 0; i < rows * stride; i += kLine)
            __builtin_prefetch(at + first * stride + kAhead + i);
    }
};

/// The scales of sixteen rows.
inline __m512 sixteenScales(const Rows& scales) {
    const auto eight = [&scales](std::int64_t first) __attribute__((always_inline)) {
        __m128i halves = _mm_setzero_si128();
        const auto half = [&](int i) __attribute__((always_inline)) {
            std::int16_t bits;
            __builtin_memcpy(&bits, scales[first + i], sizeof(bits));
            return bits;
        };
        halves = _mm_insert_epi16(halves, half(0), 0);
        halves = _mm_insert_epi16(halves, half(1), 1);
        halves = _mm_insert_epi16(halves, half(2), 2);
        halves = _mm_insert_epi16(halves, half(3), 3);
        halves = _mm_insert_epi16(halves, half(4), 4);
        halves = _mm_insert_epi16(halves, half(5), 5);
        halves = _mm_insert_epi16(halves, half(6), 6);
        return _mm_insert_epi16(halves, half(7), 7);
    };
    return _mm512_cvtph_ps(_mm256_set_m128i(eight(8), eight(0)));
}

/// Centroids as bytes, of codes without the bit of the upper plane and with it, for each place
/// among six bits where the code of the lower plane may stand.
template <int bits>
struct Tables {
    static constexpr int kWidth = bits & 6;  // of the lower plane
    static constexpr int kPlaces = kWidth == 2 ? 3 : 1;
    __m512i low[kPlaces];
    __m512i high[kPlaces];

    /// `flip` is xored: 128 for centroids with a sign.
    Tables(const ByteCodebook& book, int flip) {
        for (int place = 0; place < kPlaces; ++place) {
            low[place] = repeated(book.levels, place, flip);
            high[place] = repeated(book.levels + (1 << kWidth), place, flip);
        }
    }
    /// Of bytes that have the code of the lower plane from bit `place * kWidth` on.
    template <int place>
    __m512i lookUp(__m512i bytes, __mmask64 upper) const {
        if constexpr (bits == 1) return _mm512_mask_blend_epi8(upper, low[0], high[0]);
        const __m512i found = _mm512_permutexvar_epi8(bytes, low[place]);
        if constexpr (bits % 2 == 0) return found;
        return _mm512_mask_permutexvar_epi8(found, upper, bytes, high[place]);
    }
    /// Of the code of one part of the plane.
    template <int part>
    __m512i ofPart(__m512i bytes, __mmask64 upper) const {
        if constexpr (part < kPlaces) return lookUp<part>(bytes, upper);
        return lookUp<0>(_mm512_srli_epi16(bytes, part * kWidth), upper);
    }

  private:
    static __m512i repeated(const std::uint8_t* levels, int place, int flip) {
        const __m512i sign = _mm512_set1_epi8(static_cast<char>(flip));
        if constexpr (kWidth == 4)
            return _mm512_xor_si512(_mm512_broadcast_i32x4(load16(levels)), sign);
        if constexpr (kWidth == 0)
            return _mm512_xor_si512(_mm512_set1_epi8(static_cast<char>(*levels)), sign);
        std::int32_t four;
        __builtin_memcpy(&four, levels, sizeof(four));
        const __m512i all = _mm512_xor_si512(_mm512_set1_epi32(four), sign);
        if (place == 0) return all;
        const __m512i quarters = _mm512_set4_epi32(0x03030303, 0x02020202, 0x01010101, 0);
        if (place == 1) return _mm512_shuffle_epi8(all, quarters);
        const __m512i lanes = _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
        return _mm512_shuffle_epi8(all, _mm512_mullo_epi32(lanes, _mm512_set1_epi32(0x01010101)));
    }
};

/// Columns of a row that are taken together: sixteen after sixteen, those of one part of the lower
/// plane first.
template <int bits, int columns>
struct Unit {
    static constexpr int kWidth = bits & 6;  // of the lower plane
    static constexpr int kParts = kWidth == 0 ? 1 : 8 / kWidth;
    static constexpr int kSixteens = columns / 16;
    static constexpr int kOfPart = kSixteens / kParts;
    static constexpr int kBytes = kWidth == 0 ? 0 : 16 * kOfPart;  ///< of the lower plane

    std::int64_t at = 0;     ///< its first byte in the lower plane
    std::int64_t plane = 0;  ///< bytes of the lower plane, and columns of each of its parts

    std::int64_t column(int sixteen) const {
        return sixteen / kOfPart * plane + at + sixteen % kOfPart * 16;
    }
    /// Which sixteen columns stand in a quarter of a block of SideBySide.
    static constexpr int sixteen(int block, int quarter) {
        if (kWidth == 2 && columns == kUnit) return quarter / 2 * 4 + block * 2 + quarter % 2;
        return block * 4 + quarter;
    }
    /// The bits of the upper plane of four rows: of sixteen columns of each in every 64 bits. Rows
    /// with such a plane are one unit.
    __m512i uppers(const std::uint8_t* const* rows) const {
        constexpr int kWords = columns / 16;
        const auto of = [&](int r) __attribute__((always_inline)) {
            const std::uint8_t* from = rows[r] + plane;
            return kWords == 8 ? load16(from)
                               : _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
        };
        __m512i all = _mm512_castsi128_si512(of(0));
        all = _mm512_inserti32x4(all, of(1), 1);
        all = _mm512_inserti32x4(all, of(2), 2);
        all = _mm512_inserti32x4(all, of(3), 3);
        alignas(64) static constexpr std::uint16_t kTurned[32] = {
            0, 8,  16, 24, 1, 9,  17, 25, 2, 10, 18, 26, 3, 11, 19, 27,
            4, 12, 20, 28, 5, 13, 21, 29, 6, 14, 22, 30, 7, 15, 23, 31};
        return _mm512_permutexvar_epi16(load(kTurned), all);
    }
};

// ---- dot products ----

/// Centroids of four rows: a vector for every sixteen columns, a quarter of it for each row.
template <int bits, int columns>
struct RowsOfQuarters {
    using Part = Unit<bits, columns>;
    __m512i at[Part::kSixteens];

    RowsOfQuarters(const Part& unit, const std::uint8_t* const* rows, const Tables<bits>& tables) {
        __m512i bytes[Part::kOfPart];
        lowerPlane(unit, rows, bytes);
        alignas(64) std::uint64_t upper[8] = {};
        if constexpr (bits % 2 != 0) store(upper, unit.uppers(rows));
        const auto look = [&]<int part>() __attribute__((always_inline)) {
#pragma GCC unroll 8
            for (int s = part * Part::kOfPart; s < (part + 1) * Part::kOfPart; ++s)
                at[s] = tables.template ofPart<part>(bytes[s % Part::kOfPart], upper[s]);
        };
        look.template operator()<0>();
        if constexpr (Part::kParts > 1) look.template operator()<1>();
        if constexpr (Part::kParts > 2) look.template operator()<2>();
        if constexpr (Part::kParts > 2) look.template operator()<3>();
    }

  private:
    static void lowerPlane(const Part& unit, const std::uint8_t* const* rows, __m512i* bytes) {
        const auto from = [&](int r) __attribute__((always_inline)) {
            return rows[r] + unit.at;
        };
        if constexpr (Part::kBytes == 64) {
            const __m512i front01 = _mm512_shuffle_i32x4(load(from(0)), load(from(1)), 0x44);
            const __m512i back01 = _mm512_shuffle_i32x4(load(from(0)), load(from(1)), 0xEE);
            const __m512i front23 = _mm512_shuffle_i32x4(load(from(2)), load(from(3)), 0x44);
            const __m512i back23 = _mm512_shuffle_i32x4(load(from(2)), load(from(3)), 0xEE);
            bytes[0] = _mm512_shuffle_i32x4(front01, front23, 0x88);
            bytes[1] = _mm512_shuffle_i32x4(front01, front23, 0xDD);
            bytes[2] = _mm512_shuffle_i32x4(back01, back23, 0x88);
            bytes[3] = _mm512_shuffle_i32x4(back01, back23, 0xDD);
        } else if constexpr (Part::kBytes == 32) {
            const auto two = [&](int r) __attribute__((always_inline)) {
                return _mm512_inserti64x4(_mm512_castsi256_si512(load32(from(r))),
                                          load32(from(r + 1)), 1);
            };
            const __m512i rows01 = two(0);
            const __m512i rows23 = two(2);
            bytes[0] = _mm512_shuffle_i32x4(rows01, rows23, 0x88);
            bytes[1] = _mm512_shuffle_i32x4(rows01, rows23, 0xDD);
        } else if constexpr (Part::kBytes == 16) {
            __m512i all = _mm512_castsi128_si512(load16(from(0)));
            all = _mm512_inserti32x4(all, load16(from(1)), 1);
            all = _mm512_inserti32x4(all, load16(from(2)), 2);
            bytes[0] = _mm512_inserti32x4(all, load16(from(3)), 3);
        } else {
#pragma GCC unroll 8
            for (int s = 0; s < Part::kOfPart; ++s) bytes[s] = _mm512_setzero_si512();
        }
    }
};

/// Of sixteen rows and one query: vector g has the sums of rows g, g + 4, g + 8 and g + 12, each in
/// the four lanes of a quarter.
struct SumsOfRows {
    alignas(64) std::int32_t at[4][16];

    __m512i added() const {
        const __m512i a = load(at[0]);
        const __m512i b = load(at[1]);
        const __m512i c = load(at[2]);
        const __m512i d = load(at[3]);
        const __m512i ab =
            _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
        const __m512i cd =
            _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
        return _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    }
};

/// Products of a unit of sixteen rows with all queries, added to what `sums` has but for the first
/// unit.
template <int bits, int columns>
inline void dotUnit(const Unit<bits, columns>& unit, const Rows& rows, const Tables<bits>& tables,
                    const IntegerQuery* q, int count, bool first, SumsOfRows* sums) {
    for (int g = 0; g < kFour; ++g) {
        if (first) rows.fetchAhead(4 * g, kFour);
        const std::uint8_t* const four[kFour] = {rows[g], rows[g + 4], rows[g + 8], rows[g + 12]};
        const RowsOfQuarters<bits, columns> levels(unit, four, tables);
        for (int i = 0; i < count; ++i) {
            __m512i even = first ? _mm512_setzero_si512() : load(sums[i].at[g]);
            __m512i odd = _mm512_setzero_si512();
#pragma GCC unroll 8
            for (int s = 0; s < Unit<bits, columns>::kSixteens; ++s) {
                const __m512i codes = _mm512_broadcast_i32x4(load16(q[i].codes + unit.column(s)));
                __m512i& sum = s % 2 == 0 ? even : odd;
                sum = _mm512_dpbusd_epi32(sum, levels.at[s], codes);
            }
            store(sums[i].at[g], _mm512_add_epi32(even, odd));
        }
    }
}

template <int bits>
void dotBatch(const RotatedRows& block, const QueryRows& q, int first, int count) {
    IntegerQuery queries[kQueriesOfBatch];
    SumsOfRows sums[kQueriesOfBatch];
    for (int i = 0; i < count; ++i)
        quantise(q.queries + (first + i) * q.queryStride, block.columns, queries[i]);
    const ByteCodebook& book = byteCodebook(bits);
    const Tables<bits> tables(book, 0);
    const std::int64_t plane = block.columns * (bits & 6) / 8;
    const auto scaleAt =
        static_cast<std::int64_t>(rotatedCodeBytes(bits, static_cast<int>(block.columns)));
    const std::int64_t whole = block.columns / kUnit * kUnit;
    const __m512 bookStep = _mm512_set1_ps(book.step);
    alignas(64) std::uint8_t last[kRowsOfDot * kLongestRow];
    for (std::int64_t r = 0; r < block.count; r += kRowsOfDot) {
        Rows rows{reinterpret_cast<const std::uint8_t*>(block.row(r)), block.rowStride};
        const std::int64_t left = block.count - r;
        if (left < kRowsOfDot) {
            // Sixteen rows all the same: the last one again and again.
            for (std::int64_t k = 0; k < kRowsOfDot; ++k)
                __builtin_memcpy(last + k * (scaleAt + 2), rows[k < left ? k : left - 1],
                                 static_cast<std::size_t>(scaleAt + 2));
            rows = {last, scaleAt + 2};
        }
        for (std::int64_t c = 0; c < whole; c += kUnit)
            dotUnit<bits, kUnit>({.at = c * (bits & 6) / 8, .plane = plane}, rows, tables, queries,
                                 count, c == 0, sums);
        if (whole < block.columns)
            dotUnit<bits, kHalfUnit>({.at = whole * (bits & 6) / 8, .plane = plane}, rows, tables,
                                     queries, count, whole == 0, sums);
        const __m512 scales =
            _mm512_mul_ps(sixteenScales({rows.at + scaleAt, rows.stride}), bookStep);
        for (int i = 0; i < count; ++i) {
            const __m512i all =
                _mm512_sub_epi32(sums[i].added(), _mm512_set1_epi32(queries[i].offset));
            const __m512 products = _mm512_mul_ps(_mm512_mul_ps(_mm512_cvtepi32_ps(all), scales),
                                                  _mm512_set1_ps(queries[i].scale));
            _mm512_mask_storeu_ps(q.weights + (first + i) * q.weightStride + r, firstLanes(left),
                                  products);
        }
    }
}

template <int bits>
void dotMany(const RotatedRows& block, const QueryRows& q) {
    for (int first = 0; first < q.count; first += kQueriesOfBatch) {
        const int left = q.count - first;
        dotBatch<bits>(block, q, first, left < kQueriesOfBatch ? left : kQueriesOfBatch);
    }
}

// ---- sums of values ----

/// x with what stands before it added to each.
inline __m512 runningSum(__m512 x) {
    const __m512i none = _mm512_setzero_si512();
    const auto moved = [&none](__m512 v, auto places) __attribute__((always_inline)) {
        return _mm512_castsi512_ps(
            _mm512_alignr_epi32(_mm512_castps_si512(v), none, 16 - decltype(places)::value));
    };
    x = _mm512_add_ps(x, moved(x, std::integral_constant<int, 1>()));
    x = _mm512_add_ps(x, moved(x, std::integral_constant<int, 2>()));
    x = _mm512_add_ps(x, moved(x, std::integral_constant<int, 4>()));
    return _mm512_add_ps(x, moved(x, std::integral_constant<int, 8>()));
}

/// weight * scale of a row = step * code, where sums of neighbouring rows are off by half a step at
/// each end at most.
struct NarrowWeights {
    alignas(64) std::uint8_t codes[kRowsOfAdd];
    float step;
};

/// Whether none is negative: else nothing is written.
inline bool quantiseNarrow(const float* weights, const float* scales, int rows,
                           NarrowWeights& out) {
    constexpr float kLargest = 254.0F;  // what is left of others adds 1 at most
    __m512 products[kRowsOfAdd / 16];
    __m512 largest = _mm512_setzero_ps();
    __m512 smallest = _mm512_setzero_ps();
    __mmask16 bad = 0;
#pragma GCC unroll 4
    for (int k = 0; k < kRowsOfAdd / 16; ++k) {
        const __mmask16 lanes = rows > 16 * k ? firstLanes(rows - 16 * k) : __mmask16{0};
        products[k] = _mm512_maskz_mul_ps(lanes, _mm512_maskz_loadu_ps(lanes, weights + 16 * k),
                                          _mm512_maskz_loadu_ps(lanes, scales + 16 * k));
        largest = _mm512_max_ps(largest, products[k]);
        smallest = _mm512_min_ps(smallest, products[k]);
        bad |= _mm512_fpclass_ps_mask(products[k], kNotFinite);
    }
    if (_mm512_cmp_ps_mask(smallest, _mm512_setzero_ps(), _CMP_LT_OQ) != 0 && bad == 0)
        return false;
    const float top = _mm512_reduce_max_ps(largest);
    const __m512 factor = _mm512_set1_ps(top > kSmallestTop && bad == 0 ? kLargest / top : 0.0F);
    __m512 before = _mm512_setzero_ps();
    __m512i rounded = _mm512_setzero_si512();
#pragma GCC unroll 4
    for (int k = 0; k < kRowsOfAdd / 16; ++k) {
        const __m512 sum = _mm512_add_ps(runningSum(_mm512_mul_ps(products[k], factor)), before);
        const __m512i now = _mm512_cvtps_epi32(sum);
        const __m512i codes = _mm512_sub_epi32(now, _mm512_alignr_epi32(now, rounded, 15));
        // Sums of floats may fall by a rounding where nothing is added.
        _mm_store_si128(reinterpret_cast<__m128i*>(out.codes + 16 * k),
                        _mm512_cvtusepi32_epi8(_mm512_max_epi32(codes, _mm512_setzero_si512())));
        before = _mm512_permutexvar_ps(_mm512_set1_epi32(15), sum);
        rounded = now;
    }
    out.step = bad != 0 ? __builtin_nanf("") : top / kLargest;
    return true;
}

/// The bytes of the lower plane of four rows side by side, then centroids: 64 columns of the unit
/// in four vectors, as Quads say.
template <int bits, int columns>
struct SideBySide {
    using Part = Unit<bits, columns>;
    Quads bytes;
    __m512i upper;

    SideBySide(const Part& unit, const std::uint8_t* const* rows) {
        if constexpr (Part::kWidth != 0)
            bytes = interleaved(row(rows[0] + unit.at), row(rows[1] + unit.at),
                                row(rows[2] + unit.at), row(rows[3] + unit.at));
        if constexpr (bits % 2 != 0) upper = unit.uppers(rows);
    }
    /// Vector t of columns 64 * block and after.
    template <int block>
    __m512i levels(const Tables<bits>& tables, int t) const {
        __mmask64 mask = 0;
        if constexpr (bits % 2 != 0) {
            constexpr long long kOf[4] = {Part::sixteen(block, 0), Part::sixteen(block, 1),
                                          Part::sixteen(block, 2), Part::sixteen(block, 3)};
            const __m512i twice = _mm512_permutexvar_epi64(
                _mm512_set_epi64(kOf[3], kOf[3], kOf[2], kOf[2], kOf[1], kOf[1], kOf[0], kOf[0]),
                upper);
            // Byte 4 d + j of a quarter: column 4 t + d of row j.
            const __m128i places = _mm_add_epi8(
                _mm_set_epi8(51, 35, 19, 3, 50, 34, 18, 2, 49, 33, 17, 1, 48, 32, 16, 0),
                _mm_set1_epi8(static_cast<char>(4 * t)));
            mask = _mm512_bitshuffle_epi64_mask(twice, _mm512_broadcast_i32x4(places));
        }
        if constexpr (Part::kWidth == 0) {
            return tables.template lookUp<0>(_mm512_setzero_si512(), mask);
        } else {
            return tables.template ofPart<block>(bytes.at[t], mask);
        }
    }

  private:
    // Parts of the lower plane that are shorter than 64 bytes: several of them in a vector.
    static __m512i row(const std::uint8_t* from) {
        if constexpr (Part::kBytes == 64) {
            return load(from);
        } else if constexpr (Part::kBytes == 32) {
            constexpr long long kShift = 0x0004000400040004LL;  // half a byte
            return _mm512_srlv_epi16(_mm512_broadcast_i64x4(load32(from)),
                                     _mm512_set_epi64(kShift, kShift, kShift, kShift, 0, 0, 0, 0));
        } else {
            constexpr long long kShift = 0x0001000100010001LL * Part::kWidth;
            return _mm512_srlv_epi16(_mm512_broadcast_i32x4(load16(from)),
                                     _mm512_set_epi64(3 * kShift, 3 * kShift, 2 * kShift,
                                                      2 * kShift, kShift, kShift, 0, 0));
        }
    }
};

template <int bits, int columns>
inline void addSixteens(const Unit<bits, columns>& unit, int block, const Sixteens& sums,
                        float factor, float* out) {
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
        float* at = out + unit.column(Unit<bits, columns>::sixteen(block, k));
        _mm512_storeu_ps(at,
                         _mm512_fmadd_ps(sums.at[k], _mm512_set1_ps(factor), _mm512_loadu_ps(at)));
    }
}

/// All columns of a unit at once, with weights of 8 bits.
template <int queries, int bits, int columns>
inline void addUnit(const Unit<bits, columns>& unit, const Rows& rows, int count,
                    const Tables<bits>& tables, const NarrowWeights* weights, float bookStep,
                    bool fetch, float* out, std::int64_t outStride) {
    constexpr int kBlocks = columns / 64;
    __m512i sums[queries][kBlocks][4];
#pragma GCC unroll 2
    for (int i = 0; i < queries; ++i)
#pragma GCC unroll 2
        for (int b = 0; b < kBlocks; ++b)
#pragma GCC unroll 4
            for (int t = 0; t < 4; ++t) sums[i][b][t] = _mm512_setzero_si512();
    for (int r = 0; r < count; r += kFour) {
        if (fetch) rows.fetchAhead(r, kFour);
        const std::uint8_t* const four[kFour] = {rows[r], rows[r + 1], rows[r + 2], rows[r + 3]};
        const SideBySide<bits, columns> side(unit, four);
        const auto add = [&]<int block>() __attribute__((always_inline)) {
#pragma GCC unroll 4
            for (int t = 0; t < 4; ++t) {
                const __m512i levels = side.template levels<block>(tables, t);
#pragma GCC unroll 2
                for (int i = 0; i < queries; ++i)
                    sums[i][block][t] = _mm512_dpbusd_epi32(
                        sums[i][block][t],
                        fourWeights(reinterpret_cast<const std::int8_t*>(weights[i].codes + r)),
                        levels);
            }
        };
        add.template operator()<0>();
        if constexpr (kBlocks == 2) add.template operator()<1>();
    }
    const __m512i none[4] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(),
                             _mm512_setzero_si512()};
#pragma GCC unroll 2
    for (int i = 0; i < queries; ++i)
#pragma GCC unroll 2
        for (int b = 0; b < kBlocks; ++b)
            addSixteens(unit, b, inOrder(none, sums[i][b], 0), weights[i].step * bookStep,
                        out + i * outStride);
}

/// 64 columns of a unit, with weights of 16 bits: there are no registers for more.
template <int block, int queries, int bits, int columns>
inline void addBlock(const Unit<bits, columns>& unit, const Rows& rows, int count,
                     const Tables<bits>& tables, const IntegerWeights* weights, float bookStep,
                     bool fetch, float* out, std::int64_t outStride) {
    __m512i high[queries][4];
    __m512i low[queries][4];
#pragma GCC unroll 2
    for (int i = 0; i < queries; ++i)
#pragma GCC unroll 4
        for (int t = 0; t < 4; ++t) high[i][t] = low[i][t] = _mm512_setzero_si512();
    for (int r = 0; r < count; r += kFour) {
        if (fetch) rows.fetchAhead(r, kFour);
        const std::uint8_t* const four[kFour] = {rows[r], rows[r + 1], rows[r + 2], rows[r + 3]};
        const SideBySide<bits, columns> side(unit, four);
#pragma GCC unroll 4
        for (int t = 0; t < 4; ++t) {
            const __m512i levels = side.template levels<block>(tables, t);
#pragma GCC unroll 2
            for (int i = 0; i < queries; ++i) {
                high[i][t] =
                    _mm512_dpbusd_epi32(high[i][t], levels, fourWeights(weights[i].high + r));
                low[i][t] = _mm512_dpbusd_epi32(low[i][t], levels, fourWeights(weights[i].low + r));
            }
        }
    }
#pragma GCC unroll 2
    for (int i = 0; i < queries; ++i)
        addSixteens(unit, block, inOrder(high[i], low[i], weights[i].offset),
                    weights[i].step * bookStep, out + i * outStride);
}

template <int queries, int bits, int columns>
inline void addUnit(const Unit<bits, columns>& unit, const Rows& rows, int count,
                    const Tables<bits>& tables, const IntegerWeights* weights, float bookStep,
                    bool fetch, float* out, std::int64_t outStride) {
    addBlock<0, queries>(unit, rows, count, tables, weights, bookStep, fetch, out, outStride);
    if constexpr (columns == kUnit)
        addBlock<1, queries>(unit, rows, count, tables, weights, bookStep, false, out, outStride);
}

/// All columns, with weights of one kind for one or two queries.
template <int queries, int bits, class Weights>
inline void addColumns(const Rows& rows, std::int64_t columns, int count,
                       const Tables<bits>& tables, const Weights* weights, float bookStep,
                       bool fetch, float* out, std::int64_t outStride) {
    const std::int64_t plane = columns * (bits & 6) / 8;
    const std::int64_t whole = columns / kUnit * kUnit;
    for (std::int64_t c = 0; c < whole; c += kUnit)
        addUnit<queries, bits, kUnit>({.at = c * (bits & 6) / 8, .plane = plane}, rows, count,
                                      tables, weights, bookStep, fetch && c == 0, out, outStride);
    if (whole < columns)
        addUnit<queries, bits, kHalfUnit>({.at = whole * (bits & 6) / 8, .plane = plane}, rows,
                                          count, tables, weights, bookStep, fetch && whole == 0,
                                          out, outStride);
}

/// `rows` may be read up to the next whole four after `count`.
template <int bits>
inline void addChunk(const Rows& rows, std::int64_t columns, int count, float bookStep,
                     const Tables<bits>& tables, const QueryRows& q, std::int64_t first) {
    const auto scaleAt =
        static_cast<std::int64_t>(rotatedCodeBytes(bits, static_cast<int>(columns)));
    const int fours = (count + kFour - 1) / kFour * kFour;
    alignas(64) float scales[kRowsOfAdd];
    int scaled = 0;
    for (; scaled + 16 <= count; scaled += 16)
        _mm512_store_ps(scales + scaled, sixteenScales({rows[scaled] + scaleAt, rows.stride}));
    for (; scaled < count; ++scaled) {
        std::uint16_t half;
        __builtin_memcpy(&half, rows[scaled] + scaleAt, sizeof(half));
        scales[scaled] = floatOf(half);
    }
    for (int query = 0; query < q.count; query += 2) {
        const int queries = q.count - query < 2 ? 1 : 2;
        std::conditional_t<bits <= kLargestNarrow, NarrowWeights, IntegerWeights> weights[2];
        const float* const from = q.weights + query * q.weightStride + first;
        if constexpr (bits <= kLargestNarrow) {
            bool narrow = true;
            for (int i = 0; i < queries; ++i)
                narrow =
                    narrow && quantiseNarrow(from + i * q.weightStride, scales, count, weights[i]);
            if (!narrow) {
                QueryRows these = q;
                these.weights = q.weights + query * q.weightStride + first;
                these.sums = q.sums + query * q.sumStride;
                these.count = queries;
                addManyRotatedVnni({reinterpret_cast<const std::byte*>(rows.at), rows.stride, count,
                                    columns, bits},
                                   these);
                continue;
            }
        } else {
            for (int i = 0; i < queries; ++i)
                quantiseWeights(from + i * q.weightStride, scales, count, weights[i]);
        }
        float* const out = q.sums + query * q.sumStride;
        if (queries == 2) {
            addColumns<2>(rows, columns, fours, tables, weights, bookStep, query == 0, out,
                          q.sumStride);
        } else {
            addColumns<1>(rows, columns, fours, tables, weights, bookStep, query == 0, out,
                          q.sumStride);
        }
    }
}

template <int bits>
void addMany(const RotatedRows& block, const QueryRows& q) {
    const ByteCodebook& book = byteCodebook(bits);
    const Tables<bits> tables(book, bits <= kLargestNarrow ? 128 : 0);
    const std::int64_t whole = block.count / kFour * kFour;
    for (std::int64_t first = 0; first < whole; first += kRowsOfAdd) {
        const std::int64_t left = whole - first;
        addChunk<bits>({reinterpret_cast<const std::uint8_t*>(block.row(first)), block.rowStride},
                       block.columns, static_cast<int>(left < kRowsOfAdd ? left : kRowsOfAdd),
                       book.step, tables, q, first);
    }
    if (whole == block.count) return;
    alignas(64) std::uint8_t last[kFour * kLongestRow];
    const auto bytes =
        static_cast<std::int64_t>(rotatedRowBytes(bits, static_cast<int>(block.columns)));
    for (std::int64_t r = 0; r < kFour; ++r)
        __builtin_memcpy(last + r * bytes,
                         block.row(whole + r < block.count ? whole + r : block.count - 1),
                         static_cast<std::size_t>(bytes));
    addChunk<bits>({last, bytes}, block.columns, static_cast<int>(block.count - whole), book.step,
                   tables, q, whole);
}

/// Whether rows are whole units; bits of an upper plane are only sought in one.
bool fits(const RotatedRows& block) {
    if (block.bits > kLargestBits || block.columns % kHalfUnit != 0) return false;
    return block.bits % 2 == 0 || block.columns <= kUnit;
}

}  // namespace
}  // namespace vnni

void dotManyRotatedFours(const RotatedRows& block, const QueryRows& q) noexcept {
    using namespace vnni;
    constexpr void (*kOf[kLargestBits])(const RotatedRows&, const QueryRows&) = {
        dotMany<1>, dotMany<2>, dotMany<3>, dotMany<4>, dotMany<5>};
    if (!fits(block)) return dotManyRotatedVnni(block, q);
    kOf[block.bits - 1](block, q);
}

void addManyRotatedFours(const RotatedRows& block, const QueryRows& q) noexcept {
    using namespace vnni;
    constexpr void (*kOf[kLargestBits])(const RotatedRows&, const QueryRows&) = {
        addMany<1>, addMany<2>, addMany<3>, addMany<4>, addMany<5>};
    if (!fits(block)) return addManyRotatedVnni(block, q);
    kOf[block.bits - 1](block, q);
}

}  // namespace lacuna
LACUNA_TARGET_END
#endif
