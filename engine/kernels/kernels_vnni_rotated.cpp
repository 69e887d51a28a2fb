// Rows of rotated codes against queries and weights rounded to integers, with VNNI. The codebook is
// rounded to bytes: a register table of sixteen maps 64 codes to centroids at once, and one
// instruction multiplies and adds four of them. Queries have 8 bits of their maximum; weights of
// values have 16 bits of the maximum of 64 rows, since small ones add up. Codes of 6 bits and more
// are finer than bytes: kernels_vbmi_wide.cpp handles them with VBMI, otherwise the float
// functions.

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

/// Expands the centroids of a row to one per byte; bytes after the columns are arbitrary.
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

/// Levels of 64 neighbouring columns directly from a row whose lower plane has parts of a quarter,
/// a half or full vectors. Codes do not go through memory.
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
    /// Returns the length of the parts, 64 for full vectors.
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

/// The same for codes that are already expanded to levels.
struct SpreadLevels {
    template <int>
    __m512i at(const std::uint8_t* row, std::int64_t v) const {
        return load(row + v * kVector);
    }
};

// ---- dot products ----

/// Computes the products of four rows; the first `left` of them are written.
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

/// Adds 64 columns of all rows of a chunk, a multiple of four, for several queries.
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
        // The last row is repeated to fill the last four; its weight there is 0.
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
            // Each row may write past its end; the next one overwrites the excess.
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
#endif
