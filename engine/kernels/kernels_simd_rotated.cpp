// Rows of rotated codes against several queries, for each instruction set. The planes of a few rows
// are expanded to one code per byte, a full vector at a time. Then a vector of codes looks up its
// centroids in registers. All queries of a group share both.

#include "engine/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/kernels_simd_rotated.cpp"
// clang-format off
#include <hwy/foreach_target.h>  // first: it compiles this file once per target
#include <hwy/highway.h>
// clang-format on

#include "engine/kernels/rotated_parts.h"
#include "engine/kernels/simd_attention-inl.h"
#include "engine/kernels/simd_loads-inl.h"
#include "engine/kernels/simd_tables-inl.h"
#include "engine/tensor/rotated_codes.h"

#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace lacuna {
namespace HWY_NAMESPACE {
namespace {

using D8 = hn::ScalableTag<std::uint8_t>;
constexpr int kBytes = static_cast<int>(hn::MaxLanes(D8()));
/// Number of bytes that vectors may read and write past the end of their data.
constexpr std::int64_t kPad = 64;
constexpr std::int64_t kSpace = kMaxRotatedDim + 2 * kPad;
constexpr int kChunkRows = 16;  // rows whose values are expanded before they are added

// ---- codes ----

template <int width, int part>
HWY_INLINE void spreadPart(const std::uint8_t* plane, std::int64_t bytes, std::uint8_t* out) {
    const D8 d8;
    const hn::Repartition<std::uint16_t, D8> d16;
    const auto mask = hn::Set(d8, static_cast<std::uint8_t>((1 << width) - 1));
    for (std::int64_t i = 0; i < bytes; i += kBytes) {
        const auto pairs = hn::BitCast(d16, hn::LoadU(d8, plane + i));
        const auto shifted = hn::BitCast(d8, hn::ShiftRight<part * width>(pairs));
        hn::StoreU(hn::And(shifted, mask), d8, out + i);
    }
}

// Each part may write past its end; the next one overwrites the excess.
template <int width>
HWY_INLINE void spreadPlane(const std::uint8_t* plane, std::int64_t bytes, std::uint8_t* out) {
    spreadPart<width, 0>(plane, bytes, out);
    spreadPart<width, 1>(plane, bytes, out + bytes);
    if constexpr (width == 2) {
        spreadPart<width, 2>(plane, bytes, out + 2 * bytes);
        spreadPart<width, 3>(plane, bytes, out + 3 * bytes);
    }
}

/// codes |= other << 4.
HWY_INLINE void addUpper(const std::uint8_t* other, std::int64_t columns, std::uint8_t* codes) {
    const D8 d8;
    const hn::Repartition<std::uint16_t, D8> d16;
    for (std::int64_t i = 0; i < columns; i += kBytes) {
        const auto upper = hn::ShiftLeft<4>(hn::BitCast(d16, hn::LoadU(d8, other + i)));
        hn::StoreU(hn::Or(hn::LoadU(d8, codes + i), hn::BitCast(d8, upper)), d8, codes + i);
    }
}

template <int shift>
HWY_INLINE void addBits(const std::uint8_t* plane, std::int64_t columns, std::uint8_t* codes) {
    const D8 d8;
    const auto bit = hn::Set(d8, static_cast<std::uint8_t>(1 << shift));
    for (std::int64_t i = 0; i < columns; i += kBytes) {
        auto v = hn::IfThenElseZero(hn::LoadMaskBits(d8, plane + i / 8), bit);
        if constexpr (shift > 0) v = hn::Or(v, hn::LoadU(d8, codes + i));
        hn::StoreU(v, d8, codes + i);
    }
}

HWY_INLINE float floatOf(std::uint16_t half) {
    return hn::GetLane(broadcastHalf(reinterpret_cast<const std::byte*>(&half)));
}

/// Expands to one code per byte; bytes after the columns are arbitrary.
template <int bits>
HWY_INLINE void spreadCodes(const std::uint8_t* row, std::int64_t columns, std::uint8_t* codes) {
    const int dim = static_cast<int>(columns);
    const std::uint8_t* plane = row;
    if constexpr (bits == 8) __builtin_memcpy(codes, row, static_cast<std::size_t>(columns));
    if constexpr ((bits & 4) != 0) {
        const auto bytes = static_cast<std::int64_t>(codePlaneBytes(4, dim));
        spreadPlane<4>(plane, bytes, codes);
        plane += bytes;
    }
    if constexpr ((bits & 2) != 0) {
        const auto bytes = static_cast<std::int64_t>(codePlaneBytes(2, dim));
        if constexpr (bits > 4) {
            HWY_ALIGN std::uint8_t upper[kSpace];
            spreadPlane<2>(plane, bytes, upper);
            addUpper(upper, columns, codes);
        } else {
            spreadPlane<2>(plane, bytes, codes);
        }
        plane += bytes;
    }
    if constexpr ((bits & 1) != 0) addBits<bits - 1>(plane, columns, codes);
}

// ---- centroids ----

/// Large codebooks store only the positive centroids: those of the lower half of the codes are the
/// same in reverse with opposite sign.
template <int bits>
struct Book {
    static constexpr bool kHalf = bits > 6 && HWY_TARGET == HWY_AVX3;
    FloatTable<(1 << (kHalf ? bits - 1 : bits))> table;

