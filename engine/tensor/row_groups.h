#pragma once
/// \file
/// Sixteen rows of a matrix interleaved into a group, so that one vector holds the same columns of
/// all of them: kernels then need no scales gathered one by one and no turning around. A
/// permutation of bytes, nothing else: a group takes as many bytes as its rows, and any row can be
/// read back. Within a group follow the blocks, and within a block of sixteen rows its fields, each
/// as [unit of the field][row][bytes of the unit]. Missing rows of the last group are zeros.
/// Pure functions.

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/tensor/dtype.h"

namespace lacuna {

/// How the rows of a matrix lie in memory.
enum class RowOrder : std::uint8_t {
    Plain,   ///< one after the other
    Groups,  ///< in groups of kGroupRows
};

inline constexpr int kGroupRows = 16;

/// Bytes of a block that are moved in units of 1, 2 or 4.
struct BlockField {
    int offset;  ///< in the block of a plain row
    int bytes;
    int unit;
};

/// The fields of a block in the order they have in a group; each byte of the block is in one. F16
/// and BF16 have blocks of two columns. Empty for the types that are never grouped.
[[nodiscard]] std::span<const BlockField> blockFields(DType type);
/// Columns of a block as the groups see it; 0 for the types that are never grouped.
[[nodiscard]] int groupBlockColumns(DType type);
/// Whether rows of `columns` elements can be grouped.
[[nodiscard]] bool canGroup(DType type, std::int64_t columns);

/// Rows of plain order.
struct PlainRows {
    DType type = DType::F32;
    const std::byte* rows = nullptr;
    std::int64_t rowStride = 0;  ///< bytes
    std::int64_t columns = 0;
    int count = 0;  ///< at most kGroupRows
};

/// Writes kGroupRows * rowBytes(type, columns) bytes. @pre canGroup(type, columns)
void groupRows(const PlainRows& source, std::byte* group);
/// Writes the rows [0, count) of a group back in plain order, `rowStride` bytes apart. `columns`
/// may be fewer than the group has, counted from where `group` points to.
void ungroupRows(DType type, const std::byte* group, std::int64_t columns, int count,
                 std::byte* rows, std::int64_t rowStride);
/// As ungroupRows of the single row `row`.
void ungroupRow(DType type, const std::byte* group, std::int64_t columns, int row,
                std::byte* target);

}  // namespace lacuna
