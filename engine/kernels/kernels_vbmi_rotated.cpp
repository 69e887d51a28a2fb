// Rows of up to 5 bits with VBMI, four of them in a vector before anything is looked up. Keys: each
// quarter of a vector has sixteen columns of another row, so that the sums of sixteen rows are
// added up at once. Values: the bytes of four rows lie side by side, as the instruction that
// multiplies and adds four of them wants it, and are taken apart there into the codes of all their
// columns. A table of 64 bytes is looked into with six bits of a byte, so that it can repeat the
// centroids wherever a code stands among them, and codes need be neither shifted nor masked.
// Weights of up to 4 bits have 8 bits, and what rounding leaves of one is handed on, so that the
// small ones among them still add up; those of finer codes have 16.

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
constexpr std::int64_t kAheadOfDot = 4096;  // bytes asked for before they are read
constexpr int kChunksAhead = 3;             // the same of values: the scales of one are read early
constexpr int kLargestBits = 5;
constexpr int kLargestNarrow = 4;  // bits of codes whose weights have 8 bits
/// Rows are taken in units of so many columns, the last one of half as many.
constexpr int kUnit = 128;
constexpr int kHalfUnit = 64;
/// Queries whose sums of values have room in the registers: half of them for a whole unit.
constexpr int kQueriesOfHalfUnit = 4;
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
    /// Asks for the memory of so many rows, `ahead` bytes after the first of them.
    [[gnu::always_inline]] void fetch(std::int64_t first, int rows, std::int64_t ahead) const {
        constexpr std::int64_t kLine = 64;
        for (std::int64_t i = 0; i < rows * stride; i += kLine)
            __builtin_prefetch(at + first * stride + ahead + i);
    }
};

