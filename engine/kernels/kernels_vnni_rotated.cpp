// Rows of rotated codes against queries and weights that are rounded to integers, with VNNI. The
// codebook is rounded to bytes: a table of sixteen in a register turns 64 codes into centroids at
// once, and one instruction multiplies and adds four of them. Queries have 8 bits (of the largest
// number of each), weights of values 16 (of the largest of 64 rows), since the small ones among
// them add up. Codes of 6 bits and more are finer than bytes: with VBMI, which has larger tables,
// all of them have 16 bits; without it the functions in floats take them.

#include "engine/kernels/rotated_parts.h"
#include "engine/kernels/target_region.h"
#include "engine/tensor/rotated_codes.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include "engine/kernels/avx512_planes.h"
#include "engine/kernels/vnni_rotated.h"

LACUNA_TARGET_BEGIN("avx2,fma,f16c,avx512f,avx512vl,avx512dq,avx512bw,avx512vnni")
namespace lacuna {
namespace vnni {
namespace {

using avx512::spreadPlane;
constexpr int kRowsOfDot = 4;
constexpr int kQueriesOfDot = 4;
constexpr int kQueriesOfBatch = 12;
constexpr int kQueriesOfAdd = 2;
constexpr int kLargestBits = 5;

/// Centroids of codes 0 to 15 and of 16 to 31, in every quarter of a register.
struct Levels {
    __m512i low;
    __m512i high;

    explicit Levels(const ByteCodebook& book)
        : low(quarters(book.levels)), high(quarters(book.levels + 16)) {}

  private:
    static __m512i quarters(const std::uint8_t* levels) {
        return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(levels)));
    }
};

/// The centroids of a row, one a byte; after the columns any bytes.
template <int bits>
inline void spreadLevels(const std::uint8_t* row, std::int64_t columns, const Levels& levels,
                         std::uint8_t* out) {
    constexpr int kWidth = bits & 6;  // of the lower plane
    const std::uint8_t* plane = row;
    if constexpr (kWidth != 0) {
        const auto bytes =
            static_cast<std::int64_t>(codePlaneBytes(kWidth, static_cast<int>(columns)));
        spreadPlane<kWidth, bits == kWidth>(plane, bytes, levels.low, out);
        plane += bytes;
    }
    if constexpr (bits % 2 == 0) return;
    for (std::int64_t i = 0; i < columns; i += kVector) {
        __mmask64 upper;
        __builtin_memcpy(&upper, plane + i / 8, sizeof(upper));
        __m512i v;
        if constexpr (bits == 1) {
            const __m512i one = _mm512_set1_epi8(1);
            v = _mm512_shuffle_epi8(levels.low, _mm512_maskz_mov_epi8(upper, one));
        } else if constexpr (bits == 3) {
            v = load(out + i);
            v = _mm512_mask_add_epi8(v, upper, v, _mm512_set1_epi8(4));
            v = _mm512_shuffle_epi8(levels.low, v);
        } else {
            const __m512i codes = load(out + i);
            v = _mm512_shuffle_epi8(levels.low, codes);
            v = _mm512_mask_shuffle_epi8(v, upper, levels.high, codes);
        }
        store(out + i, v);
    }
}

/// Levels of 64 neighbouring columns straight from a row, where the parts of the lower plane are a
/// quarter or a half of a vector long or whole ones: no codes go through memory.
template <int bits>
class DirectLevels {
  public:
    DirectLevels(const Levels& levels, std::int64_t columns) : levels_(levels) {
        length_ = kWidth == 0 ? kVector : columns * kWidth / 8;
        std::int64_t at = 0;  // in the part
        int shift = 0;
        for (std::int64_t v = 0; v * kVector < columns; ++v) {
            offsets_[v] = at;
            std::uint64_t quarters[4];
            for (std::uint64_t& quarter : quarters) {
                quarter = static_cast<std::uint64_t>(shift) * 0x0001000100010001ULL;
                at += kVector / 4;
                if (at < length_) continue;
                at = 0;
                shift += kWidth;
            }
            for (int i = 0; i < 4; ++i)
                _mm_store_si128(reinterpret_cast<__m128i*>(shifts_[v] + 8 * i),
                                _mm_set1_epi64x(static_cast<long long>(quarters[i])));
        }
    }
    static bool fits(std::int64_t columns) {
        if (columns % kVector != 0) return false;
        const std::int64_t length = columns * kWidth / 8;
        return length % kVector == 0 || length == 32 || length == 16;
    }
    /// How long the parts are, 64 standing for whole vectors.
    int kind() const { return length_ == 16 || length_ == 32 ? static_cast<int>(length_) : 64; }
    template <int kind>
    __m512i at(const std::uint8_t* row, std::int64_t v) const {
        __m512i codes = _mm512_setzero_si512();
        if constexpr (kWidth != 0) {
            if constexpr (kind == 16) {
                codes =
                    _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(row)));
            } else if constexpr (kind == 32) {
                codes = _mm512_broadcast_i64x4(
                    _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row)));
            } else {
                codes = load(row + offsets_[v]);
            }
            codes = _mm512_and_si512(_mm512_srlv_epi16(codes, load(shifts_[v])),
                                     _mm512_set1_epi8((1 << kWidth) - 1));
        }
        if constexpr (bits % 2 == 0) return _mm512_shuffle_epi8(levels_.low, codes);
        __mmask64 upper;
        __builtin_memcpy(&upper, row + (kWidth == 0 ? 0 : length_) + 8 * v, sizeof(upper));
        if constexpr (bits == 5) {
            const __m512i low = _mm512_shuffle_epi8(levels_.low, codes);
            return _mm512_mask_shuffle_epi8(low, upper, levels_.high, codes);
        }
        codes = _mm512_mask_add_epi8(codes, upper, codes, _mm512_set1_epi8(1 << (bits - 1)));
        return _mm512_shuffle_epi8(levels_.low, codes);
    }

  private:
    static constexpr int kWidth = bits & 6;  // of the lower plane
    Levels levels_;
    std::int64_t length_;
    std::int64_t offsets_[kMaxRotatedDim / kVector];
    alignas(64) std::uint16_t shifts_[kMaxRotatedDim / kVector][32];
};

