#pragma once
/// \file
/// Rearranges expert matrices that a container stores in another layout than the engine uses:
/// transposed, with alternating gate and up rows, or as MXFP4 with separate scales. Pure functions.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/format/tensor_source.h"
#include "engine/format/weights.h"

namespace lacuna {

/// Row r of a matrix is row `first + step * r` of its expert in the tensor.
struct RowsInTensor {
    std::int64_t first = 0;
    std::int64_t step = 1;
};

/// `count` matrices [rows, columns] of a tensor [count, outputs, columns], or of a transposed one
/// [count, columns, outputs].
struct ExpertStack {
    const TensorInfo* tensor = nullptr;
    std::int64_t count = 0;
    std::int64_t outputs = 0;  ///< rows of one expert in the tensor
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    RowsInTensor place;
    bool transposed = false;

    /// Bytes of all matrices. @pre columns are a multiple of the block size
    [[nodiscard]] std::size_t bytes() const;
};

/// Writes all matrices to `memory` [stack.bytes()] and returns views of them.
/// @pre a transposed tensor is F32, F16 or BF16
[[nodiscard]] std::vector<WeightMatrix> rearrangedExperts(const ExpertStack& stack,
                                                          std::byte* memory);

/// Returns row `row` of a tensor in the format of decodeRow(); outer dimensions count as rows. A
/// row of MXFP4 with separate scales is joined in `scratch`; others are returned in place.
[[nodiscard]] const std::byte* rowOf(const TensorInfo& tensor, std::uint64_t row,
                                     std::vector<std::byte>& scratch);

}  // namespace lacuna