    HWY_INLINE explicit Book(const float* centroids)
        : table(centroids + (kHalf ? 1 << (bits - 1) : 0)) {}
    /// Returns the centroids of the kLanes codes at `codes`.
    HWY_INLINE V of(const std::uint8_t* codes) const {
        const hn::RebindToSigned<D> di;
        const hn::Rebind<std::uint8_t, D> d8;
        const auto code = hn::PromoteTo(di, hn::LoadU(d8, codes));
        if constexpr (!kHalf) return table.at(code);
        const D d;
        const auto lower = hn::Not(hn::BroadcastSignBit(hn::ShiftLeft<32 - bits>(code)));
        const auto level = hn::And(hn::Xor(code, lower), hn::Set(di, (1 << (bits - 1)) - 1));
        const V sign = hn::And(hn::BitCast(d, lower), hn::Set(d, -0.0F));
        return hn::Xor(table.at(level), sign);
    }
};

HWY_INLINE std::int64_t wholeVectors(std::int64_t columns) {
    return (columns + kLanes - 1) / kLanes * kLanes;
}

// ---- products ----

/// Products of up to four rows; missing rows repeat the last. Queries are padded with zeros to full
/// vectors.
template <int bits, int queries>
HWY_INLINE void dotFour(const Book<bits>& book, const std::uint8_t* const* codes,
                        const float* scales, std::int64_t left, std::int64_t columns,
                        const float* x, std::int64_t xStride, float* out, std::int64_t outStride) {
    const D d;
    V sums[queries][kRows];
#pragma GCC unroll 4
    for (int i = 0; i < queries; ++i) {
#pragma GCC unroll 4
        for (int r = 0; r < kRows; ++r) sums[i][r] = hn::Zero(d);
    }
    for (std::int64_t at = 0; at < columns; at += kLanes) {
        V query[queries];
#pragma GCC unroll 4
        for (int i = 0; i < queries; ++i) query[i] = hn::LoadU(d, x + i * xStride + at);
#pragma GCC unroll 4
        for (int r = 0; r < kRows; ++r) {
            const V row = book.of(codes[r] + at);
#pragma GCC unroll 4
            for (int i = 0; i < queries; ++i) sums[i][r] = hn::MulAdd(row, query[i], sums[i][r]);
        }
    }
    const hn::Full128<float> d4;
    const auto scale = hn::LoadU(d4, scales);
#pragma GCC unroll 4
    for (int i = 0; i < queries; ++i) {
        float part[kRows];
        hn::StoreU(hn::Mul(sumsOfFour(sums[i][0], sums[i][1], sums[i][2], sums[i][3]), scale), d4,
                   part);
        for (int r = 0; r < kRows && r < left; ++r) out[i * outStride + r] = part[r];
    }
}

/// Queries padded with zeros if their length is not a multiple of the vector length.
struct PaddedQueries {
    HWY_ALIGN float space[kQueries * kSpace];