/// The same of codes that were spread to levels before.
struct SpreadLevels {
    template <int>
    __m512i at(const std::uint8_t* row, std::int64_t v) const {
        return load(row + v * kVector);
    }
};

// ---- dot products ----

/// The sums of four vectors, in four lanes.
inline __m128i sumsOfFour(__m512i a, __m512i b, __m512i c, __m512i d) {
    const __m512i ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    const __m512i cd = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    const __m512i all =
        _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    const __m256i half =
        _mm256_add_epi32(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64(all, 1));
    return _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}

/// Products of four rows; the first `left` of them are written.
template <int kind, int queries, class Source>
inline void dotFour(const Source& source, const std::uint8_t* const* rows, std::int64_t columns,
                    const IntegerQuery* q, __m128 scales, std::int64_t left, float* out,
                    std::int64_t outStride) {
    __m512i sums[queries][kRowsOfDot];
#pragma GCC unroll 4
    for (int i = 0; i < queries; ++i) {
#pragma GCC unroll 4
        for (int r = 0; r < kRowsOfDot; ++r) sums[i][r] = _mm512_setzero_si512();
    }
    for (std::int64_t v = 0; v * kVector < columns; ++v) {
        __m512i levels[kRowsOfDot];
#pragma GCC unroll 4
        for (int r = 0; r < kRowsOfDot; ++r) levels[r] = source.template at<kind>(rows[r], v);
#pragma GCC unroll 4
        for (int i = 0; i < queries; ++i) {
            const __m512i codes = load(q[i].codes + v * kVector);
#pragma GCC unroll 4
            for (int r = 0; r < kRowsOfDot; ++r)
                sums[i][r] = _mm512_dpbusd_epi32(sums[i][r], levels[r], codes);
        }
    }
#pragma GCC unroll 4
    for (int i = 0; i < queries; ++i) {
        const __m128i all =
            _mm_sub_epi32(sumsOfFour(sums[i][0], sums[i][1], sums[i][2], sums[i][3]),
                          _mm_set1_epi32(q[i].offset));
        const __m128 products =
            _mm_mul_ps(_mm_mul_ps(_mm_cvtepi32_ps(all), scales), _mm_set1_ps(q[i].scale));
        _mm_mask_storeu_ps(out + i * outStride,
                           static_cast<__mmask8>(left >= 4 ? 15 : (1 << left) - 1), products);
    }
}