/// The scales of sixteen rows. Ordinary registers put them together, which have nothing else to do
/// here.
[[gnu::always_inline]] inline __m512 sixteenScales(const Rows& scales) {
    const auto four = [&scales](std::int64_t first) __attribute__((always_inline)) {
        const auto half = [&](std::int64_t i) __attribute__((always_inline)) {
            std::uint16_t bits;
            __builtin_memcpy(&bits, scales[first + i], sizeof(bits));
            return static_cast<std::uint64_t>(bits);
        };
        return static_cast<long long>(half(0) | half(1) << 16 | half(2) << 32 | half(3) << 48);
    };
    return _mm512_cvtph_ps(_mm256_set_epi64x(four(12), four(8), four(4), four(0)));
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

    [[gnu::always_inline]] RowsOfQuarters(const Part& unit, const std::uint8_t* const* rows,
                                          const Tables<bits>& tables) {
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

/// Sums of sixteen rows and one query. Vector g has those of rows g, g + 4, g + 8 and g + 12, each
/// in the four lanes of a quarter; `joined` has sixteen rows in order.
struct SumsOfRows {
    __m512i at[kFour];

    [[gnu::always_inline]] __m512i joined() const {
        const __m512i ab = pair(at[0], at[1]);
        const __m512i cd = pair(at[2], at[3]);
        return _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    }

  private:
    [[gnu::always_inline]] static __m512i pair(__m512i a, __m512i b) {
        return _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    }
};

/// The codes of a query as a unit wants them: those of sixteen columns in every quarter of a
/// vector. Of one or two queries they stay in registers.
template <int queries, int bits, int columns>
struct CodesOfQueries {
    static constexpr int kSixteens = Unit<bits, columns>::kSixteens;
    static constexpr bool kHeld = queries <= 2;
    __m512i held[kHeld ? queries : 1][kHeld ? kSixteens : 1];
    const std::int8_t* from[queries];
    Unit<bits, columns> unit;

    CodesOfQueries(const Unit<bits, columns>& part, const IntegerQuery* q) : unit(part) {
#pragma GCC unroll 4
        for (int i = 0; i < queries; ++i) {
            from[i] = q[i].codes;
            if constexpr (kHeld)
#pragma GCC unroll 8
                for (int s = 0; s < kSixteens; ++s) held[i][s] = read(i, s);
        }
    }
    __m512i at(int i, int s) const {
        if constexpr (kHeld) return held[i][s];
        return read(i, s);
    }

  private:
    __m512i read(int i, int s) const {
        return _mm512_broadcast_i32x4(load16(from[i] + unit.column(s)));
    }
};

/// Products of a unit of sixteen rows with some queries, added to what `sums` has.
template <int queries, int bits, int columns>
[[gnu::always_inline]] inline void dotUnit(const CodesOfQueries<queries, bits, columns>& codes,
                                           const Rows& rows, const Tables<bits>& tables, bool fetch,
                                           SumsOfRows* sums) {
    using Part = Unit<bits, columns>;
#pragma GCC unroll 4
    for (int g = 0; g < kFour; ++g) {
        if (fetch) rows.fetch(kFour * g, kFour, kAheadOfDot);
        const std::uint8_t* const four[kFour] = {rows[g], rows[g + 4], rows[g + 8], rows[g + 12]};
        const RowsOfQuarters<bits, columns> levels(codes.unit, four, tables);
        __m512i odd[queries];
#pragma GCC unroll 4
        for (int i = 0; i < queries; ++i) odd[i] = _mm512_setzero_si512();
#pragma GCC unroll 8
        for (int s = 0; s < Part::kSixteens; ++s)
#pragma GCC unroll 4
            for (int i = 0; i < queries; ++i) {
                __m512i& sum = s % 2 == 0 ? sums[i].at[g] : odd[i];
                sum = _mm512_dpbusd_epi32(sum, levels.at[s], codes.at(i, s));
            }
#pragma GCC unroll 4
        for (int i = 0; i < queries; ++i) sums[i].at[g] = _mm512_add_epi32(sums[i].at[g], odd[i]);
    }
}

/// A block of rows with some queries.
template <int queries, int bits>
struct DotPass {
    const RotatedRows& block;
    const IntegerQuery* codes;
    const Tables<bits>& tables;
    float step;
    float* out;
    std::int64_t outStride;
    bool fetch;

    template <int columns>
    void ofOneUnit() const {
        const std::int64_t plane = block.columns * (bits & 6) / 8;
        const CodesOfQueries<queries, bits, columns> held({.at = 0, .plane = plane}, codes);
        std::int64_t r = 0;
#pragma GCC unroll 1
        for (; r + kRowsOfDot <= block.count; r += kRowsOfDot) {
            const Rows rows = rowsAt(r);
            SumsOfRows sums[queries] = {};
            dotUnit(held, rows, tables, fetch, sums);
            finish(sums, rows, r);
        }
        if (r == block.count) return;
        alignas(64) std::uint8_t last[kRowsOfDot * kLongestRow];
        ofUnits(lastRows(r, last), r, false);
    }
    void ofManyUnits() const {
        alignas(64) std::uint8_t last[kRowsOfDot * kLongestRow];
        for (std::int64_t r = 0; r < block.count; r += kRowsOfDot) {
            const bool whole = r + kRowsOfDot <= block.count;
            ofUnits(whole ? rowsAt(r) : lastRows(r, last), r, fetch && whole);
        }
    }

  private:
    Rows rowsAt(std::int64_t r) const {
        return {reinterpret_cast<const std::uint8_t*>(block.row(r)), block.rowStride};
    }
    /// Sixteen rows all the same: the last one again and again.
    Rows lastRows(std::int64_t r, std::uint8_t* space) const {
        const auto bytes =
            static_cast<std::int64_t>(rotatedRowBytes(bits, static_cast<int>(block.columns)));
        for (std::int64_t k = 0; k < kRowsOfDot; ++k)
            __builtin_memcpy(space + k * bytes,
                             block.row(r + k < block.count ? r + k : block.count - 1),
                             static_cast<std::size_t>(bytes));
        return {space, bytes};
    }
    [[gnu::noinline]] void ofUnits(const Rows& rows, std::int64_t r, bool ahead) const {
        const std::int64_t plane = block.columns * (bits & 6) / 8;
        const std::int64_t whole = block.columns / kUnit * kUnit;
        SumsOfRows sums[queries] = {};
        for (std::int64_t c = 0; c < whole; c += kUnit) {
            const CodesOfQueries<queries, bits, kUnit> at(
                {.at = c * (bits & 6) / 8, .plane = plane}, codes);
            dotUnit(at, rows, tables, ahead && c == 0, sums);
        }
        if (whole < block.columns) {
            const CodesOfQueries<queries, bits, kHalfUnit> at(
                {.at = whole * (bits & 6) / 8, .plane = plane}, codes);
            dotUnit(at, rows, tables, ahead && whole == 0, sums);
        }
        finish(sums, rows, r);
    }
    [[gnu::always_inline]] void finish(const SumsOfRows* sums, const Rows& rows,
                                       std::int64_t r) const {
        const auto scaleAt =
            static_cast<std::int64_t>(rotatedCodeBytes(bits, static_cast<int>(block.columns)));
        const __mmask16 lanes = firstLanes(block.count - r);
        const __m512 factors =
            _mm512_mul_ps(sixteenScales({rows.at + scaleAt, rows.stride}), _mm512_set1_ps(step));
#pragma GCC unroll 4
        for (int i = 0; i < queries; ++i) {
            const __m512i all =
                _mm512_sub_epi32(sums[i].joined(), _mm512_set1_epi32(codes[i].offset));
            const __m512 products = _mm512_mul_ps(_mm512_mul_ps(_mm512_cvtepi32_ps(all), factors),
                                                  _mm512_set1_ps(codes[i].scale));
            _mm512_mask_storeu_ps(out + i * outStride + r, lanes, products);
        }
    }
};

template <int queries, int bits>
inline void dotSome(const DotPass<queries, bits>& pass) {
    if (pass.block.columns == kUnit) {
        pass.template ofOneUnit<kUnit>();
    } else if (pass.block.columns == kHalfUnit) {
        pass.template ofOneUnit<kHalfUnit>();
    } else {
        pass.ofManyUnits();
    }
}

template <int bits>
void dotBatch(const RotatedRows& block, const QueryRows& q, int first, int count) {
    IntegerQuery queries[kQueriesOfBatch];
    for (int i = 0; i < count; ++i)
        quantise(q.queries + (first + i) * q.queryStride, block.columns, queries[i]);
    const ByteCodebook& book = byteCodebook(bits);
    const Tables<bits> tables(book, 0);
    const auto some = [&]<int n>(int i) __attribute__((always_inline)) {
        dotSome(DotPass<n, bits>{block, queries + i, tables, book.step,
                                 q.weights + (first + i) * q.weightStride, q.weightStride, i == 0});
    };
    int i = 0;
    for (; i + 4 <= count; i += 4) some.template operator()<4>(i);
    if (count - i == 3) some.template operator()<3>(i);
    if (count - i == 2) some.template operator()<2>(i);
    if (count - i == 1) some.template operator()<1>(i);
}

template <int bits>
void dotMany(const RotatedRows& block, const QueryRows& q) {
    for (int first = 0; first < q.count; first += kQueriesOfBatch) {
        const int left = q.count - first;
        dotBatch<bits>(block, q, first, left < kQueriesOfBatch ? left : kQueriesOfBatch);
    }
}

// ---- sums of values ----

/// weight * scale of a row = step * code. What rounding leaves of a row goes to the one sixteen
/// rows later, and every sixteenth of rows begins with another fraction, so that weights far below
/// a step still add up to what they are.
struct NarrowWeights {
    alignas(64) std::uint8_t codes[kRowsOfAdd];
    float step;
};

/// Whether none is negative: else nothing is written. A whole number of sixteens may be read.
inline bool quantiseNarrow(const float* weights, const float* scales, int rows,
                           NarrowWeights& out) {
    constexpr float kLargest = 254.0F;  // what is left of others adds 1 at most
    constexpr std::uint32_t kInfinity = 0x7F800000;
    constexpr std::uint32_t kSign = 0x80000000;
    __m512 products[kRowsOfAdd / 16];
    __m512i largest = _mm512_setzero_si512();  // as bits: of numbers that are not negative
#pragma GCC unroll 4
    for (int k = 0; k < kRowsOfAdd / 16; ++k) {
        const __mmask16 lanes = rows > 16 * k ? firstLanes(rows - 16 * k) : __mmask16{0};
        products[k] = _mm512_maskz_mul_ps(lanes, _mm512_maskz_loadu_ps(lanes, weights + 16 * k),
                                          _mm512_maskz_loadu_ps(lanes, scales + 16 * k));
        largest = _mm512_max_epu32(largest, _mm512_castps_si512(products[k]));
    }
    const std::uint32_t topBits = _mm512_reduce_max_epu32(largest);
    bool bad = topBits >= kInfinity;
    if (topBits >= kSign) {
        bad = false;
        for (const __m512 of : products) bad = bad || _mm512_fpclass_ps_mask(of, kNotFinite) != 0;
        if (!bad) return false;
    }
    float top;
    __builtin_memcpy(&top, &topBits, sizeof(top));
    const __m512 factor = _mm512_set1_ps(top > kSmallestTop && !bad ? kLargest / top : 0.0F);
    constexpr float kPart = 1.0F / 16.0F;
    __m512 sum = _mm512_mul_ps(_mm512_set1_ps(kPart),
                               _mm512_set_ps(7.5F, -0.5F, 3.5F, -4.5F, 5.5F, -2.5F, 1.5F, -6.5F,
                                             6.5F, -1.5F, 2.5F, -5.5F, 4.5F, -3.5F, 0.5F, -7.5F));
    __m512i rounded = _mm512_setzero_si512();
#pragma GCC unroll 4
    for (int k = 0; k < kRowsOfAdd / 16; ++k) {
        sum = _mm512_fmadd_ps(products[k], factor, sum);
        const __m512i now = _mm512_cvtps_epi32(sum);
        // Sums of floats may fall by a rounding where nothing is added.
        const __m512i codes =
            _mm512_max_epi32(_mm512_sub_epi32(now, rounded), _mm512_setzero_si512());
        _mm_store_si128(reinterpret_cast<__m128i*>(out.codes + 16 * k),
                        _mm512_cvtusepi32_epi8(codes));
        rounded = now;
    }
    out.step = bad ? __builtin_nanf("") : top / kLargest;
    return true;
}

/// The bytes of the lower plane of four rows side by side, then centroids: 64 columns of the unit
/// in four vectors, as Quads say.
template <int bits, int columns>
struct SideBySide {
    using Part = Unit<bits, columns>;
    /// Whether a quarter of the bytes of four rows is one vector, in the order of columns.
    static constexpr bool kInOrder = Part::kBytes == 32;
    Quads bytes;
    __m512i upper;

    [[gnu::always_inline]] SideBySide(const Part& unit, const std::uint8_t* const* rows) {
        if constexpr (kInOrder) {
            const __m512i rows01 = two(rows[0] + unit.at, rows[1] + unit.at);
            const __m512i rows23 = two(rows[2] + unit.at, rows[3] + unit.at);
            bytes.at[0] = _mm512_permutex2var_epi8(rows01, ofSixteen(0), rows23);
            bytes.at[1] = _mm512_permutex2var_epi8(rows01, ofSixteen(16), rows23);
        } else if constexpr (Part::kWidth != 0) {
            bytes = interleaved(row(rows[0] + unit.at), row(rows[1] + unit.at),
                                row(rows[2] + unit.at), row(rows[3] + unit.at));
        }
        if constexpr (bits % 2 != 0) upper = unit.uppers(rows);
    }
    /// Which sixteen columns vector t of a block has, where they are in order.
    static constexpr int sixteen(int block, int t) { return block * 4 + t; }
    /// Vector t of columns 64 * block and after.
    template <int block, int t>
    __m512i levels(const Tables<bits>& tables) const {
        if constexpr (kInOrder) {
            constexpr int kSixteen = sixteen(block, t);
            __mmask64 mask = 0;
            if constexpr (bits % 2 != 0) mask = maskInOrder<kSixteen>();
            return tables.template ofPart<kSixteen / Part::kOfPart>(
                bytes.at[kSixteen % Part::kOfPart], mask);
        } else {
            __mmask64 mask = 0;
            if constexpr (bits % 2 != 0) mask = maskOfQuads<block, t>();
            if constexpr (Part::kWidth == 0)
                return tables.template lookUp<0>(_mm512_setzero_si512(), mask);
            else
                return tables.template ofPart<block>(bytes.at[t], mask);
        }
    }

  private:
    static __m512i two(const std::uint8_t* a, const std::uint8_t* b) {
        return _mm512_inserti64x4(_mm512_castsi256_si512(load32(a)), load32(b), 1);
    }
    /// Byte 4 c + r: column `first` + c of row r, of two rows of 32 bytes in each source.
    static __m512i ofSixteen(int first) {
        const __m512i columnsOfLanes =
            _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
        const __m512i everywhere =
            _mm512_mullo_epi32(_mm512_add_epi32(columnsOfLanes, _mm512_set1_epi32(first)),
                               _mm512_set1_epi32(0x01010101));
        return _mm512_add_epi8(everywhere, _mm512_set1_epi32(0x60402000));
    }
    template <int sixteen>
    __mmask64 maskInOrder() const {
        const __m512i all = _mm512_permutexvar_epi64(_mm512_set1_epi64(sixteen), upper);
        // Byte 4 c + r: bit 16 r + c of the 64 of these columns.
        const __m512i columnsOfLanes =
            _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
        const __m512i places =
            _mm512_add_epi8(_mm512_mullo_epi32(columnsOfLanes, _mm512_set1_epi32(0x01010101)),
                            _mm512_set1_epi32(0x30201000));
        return _mm512_bitshuffle_epi64_mask(all, places);
    }
    template <int block, int t>
    __mmask64 maskOfQuads() const {
        constexpr long long kOf[4] = {Part::sixteen(block, 0), Part::sixteen(block, 1),
                                      Part::sixteen(block, 2), Part::sixteen(block, 3)};
        const __m512i twice = _mm512_permutexvar_epi64(
            _mm512_set_epi64(kOf[3], kOf[3], kOf[2], kOf[2], kOf[1], kOf[1], kOf[0], kOf[0]),
            upper);
        // Byte 4 d + j of a quarter: column 4 t + d of row j.
        const __m128i places =
            _mm_add_epi8(_mm_set_epi8(51, 35, 19, 3, 50, 34, 18, 2, 49, 33, 17, 1, 48, 32, 16, 0),
                         _mm_set1_epi8(static_cast<char>(4 * t)));
        return _mm512_bitshuffle_epi64_mask(twice, _mm512_broadcast_i32x4(places));
    }
    // Parts of the lower plane that are shorter than 64 bytes: several of them in a vector.
    static __m512i row(const std::uint8_t* from) {
        if constexpr (Part::kBytes == 64) {
            return load(from);
        } else {
            constexpr long long kShift = 0x0001000100010001LL * Part::kWidth;
            return _mm512_srlv_epi16(_mm512_broadcast_i32x4(load16(from)),
                                     _mm512_set_epi64(3 * kShift, 3 * kShift, 2 * kShift,
                                                      2 * kShift, kShift, kShift, 0, 0));
        }
    }
};

/// Adds the sums of a block of 64 columns.
template <int bits, int columns>
inline void addBlockSums(const Unit<bits, columns>& unit, int block, const __m512i* high,
                         const __m512i* low, std::int32_t offset, float factor, float* out) {
    using Side = SideBySide<bits, columns>;
    Sixteens sums;
    if constexpr (Side::kInOrder) {
#pragma GCC unroll 4
        for (int k = 0; k < 4; ++k)
            sums.at[k] = _mm512_cvtepi32_ps(joined(high[k], low[k], offset));
    } else {
        sums = inOrder(high, low, offset);
    }
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
        const int sixteen =
            Side::kInOrder ? Side::sixteen(block, k) : Unit<bits, columns>::sixteen(block, k);
        float* at = out + unit.column(sixteen);
        _mm512_storeu_ps(at,
                         _mm512_fmadd_ps(sums.at[k], _mm512_set1_ps(factor), _mm512_loadu_ps(at)));
    }
}

/// f.template operator()<block, t>() for the vectors of so many blocks of 64 columns.
template <int blocks, class F>
inline __attribute__((always_inline)) void forEachVector(const F& f) {
    f.template operator()<0, 0>();
    f.template operator()<0, 1>();
    f.template operator()<0, 2>();
    f.template operator()<0, 3>();
    if constexpr (blocks == 2) {
        f.template operator()<1, 0>();
        f.template operator()<1, 1>();
        f.template operator()<1, 2>();
        f.template operator()<1, 3>();
    }
}

/// All columns of a unit at once, with weights of 8 bits.
template <int queries, int bits, int columns>
inline void addUnit(const Unit<bits, columns>& unit, const Rows& rows, int count,
                    const Tables<bits>& tables, const NarrowWeights* weights, float bookStep,
                    bool fetch, float* out, std::int64_t outStride) {
    constexpr int kBlocks = columns / 64;
    __m512i sums[queries][kBlocks][4];
#pragma GCC unroll 4
    for (int i = 0; i < queries; ++i)
#pragma GCC unroll 2
        for (int b = 0; b < kBlocks; ++b)
#pragma GCC unroll 4
            for (int t = 0; t < 4; ++t) sums[i][b][t] = _mm512_setzero_si512();
#pragma GCC unroll 1
    for (int r = 0; r < count; r += kFour) {
        if (fetch) rows.fetch(r, kFour, kChunksAhead * kRowsOfAdd * rows.stride);
        const std::uint8_t* const four[kFour] = {rows[r], rows[r + 1], rows[r + 2], rows[r + 3]};
        const SideBySide<bits, columns> side(unit, four);
        __m512i codes[queries];
#pragma GCC unroll 4
        for (int i = 0; i < queries; ++i)
            codes[i] = fourWeights(reinterpret_cast<const std::int8_t*>(weights[i].codes + r));
        forEachVector<kBlocks>([&]<int block, int t>() __attribute__((always_inline)) {
            const __m512i levels = side.template levels<block, t>(tables);
#pragma GCC unroll 4
            for (int i = 0; i < queries; ++i)
                sums[i][block][t] = _mm512_dpbusd_epi32(sums[i][block][t], codes[i], levels);
        });
    }
    const __m512i none[4] = {_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(),
                             _mm512_setzero_si512()};
#pragma GCC unroll 4
    for (int i = 0; i < queries; ++i)
#pragma GCC unroll 2
        for (int b = 0; b < kBlocks; ++b)
            addBlockSums(unit, b, none, sums[i][b], 0, weights[i].step * bookStep,
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
#pragma GCC unroll 1
    for (int r = 0; r < count; r += kFour) {
        if (fetch) rows.fetch(r, kFour, kChunksAhead * kRowsOfAdd * rows.stride);
        const std::uint8_t* const four[kFour] = {rows[r], rows[r + 1], rows[r + 2], rows[r + 3]};
        const SideBySide<bits, columns> side(unit, four);
        forEachVector<1>([&]<int, int t>() __attribute__((always_inline)) {
            const __m512i levels = side.template levels<block, t>(tables);
#pragma GCC unroll 2
            for (int i = 0; i < queries; ++i) {
                high[i][t] =
                    _mm512_dpbusd_epi32(high[i][t], levels, fourWeights(weights[i].high + r));
                low[i][t] = _mm512_dpbusd_epi32(low[i][t], levels, fourWeights(weights[i].low + r));
            }
        });
    }
#pragma GCC unroll 2
    for (int i = 0; i < queries; ++i)
        addBlockSums(unit, block, high[i], low[i], weights[i].offset, weights[i].step * bookStep,
                     out + i * outStride);
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

/// Rows that share the step of their weights, and those weights for some queries.
template <int bits>
struct Chunk {
    std::conditional_t<bits <= kLargestNarrow, NarrowWeights, IntegerWeights>
        weights[kQueriesOfHalfUnit];

    /// Whether weights of this kind can stand for them: narrow ones are not negative.
    bool round(const Rows& rows, std::int64_t scaleAt, int count, const float* from,
               std::int64_t stride, int queries) {
        alignas(64) float scales[kRowsOfAdd];
        int r = 0;
        for (; r + 16 <= count; r += 16)
            _mm512_store_ps(scales + r, sixteenScales({rows[r] + scaleAt, rows.stride}));
        for (; r < count; ++r) {
            std::uint16_t half;
            __builtin_memcpy(&half, rows[r] + scaleAt, sizeof(half));
            scales[r] = floatOf(half);
        }
        for (int i = 0; i < queries; ++i) {
            if constexpr (bits <= kLargestNarrow) {
                if (!quantiseNarrow(from + i * stride, scales, count, weights[i])) return false;
            } else {
                quantiseWeights(from + i * stride, scales, count, weights[i]);
            }
        }
        return true;
    }
};

/// Rows, which may be read up to the next whole four, for some queries. The weights of a
/// chunk are rounded before the rows of the one before it are read, which then need not wait.
template <int queries, int bits>
void addRows(const RotatedRows& block, const Tables<bits>& tables, float bookStep, bool fetch,
             const QueryRows& q) {
    const auto scaleAt =
        static_cast<std::int64_t>(rotatedCodeBytes(bits, static_cast<int>(block.columns)));
    Chunk<bits> chunks[2];
    const auto rowsOf = [&](std::int64_t first) __attribute__((always_inline)) {
        return Rows{reinterpret_cast<const std::uint8_t*>(block.row(first)), block.rowStride};
    };
    const auto countOf = [&](std::int64_t first) __attribute__((always_inline)) {
        const std::int64_t left = block.count - first;
        return static_cast<int>(left < kRowsOfAdd ? left : kRowsOfAdd);
    };
    const auto round = [&](std::int64_t first) __attribute__((always_inline)) {
        return chunks[first / kRowsOfAdd % 2].round(rowsOf(first), scaleAt, countOf(first),
                                                    q.weights + first, q.weightStride, queries);
    };
    bool rounded = round(0);
    for (std::int64_t first = 0; first < block.count; first += kRowsOfAdd) {
        const std::int64_t next = first + kRowsOfAdd;
        const bool now = rounded;
        if (next < block.count) rounded = round(next);
        const int count = countOf(first);
        if (now) {
            addColumns<queries>(rowsOf(first), block.columns, (count + kFour - 1) / kFour * kFour,
                                tables, chunks[first / kRowsOfAdd % 2].weights, bookStep, fetch,
                                q.sums, q.sumStride);
            continue;
        }
        RotatedRows part = block;
        part.rows = block.row(first);
        part.count = count;
        QueryRows these = q;
        these.weights += first;
        these.count = queries;
        addManyRotatedVnni(part, these);
    }
}

template <int bits>
inline void addQueries(const RotatedRows& block, const Tables<bits>& tables, float bookStep,
                       QueryRows q) {
    bool fetch = true;
    const auto add = [&]<int queries>() __attribute__((always_inline)) {
        addRows<queries>(block, tables, bookStep, fetch, q);
        fetch = false;
        q.weights += queries * q.weightStride;
        q.sums += queries * q.sumStride;
        q.count -= queries;
    };
    if constexpr (bits <= kLargestNarrow) {
        if (block.columns == kHalfUnit) {
            while (q.count >= kQueriesOfHalfUnit) add.template operator()<kQueriesOfHalfUnit>();
            if (q.count == 3) add.template operator()<3>();
        }
    }
    while (q.count >= 2) add.template operator()<2>();
    if (q.count == 1) add.template operator()<1>();
}

template <int bits>
void addMany(const RotatedRows& block, const QueryRows& q) {
    const ByteCodebook& book = byteCodebook(bits);
    const Tables<bits> tables(book, bits <= kLargestNarrow ? 128 : 0);
    RotatedRows part = block;
    part.count = block.count / kFour * kFour;
    if (part.count > 0) addQueries(part, tables, book.step, q);
    if (part.count == block.count) return;
    alignas(64) std::uint8_t last[kFour * kLongestRow];
    const auto bytes =
        static_cast<std::int64_t>(rotatedRowBytes(bits, static_cast<int>(block.columns)));
    for (std::int64_t r = 0; r < kFour; ++r) {
        const std::int64_t from = part.count + r < block.count ? part.count + r : block.count - 1;
        __builtin_memcpy(last + r * bytes, block.row(from), static_cast<std::size_t>(bytes));
    }
    QueryRows these = q;
    these.weights += part.count;
    part.rows = reinterpret_cast<const std::byte*>(last);
    part.rowStride = bytes;
    part.count = block.count - part.count;
    addQueries(part, tables, book.step, these);
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
