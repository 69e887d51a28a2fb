#pragma once
/// \file
/// Keys or values of a few slots as attention multiplies them: plain rows, group codes and rotated
/// codes, these in their rotated basis, by one door. Private to this room. Pure functions on what
/// they are given.

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
};

[[nodiscard]] HeadRows keyRows(const KvHeadView& view, std::int64_t columns, int first, int count);
[[nodiscard]] HeadRows valueRows(const KvHeadView& view, std::int64_t columns, int first,
                                 int count);
/// q.weights = products of every row with every query. All but Exact round queries and weights
/// where rows are rotated codes.
void dotRows(const KernelTable& kernels, Precision precision, const HeadRows& rows,
             const QueryRows& q);
/// q.sums += rows weighted by q.weights, likewise.
void addRows(const KernelTable& kernels, Precision precision, const HeadRows& rows,
             const QueryRows& q);

/// Where coded rows become plain ones.
struct DecodeSpace {
    float* floats = nullptr;        ///< [count, columns]
    std::uint16_t* bits = nullptr;  ///< [count, columns], when bfloat16 is wanted
};
/// The rows as they lie when they are plain, else decoded: to bfloat16 where `space` has room for
/// it, else to float.
[[nodiscard]] HeadRows plainRows(const KernelTable& kernels, const HeadRows& rows,
                                 const DecodeSpace& space);

}  // namespace lacuna
