// Rows of codes of 6 to 8 bits against queries and weights rounded to integers, with VBMI, whose
// tables are large enough. Such codes are finer than bytes, so centroids, queries and weights have
// 16 bits, multiplied as upper and lower bytes. The product of two lower bytes is omitted and only
// its mean is subtracted. As with fewer bits, four rows share a vector before lookups
// (vbmi_rotated.h); keys of other lengths are processed row by row.

#include "engine/kernels/vbmi_rotated.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstdint>
#include <utility>

LACUNA_TARGET_BEGIN(
    "avx2,fma,f16c,avx512f,avx512vl,avx512dq,avx512bw,avx512vnni,avx512vbmi,avx512bitalg")
namespace lacuna {
namespace vnni {
namespace {

using avx512::codesOfPlane;
using avx512::hasWholePlanes;
using avx512::spreadPlane;
constexpr double kMeanOfLow = 127.5;
constexpr float kLargestWide = 32512.0F;  // 127 * 256
constexpr int kQueriesOfWideDot = 3;
constexpr int kQueriesOfWideAdd = 4;
/// Largest number of columns whose sums fit 32 bits.
constexpr int kLongestOfFours = 256;

/// Tables of the upper and the lower bytes of up to 256 centroids.
struct WideLevels {
    __m512i high[4];
    __m512i low[4];

