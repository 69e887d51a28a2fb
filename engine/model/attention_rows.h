#pragma once
/// \file
/// Uniform access to the keys or values of a few slots for attention: plain rows, group codes and
/// rotated codes, the latter in their rotated basis. Private to this module. Pure functions of
/// their arguments.

#include <cstddef>
#include <cstdint>

#include "engine/kernels/kernels.h"
#include "engine/kv/kv_cache.h"
#include "engine/values/precision.h"

namespace lacuna {

/// Rows [count, columns] of one head.
struct HeadRows {
    DType type = DType::F16;
    KvQuant quant;
    const std::byte* rows = nullptr;
    std::int64_t stride = 0;  ///< bytes
    std::int64_t columns = 0;
    std::int64_t count = 0;
    std::int64_t uncoded = 0;  ///< leading columns that are plain, in 16 bits, before codes
};

[[nodiscard]] HeadRows keyRows(const KvHeadView& view, std::int64_t columns, int first, int count);
[[nodiscard]] HeadRows valueRows(const KvHeadView& view, std::int64_t columns, int first,
                                 int count);
/// q.weights = products of every row with every query. All precisions except Exact round queries
/// and weights for rotated codes. @pre here and below: no leading columns are uncoded
void dotRows(const KernelTable& kernels, Precision precision, const HeadRows& rows,
             const QueryRows& q);
/// q.sums += rows weighted by q.weights, with the same rounding.
void addRows(const KernelTable& kernels, Precision precision, const HeadRows& rows,
             const QueryRows& q);

/// Memory for decoded rows.
struct DecodeSpace {
    float* floats = nullptr;        ///< [count, columns]
    std::uint16_t* bits = nullptr;  ///< [count, columns], if bfloat16 is needed
};
/// Returns plain rows in place, others decoded: to bfloat16 if `space` has memory for it, otherwise
/// to float.
[[nodiscard]] HeadRows plainRows(const KernelTable& kernels, const HeadRows& rows,
                                 const DecodeSpace& space);
/// Returns the last `columns` numbers of plain rows.
[[nodiscard]] HeadRows endsOf(HeadRows rows, std::int64_t columns);

}  // namespace lacuna
