#pragma once
/// \file
/// Rows of rotated codes, a storage of keys and values in a cache (format:
/// engine/tensor/rotated_codes.h). Plain data.

#include <cstddef>
#include <cstdint>

#include "engine/tensor/rotated_codes.h"

namespace lacuna {

struct RotatedRows {
    const std::byte* rows = nullptr;
    /// bytes, at least those of a row; bytes between two rows are read but not used
    std::int64_t rowStride = 0;
    std::int64_t count = 0;
    std::int64_t columns = 0;  ///< at most kMaxRotatedDim
    int bits = 4;              ///< 1 to 8
    [[nodiscard]] const std::byte* row(std::int64_t index) const noexcept {
        return rows + index * rowStride;
    }
};

/// Rows of rotated floats to be encoded: encodeRotated row by row.
struct RotatedEncoding {
    const float* rows = nullptr;
    std::int64_t rowStride = 0;  ///< floats
    std::int64_t count = 0;
    std::int64_t columns = 0;  ///< at most kMaxRotatedDim
    int bits = 4;              ///< 1 to 8
    CodeScale scale = CodeScale::Plain;
    float range = 1.0F;
    std::byte* codes = nullptr;
    std::int64_t codeStride = 0;  ///< bytes
    /// [count] largest absolute number of each row, infinity if one is not finite; may be null
    float* largest = nullptr;
};

}  // namespace lacuna