template <int kind, class Source>
inline void dotQueries(const Source& source, const std::uint8_t* const* rows, std::int64_t columns,
                       const IntegerQuery* q, int count, __m128 scales, std::int64_t left,
                       float* out, std::int64_t outStride) {
    int i = 0;
    for (; i + kQueriesOfDot <= count; i += kQueriesOfDot)
        dotFour<kind, kQueriesOfDot>(source, rows, columns, q + i, scales, left,
                                     out + i * outStride, outStride);
    for (; i + 2 <= count; i += 2)
        dotFour<kind, 2>(source, rows, columns, q + i, scales, left, out + i * outStride,
                         outStride);
    if (i < count)
        dotFour<kind, 1>(source, rows, columns, q + i, scales, left, out + i * outStride,
                         outStride);
}

template <int bits>
void dotBatch(const RotatedRows& block, const QueryRows& q, int first, int count) {
    IntegerQuery queries[kQueriesOfBatch];
    for (int i = 0; i < count; ++i)
        quantise(q.queries + (first + i) * q.queryStride, block.columns, queries[i]);
    const ByteCodebook& book = byteCodebook(bits);
    const Levels levels(book);
    const ReadableRows readable(block);
    const bool direct = DirectLevels<bits>::fits(block.columns);
    const DirectLevels<bits> source(levels, direct ? block.columns : 0);
    const int kind = direct ? source.kind() : 0;
    alignas(64) std::uint8_t spread[kRowsOfDot * kSpace];
    const __m128 bookStep = _mm_set1_ps(book.step);
    for (std::int64_t r = 0; r < block.count; r += kRowsOfDot) {
        const std::uint8_t* rows[kRowsOfDot];
        alignas(16) float scales[kRowsOfDot];
        for (int k = 0; k < kRowsOfDot; ++k) {
            rows[k] = readable.row(r + k < block.count ? r + k : block.count - 1);
            scales[k] = floatOf(readable.scale(rows[k]));
        }
        readable.fetchAhead(rows[0], kRowsOfDot);
        const __m128 factors = _mm_mul_ps(_mm_load_ps(scales), bookStep);
        const std::int64_t left = block.count - r;
        float* out = q.weights + first * q.weightStride + r;
        const auto dot = [&]<int part>(const auto& from) __attribute__((always_inline)) {
            dotQueries<part>(from, rows, block.columns, queries, count, factors, left, out,
                             q.weightStride);
        };
        if (kind == 16) {
            dot.template operator()<16>(source);
        } else if (kind == 32) {
            dot.template operator()<32>(source);
        } else if (kind == 64) {
            dot.template operator()<64>(source);
        } else {
            for (int k = 0; k < kRowsOfDot; ++k) {
                spreadLevels<bits>(rows[k], block.columns, levels, spread + k * kSpace);
                rows[k] = spread + k * kSpace;
            }
            dot.template operator()<0>(SpreadLevels{});
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

/// Adds 64 sums of interleaved rows.
inline void addSums(const __m512i* high, const __m512i* low, std::int32_t offset, float factor,
                    float* out, std::int64_t left) {
    const Sixteens columns = inOrder(high, low, offset);
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
        if (left <= 16 * k) return;
        const __mmask16 lanes = firstLanes(left - 16 * k);
        const __m512 sums = _mm512_maskz_loadu_ps(lanes, out + 16 * k);
        _mm512_mask_storeu_ps(out + 16 * k, lanes,
                              _mm512_fmadd_ps(columns.at[k], _mm512_set1_ps(factor), sums));
    }
}

/// 64 columns of all rows of a chunk, a whole number of fours, for several queries.
template <int kind, int queries, class Source>
inline void addStrip(const Source& source, const ReadableRows* ahead,
                     const std::uint8_t* const* rows, int count, std::int64_t v,
                     const IntegerWeights* weights, float bookStep, float* out,
                     std::int64_t outStride, std::int64_t left) {
    __m512i high[queries][4];
    __m512i low[queries][4];
#pragma GCC unroll 2
    for (int i = 0; i < queries; ++i) {
#pragma GCC unroll 4
        for (int k = 0; k < 4; ++k) high[i][k] = low[i][k] = _mm512_setzero_si512();
    }
    for (int r = 0; r < count; r += 4) {
        if (ahead != nullptr) ahead->fetchAhead(rows[r], 4);
        const Quads quads = interleaved(
            source.template at<kind>(rows[r], v), source.template at<kind>(rows[r + 1], v),
            source.template at<kind>(rows[r + 2], v), source.template at<kind>(rows[r + 3], v));
#pragma GCC unroll 2
        for (int i = 0; i < queries; ++i) {
            const __m512i h = fourWeights(weights[i].high + r);
            const __m512i l = fourWeights(weights[i].low + r);
#pragma GCC unroll 4
            for (int k = 0; k < 4; ++k) {
                high[i][k] = _mm512_dpbusd_epi32(high[i][k], quads.at[k], h);
                low[i][k] = _mm512_dpbusd_epi32(low[i][k], quads.at[k], l);
            }
        }
    }
#pragma GCC unroll 2
    for (int i = 0; i < queries; ++i)
        addSums(high[i], low[i], weights[i].offset, weights[i].step * bookStep, out + i * outStride,
                left);
}

template <int kind, class Source>
inline void addChunk(const Source& source, const ReadableRows* ahead,
                     const std::uint8_t* const* rows, int count, const float* scales,
                     float bookStep, std::int64_t columns, const QueryRows& q, std::int64_t first) {
    const int whole = (count + 3) / 4 * 4;
    for (int query = 0; query < q.count; query += kQueriesOfAdd) {
        const int queries = q.count - query < kQueriesOfAdd ? q.count - query : kQueriesOfAdd;
        IntegerWeights weights[kQueriesOfAdd];
        for (int i = 0; i < queries; ++i)
            quantiseWeights(q.weights + (query + i) * q.weightStride + first, scales, count,
                            weights[i]);
        for (std::int64_t v = 0; v * kVector < columns; ++v) {
            float* out = q.sums + query * q.sumStride + v * kVector;
            const std::int64_t left = columns - v * kVector;
            if (queries == 2) {
                addStrip<kind, 2>(source, v + query == 0 ? ahead : nullptr, rows, whole, v, weights,
                                  bookStep, out, q.sumStride, left);
            } else {
                addStrip<kind, 1>(source, v + query == 0 ? ahead : nullptr, rows, whole, v, weights,
                                  bookStep, out, q.sumStride, left);
            }
        }
    }
}

template <int bits>
void addMany(const RotatedRows& block, const QueryRows& q) {
    const ByteCodebook& book = byteCodebook(bits);
    const Levels levels(book);
    const ReadableRows readable(block);
    const bool direct = DirectLevels<bits>::fits(block.columns);
    const DirectLevels<bits> source(levels, direct ? block.columns : 0);
    const int kind = direct ? source.kind() : 0;
    const std::int64_t stride = roundUp(block.columns);
    alignas(64) std::uint8_t spread[kRowsOfAdd * kMaxRotatedDim + 2 * kVector];
    for (std::int64_t first = 0; first < block.count; first += kRowsOfAdd) {
        const std::int64_t left = block.count - first;
        const int count = static_cast<int>(left < kRowsOfAdd ? left : kRowsOfAdd);
        const std::uint8_t* rows[kRowsOfAdd];
        float scales[kRowsOfAdd];
        // The last row again fills up the last four; its weight there is 0.
        for (int r = 0; r < (count + 3) / 4 * 4; ++r) {
            rows[r] = readable.row(first + (r < count ? r : count - 1));
            scales[r] = floatOf(readable.scale(rows[r]));
        }
        const auto add = [&]<int part>(const auto& from) __attribute__((always_inline)) {
            addChunk<part>(from, part == 0 ? nullptr : &readable, rows, count, scales, book.step,
                           block.columns, q, first);
        };
        if (kind == 16) {
            add.template operator()<16>(source);
        } else if (kind == 32) {
            add.template operator()<32>(source);
        } else if (kind == 64) {
            add.template operator()<64>(source);
        } else {
            // Row after row: what one writes after its end, the next one overwrites.
            for (int r = 0; r < (count + 3) / 4 * 4; ++r) {
                std::uint8_t* to = spread + r * stride;
                readable.fetchAhead(rows[r], 1);
                spreadLevels<bits>(rows[r], block.columns, levels, to);
                rows[r] = to;
            }
            add.template operator()<0>(SpreadLevels{});
        }
    }
}

void dotManyRotated(const RotatedRows& block, const QueryRows& q) noexcept {
    constexpr void (*kOf[kLargestBits])(const RotatedRows&, const QueryRows&) = {
        dotMany<1>, dotMany<2>, dotMany<3>, dotMany<4>, dotMany<5>};
    if (block.bits > kLargestBits) return dotManyRotatedFloats(SimdLevel::Avx512, block, q);
    kOf[block.bits - 1](block, q);
}

void addManyRotated(const RotatedRows& block, const QueryRows& q) noexcept {
    constexpr void (*kOf[kLargestBits])(const RotatedRows&, const QueryRows&) = {
        addMany<1>, addMany<2>, addMany<3>, addMany<4>, addMany<5>};
    if (block.bits > kLargestBits) return addManyRotatedFloats(SimdLevel::Avx512, block, q);
    kOf[block.bits - 1](block, q);
}

}  // namespace
}  // namespace vnni

