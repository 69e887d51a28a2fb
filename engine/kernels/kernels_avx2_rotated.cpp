// Rows of rotated codes of up to 5 bits in integer products for AVX2: as kernels_vnni_rotated.cpp,
// with queries and centroids of 8 bits and weights of 16. One operand must be unsigned, so bytes
// are multiplied as the query's absolute value and the centroid with the query's sign. Values are
// widened to words and multiplied with the weights of two rows at once.

#include "engine/kernels/rotated_parts.h"
#include "engine/kernels/target_region.h"

#if defined(__x86_64__)
#include <immintrin.h>

LACUNA_TARGET_BEGIN("avx2,fma,f16c")
namespace lacuna {
namespace avx2 {
namespace {

constexpr std::int64_t kVector = 32;
/// bytes of one row; vectors may read and write past its end
constexpr std::int64_t kSpace = kMaxRotatedDim + 2 * kVector;
constexpr int kRowsOfDot = 4;
constexpr int kQueriesOfBatch = 12;
constexpr int kQueriesOfAdd = 2;
constexpr int kRowsOfAdd = 64;
constexpr int kLargestBits = 5;
constexpr float kSmallestTop = 1e-30F;  // a smaller value could have an infinite reciprocal

inline std::int64_t roundUp(std::int64_t n) {
    return (n + kVector - 1) / kVector * kVector;
}

inline __m256i load(const void* at) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(at));
}

inline void store(void* at, __m256i v) {
    _mm256_storeu_si256(static_cast<__m256i*>(at), v);
}

inline float floatOf(std::uint16_t half) {
    return _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(half)));
}

/// Signed centroids of codes 0 to 15 and of 16 to 31, in both halves of a register.
struct Levels {
    __m256i low;
    __m256i high;

    explicit Levels(const ByteCodebook& book)
        : low(halves(book.levels)), high(halves(book.levels + 16)) {}

  private:
    static __m256i halves(const std::uint8_t* levels) {
        const __m128i raised = _mm_loadu_si128(reinterpret_cast<const __m128i*>(levels));
        return _mm256_broadcastsi128_si256(_mm_xor_si128(raised, _mm_set1_epi8(-128)));
    }
};

template <int width, int part>
inline void spreadPart(const std::uint8_t* plane, std::int64_t bytes, std::uint8_t* out) {
    const __m256i mask = _mm256_set1_epi8((1 << width) - 1);
    for (std::int64_t i = 0; i < bytes; i += kVector)
        store(out + i, _mm256_and_si256(_mm256_srli_epi16(load(plane + i), part * width), mask));
}

// Each part may write past its end; the next one overwrites the excess.
template <int width>
inline void spreadPlane(const std::uint8_t* plane, std::int64_t bytes, std::uint8_t* out) {
    spreadPart<width, 0>(plane, bytes, out);
    spreadPart<width, 1>(plane, bytes, out + bytes);
    if constexpr (width == 2) {
        spreadPart<width, 2>(plane, bytes, out + 2 * bytes);
        spreadPart<width, 3>(plane, bytes, out + 3 * bytes);
    }
}

/// Sets all bits of the bytes whose bit is set, for 32 bits.
inline __m256i bytesOfBits(const std::uint8_t* bits) {
    std::int32_t word;
    __builtin_memcpy(&word, bits, sizeof(word));
    const __m256i places = _mm256_setr_epi64x(0x0000000000000000LL, 0x0101010101010101LL,
                                              0x0202020202020202LL, 0x0303030303030303LL);
    const __m256i each = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201ULL));
    const __m256i spread = _mm256_shuffle_epi8(_mm256_set1_epi32(word), places);
    return _mm256_cmpeq_epi8(_mm256_and_si256(spread, each), each);
}

/// Expands the codes of a row to one per byte, without those of the plane of 1. Returns the start
/// of that plane.
template <int bits>
inline const std::uint8_t* spreadCodes(const std::uint8_t* row, std::int64_t columns,
                                       std::uint8_t* codes) {
    constexpr int kWidth = bits & 6;
    if constexpr (kWidth == 0) return row;
    const auto bytes = static_cast<std::int64_t>(codePlaneBytes(kWidth, static_cast<int>(columns)));
    spreadPlane<kWidth>(row, bytes, codes);
    return row + bytes;
}