    explicit WideLevels(const WideCodebook& book) {
        for (int i = 0; i < 4; ++i) {
            high[i] = load(book.high + i * kVector);
            low[i] = load(book.low + i * kVector);
        }
    }
};

template <int bits>
inline __m512i lookUp(const __m512i* tables, __m512i codes) {
    if constexpr (bits == 6) return _mm512_permutexvar_epi8(codes, tables[0]);
    const __m512i front = _mm512_permutex2var_epi8(tables[0], codes, tables[1]);
    if constexpr (bits == 7) return front;
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(codes), front,
                                  _mm512_permutex2var_epi8(tables[2], codes, tables[3]));
}

/// Expands codes of rows of 6 and 7 bits, with the top bit of 7 separate; bytes after the columns
/// are arbitrary.
[[gnu::noinline]] void spreadCodes(const std::uint8_t* row, std::int64_t columns,
                                   std::uint8_t* out) {
    alignas(64) std::uint8_t lower[kSpace];
    alignas(64) std::uint8_t upper[kSpace];
    const int dim = static_cast<int>(columns);
    const auto four = static_cast<std::int64_t>(codePlaneBytes(4, dim));
    const auto two = static_cast<std::int64_t>(codePlaneBytes(2, dim));
    const __m512i none = _mm512_setzero_si512();
    spreadPlane<4, false>(row, four, none, lower);
    spreadPlane<2, false>(row + four, two, none, upper);
    for (std::int64_t i = 0; i < columns; i += kVector)
        store(out + i, _mm512_or_si512(load(lower + i), _mm512_slli_epi16(load(upper + i), 4)));
}

/// Returns the codes of 64 columns of a row from column `i` on; codes after the last column are
/// arbitrary. `spread` holds those of spreadCodes if hasWholePlanes is false.
template <int bits>
[[gnu::always_inline]] inline __m512i codesAt(const std::uint8_t* row, const std::uint8_t* spread,
                                              std::int64_t columns, std::int64_t i) {
    if constexpr (bits == 8) return load(row + i);
    const auto four = static_cast<std::int64_t>(codePlaneBytes(4, static_cast<int>(columns)));
    const auto two = static_cast<std::int64_t>(codePlaneBytes(2, static_cast<int>(columns)));
    const __m512i codes =
        spread != nullptr
            ? load(spread + i)
            : _mm512_or_si512(codesOfPlane<4>(row, four, i),
                              _mm512_slli_epi16(codesOfPlane<2>(row + four, two, i), 4));
    if constexpr (bits == 6) return codes;
    __mmask64 top;
    __builtin_memcpy(&top, row + four + two + i / 8, sizeof(top));
    return _mm512_mask_add_epi8(codes, top, codes, _mm512_set1_epi8(64));
}

/// Expands both bytes of the centroids of a row; bytes after the columns are arbitrary.
template <int bits>
[[gnu::always_inline]] inline void spreadWide(const std::uint8_t* row, std::int64_t columns,
                                              const WideLevels& levels, std::uint8_t* high,
                                              std::uint8_t* low) {
    const bool direct = bits == 8 || hasWholePlanes(columns);
    if (!direct) spreadCodes(row, columns, high);
    for (std::int64_t i = 0; i < columns; i += kVector) {
        const __m512i codes = codesAt<bits>(row, direct ? nullptr : high, columns, i);
        store(high + i, lookUp<bits>(levels.high, codes));
        store(low + i, lookUp<bits>(levels.low, codes));
    }
}

/// x = scale * (256 high + low), zeros after the columns.
struct WideQuery {
    alignas(64) std::int8_t high[kSpace];
    alignas(64) std::int8_t low[kSpace];
    float scale;
    float highOffset;     ///< added by reading upper bytes as value + 128
    float lowOffset;      ///< the same for lower bytes, less the mean of the omitted products
    std::int32_t offset;  ///< 256 highOffset + lowOffset
};

inline void quantise(const float* x, std::int64_t columns, WideQuery& out) {
    const Magnitude magnitude = magnitudeOf(x, columns);
    const __m512 factor = _mm512_set1_ps(magnitude.factor(kLargestWide));
    __m512i highs = _mm512_setzero_si512();
    __m512i lows = _mm512_setzero_si512();
    for (std::int64_t c = 0; c < roundUp(columns); c += 16) {
        const __mmask16 lanes = c < columns ? firstLanes(columns - c) : __mmask16{0};
        const __m512i code =
            _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_maskz_loadu_ps(lanes, x + c), factor));
        const __m512i high = _mm512_srai_epi32(_mm512_add_epi32(code, _mm512_set1_epi32(128)), 8);
        const __m512i low = _mm512_sub_epi32(code, _mm512_slli_epi32(high, 8));
        highs = _mm512_add_epi32(highs, high);
        lows = _mm512_add_epi32(lows, low);
        _mm_store_si128(reinterpret_cast<__m128i*>(out.high + c), _mm512_cvtepi32_epi8(high));
        _mm_store_si128(reinterpret_cast<__m128i*>(out.low + c), _mm512_cvtepi32_epi8(low));
    }
    out.scale = magnitude.step(kLargestWide);
    out.highOffset = 128.0F * static_cast<float>(_mm512_reduce_add_epi32(highs));
    const int low = _mm512_reduce_add_epi32(lows);
    out.lowOffset = static_cast<float>((128.0 - kMeanOfLow / 256.0) * low);
    // 128 - 127.5 / 256, where 127.5 / 256 is a half up to one part in 512.
    out.offset = 256 * 128 * _mm512_reduce_add_epi32(highs) + 128 * low - low / 2;
}

// ---- dot products ----

/// Codes of four rows: one vector per sixteen columns, with a quarter for each row. The upper two
/// bits of a byte are arbitrary for 6 bits, the top bit for 7.
template <int bits, int columns>
struct CodesOfQuarters {
    static constexpr int kSixteens = columns / 16;
    __m512i at[kSixteens];

    [[gnu::always_inline]] explicit CodesOfQuarters(const std::uint8_t* const* rows) {
        if constexpr (bits == 8) {
#pragma GCC unroll 4
            for (int c = 0; c < columns; c += kVector) turned(rows, c, at + c / 16);
        } else {
            fromPlanes(rows, std::make_index_sequence<kSixteens>());
        }
    }

