#pragma once
/// \file
/// Rows of group codes, the storage of keys and values in a cache: element = scale * code + bias. A
/// row consists of its unsigned codes (4 bits: the even element in the low half of a byte), an f16
/// scale per group, and an f16 bias per group. Plain data.

#include <cstddef>
#include <cstdint>

namespace lacuna {

struct CodedRows {
    const std::byte* rows = nullptr;
    std::int64_t rowStride = 0;  ///< bytes
    std::int64_t count = 0;
    std::int64_t columns = 0;  ///< a multiple of `group`
    int bits = 8;              ///< 8 or 4
    int group = 32;            ///< 32, 64 or 128
    [[nodiscard]] std::int64_t groups() const noexcept { return columns / group; }
    /// Returns the byte offset of the scales of a row.
    [[nodiscard]] std::int64_t codeBytes() const noexcept { return columns * bits / 8; }
    [[nodiscard]] const std::byte* row(std::int64_t index) const noexcept {
        return rows + index * rowStride;
    }
};

}  // namespace lacuna
