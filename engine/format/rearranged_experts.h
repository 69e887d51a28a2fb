#pragma once
/// \file
/// Matrices of experts that a container holds in another order of numbers than the engine reads
/// them: transposed, gate and up in turn, or as MXFP4 whose scales lie apart. Pure functions.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/format/tensor_source.h"
#include "engine/format/weights.h"

namespace lacuna {

/// Row r of a matrix is row `first + step * r` of what one expert has in the tensor.
struct RowsInTensor {
    std::int64_t first = 0;
    std::int64_t step = 1;
};

/// `count` matrices [rows, columns] of a tensor [count, outputs, columns], or [count, columns,
/// outputs] where it is transposed.
struct ExpertStack {
    const TensorInfo* tensor = nullptr;
    std::int64_t count = 0;
    std::int64_t outputs = 0;  ///< of one expert in the tensor
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    RowsInTensor place;
    bool transposed = false;

    /// Bytes of all matrices. @pre columns are whole blocks
    [[nodiscard]] std::size_t bytes() const;
};

/// Writes all matrices to `memory` [stack.bytes()] and returns views of them.
/// @pre a transposed tensor is F32, F16 or BF16
[[nodiscard]] std::vector<WeightMatrix> rearrangedExperts(const ExpertStack& stack,
                                                          std::byte* memory);

/// Row `row` of a tensor, outer extents counted as rows, as decodeRow() reads it: of MXFP4 whose
/// scales lie apart, `scratch` with scales and codes brought together, else the tensor's own.
[[nodiscard]] const std::byte* rowOf(const TensorInfo& tensor, std::uint64_t row,
                                     std::vector<std::byte>& scratch);

}  // namespace lacuna