  private:
    /// Converts 64 columns of each row from `c` on, one vector per row, to quarters of four
    /// vectors.
    [[gnu::always_inline]] static void turned(const std::uint8_t* const* rows, int c,
                                              __m512i* out) {
        const __m512i front01 = _mm512_shuffle_i32x4(load(rows[0] + c), load(rows[1] + c), 0x44);
        const __m512i back01 = _mm512_shuffle_i32x4(load(rows[0] + c), load(rows[1] + c), 0xEE);
        const __m512i front23 = _mm512_shuffle_i32x4(load(rows[2] + c), load(rows[3] + c), 0x44);
        const __m512i back23 = _mm512_shuffle_i32x4(load(rows[2] + c), load(rows[3] + c), 0xEE);
        out[0] = _mm512_shuffle_i32x4(front01, front23, 0x88);
        out[1] = _mm512_shuffle_i32x4(front01, front23, 0xDD);
        out[2] = _mm512_shuffle_i32x4(back01, back23, 0x88);
        out[3] = _mm512_shuffle_i32x4(back01, back23, 0xDD);
    }
    [[gnu::always_inline]] static __m512i quarters(const std::uint8_t* const* rows, int at) {
        __m512i all = _mm512_castsi128_si512(load16(rows[0] + at));
        all = _mm512_inserti32x4(all, load16(rows[1] + at), 1);
        all = _mm512_inserti32x4(all, load16(rows[2] + at), 2);
        return _mm512_inserti32x4(all, load16(rows[3] + at), 3);
    }
    template <std::size_t... s>
    [[gnu::always_inline]] void fromPlanes(const std::uint8_t* const* rows,
                                           std::index_sequence<s...>) {
        constexpr int kHalf = columns / 32;     // vectors of the plane of 4 bits
        constexpr int kQuarter = columns / 64;  // vectors of the plane of 2 bits
        __m512i halves[kHalf];
        __m512i fourths[kQuarter];
#pragma GCC unroll 8
        for (int i = 0; i < kHalf; ++i) halves[i] = quarters(rows, 16 * i);
#pragma GCC unroll 4
        for (int i = 0; i < kQuarter; ++i) fourths[i] = quarters(rows, columns / 2 + 16 * i);
        ((at[s] = joined<s / kHalf, s / kQuarter>(halves[s % kHalf], fourths[s % kQuarter])), ...);
        if constexpr (bits == 7) {
            alignas(64) std::uint64_t upper[8];
            store(upper, (Unit<7, columns>{.at = 0, .plane = columns * 3 / 4}.uppers(rows)));
            const __m512i sixth = _mm512_set1_epi8(64);
            ((at[s] = _mm512_mask_add_epi8(at[s], upper[s], at[s], sixth)), ...);
        }
    }
    /// Combines six bits from a part of both planes.
    template <int ofFour, int ofTwo>
    [[gnu::always_inline]] static __m512i joined(__m512i four, __m512i two) {
        if constexpr (ofFour == 1) four = _mm512_srli_epi16(four, 4);
        if constexpr (ofTwo == 0) two = _mm512_slli_epi16(two, 4);
        if constexpr (ofTwo == 1) two = _mm512_slli_epi16(two, 2);
        if constexpr (ofTwo == 3) two = _mm512_srli_epi16(two, 2);
        constexpr int kSelect = 0xCA;  // takes the second operand where the first has a bit
        const __m512i six = _mm512_ternarylogic_epi32(_mm512_set1_epi8(0x30), two, four, kSelect);
        return bits == 7 ? _mm512_and_si512(six, _mm512_set1_epi8(0x3F)) : six;
    }
};

/// Products of blocks of rows with some queries, sixteen rows at once.
template <int queries, int bits, int columns>
struct WideDotPass {
    static constexpr int kSixteens = columns / 16;
    static constexpr std::int64_t kBytes = rotatedRowBytes(bits, columns);
    const RotatedRows& block;
    const WideQuery* q;
    const WideLevels levels;
    float step;
    float* out;
    std::int64_t outStride;
    bool fetch;