/// Returns the signed centroids of the 32 codes from column c on.
template <int bits>
inline __m256i levelsAt(const std::uint8_t* codes, const std::uint8_t* bitPlane, std::int64_t c,
                        const Levels& levels) {
    if constexpr (bits % 2 == 0) return _mm256_shuffle_epi8(levels.low, load(codes + c));
    const __m256i upper = bytesOfBits(bitPlane + c / 8);
    if constexpr (bits == 1) {
        return _mm256_shuffle_epi8(levels.low, _mm256_and_si256(upper, _mm256_set1_epi8(1)));
    } else if constexpr (bits == 3) {
        const __m256i four = _mm256_and_si256(upper, _mm256_set1_epi8(4));
        return _mm256_shuffle_epi8(levels.low, _mm256_or_si256(load(codes + c), four));
    } else {
        const __m256i lower = load(codes + c);
        return _mm256_blendv_epi8(_mm256_shuffle_epi8(levels.low, lower),
                                  _mm256_shuffle_epi8(levels.high, lower), upper);
    }
}

// ---- dot products ----

/// x = scale * code, zeros after the columns.
struct IntegerQuery {
    alignas(32) std::int8_t codes[kSpace];
    alignas(32) std::int8_t sizes[kSpace];  ///< absolute values of the codes
    float scale;
};

/// The largest absolute value, and whether all numbers are finite.
struct Range {
    __m256 largest;
    int bad = 0;

    Range()
        : largest(_mm256_setzero_ps()) {}  // explicit: GCC would compile an implicit one without
                                           // AVX
    void add(__m256 v) {
        const __m256 size = _mm256_andnot_ps(_mm256_set1_ps(-0.0F), v);
        largest = _mm256_max_ps(largest, size);
        bad |= _mm256_movemask_ps(_mm256_cmp_ps(size, _mm256_set1_ps(3.4028235e38F), _CMP_NLE_UQ));
    }
    [[nodiscard]] float top() const {
        __m128 m = _mm_max_ps(_mm256_castps256_ps128(largest), _mm256_extractf128_ps(largest, 1));
        m = _mm_max_ps(m, _mm_movehl_ps(m, m));
        return _mm_cvtss_f32(_mm_max_ss(m, _mm_movehdup_ps(m)));
    }
    /// Returns the factor that scales numbers to integers of at most `limit`.
    [[nodiscard]] float factor(float limit) const {
        return bad == 0 && top() > kSmallestTop ? limit / top() : 0.0F;
    }
    [[nodiscard]] float step(float limit) const {
        return bad != 0 ? __builtin_nanf("") : top() / limit;
    }
};

/// Rounds 8 numbers to integers. A number that is not finite is multiplied by 0 and gives an
/// arbitrary result.
inline __m256i rounded(const float* x, __m256 factor) {
    return _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(x), factor));
}

inline void quantise(const float* x, std::int64_t columns, IntegerQuery& out) {
    alignas(32) float padded[kSpace];
    __builtin_memcpy(padded, x, static_cast<std::size_t>(columns) * sizeof(float));
    for (std::int64_t c = columns; c < roundUp(columns); ++c) padded[c] = 0;
    Range range;
    for (std::int64_t c = 0; c < roundUp(columns); c += 8) range.add(_mm256_load_ps(padded + c));
    const __m256 factor = _mm256_set1_ps(range.factor(127.0F));
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    for (std::int64_t c = 0; c < roundUp(columns); c += kVector) {
        const __m256i front =
            _mm256_packs_epi32(rounded(padded + c, factor), rounded(padded + c + 8, factor));
        const __m256i back =
            _mm256_packs_epi32(rounded(padded + c + 16, factor), rounded(padded + c + 24, factor));
        const __m256i codes = _mm256_permutevar8x32_epi32(_mm256_packs_epi16(front, back), order);
        store(out.codes + c, codes);
        // The step of a non-finite vector is NaN, so its codes only need to stay in range.
        store(out.sizes + c, range.bad != 0 ? _mm256_setzero_si256() : _mm256_abs_epi8(codes));
    }
    out.scale = range.step(127.0F);
}

inline __m128i sumsOfFour(__m256i a, __m256i b, __m256i c, __m256i d) {
    const __m256i all = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
    return _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
}

/// Computes the products of four rows of levels; the first `left` of them are written.
template <int queries>
inline void dotFour(const std::int8_t* levels, std::int64_t columns, const IntegerQuery* q,
                    __m128 scales, std::int64_t left, float* out, std::int64_t outStride) {
    const __m256i ones = _mm256_set1_epi16(1);
    __m256i sums[queries][kRowsOfDot];
#pragma GCC unroll 2
    for (int i = 0; i < queries; ++i) {
#pragma GCC unroll 4
        for (int r = 0; r < kRowsOfDot; ++r) sums[i][r] = _mm256_setzero_si256();
    }
    for (std::int64_t c = 0; c < columns; c += kVector) {
#pragma GCC unroll 2
        for (int i = 0; i < queries; ++i) {
            const __m256i codes = load(q[i].codes + c);
            const __m256i sizes = load(q[i].sizes + c);
#pragma GCC unroll 4
            for (int r = 0; r < kRowsOfDot; ++r) {
                const __m256i turned = _mm256_sign_epi8(load(levels + r * kSpace + c), codes);
                const __m256i pairs = _mm256_maddubs_epi16(sizes, turned);
                sums[i][r] = _mm256_add_epi32(sums[i][r], _mm256_madd_epi16(pairs, ones));
            }
        }
    }
#pragma GCC unroll 2
    for (int i = 0; i < queries; ++i) {
        const __m128 all =
            _mm_cvtepi32_ps(sumsOfFour(sums[i][0], sums[i][1], sums[i][2], sums[i][3]));
        alignas(16) float products[kRowsOfDot];
        _mm_store_ps(products, _mm_mul_ps(_mm_mul_ps(all, scales), _mm_set1_ps(q[i].scale)));
        for (int r = 0; r < kRowsOfDot && r < left; ++r) out[i * outStride + r] = products[r];
    }
}

