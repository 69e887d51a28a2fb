#pragma once
/// \file
/// Rows of rotated codes, as a cache stores keys and values (engine/tensor/rotated_codes.h has the
/// format). Plain data.

#include <cstddef>
#include <cstdint>

#include "engine/tensor/rotated_codes.h"

namespace lacuna {

struct RotatedRows {
    const std::byte* rows = nullptr;
    /// Bytes, those of a row at least. What lies between two rows is read and not used.
    std::int64_t rowStride = 0;
    std::int64_t count = 0;
    std::int64_t columns = 0;  ///< kMaxRotatedDim at most
    int bits = 4;              ///< 1 to 8
    [[nodiscard]] const std::byte* row(std::int64_t index) const noexcept {
        return rows + index * rowStride;
    }
};

/// Rows of floats, rotated already, on their way to codes: encodeRotated row by row.
struct RotatedEncoding {
    const float* rows = nullptr;
    std::int64_t rowStride = 0;  ///< floats
    std::int64_t count = 0;
    std::int64_t columns = 0;  ///< kMaxRotatedDim at most
    int bits = 4;              ///< 1 to 8
    CodeScale scale = CodeScale::Plain;
    float range = 1.0F;
    std::byte* codes = nullptr;
    std::int64_t codeStride = 0;  ///< bytes
    /// [count] largest absolute number of each row, infinity where one is not finite; or null.
    float* largest = nullptr;
};

}  // namespace lacuna