    void run() const {
        // Sixteen columns of a query, repeated in every quarter of a vector.
        __m512i high[queries][kSixteens];
        __m512i low[queries][kSixteens];
        for (int i = 0; i < queries; ++i)
            for (int s = 0; s < kSixteens; ++s) {
                high[i][s] = _mm512_broadcast_i32x4(load16(q[i].high + 16 * s));
                low[i][s] = _mm512_broadcast_i32x4(load16(q[i].low + 16 * s));
            }
        alignas(64) std::uint8_t last[kRowsOfDot * kBytes];
#pragma GCC unroll 1
        for (std::int64_t r = 0; r < block.count; r += kRowsOfDot) {
            const bool whole = r + kRowsOfDot <= block.count;
            const Rows rows =
                whole ? Rows{reinterpret_cast<const std::uint8_t*>(block.row(r)), block.rowStride}
                      : lastRows(r, last);
            SumsOfRows sums[queries];
            for (int g = 0; g < kFour; ++g) {
                if (fetch && whole)
                    rows.template fetch<kFour * kBytes>(kFour * g, kPrefetchDistance);
                const std::uint8_t* const four[kFour] = {rows[g], rows[g + 4], rows[g + 8],
                                                         rows[g + 12]};
                dotFour(CodesOfQuarters<bits, columns>(four), high, low, g, sums);
            }
            finish(sums, rows, r);
        }
    }

  private:
    [[gnu::always_inline]] void dotFour(const CodesOfQuarters<bits, columns>& codes,
                                        const __m512i (*high)[kSixteens],
                                        const __m512i (*low)[kSixteens], int g,
                                        SumsOfRows* sums) const {
        __m512i upper[queries];
        __m512i middle[queries][2];
#pragma GCC unroll 4
        for (int i = 0; i < queries; ++i)
            upper[i] = middle[i][0] = middle[i][1] = _mm512_setzero_si512();
#pragma GCC unroll 16
        for (int s = 0; s < kSixteens; ++s) {
            const __m512i above = lookUp<bits>(levels.high, codes.at[s]);
            const __m512i below = lookUp<bits>(levels.low, codes.at[s]);
#pragma GCC unroll 4
            for (int i = 0; i < queries; ++i) {
                upper[i] = _mm512_dpbusd_epi32(upper[i], above, high[i][s]);
                middle[i][0] = _mm512_dpbusd_epi32(middle[i][0], above, low[i][s]);
                middle[i][1] = _mm512_dpbusd_epi32(middle[i][1], below, high[i][s]);
            }
        }
#pragma GCC unroll 4
        for (int i = 0; i < queries; ++i)
            sums[i].at[g] = _mm512_add_epi32(_mm512_slli_epi32(upper[i], 8),
                                             _mm512_add_epi32(middle[i][0], middle[i][1]));
    }
    /// Returns sixteen rows that all repeat the last one.
    [[gnu::noinline]] Rows lastRows(std::int64_t r, std::uint8_t* space) const {
        for (std::int64_t k = 0; k < kRowsOfDot; ++k)
            __builtin_memcpy(space + k * kBytes,
                             block.row(r + k < block.count ? r + k : block.count - 1), kBytes);
        return {space, kBytes};
    }
    [[gnu::always_inline]] void finish(const SumsOfRows* sums, const Rows& rows,
                                       std::int64_t r) const {
        const __m512 factors =
            _mm512_mul_ps(sixteenScales({rows.at + kBytes - 2, rows.stride}), _mm512_set1_ps(step));
#pragma GCC unroll 4
        for (int i = 0; i < queries; ++i) {
            const __m512i all = _mm512_sub_epi32(sums[i].joined(), _mm512_set1_epi32(q[i].offset));
            const __m512 products = _mm512_mul_ps(_mm512_mul_ps(_mm512_cvtepi32_ps(all), factors),
                                                  _mm512_set1_ps(256.0F * q[i].scale));
            _mm512_mask_storeu_ps(out + i * outStride + r, firstLanes(block.count - r), products);
        }
    }
};