void dotManyRotatedVnni(const RotatedRows& block, const QueryRows& q) noexcept {
    vnni::dotManyRotated(block, q);
}

void addManyRotatedVnni(const RotatedRows& block, const QueryRows& q) noexcept {
    vnni::addManyRotated(block, q);
}

void fillVnniRotatedKernels(KernelTable& table) noexcept {
    table.dotManyRotatedFast = dotManyRotatedVnni;
    table.addManyRotatedFast = addManyRotatedVnni;
}

}  // namespace lacuna
LACUNA_TARGET_END

// ---- codes of 6 to 8 bits ----

LACUNA_TARGET_BEGIN("avx2,fma,f16c,avx512f,avx512vl,avx512dq,avx512bw,avx512vnni,avx512vbmi")
namespace lacuna {
namespace vnni {
namespace {

// Centroids, queries and weights have 16 bits: the upper and the lower byte of each are multiplied
// apart. The product of two lower bytes is left out: only its mean is taken off.

constexpr double kMeanOfLow = 127.5;
constexpr float kLargestWide = 32512.0F;  // 127 * 256

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

/// The codes of 64 neighbouring columns of a plane, whose parts are 16 or 32 bytes long or whole
/// vectors: nothing goes through memory, where short pieces could not be read back as a long one
/// before they have arrived there.
template <int width>
inline __m512i codesOfPlane(const std::uint8_t* plane, std::int64_t bytes, std::int64_t column) {
    constexpr long long kStep = 0x0001000100010001LL * width;
    long long part = 0;
    std::int64_t at = column;
    for (; at >= bytes; at -= bytes) ++part;
    __m512i shifts = _mm512_set1_epi64(part * kStep);
    __m512i codes;
    if (bytes == 16) {
        codes = _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(plane)));
        shifts = _mm512_add_epi64(shifts, _mm512_set_epi64(3 * kStep, 3 * kStep, 2 * kStep,
                                                           2 * kStep, kStep, kStep, 0, 0));
    } else if (bytes == 32) {
        codes = _mm512_broadcast_i64x4(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(plane)));
        shifts = _mm512_add_epi64(shifts, _mm512_set_epi64(kStep, kStep, kStep, kStep, 0, 0, 0, 0));
    } else {
        codes = load(plane + at);
    }
    return _mm512_and_si512(_mm512_srlv_epi16(codes, shifts), _mm512_set1_epi8((1 << width) - 1));
}

