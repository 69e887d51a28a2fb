// Rows of group codes against several queries, read in place, for each instruction set. Scales and
// biases of a row are converted to floats once. Then a vector of codes costs one conversion and one
// multiplication more than plain numbers, at a half or a quarter of their bytes.

#include "engine/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/kernels_simd_coded.cpp"
// clang-format off
#include <hwy/foreach_target.h>  // first: it compiles this file once per target
#include <hwy/highway.h>
// clang-format on

#include "engine/kernels/coded_rows.h"
#include "engine/kernels/kernel_parts.h"
#include "engine/kernels/simd_attention-inl.h"
#include "engine/kernels/simd_loads-inl.h"

#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace lacuna {
namespace HWY_NAMESPACE {
namespace {

/// Number of columns processed together, so that their scales and biases have a fixed location.
constexpr std::int64_t kPieceColumns = 1024;
constexpr std::int64_t kPieceGroups = kPieceColumns / 32;

/// Scales and biases of the groups of one row within a piece.
struct Affine {
    float scale[kPieceGroups];
    float bias[kPieceGroups];
};

/// Columns [first, end) of the rows, a multiple of the group length.
struct Piece {
    std::int64_t first = 0;
    std::int64_t end = 0;
};

HWY_INLINE Piece pieceAt(const CodedRows& block, std::int64_t first) {
    const std::int64_t end = first + kPieceColumns;
    return {first, end < block.columns ? end : block.columns};
}

HWY_INLINE void halvesToFloats(const std::byte* halves, std::int64_t count, float* out) {
    const hn::CappedTag<float, 4> d;
    const hn::Rebind<hwy::float16_t, decltype(d)> dh;
    std::int64_t i = 0;
    for (; i + 4 <= count; i += 4)
        hn::StoreU(hn::PromoteTo(d, hn::LoadU(dh, elements<hwy::float16_t>(halves, i))), d,
                   out + i);
    for (; i < count; ++i) out[i] = hn::GetLane(broadcastHalf(halves + 2 * i));
}

/// Byte offsets of the scales and biases of a piece within its row.
struct AffinePlace {
    std::int64_t scales = 0;
    std::int64_t biases = 0;
    std::int64_t groups = 0;
};

HWY_INLINE AffinePlace placeOf(const CodedRows& block, const Piece& piece) {
    const std::int64_t scales = block.codeBytes() + 2 * (piece.first / block.group);
    return {scales, scales + 2 * block.groups(), (piece.end - piece.first) / block.group};
}

HWY_INLINE void readAffine(const std::byte* row, const AffinePlace& place, Affine& affine) {
    halvesToFloats(row + place.scales, place.groups, affine.scale);
    halvesToFloats(row + place.biases, place.groups, affine.bias);
}

/// Loads kLanes codes from element `at` on, as floats.
template <int bits>
HWY_INLINE V loadUnsigned(const std::byte* row, std::int64_t at) {
    const hn::RebindToSigned<D> di;
    const hn::Rebind<std::uint8_t, D> d8;
    if constexpr (bits == 8) {
        const auto codes = hn::LoadU(d8, elements<std::uint8_t>(row, at));
        return hn::ConvertTo(D(), hn::PromoteTo(di, codes));
    } else {
        // Each byte expands to two: its low half, then its high half.
        const hn::Half<decltype(d8)> dPacked;
        const hn::Rebind<std::uint16_t, decltype(dPacked)> d16;
        const auto pairs =
            hn::PromoteTo(d16, hn::LoadU(dPacked, elements<std::uint8_t>(row, at / 2)));
        const auto spread = hn::And(hn::Or(pairs, hn::ShiftLeft<4>(pairs)), hn::Set(d16, 0x0F0F));
        return hn::ConvertTo(D(), hn::PromoteTo(di, hn::BitCast(d8, spread)));
    }
}

/// Returns the elements from column `at` on.
template <int bits>
HWY_INLINE V decoded(const std::byte* row, std::int64_t at, const Affine& affine,
                     std::int64_t group) {
    const D d;
    return hn::MulAdd(loadUnsigned<bits>(row, at), hn::Set(d, affine.scale[group]),
                      hn::Set(d, affine.bias[group]));
}

/// Products of up to four rows over one piece, added to those of earlier pieces; missing rows
/// repeat the last.
template <int bits, int queries>
HWY_INLINE void dotFour(const CodedRows& block, std::int64_t first, const QueryRows& q, int query,
                        const Piece& piece) {
    const D d;
    const std::byte* rows[kRows];
    Affine affine[kRows];
    const AffinePlace place = placeOf(block, piece);
    for (int r = 0; r < kRows; ++r) {
        rows[r] = block.row(first + r < block.count ? first + r : block.count - 1);
        readAffine(rows[r], place, affine[r]);
    }
    V sums[queries][kRows];
#pragma GCC unroll 4
    for (int i = 0; i < queries; ++i) {
#pragma GCC unroll 4
        for (int r = 0; r < kRows; ++r) sums[i][r] = hn::Zero(d);
    }
    std::int64_t group = 0;
    for (std::int64_t start = piece.first; start < piece.end; start += block.group, ++group) {
        for (std::int64_t at = start; at < start + block.group; at += kLanes) {
            V x[queries];
#pragma GCC unroll 4
            for (int i = 0; i < queries; ++i)
                x[i] = hn::LoadU(d, q.queries + (query + i) * q.queryStride + at);
#pragma GCC unroll 4
            for (int r = 0; r < kRows; ++r) {
                const V row = decoded<bits>(rows[r], at, affine[r], group);
#pragma GCC unroll 4
                for (int i = 0; i < queries; ++i) sums[i][r] = hn::MulAdd(row, x[i], sums[i][r]);
            }
        }
    }
    const hn::Full128<float> d4;
    const std::int64_t left = block.count - first;
#pragma GCC unroll 4
    for (int i = 0; i < queries; ++i) {
        float* out = q.weights + (query + i) * q.weightStride + first;
        float part[kRows];
        hn::StoreU(sumsOfFour(sums[i][0], sums[i][1], sums[i][2], sums[i][3]), d4, part);
        for (int r = 0; r < kRows && r < left; ++r)
            out[r] = piece.first == 0 ? part[r] : out[r] + part[r];
    }
}

template <int bits, int queries>
void dotQueries(const CodedRows& block, const QueryRows& q, int query) {
    for (std::int64_t column = 0; column < block.columns; column += kPieceColumns) {
        const Piece piece = pieceAt(block, column);
        for (std::int64_t row = 0; row < block.count; row += kRows) {
            fetchAhead(block.row(row), kRows * block.rowStride);
            dotFour<bits, queries>(block, row, q, query, piece);
        }
    }
}

// A strip of columns of all queries stays in registers while the rows are processed.
template <int bits, int queries, int vectors>
void addStrip(const CodedRows& block, const QueryRows& q, int query, std::int64_t column) {
    const D d;
    V sums[queries][vectors];
    float* out = q.sums + query * q.sumStride + column;
#pragma GCC unroll 4
    for (int i = 0; i < queries; ++i) {
#pragma GCC unroll 16
        for (int v = 0; v < vectors; ++v)
            sums[i][v] = hn::LoadU(d, out + i * q.sumStride + v * kLanes);
    }
    const float* weights = q.weights + query * q.weightStride;
    const std::int64_t group = column / block.group;
    const std::int64_t behind = (column + vectors * kLanes + block.group - 1) / block.group;
    const AffinePlace place = placeOf(block, {group * block.group, behind * block.group});
    std::int64_t groupOf[vectors];
    for (int v = 0; v < vectors; ++v) groupOf[v] = (column + v * kLanes) / block.group - group;
    Affine affine;
    for (std::int64_t r = 0; r < block.count; ++r) {
        const std::byte* row = block.row(r);
        fetchAhead(row + column * bits / 8, vectors * kLanes * bits / 8);
        readAffine(row, place, affine);
        V w[queries];
#pragma GCC unroll 4
        for (int i = 0; i < queries; ++i) w[i] = hn::Set(d, weights[i * q.weightStride + r]);
#pragma GCC unroll 16
        for (int v = 0; v < vectors; ++v) {
            const V value = decoded<bits>(row, column + v * kLanes, affine, groupOf[v]);
#pragma GCC unroll 4
            for (int i = 0; i < queries; ++i) sums[i][v] = hn::MulAdd(value, w[i], sums[i][v]);
        }
    }
#pragma GCC unroll 4
    for (int i = 0; i < queries; ++i) {
#pragma GCC unroll 16
        for (int v = 0; v < vectors; ++v)
            hn::StoreU(sums[i][v], d, out + i * q.sumStride + v * kLanes);
    }
}

/// Adds strips of `vectors` vectors while they fit. Returns the first column after them.
template <int bits, int queries, int vectors>
std::int64_t addStrips(const CodedRows& block, const QueryRows& q, int query, std::int64_t column) {
    if constexpr (vectors * queries <= kSums)
        for (; column + vectors * kLanes <= block.columns; column += vectors * kLanes)
            addStrip<bits, queries, vectors>(block, q, query, column);
    return column;
}

// Columns are a multiple of 32, so strips of one vector leave none over.
template <int bits, int queries>
void addQueries(const CodedRows& block, const QueryRows& q, int query) {
    std::int64_t column = addStrips<bits, queries, 8>(block, q, query, 0);
    column = addStrips<bits, queries, 4>(block, q, query, column);
    column = addStrips<bits, queries, 2>(block, q, query, column);
    addStrips<bits, queries, 1>(block, q, query, column);
}

template <int bits>
void dotMany(const CodedRows& block, const QueryRows& q) {
    int query = 0;
    for (; query + kQueries <= q.count; query += kQueries)
        dotQueries<bits, kQueries>(block, q, query);
    if (q.count - query == 3) return dotQueries<bits, 3>(block, q, query);
    if (q.count - query == 2) return dotQueries<bits, 2>(block, q, query);
    if (q.count - query == 1) return dotQueries<bits, 1>(block, q, query);
}

template <int bits>
void addMany(const CodedRows& block, const QueryRows& q) {
    int query = 0;
    for (; query + kQueries <= q.count; query += kQueries)
        addQueries<bits, kQueries>(block, q, query);
    if (q.count - query == 3) return addQueries<bits, 3>(block, q, query);
    if (q.count - query == 2) return addQueries<bits, 2>(block, q, query);
    if (q.count - query == 1) return addQueries<bits, 1>(block, q, query);
}

template <int bits>
void decodeRows(const CodedRows& block, float* out) {
    const D d;
    Affine affine;
    for (std::int64_t column = 0; column < block.columns; column += kPieceColumns) {
        const Piece piece = pieceAt(block, column);
        const AffinePlace place = placeOf(block, piece);
        for (std::int64_t r = 0; r < block.count; ++r) {
            const std::byte* row = block.row(r);
            readAffine(row, place, affine);
            std::int64_t group = 0;
            for (std::int64_t at = piece.first; at < piece.end; at += block.group, ++group)
                for (std::int64_t i = at; i < at + block.group; i += kLanes)
                    hn::StoreU(decoded<bits>(row, i, affine, group), d,
                               out + r * block.columns + i);
        }
    }
}

void dotManyCoded(const CodedRows& block, const QueryRows& q) noexcept {
    block.bits == 8 ? dotMany<8>(block, q) : dotMany<4>(block, q);
}

void addManyCoded(const CodedRows& block, const QueryRows& q) noexcept {
    block.bits == 8 ? addMany<8>(block, q) : addMany<4>(block, q);
}

void decodeCoded(const CodedRows& block, float* out) noexcept {
    block.bits == 8 ? decodeRows<8>(block, out) : decodeRows<4>(block, out);
}

}  // namespace

void fillCoded(KernelTable& table) noexcept {
    table.dotManyCoded = dotManyCoded;
    table.addManyCoded = addManyCoded;
    table.decodeCoded = decodeCoded;
}

}  // namespace HWY_NAMESPACE
}  // namespace lacuna
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace lacuna {

void fillSimdCodedKernels([[maybe_unused]] SimdLevel level,
                          [[maybe_unused]] KernelTable& table) noexcept {
#if HWY_ARCH_X86
    switch (level) {
        case SimdLevel::Avx2:
            return N_AVX2::fillCoded(table);
        case SimdLevel::Avx512:
            return N_AVX3::fillCoded(table);
    }
#endif
}

}  // namespace lacuna
#endif