    HWY_INLINE const float* copy(const QueryRows& q, int query, int count, std::int64_t columns) {
        for (int i = 0; i < count; ++i) {
            float* to = space + i * kSpace;
            const float* from = q.queries + (query + i) * q.queryStride;
            for (std::int64_t c = 0; c < columns; ++c) to[c] = from[c];
            for (std::int64_t c = columns; c < columns + kLanes; ++c) to[c] = 0.0F;
        }
        return space;
    }
};

template <int bits, int queries>
void dotQueries(const RotatedRows& block, const QueryRows& q, int query) {
    const Book<bits> book(rotatedCodebook(bits));
    const ReadableRows rows(block);
    const float* x = q.queries + query * q.queryStride;
    std::int64_t xStride = q.queryStride;
    PaddedQueries padded;
    if (block.columns % kLanes != 0) {
        x = padded.copy(q, query, queries, block.columns);
        xStride = kSpace;
    }
    HWY_ALIGN std::uint8_t codes[kRows][kSpace];
    for (int r = 0; r < kRows; ++r) hn::StoreU(hn::Zero(D8()), D8(), codes[r] + block.columns);
    const std::uint8_t* const codesOf[kRows] = {codes[0], codes[1], codes[2], codes[3]};
    float scales[kRows];
    for (std::int64_t first = 0; first < block.count; first += kRows) {
        fetchAhead(block.row(first), kRows * block.rowStride);
        for (int r = 0; r < kRows; ++r) {
            const std::int64_t at = first + r < block.count ? first + r : block.count - 1;
            const std::uint8_t* row = rows.row(at);
            spreadCodes<bits>(row, block.columns, codes[r]);
            scales[r] = floatOf(rows.scale(row));
        }
        dotFour<bits, queries>(book, codesOf, scales, block.count - first, block.columns, x,
                               xStride, q.weights + query * q.weightStride + first, q.weightStride);
    }
}

/// Expanded rows and the factors of their sum.
struct Chunk {
    HWY_ALIGN std::uint8_t codes[kChunkRows][kSpace];
    float factors[kQueries][kChunkRows];
    int rows = 0;
};

// A strip of columns of all queries stays in registers while the rows of a chunk are processed.
template <int bits, int queries, int vectors>
HWY_INLINE void addStrip(const Book<bits>& book, const Chunk& chunk, std::int64_t column,
                         float* out, std::int64_t outStride) {
    const D d;
    V sums[queries][vectors];
#pragma GCC unroll 4
    for (int i = 0; i < queries; ++i) {
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v)
            sums[i][v] = hn::LoadU(d, out + i * outStride + column + v * kLanes);
    }
    for (int r = 0; r < chunk.rows; ++r) {
        V w[queries];
#pragma GCC unroll 4
        for (int i = 0; i < queries; ++i) w[i] = hn::Set(d, chunk.factors[i][r]);
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) {
            const V value = book.of(chunk.codes[r] + column + v * kLanes);
#pragma GCC unroll 4
            for (int i = 0; i < queries; ++i) sums[i][v] = hn::MulAdd(value, w[i], sums[i][v]);
        }
    }
#pragma GCC unroll 4
    for (int i = 0; i < queries; ++i) {
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v)
            hn::StoreU(sums[i][v], d, out + i * outStride + column + v * kLanes);
    }
}

/// Adds strips of `vectors` vectors while they fit. Returns the first column after them.
template <int bits, int queries, int vectors>
HWY_INLINE std::int64_t addStrips(const Book<bits>& book, const Chunk& chunk, std::int64_t column,
                                  std::int64_t columns, float* out, std::int64_t outStride) {
    if constexpr (vectors * queries <= kSums)
        for (; column + vectors * kLanes <= columns; column += vectors * kLanes)
            addStrip<bits, queries, vectors>(book, chunk, column, out, outStride);
    return column;
}

template <int bits, int queries>
void addQueries(const RotatedRows& block, const QueryRows& q, int query) {
    const Book<bits> book(rotatedCodebook(bits));
    const ReadableRows rows(block);
    const std::int64_t columns = wholeVectors(block.columns);
    float* out = q.sums + query * q.sumStride;
    std::int64_t outStride = q.sumStride;
    HWY_ALIGN float padded[queries * kSpace];
    const bool ragged = columns != block.columns;
    if (ragged) {
        for (int i = 0; i < queries; ++i) {
            for (std::int64_t c = 0; c < columns; ++c)
                padded[i * kSpace + c] = c < block.columns ? out[i * outStride + c] : 0.0F;
        }
        out = padded;
        outStride = kSpace;
    }
    Chunk chunk;
    for (int r = 0; r < kChunkRows; ++r)
        hn::StoreU(hn::Zero(D8()), D8(), chunk.codes[r] + block.columns);
    for (std::int64_t first = 0; first < block.count; first += kChunkRows) {
        const std::int64_t left = block.count - first;
        chunk.rows = static_cast<int>(left < kChunkRows ? left : kChunkRows);
        fetchAhead(block.row(first), chunk.rows * block.rowStride);
        for (int r = 0; r < chunk.rows; ++r) {
            const std::uint8_t* row = rows.row(first + r);
            spreadCodes<bits>(row, block.columns, chunk.codes[r]);
            const float scale = floatOf(rows.scale(row));
            for (int i = 0; i < queries; ++i)
                chunk.factors[i][r] = scale * q.weights[(query + i) * q.weightStride + first + r];
        }
        std::int64_t column = addStrips<bits, queries, 8>(book, chunk, 0, columns, out, outStride);
        column = addStrips<bits, queries, 4>(book, chunk, column, columns, out, outStride);
        column = addStrips<bits, queries, 2>(book, chunk, column, columns, out, outStride);
        addStrips<bits, queries, 1>(book, chunk, column, columns, out, outStride);
    }
    if (!ragged) return;
    for (int i = 0; i < queries; ++i) {
        float* sums = q.sums + (query + i) * q.sumStride;
        for (std::int64_t c = 0; c < block.columns; ++c) sums[c] = padded[i * kSpace + c];
    }
}