/// Whether codesOfPlane can read the planes of such rows.
inline bool hasWholePlanes(std::int64_t columns) {
    const auto fits = [](std::int64_t bytes) {
        return bytes == 16 || bytes == 32 || bytes % kVector == 0;
    };
    return columns % kVector == 0 && fits(columns / 2) && fits(columns / 4);
}

/// Codes of any rows of 6 and 7 bits, the top bit of 7 apart; after the columns any bytes.
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

/// Both bytes of the centroids of a row; after the columns any bytes.
template <int bits>
[[gnu::always_inline]] inline void spreadWide(const std::uint8_t* row, std::int64_t columns,
                                              const WideLevels& levels, std::uint8_t* high,
                                              std::uint8_t* low) {
    const bool direct = bits == 8 || hasWholePlanes(columns);
    if constexpr (bits < 8)
        if (!direct) spreadCodes(row, columns, high);
    const auto four = static_cast<std::int64_t>(codePlaneBytes(4, static_cast<int>(columns)));
    const auto two = static_cast<std::int64_t>(codePlaneBytes(2, static_cast<int>(columns)));
    for (std::int64_t i = 0; i < columns; i += kVector) {
        __m512i codes;
        if constexpr (bits == 8) {
            codes = load(row + i);
        } else if (direct) {
            codes = _mm512_or_si512(codesOfPlane<4>(row, four, i),
                                    _mm512_slli_epi16(codesOfPlane<2>(row + four, two, i), 4));
        } else {
            codes = load(high + i);
        }
        if constexpr (bits == 7) {
            __mmask64 top;
            __builtin_memcpy(&top, row + four + two + i / 8, sizeof(top));
            codes = _mm512_mask_add_epi8(codes, top, codes, _mm512_set1_epi8(64));
        }
        store(high + i, lookUp<bits>(levels.high, codes));
        store(low + i, lookUp<bits>(levels.low, codes));
    }
}

