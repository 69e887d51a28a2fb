#pragma once
/// \file
/// Sixteen rows of a matrix interleaved into a group, so that one vector holds the same columns of
/// all of them: kernels then need neither gathered scales nor transposes. A pure permutation of
/// bytes: a group has the size of its rows, and any row can be read back. A group consists of
/// blocks, and a block of sixteen rows of its fields, each as [unit of the field][row][bytes of the
/// unit]. Missing rows of the last group are zeros. Pure functions.

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/tensor/dtype.h"

namespace lacuna {

/// Memory layout of the rows of a matrix.
enum class RowLayout : std::uint8_t {
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

/// Returns the fields of a block in their order within a group; together they cover each byte once.
/// F16 and BF16 have blocks of two columns. Empty for types that are never grouped.
[[nodiscard]] std::span<const BlockField> blockFields(DType type);
/// Returns the columns per block of a group; 0 for types that are never grouped.
[[nodiscard]] int groupBlockColumns(DType type);
/// Returns whether rows of `columns` elements can be grouped.
[[nodiscard]] bool canGroup(DType type, std::int64_t columns);

/// Rows in plain order.
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
/// may be fewer than the group has, counted from the start of `group`.
void ungroupRows(DType type, const std::byte* group, std::int64_t columns, int count,
                 std::byte* rows, std::int64_t rowStride);
/// Same as ungroupRows for the single row `row`.
void ungroupRow(DType type, const std::byte* group, std::int64_t columns, int row,
                std::byte* target);

}  // namespace lacuna