template <int bits, int columns>
[[gnu::noinline]] void dotFours(const RotatedRows& block, const QueryRows& q, int first,
                                const WideQuery* queries, int count) {
    const WideCodebook& book = wideCodebook(bits);
    const WideLevels levels(book);
    const auto some = [&]<int n>(int i) __attribute__((always_inline)) {
        WideDotPass<n, bits, columns>{block,
                                      queries + i,
                                      levels,
                                      book.step,
                                      q.weights + (first + i) * q.weightStride,
                                      q.weightStride,
                                      i == 0}
            .run();
    };
    int i = 0;
    for (; i + kQueriesOfWideDot <= count; i += kQueriesOfWideDot)
        some.template operator()<kQueriesOfWideDot>(i);
    if (count - i == 2) some.template operator()<2>(i);
    if (count - i == 1) some.template operator()<1>(i);
}

/// Products of four rows of both bytes of levels; the first `left` are written.
template <int queries>
inline void dotFourWide(const std::uint8_t* highLevels, const std::uint8_t* lowLevels,
                        std::int64_t columns, const WideQuery* q, __m128 scales, std::int64_t left,
                        float* out, std::int64_t outStride) {
    __m512i upper[queries][kFour];
    __m512i middle[queries][kFour];
#pragma GCC unroll 2
    for (int i = 0; i < queries; ++i) {
#pragma GCC unroll 4
        for (int r = 0; r < kFour; ++r) upper[i][r] = middle[i][r] = _mm512_setzero_si512();
    }
    for (std::int64_t c = 0; c < columns; c += kVector) {
#pragma GCC unroll 4
        for (int r = 0; r < kFour; ++r) {
            const __m512i high = load(highLevels + r * kSpace + c);
            const __m512i low = load(lowLevels + r * kSpace + c);
#pragma GCC unroll 2
            for (int i = 0; i < queries; ++i) {
                const __m512i highCodes = load(q[i].high + c);
                upper[i][r] = _mm512_dpbusd_epi32(upper[i][r], high, highCodes);
                middle[i][r] = _mm512_dpbusd_epi32(middle[i][r], high, load(q[i].low + c));
                middle[i][r] = _mm512_dpbusd_epi32(middle[i][r], low, highCodes);
            }
        }
    }
#pragma GCC unroll 2
    for (int i = 0; i < queries; ++i) {
        const __m128 above = _mm_sub_ps(
            _mm_cvtepi32_ps(sumsOfFour(upper[i][0], upper[i][1], upper[i][2], upper[i][3])),
            _mm_set1_ps(q[i].highOffset));
        const __m128 below = _mm_sub_ps(
            _mm_cvtepi32_ps(sumsOfFour(middle[i][0], middle[i][1], middle[i][2], middle[i][3])),
            _mm_set1_ps(q[i].lowOffset));
        const __m128 sum =
            _mm_fmadd_ps(above, _mm_set1_ps(65536.0F), _mm_mul_ps(below, _mm_set1_ps(256.0F)));
        _mm_mask_storeu_ps(out + i * outStride,
                           static_cast<__mmask8>(left >= 4 ? 15 : (1 << left) - 1),
                           _mm_mul_ps(_mm_mul_ps(sum, scales), _mm_set1_ps(q[i].scale)));
    }
}

/// Products of rows of any length, one after the other.
template <int bits>
[[gnu::noinline]] void dotAnyRows(const RotatedRows& block, const QueryRows& q, int first,
                                  const WideQuery* queries, int count) {
    const WideCodebook& book = wideCodebook(bits);
    const WideLevels levels(book);
    const ReadableRows readable(block);
    alignas(64) std::uint8_t high[kFour * kSpace];
    alignas(64) std::uint8_t low[kFour * kSpace];
    for (std::int64_t r = 0; r < block.count; r += kFour) {
        float scales[kFour];
        for (int k = 0; k < kFour; ++k) {
            const std::uint8_t* row = readable.row(r + k < block.count ? r + k : block.count - 1);
            readable.fetchAhead(row, 1);
            spreadWide<bits>(row, block.columns, levels, high + k * kSpace, low + k * kSpace);
            scales[k] = floatOf(readable.scale(row));
        }
        const __m128 factors = _mm_mul_ps(_mm_loadu_ps(scales), _mm_set1_ps(book.step));
        const std::int64_t left = block.count - r;
        float* out = q.weights + first * q.weightStride + r;
        int i = 0;
        for (; i + 2 <= count; i += 2)
            dotFourWide<2>(high, low, block.columns, queries + i, factors, left,
                           out + i * q.weightStride, q.weightStride);
        if (i < count)
            dotFourWide<1>(high, low, block.columns, queries + i, factors, left,
                           out + i * q.weightStride, q.weightStride);
    }
}

