// Weighted sums of rows of up to 5 bits, with VBMI. The bytes of four rows are interleaved, as the
// four-way multiply-add instruction requires, and are unpacked to the codes of all their columns.
// For codes of up to 4 bits, weights have 8 bits and the rounding remainder is carried on, so that
// small weights still add up. For finer codes they have 16 bits.

#include "engine/kernels/vbmi_rotated.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstdint>
#include <type_traits>

LACUNA_TARGET_BEGIN(
    "avx2,fma,f16c,avx512f,avx512vl,avx512dq,avx512bw,avx512vnni,avx512vbmi,avx512bitalg")
namespace lacuna {
namespace vnni {
namespace {

/// weight * scale of a row = step * code. The rounding remainder of a row is carried to the row
/// sixteen later, and each of the sixteen chains starts with another fraction, so that weights far
/// below a step still add up correctly.
struct NarrowWeights {
    alignas(64) std::uint8_t codes[kRowsOfAdd];
    float step;
};

/// Returns false and writes nothing if a weight is negative. May read up to a multiple of sixteen.
inline bool quantiseNarrow(const float* weights, const float* scales, int rows,
                           NarrowWeights& out) {
    constexpr float kLargest = 254.0F;  // carried remainders add at most 1
    constexpr std::uint32_t kInfinity = 0x7F800000;
    constexpr std::uint32_t kSign = 0x80000000;
    __m512 products[kRowsOfAdd / 16];
    __m512i largest = _mm512_setzero_si512();  // compared as integers, valid for numbers that are
                                               // not negative
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
        // Rounding may decrease a float sum even if nothing is added.
        const __m512i codes =
            _mm512_max_epi32(_mm512_sub_epi32(now, rounded), _mm512_setzero_si512());
        _mm_store_si128(reinterpret_cast<__m128i*>(out.codes + 16 * k),
                        _mm512_cvtusepi32_epi8(codes));
        rounded = now;
    }
    out.step = bad ? __builtin_nanf("") : top / kLargest;
    return true;
}

/// The interleaved bytes of the lower plane of four rows, then centroids: 64 columns of the unit in
/// four vectors, ordered like Quads.
template <int bits, int columns>
struct SideBySide {
    using Part = Unit<bits, columns>;
    /// True if a quarter of the bytes of four rows is one vector with columns in order.
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
    /// Returns the index of the sixteen columns in vector t of a block, if columns are in order.
    static constexpr int sixteen(int block, int t) { return block * 4 + t; }
    /// Returns vector t of the columns from 64 * block on.
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
    /// Returns byte 4 c + r: column `first` + c of row r, with two rows of 32 bytes in each source.
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
    // Parts of the lower plane shorter than 64 bytes: several of them per vector.
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

/// Calls f.template operator()<block, t>() for the vectors of `blocks` blocks of 64 columns.
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

/// Adds all columns of a unit at once, with weights of 8 bits.
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
        if (fetch)
            rows.fetch<kFour * rotatedRowBytes(bits, columns)>(
                r, kChunksAhead * kRowsOfAdd * rows.stride + kFour * unit.at);
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

/// Adds 64 columns of a unit, with weights of 16 bits; more do not fit the registers.
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
        if (fetch)
            rows.fetch<kFour * rotatedRowBytes(bits, columns)>(
                r, kChunksAhead * kRowsOfAdd * rows.stride + kFour * unit.at);
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

/// Adds all columns, with weights of one kind for one or two queries.
template <int queries, int bits, class Weights>
inline void addColumns(const Rows& rows, std::int64_t columns, int count,
                       const Tables<bits>& tables, const Weights* weights, float bookStep,
                       bool fetch, float* out, std::int64_t outStride) {
    const std::int64_t plane = columns * (bits & 6) / 8;
    const std::int64_t whole = columns / kUnit * kUnit;
    for (std::int64_t c = 0; c < whole; c += kUnit)
        addUnit<queries, bits, kUnit>({.at = c * (bits & 6) / 8, .plane = plane}, rows, count,
                                      tables, weights, bookStep, fetch, out, outStride);
    if (whole < columns)
        addUnit<queries, bits, kHalfUnit>({.at = whole * (bits & 6) / 8, .plane = plane}, rows,
                                          count, tables, weights, bookStep, fetch, out, outStride);
}

/// Rows whose weights share a step, and those weights for some queries.
template <int bits>
struct Chunk {
    std::conditional_t<bits <= kLargestNarrow, NarrowWeights, IntegerWeights>
        weights[kQueriesOfHalfUnit];

    /// Rounds the weights. Returns false if this kind cannot represent them: narrow ones must not
    /// be negative.
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

/// Adds rows for some queries; they may be read up to a multiple of four. The weights of a chunk
/// are rounded before the rows of the previous one are read, which hides the latency.
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

}  // namespace
}  // namespace vnni

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