/// x = scale * (256 high + low), zeros after the columns.
struct WideQuery {
    alignas(64) std::int8_t high[kSpace];
    alignas(64) std::int8_t low[kSpace];
    float scale;
    float highOffset;  ///< what reading upper bytes as themselves + 128 adds
    float lowOffset;   ///< likewise, less the mean of what is left out
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
    out.lowOffset = static_cast<float>((128.0 - kMeanOfLow / 256.0) *
                                       static_cast<double>(_mm512_reduce_add_epi32(lows)));
}

/// Four rows of both bytes of levels; the first `left` of the products are written.
template <int queries>
inline void dotFourWide(const std::uint8_t* highLevels, const std::uint8_t* lowLevels,
                        std::int64_t columns, const WideQuery* q, __m128 scales, std::int64_t left,
                        float* out, std::int64_t outStride) {
    __m512i upper[queries][kRowsOfDot];
    __m512i middle[queries][kRowsOfDot];
#pragma GCC unroll 2
    for (int i = 0; i < queries; ++i) {
#pragma GCC unroll 4
        for (int r = 0; r < kRowsOfDot; ++r) upper[i][r] = middle[i][r] = _mm512_setzero_si512();
    }
    for (std::int64_t c = 0; c < columns; c += kVector) {
#pragma GCC unroll 4
        for (int r = 0; r < kRowsOfDot; ++r) {
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

template <int bits>
void dotBatchWide(const RotatedRows& block, const QueryRows& q, int first, int count) {
    WideQuery queries[kQueriesOfBatch];
    for (int i = 0; i < count; ++i)
        quantise(q.queries + (first + i) * q.queryStride, block.columns, queries[i]);
    const WideCodebook& book = wideCodebook(bits);
    const WideLevels levels(book);
    const ReadableRows readable(block);
    alignas(64) std::uint8_t high[kRowsOfDot * kSpace];
    alignas(64) std::uint8_t low[kRowsOfDot * kSpace];
    for (std::int64_t r = 0; r < block.count; r += kRowsOfDot) {
        float scales[kRowsOfDot];
        for (int k = 0; k < kRowsOfDot; ++k) {
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
        const int left = q.count - first;
        dotBatchWide<bits>(block, q, first, left < kQueriesOfBatch ? left : kQueriesOfBatch);
    }
}

inline Quads interleavedRows(const std::uint8_t* at, std::int64_t stride) {
    return interleaved(load(at), load(at + stride), load(at + 2 * stride), load(at + 3 * stride));
}

template <int queries>
inline void addStripWide(const std::uint8_t* highLevels, const std::uint8_t* lowLevels,
                         std::int64_t stride, int rows, const IntegerWeights* weights,
                         float bookStep, float* out, std::int64_t outStride, std::int64_t left) {
    __m512i upper[queries][4];
    __m512i middle[queries][4];
#pragma GCC unroll 2
    for (int i = 0; i < queries; ++i) {
#pragma GCC unroll 4
        for (int k = 0; k < 4; ++k) upper[i][k] = middle[i][k] = _mm512_setzero_si512();
    }
    for (int r = 0; r < rows; r += 4) {
        const Quads high = interleavedRows(highLevels + r * stride, stride);
        const Quads low = interleavedRows(lowLevels + r * stride, stride);
#pragma GCC unroll 2
        for (int i = 0; i < queries; ++i) {
            const __m512i h = fourWeights(weights[i].high + r);
            const __m512i l = fourWeights(weights[i].low + r);
#pragma GCC unroll 4
            for (int k = 0; k < 4; ++k) {
                upper[i][k] = _mm512_dpbusd_epi32(upper[i][k], high.at[k], h);
                middle[i][k] = _mm512_dpbusd_epi32(middle[i][k], high.at[k], l);
                middle[i][k] = _mm512_dpbusd_epi32(middle[i][k], low.at[k], h);
            }
        }
    }
#pragma GCC unroll 2
    for (int i = 0; i < queries; ++i) {
        const float factor = weights[i].step * bookStep * 256.0F;
        addSums(upper[i], middle[i], weights[i].wideOffset, factor, out + i * outStride, left);
    }
}

template <int bits>
void addManyWide(const RotatedRows& block, const QueryRows& q) {
    const WideCodebook& book = wideCodebook(bits);
    const WideLevels levels(book);
    const ReadableRows readable(block);
    const std::int64_t stride = roundUp(block.columns);
    alignas(64) std::uint8_t high[kRowsOfAdd * kMaxRotatedDim + 2 * kVector];
    alignas(64) std::uint8_t low[kRowsOfAdd * kMaxRotatedDim + 2 * kVector];
    for (std::int64_t first = 0; first < block.count; first += kRowsOfAdd) {
        const std::int64_t left = block.count - first;
        const int count = static_cast<int>(left < kRowsOfAdd ? left : kRowsOfAdd);
        float scales[kRowsOfAdd];
        for (int r = 0; r < count; ++r) {
            const std::uint8_t* row = readable.row(first + r);
            readable.fetchAhead(row, 1);
            spreadWide<bits>(row, block.columns, levels, high + r * stride, low + r * stride);
            scales[r] = floatOf(readable.scale(row));
        }
        for (int query = 0; query < q.count; query += kQueriesOfAdd) {
            const int queries = q.count - query < kQueriesOfAdd ? q.count - query : kQueriesOfAdd;
            IntegerWeights weights[kQueriesOfAdd];
            for (int i = 0; i < queries; ++i)
                quantiseWeights(q.weights + (query + i) * q.weightStride + first, scales, count,
                                weights[i]);
            for (std::int64_t c = 0; c < block.columns; c += kVector) {
                float* out = q.sums + query * q.sumStride + c;
                if (queries == 2) {
                    addStripWide<2>(high + c, low + c, stride, count, weights, book.step, out,
                                    q.sumStride, block.columns - c);
                } else {
                    addStripWide<1>(high + c, low + c, stride, count, weights, book.step, out,
                                    q.sumStride, block.columns - c);
                }
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