template <int bits>
void dotManyWide(const RotatedRows& block, const QueryRows& q) {
    for (int first = 0; first < q.count; first += kQueriesOfBatch) {
        const int count = q.count - first < kQueriesOfBatch ? q.count - first : kQueriesOfBatch;
        WideQuery queries[kQueriesOfBatch];
        for (int i = 0; i < count; ++i)
            quantise(q.queries + (first + i) * q.queryStride, block.columns, queries[i]);
        if (block.columns == 64) {
            dotFours<bits, 64>(block, q, first, queries, count);
        } else if (block.columns == 128) {
            dotFours<bits, 128>(block, q, first, queries, count);
        } else if (bits != 7 && block.columns == kLongestOfFours) {
            dotFours<bits == 7 ? 8 : bits, kLongestOfFours>(block, q, first, queries, count);
        } else {
            dotAnyRows<bits>(block, q, first, queries, count);
        }
    }
}

// ---- sums of values ----

/// Sums of 64 columns for a query, ordered like Quads.
struct WideSums {
    __m512i upper[4];
    __m512i middle[4];
};

/// Sums half of the vectors of 64 columns, from `half` on; all sums would not fit the registers.
/// Prefetches the memory that is read next, because centroid lookups are faster than memory.
template <int queries>
[[gnu::always_inline]] inline void sumHalf(const std::uint8_t* levels, int rows, int half,
                                           const IntegerWeights* weights, const std::uint8_t* ahead,
                                           WideSums* sums) {
    __m512i upper[queries][2];
    __m512i middle[queries][2];
#pragma GCC unroll 4
    for (int i = 0; i < queries; ++i)
        upper[i][0] = upper[i][1] = middle[i][0] = middle[i][1] = _mm512_setzero_si512();
    const std::uint8_t* at = levels + 2 * half * kVector;
#pragma GCC unroll 1
    for (int r = 0; r < rows; r += kFour, at += 2 * kFour * kVector, ahead += 2 * kVector) {
        __builtin_prefetch(ahead);
        __builtin_prefetch(ahead + kVector);
        const __m512i high0 = load(at);
        const __m512i low0 = load(at + kVector);
        const __m512i high1 = load(at + 2 * kVector);
        const __m512i low1 = load(at + 3 * kVector);
#pragma GCC unroll 4
        for (int i = 0; i < queries; ++i) {
            const __m512i h = fourWeights(weights[i].high + r);
            const __m512i l = fourWeights(weights[i].low + r);
            upper[i][0] = _mm512_dpbusd_epi32(upper[i][0], high0, h);
            upper[i][1] = _mm512_dpbusd_epi32(upper[i][1], high1, h);
            middle[i][0] = _mm512_dpbusd_epi32(middle[i][0], high0, l);
            middle[i][1] = _mm512_dpbusd_epi32(middle[i][1], high1, l);
            middle[i][0] = _mm512_dpbusd_epi32(middle[i][0], low0, h);
            middle[i][1] = _mm512_dpbusd_epi32(middle[i][1], low1, h);
        }
    }
#pragma GCC unroll 4
    for (int i = 0; i < queries; ++i)
        for (int k = 0; k < 2; ++k) {
            sums[i].upper[half + k] = upper[i][k];
            sums[i].middle[half + k] = middle[i][k];
        }
}

constexpr std::int64_t kStripAhead = 2 * 2 * kVector * kRowsOfAdd / kFour;  // bytes prefetched