template <int bits>
void dotBatch(const RotatedRows& block, const QueryRows& q, int first, int count) {
    IntegerQuery queries[kQueriesOfBatch];
    for (int i = 0; i < count; ++i)
        quantise(q.queries + (first + i) * q.queryStride, block.columns, queries[i]);
    const ByteCodebook& book = byteCodebook(bits);
    const Levels levels(book);
    const ReadableRows readable(block);
    alignas(32) std::uint8_t codes[kSpace];
    alignas(32) std::int8_t spread[kRowsOfDot * kSpace];
    for (std::int64_t r = 0; r < block.count; r += kRowsOfDot) {
        alignas(16) float scales[kRowsOfDot];
        for (int k = 0; k < kRowsOfDot; ++k) {
            const std::uint8_t* row = readable.row(r + k < block.count ? r + k : block.count - 1);
            readable.fetchAhead(row, 1);
            const std::uint8_t* bitPlane = spreadCodes<bits>(row, block.columns, codes);
            for (std::int64_t c = 0; c < block.columns; c += kVector)
                store(spread + k * kSpace + c, levelsAt<bits>(codes, bitPlane, c, levels));
            scales[k] = floatOf(readable.scale(row)) * book.step;
        }
        const std::int64_t left = block.count - r;
        float* out = q.weights + first * q.weightStride + r;
        int i = 0;
        for (; i + 2 <= count; i += 2)
            dotFour<2>(spread, block.columns, queries + i, _mm_load_ps(scales), left,
                       out + i * q.weightStride, q.weightStride);
        if (i < count)
            dotFour<1>(spread, block.columns, queries + i, _mm_load_ps(scales), left,
                       out + i * q.weightStride, q.weightStride);
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

/// weight * scale of a row = step * code; zeros after the rows.
struct IntegerWeights {
    alignas(32) std::int16_t codes[kRowsOfAdd];
    float step;
};

inline void quantiseWeights(const float* weights, const float* scales, int rows,
                            IntegerWeights& out) {
    constexpr float kLargest = 32512.0F;
    alignas(32) float products[kRowsOfAdd] = {};
    for (int r = 0; r < rows; ++r) products[r] = weights[r] * scales[r];
    Range range;
    for (int r = 0; r < kRowsOfAdd; r += 8) range.add(_mm256_load_ps(products + r));
    const __m256 factor = _mm256_set1_ps(range.factor(kLargest));
    for (int r = 0; r < kRowsOfAdd; r += 16) {
        const __m256i codes =
            _mm256_packs_epi32(rounded(products + r, factor), rounded(products + r + 8, factor));
        store(out.codes + r, _mm256_permute4x64_epi64(codes, 0xD8));
    }
    out.step = range.step(kLargest);
}

/// Adds 32 columns of all rows of a chunk, an even number, for several queries.
template <int queries>
inline void addStrip(const std::int16_t* levels, std::int64_t stride, int rows,
                     const IntegerWeights* weights, float bookStep, float* out,
                     std::int64_t outStride, std::int64_t left) {
    __m256i sums[queries][4];
#pragma GCC unroll 2
    for (int i = 0; i < queries; ++i) {
#pragma GCC unroll 4
        for (int k = 0; k < 4; ++k) sums[i][k] = _mm256_setzero_si256();
    }
    for (int r = 0; r < rows; r += 2) {
        const std::int16_t* one = levels + r * stride;
        const std::int16_t* other = one + stride;
        __m256i pairs[4];
#pragma GCC unroll 2
        for (int k = 0; k < 2; ++k) {
            const __m256i a = load(one + 16 * k);
            const __m256i b = load(other + 16 * k);
            pairs[2 * k] = _mm256_unpacklo_epi16(a, b);
            pairs[2 * k + 1] = _mm256_unpackhi_epi16(a, b);
        }
#pragma GCC unroll 2
        for (int i = 0; i < queries; ++i) {
            std::int32_t two;
            __builtin_memcpy(&two, weights[i].codes + r, sizeof(two));
            const __m256i w = _mm256_set1_epi32(two);
#pragma GCC unroll 4
            for (int k = 0; k < 4; ++k)
                sums[i][k] = _mm256_add_epi32(sums[i][k], _mm256_madd_epi16(pairs[k], w));
        }
    }
#pragma GCC unroll 2
    for (int i = 0; i < queries; ++i) {
        const __m256 factor = _mm256_set1_ps(weights[i].step * bookStep);
        alignas(32) float part[32];
#pragma GCC unroll 2
        for (int k = 0; k < 2; ++k) {
            const __m256i low = sums[i][2 * k];       // columns 0 to 3 and 8 to 11
            const __m256i high = sums[i][2 * k + 1];  // 4 to 7 and 12 to 15
            const __m256i front = _mm256_permute2x128_si256(low, high, 0x20);
            const __m256i back = _mm256_permute2x128_si256(low, high, 0x31);
            _mm256_store_ps(part + 16 * k, _mm256_mul_ps(_mm256_cvtepi32_ps(front), factor));
            _mm256_store_ps(part + 16 * k + 8, _mm256_mul_ps(_mm256_cvtepi32_ps(back), factor));
        }
        float* to = out + i * outStride;
        if (left >= 32) {
#pragma GCC unroll 4
            for (int k = 0; k < 32; k += 8)
                _mm256_storeu_ps(to + k,
                                 _mm256_add_ps(_mm256_loadu_ps(to + k), _mm256_load_ps(part + k)));
        } else {
            for (std::int64_t c = 0; c < left; ++c) to[c] += part[c];
        }
    }
}

template <int bits>
void addMany(const RotatedRows& block, const QueryRows& q) {
    const ByteCodebook& book = byteCodebook(bits);
    const Levels levels(book);
    const ReadableRows readable(block);
    const std::int64_t stride = roundUp(block.columns);
    alignas(32) std::uint8_t codes[kSpace];
    alignas(32) std::int16_t spread[kRowsOfAdd * kMaxRotatedDim];
    for (std::int64_t first = 0; first < block.count; first += kRowsOfAdd) {
        const std::int64_t left = block.count - first;
        const int count = static_cast<int>(left < kRowsOfAdd ? left : kRowsOfAdd);
        const int whole = (count + 1) / 2 * 2;
        float scales[kRowsOfAdd];
        // The last row is repeated to fill the last pair; its weight there is 0.
        for (int r = 0; r < whole; ++r) {
            const std::uint8_t* row = readable.row(first + (r < count ? r : count - 1));
            readable.fetchAhead(row, 1);
            const std::uint8_t* bitPlane = spreadCodes<bits>(row, block.columns, codes);
            for (std::int64_t c = 0; c < block.columns; c += kVector) {
                const __m256i bytes = levelsAt<bits>(codes, bitPlane, c, levels);
                std::int16_t* to = spread + r * stride + c;
                store(to, _mm256_cvtepi8_epi16(_mm256_castsi256_si128(bytes)));
                store(to + 16, _mm256_cvtepi8_epi16(_mm256_extracti128_si256(bytes, 1)));
            }
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
                    addStrip<2>(spread + c, stride, whole, weights, book.step, out, q.sumStride,
                                block.columns - c);
                } else {
                    addStrip<1>(spread + c, stride, whole, weights, book.step, out, q.sumStride,
                                block.columns - c);
                }
            }
        }
    }
}

void dotManyRotated(const RotatedRows& block, const QueryRows& q) noexcept {
    constexpr void (*kOf[kLargestBits])(const RotatedRows&, const QueryRows&) = {
        dotMany<1>, dotMany<2>, dotMany<3>, dotMany<4>, dotMany<5>};
    if (block.bits > kLargestBits) return dotManyRotatedFloats(SimdLevel::Avx2, block, q);
    kOf[block.bits - 1](block, q);
}

void addManyRotated(const RotatedRows& block, const QueryRows& q) noexcept {
    constexpr void (*kOf[kLargestBits])(const RotatedRows&, const QueryRows&) = {
        addMany<1>, addMany<2>, addMany<3>, addMany<4>, addMany<5>};
    if (block.bits > kLargestBits) return addManyRotatedFloats(SimdLevel::Avx2, block, q);
    kOf[block.bits - 1](block, q);
}

}  // namespace
}  // namespace avx2

void fillAvx2RotatedKernels(KernelTable& table) noexcept {
    table.dotManyRotatedFast = avx2::dotManyRotated;
    table.addManyRotatedFast = avx2::addManyRotated;
}

}  // namespace lacuna
LACUNA_TARGET_END
#endif
