// Cache rows against several queries at once, for each instruction set: query heads that share a KV
// head read and convert its keys and values once. With a long context attention is memory-bound.
// Keys are read row by row, which the hardware prefetcher follows; values are read in strips of
// columns, so the first strip prefetches the rest of their rows.

#include "engine/kernels/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/kernels_simd_attention.cpp"
// clang-format off
#include <hwy/foreach_target.h>  // first: it compiles this file once per target
#include <hwy/highway.h>
// clang-format on

#include "engine/kernels/kernel_parts.h"
#include "engine/kernels/simd_attention-inl.h"
#include "engine/kernels/simd_loads-inl.h"

#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace lacuna {
namespace HWY_NAMESPACE {
namespace {

constexpr std::int64_t kStripRows = 64;  // rows processed by all strips before the next; fits the
                                         // first-level cache

template <DType type>
constexpr std::int64_t kElementBytes = type == DType::F32 ? 4 : 2;

/// Products of four rows with `queries` queries.
template <DType type, int queries>
HWY_INLINE void dotFour(const RowBlock& block, std::int64_t first, const QueryRows& q, int query) {
    const D d;
    const std::byte* rows = block.rows + first * block.rowStride;
    V sums[queries][kRows];
#pragma GCC unroll 4
    for (int i = 0; i < queries; ++i) {
#pragma GCC unroll 4
        for (int r = 0; r < kRows; ++r) sums[i][r] = hn::Zero(d);
    }
    std::int64_t at = 0;
    for (; at + kLanes <= block.columns; at += kLanes) {
        V x[queries];
#pragma GCC unroll 4
        for (int i = 0; i < queries; ++i)
            x[i] = hn::LoadU(d, q.queries + (query + i) * q.queryStride + at);
#pragma GCC unroll 4
        for (int r = 0; r < kRows; ++r) {
            const V row = loadAs<type>(rows + r * block.rowStride, at);
#pragma GCC unroll 4
            for (int i = 0; i < queries; ++i) sums[i][r] = hn::MulAdd(row, x[i], sums[i][r]);
        }
    }
#pragma GCC unroll 4
    for (int i = 0; i < queries; ++i) {
        float* out = q.weights + (query + i) * q.weightStride + first;
        hn::StoreU(sumsOfFour(sums[i][0], sums[i][1], sums[i][2], sums[i][3]), hn::Full128<float>(),
                   out);
        for (std::int64_t rest = at; rest < block.columns; ++rest)
            for (int r = 0; r < kRows; ++r)
                out[r] += elementAs<type>(rows + r * block.rowStride, rest) *
                          q.queries[(query + i) * q.queryStride + rest];
    }
}

template <DType type>
HWY_INLINE float dotSingle(const std::byte* row, const float* x, std::int64_t columns) {
    const D d;
    V sum = hn::Zero(d);
    std::int64_t at = 0;
    for (; at + kLanes <= columns; at += kLanes)
        sum = hn::MulAdd(loadAs<type>(row, at), hn::LoadU(d, x + at), sum);
    float total = hn::GetLane(hn::SumOfLanes(d, sum));
    for (; at < columns; ++at) total += elementAs<type>(row, at) * x[at];
    return total;
}

template <DType type, int queries>
void dotQueries(const RowBlock& block, const QueryRows& q, int query) {
    std::int64_t row = 0;
    for (; row + kRows <= block.count; row += kRows) {
        dotFour<type, queries>(block, row, q, query);
    }
    for (; row < block.count; ++row)
        for (int i = query; i < query + queries; ++i)
            q.weights[i * q.weightStride + row] = dotSingle<type>(
                block.rows + row * block.rowStride, q.queries + i * q.queryStride, block.columns);
}

// A strip of columns of all queries stays in registers while the rows are processed.
template <DType type, int queries, int vectors>
void addStrip(const RowBlock& block, const QueryRows& q, int query, std::int64_t column) {
    const D d;
    V sums[queries][vectors];
    float* out = q.sums + query * q.sumStride + column;
#pragma GCC unroll 4
    for (int i = 0; i < queries; ++i) {
#pragma GCC unroll 16
        for (int v = 0; v < vectors; ++v)
            sums[i][v] = hn::LoadU(d, out + i * q.sumStride + v * kLanes);
    }
    const std::byte* row = block.rows;
    const float* weights = q.weights + query * q.weightStride;
    for (std::int64_t r = 0; r < block.count; ++r, row += block.rowStride) {
        if (column == 0) fetchAhead(row, block.rowStride);
        V w[queries];
#pragma GCC unroll 4
        for (int i = 0; i < queries; ++i) w[i] = hn::Set(d, weights[i * q.weightStride + r]);
#pragma GCC unroll 16
        for (int v = 0; v < vectors; ++v) {
            const V value = loadAs<type>(row, column + v * kLanes);
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
template <DType type, int queries, int vectors>
std::int64_t addStrips(const RowBlock& block, const QueryRows& q, int query, std::int64_t column) {
    if constexpr (vectors * queries <= kSums)
        for (; column + vectors * kLanes <= block.columns; column += vectors * kLanes)
            addStrip<type, queries, vectors>(block, q, query, column);
    return column;
}

template <DType type, int queries>
void addStripRows(const RowBlock& block, const QueryRows& q, int query) {
    std::int64_t column = addStrips<type, queries, 8>(block, q, query, 0);
    column = addStrips<type, queries, 4>(block, q, query, column);
    column = addStrips<type, queries, 2>(block, q, query, column);
    column = addStrips<type, queries, 1>(block, q, query, column);
    for (; column < block.columns; ++column)
        for (int i = query; i < query + queries; ++i)
            for (std::int64_t r = 0; r < block.count; ++r)
                q.sums[i * q.sumStride + column] +=
                    q.weights[i * q.weightStride + r] *
                    elementAs<type>(block.rows + r * block.rowStride, column);
}

template <DType type, int queries>
void addQueries(const RowBlock& block, const QueryRows& q, int query) {
    for (std::int64_t first = 0; first < block.count; first += kStripRows) {
        RowBlock part = block;
        part.rows += first * block.rowStride;
        part.count = HWY_MIN(kStripRows, block.count - first);
        QueryRows passing = q;
        passing.weights += first;
        addStripRows<type, queries>(part, passing, query);
    }
}

template <DType type>
void dotMany(const RowBlock& block, const QueryRows& q) noexcept {
    int query = 0;
    for (; query + kQueries <= q.count; query += kQueries)
        dotQueries<type, kQueries>(block, q, query);
    if (q.count - query == 3) return dotQueries<type, 3>(block, q, query);
    if (q.count - query == 2) return dotQueries<type, 2>(block, q, query);
    if (q.count - query == 1) return dotQueries<type, 1>(block, q, query);
}

template <DType type>
void addMany(const RowBlock& block, const QueryRows& q) noexcept {
    int query = 0;
    for (; query + kQueries <= q.count; query += kQueries)
        addQueries<type, kQueries>(block, q, query);
    if (q.count - query == 3) return addQueries<type, 3>(block, q, query);
    if (q.count - query == 2) return addQueries<type, 2>(block, q, query);
    if (q.count - query == 1) return addQueries<type, 1>(block, q, query);
}

}  // namespace

void fillAttention(KernelTable& table) noexcept {
    table.dotManyQueries[0] = dotMany<DType::F32>;
    table.dotManyQueries[1] = dotMany<DType::F16>;
    table.dotManyQueries[2] = dotMany<DType::BF16>;
    table.addManyQueries[0] = addMany<DType::F32>;
    table.addManyQueries[1] = addMany<DType::F16>;
    table.addManyQueries[2] = addMany<DType::BF16>;
}

}  // namespace HWY_NAMESPACE
}  // namespace lacuna
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace lacuna {

void fillSimdAttentionKernels([[maybe_unused]] SimdLevel level,
                              [[maybe_unused]] KernelTable& table) noexcept {
#if HWY_ARCH_X86
    switch (level) {
        case SimdLevel::Avx2:
            return N_AVX2::fillAttention(table);
        case SimdLevel::Avx512:
            return N_AVX3::fillAttention(table);
    }
#endif
}

}  // namespace lacuna
#endif