/// Adds 64 columns of the rows of a chunk, a multiple of four, whose centroids are interleaved.
template <int queries>
[[gnu::noinline]] void addStripWide(const std::uint8_t* levels, int rows,
                                    const IntegerWeights* weights, float bookStep,
                                    const std::uint8_t* ahead, float* out, std::int64_t outStride,
                                    std::int64_t left) {
    WideSums sums[queries];
    sumHalf<queries>(levels, rows, 0, weights, ahead, sums);
    sumHalf<queries>(levels, rows, 2, weights, ahead + kStripAhead / 2, sums);
    for (int i = 0; i < queries; ++i) {
        const float factor = weights[i].step * bookStep * 256.0F;
        addSums(sums[i].upper, sums[i].middle, weights[i].wideOffset, factor, out + i * outStride,
                left);
    }
}

/// The rows of a chunk, at most 64, which vectors may read past their ends.
class ChunkRows {
  public:
    /// `over`: vectors read past the end of a row.
    ChunkRows(const RotatedRows& block, std::int64_t first, bool over)
        : rows_{reinterpret_cast<const std::uint8_t*>(block.row(first)), block.rowStride},
          after_(rows_[kRowsOfAdd]) {
        const std::int64_t left = block.count - first;
        count_ = static_cast<int>(left < kRowsOfAdd ? left : kRowsOfAdd);
        // Within this many rows of the end, a vector may start in one row and end after the last.
        const std::int64_t after = (kVector + block.rowStride - 1) / block.rowStride;
        if (count_ % 16 != 0 || (over && left < count_ + after)) copy(block);
    }
    [[nodiscard]] int count() const { return count_; }
    /// The last row is repeated to fill the last sixteen.
    const std::uint8_t* operator[](int r) const { return rows_[r]; }
    void scales(std::int64_t at, float* out) const {
        for (int r = 0; r < count_; r += 16)
            _mm512_storeu_ps(out + r, sixteenScales({rows_[r] + at, rows_.stride}));
    }
    /// Returns the memory after the rows, also past the end of the block; usually the next rows.
    [[nodiscard]] const std::uint8_t* after() const { return after_; }

  private:
    [[gnu::noinline]] void copy(const RotatedRows& block) {
        const auto bytes =
            static_cast<std::int64_t>(rotatedRowBytes(block.bits, static_cast<int>(block.columns)));
        for (int r = 0; r < (count_ + 15) / 16 * 16; ++r)
            __builtin_memcpy(copy_ + r * bytes, rows_[r < count_ ? r : count_ - 1],
                             static_cast<std::size_t>(bytes));
        rows_ = {copy_, bytes};
    }

    Rows rows_;
    const std::uint8_t* after_;
    int count_;
    std::uint8_t copy_[kRowsOfAdd * rotatedRowBytes(8, kMaxRotatedDim) + kVector];
};

/// Centroids of the rows of a chunk, 64 columns at a time: the vectors of Quads for every four
/// rows, each as upper and lower bytes.
struct ChunkLevels {
    /// Bytes of 64 columns. Slightly more than needed, so that strips do not map to the same cache
    /// sets.
    static constexpr std::int64_t kStrip = 2 * kRowsOfAdd * kVector + 2 * kVector;
    alignas(64) std::uint8_t bytes[kMaxRotatedDim / kVector * kStrip];

    std::uint8_t* strip(std::int64_t column) { return bytes + column / kVector * kStrip; }
};