template <int bits>
void dotMany(const RotatedRows& block, const QueryRows& q) {
    int query = 0;
    for (; query + kQueries <= q.count; query += kQueries)
        dotQueries<bits, kQueries>(block, q, query);
    if (q.count - query == 3) return dotQueries<bits, 3>(block, q, query);
    if (q.count - query == 2) return dotQueries<bits, 2>(block, q, query);
    if (q.count - query == 1) return dotQueries<bits, 1>(block, q, query);
}

template <int bits>
void addMany(const RotatedRows& block, const QueryRows& q) {
    int query = 0;
    for (; query + kQueries <= q.count; query += kQueries)
        addQueries<bits, kQueries>(block, q, query);
    if (q.count - query == 3) return addQueries<bits, 3>(block, q, query);
    if (q.count - query == 2) return addQueries<bits, 2>(block, q, query);
    if (q.count - query == 1) return addQueries<bits, 1>(block, q, query);
}

template <int bits>
void decodeRows(const RotatedRows& block, float* out) {
    const D d;
    const Book<bits> book(rotatedCodebook(bits));
    const ReadableRows rows(block);
    HWY_ALIGN std::uint8_t codes[kSpace];
    hn::StoreU(hn::Zero(D8()), D8(), codes + block.columns);
    for (std::int64_t r = 0; r < block.count; ++r) {
        const std::uint8_t* row = rows.row(r);
        spreadCodes<bits>(row, block.columns, codes);
        const V scale = hn::Set(d, floatOf(rows.scale(row)));
        float* to = out + r * block.columns;
        std::int64_t at = 0;
        for (; at + kLanes <= block.columns; at += kLanes)
            hn::StoreU(hn::Mul(book.of(codes + at), scale), d, to + at);
        if (at < block.columns)
            storeFirst(hn::Mul(book.of(codes + at), scale), to + at, block.columns - at);
    }
}

void dotManyRotated(const RotatedRows& block, const QueryRows& q) noexcept {
    constexpr void (*kOf[])(const RotatedRows&, const QueryRows&) = {
        dotMany<1>, dotMany<2>, dotMany<3>, dotMany<4>,
        dotMany<5>, dotMany<6>, dotMany<7>, dotMany<8>};
    kOf[block.bits - 1](block, q);
}

void addManyRotated(const RotatedRows& block, const QueryRows& q) noexcept {
    constexpr void (*kOf[])(const RotatedRows&, const QueryRows&) = {
        addMany<1>, addMany<2>, addMany<3>, addMany<4>,
        addMany<5>, addMany<6>, addMany<7>, addMany<8>};
    kOf[block.bits - 1](block, q);
}

void decodeRotated(const RotatedRows& block, float* out) noexcept {
    constexpr void (*kOf[])(const RotatedRows&, float*) = {
        decodeRows<1>, decodeRows<2>, decodeRows<3>, decodeRows<4>,
        decodeRows<5>, decodeRows<6>, decodeRows<7>, decodeRows<8>};
    kOf[block.bits - 1](block, out);
}

}  // namespace

void fillRotated(KernelTable& table) noexcept {
    table.dotManyRotated = dotManyRotated;
    table.addManyRotated = addManyRotated;
    table.dotManyRotatedFast = dotManyRotated;
    table.addManyRotatedFast = addManyRotated;
    table.decodeRotated = decodeRotated;
}

}  // namespace HWY_NAMESPACE
}  // namespace lacuna
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace lacuna {

void dotManyRotatedFloats([[maybe_unused]] SimdLevel level,
                          [[maybe_unused]] const RotatedRows& block,
                          [[maybe_unused]] const QueryRows& q) noexcept {
#if HWY_ARCH_X86
    level == SimdLevel::Avx2 ? N_AVX2::dotManyRotated(block, q) : N_AVX3::dotManyRotated(block, q);
#endif
}

void addManyRotatedFloats([[maybe_unused]] SimdLevel level,
                          [[maybe_unused]] const RotatedRows& block,
                          [[maybe_unused]] const QueryRows& q) noexcept {
#if HWY_ARCH_X86
    level == SimdLevel::Avx2 ? N_AVX2::addManyRotated(block, q) : N_AVX3::addManyRotated(block, q);
#endif
}

void fillSimdRotatedKernels([[maybe_unused]] SimdLevel level,
                            [[maybe_unused]] KernelTable& table) noexcept {
#if HWY_ARCH_X86
    switch (level) {
        case SimdLevel::Avx2:
            return N_AVX2::fillRotated(table);
        case SimdLevel::Avx512:
            return N_AVX3::fillRotated(table);
    }
#endif
}

}  // namespace lacuna
#endif