/// `fixed` columns, or any number if it is 0.
template <int bits, std::int64_t fixed>
[[gnu::noinline]] void spreadChunk(const ChunkRows& rows, std::int64_t any, const WideLevels levels,
                                   ChunkLevels& out) {
    const std::int64_t columns = fixed == 0 ? any : fixed;
    const bool direct = bits == 8 || hasWholePlanes(columns);
    alignas(64) std::uint8_t spread[kFour][kSpace];
    for (int r = 0; r < rows.count(); r += kFour) {
        if (!direct)
            for (int k = 0; k < kFour; ++k) spreadCodes(rows[r + k], columns, spread[k]);
        for (std::int64_t c = 0; c < columns; c += kVector) {
            const auto codes = [&](int k) __attribute__((always_inline)) {
                return codesAt<bits>(rows[r + k], direct ? nullptr : spread[k], columns, c);
            };
            const Quads quads = interleaved(codes(0), codes(1), codes(2), codes(3));
            std::uint8_t* const to = out.strip(c) + 2 * r * kVector;
#pragma GCC unroll 4
            for (int k = 0; k < kFour; ++k) {
                store(to + 2 * k * kVector, lookUp<bits>(levels.high, quads.at[k]));
                store(to + (2 * k + 1) * kVector, lookUp<bits>(levels.low, quads.at[k]));
            }
        }
    }
}

template <int bits>
void addManyWide(const RotatedRows& block, const QueryRows& q) {
    const WideCodebook& book = wideCodebook(bits);
    const WideLevels levels(book);
    const auto scaleAt =
        static_cast<std::int64_t>(rotatedCodeBytes(bits, static_cast<int>(block.columns)));
    const bool over = block.columns % kVector != 0 || (bits < 8 && !hasWholePlanes(block.columns));
    ChunkLevels chunk;
    for (std::int64_t first = 0; first < block.count; first += kRowsOfAdd) {
        const ChunkRows rows(block, first, over);
        if (block.columns == 64) {
            spreadChunk<bits, 64>(rows, 64, levels, chunk);
        } else if (block.columns == 128) {
            spreadChunk<bits, 128>(rows, 128, levels, chunk);
        } else {
            spreadChunk<bits, 0>(rows, block.columns, levels, chunk);
        }
        float scales[kRowsOfAdd];
        rows.scales(scaleAt, scales);
        const int whole = (rows.count() + kFour - 1) / kFour * kFour;
        for (int query = 0; query < q.count; query += kQueriesOfWideAdd) {
            const int queries =
                q.count - query < kQueriesOfWideAdd ? q.count - query : kQueriesOfWideAdd;
            IntegerWeights weights[kQueriesOfWideAdd];
            for (int i = 0; i < queries; ++i)
                quantiseWeights(q.weights + (query + i) * q.weightStride + first, scales,
                                rows.count(), weights[i]);
            const auto add = [&]<int n>() __attribute__((always_inline)) {
                for (std::int64_t c = 0; c < block.columns; c += kVector)
                    addStripWide<n>(chunk.strip(c), whole, weights, book.step,
                                    rows.after() + c / kVector * kStripAhead,
                                    q.sums + query * q.sumStride + c, q.sumStride,
                                    block.columns - c);
            };
            if (queries == 4) {
                add.template operator()<4>();
            } else if (queries == 3) {
                add.template operator()<3>();
            } else if (queries == 2) {
                add.template operator()<2>();
            } else {
                add.template operator()<1>();
            }
        }
    }
}

void dotManyRotatedWide(const RotatedRows& block, const QueryRows& q) noexcept {
    if (block.bits == 6) return dotManyWide<6>(block, q);
    if (block.bits == 7) return dotManyWide<7>(block, q);
    if (block.bits == 8) return dotManyWide<8>(block, q);
    dotManyRotatedFours(block, q);
}

void addManyRotatedWide(const RotatedRows& block, const QueryRows& q) noexcept {
    if (block.bits == 6) return addManyWide<6>(block, q);
    if (block.bits == 7) return addManyWide<7>(block, q);
    if (block.bits == 8) return addManyWide<8>(block, q);
    addManyRotatedFours(block, q);
}

}  // namespace
}  // namespace vnni

void fillVbmiRotatedKernels(KernelTable& table) noexcept {
    table.dotManyRotatedFast = vnni::dotManyRotatedWide;
    table.addManyRotatedFast = vnni::addManyRotatedWide;
}

}  // namespace lacuna
LACUNA_TARGET_END
#endif
