#pragma once
/// \file
/// Code shared by the kernels of rotated codes: their parts of the tables, codebooks in the layouts
/// of the instruction sets, and rows that vectors may read past their end. Private to this module.

#include <cstddef>
#include <cstdint>

#include "engine/kernels/kernel_parts.h"
#include "engine/kernels/rotated_rows.h"
#include "engine/tensor/rotated_codes.h"

namespace lacuna {

void fillScalarRotatedKernels(KernelTable& table) noexcept;
void fillSimdRotatedKernels(SimdLevel level, KernelTable& table) noexcept;
void fillSimdEncodeKernels(SimdLevel level, KernelTable& table) noexcept;
/// Fill in integer products for Precision::Fast, from the smallest instruction set to the largest.
void fillAvx2RotatedKernels(KernelTable& table) noexcept;
void fillVnniRotatedKernels(KernelTable& table) noexcept;
void fillVbmiRotatedKernels(KernelTable& table) noexcept;
/// Fills in the decoding of rows for bfloat16 products.
void fillBfloatRotatedKernels(KernelTable& table) noexcept;
/// Float versions, for the numbers of bits without integer products.
void dotManyRotatedFloats(SimdLevel level, const RotatedRows& block, const QueryRows& q) noexcept;
void addManyRotatedFloats(SimdLevel level, const RotatedRows& block, const QueryRows& q) noexcept;
/// Up to 5 bits: VNNI processes single rows; VBMI processes four rows at once and leaves lengths
/// that are not a multiple of 64 to VNNI.
void dotManyRotatedVnni(const RotatedRows& block, const QueryRows& q) noexcept;
void addManyRotatedVnni(const RotatedRows& block, const QueryRows& q) noexcept;
void dotManyRotatedFours(const RotatedRows& block, const QueryRows& q) noexcept;
void addManyRotatedFours(const RotatedRows& block, const QueryRows& q) noexcept;

/// Returns the 2^bits centroids, for code that may call only plain functions of other files.
[[nodiscard]] const float* rotatedCodebook(int bits) noexcept;
/// Returns the borders between them as a tree [2^bits]: the middle one at 1; the children of i at
/// 2i, for the lower half, and 2i + 1.
[[nodiscard]] const float* rotatedBorders(int bits) noexcept;
/// Centroids of up to 5 bits as bytes: step * (level - 128), with the step of least error.
struct ByteCodebook {
    std::uint8_t levels[32];
    float step;
};
[[nodiscard]] const ByteCodebook& byteCodebook(int bits) noexcept;
/// Centroids of 6 to 8 bits in two bytes: step * (256 (high - 128) + low).
struct WideCodebook {
    std::uint8_t high[256];
    std::uint8_t low[256];
    float step;
};
[[nodiscard]] const WideCodebook& wideCodebook(int bits) noexcept;

/// Rows of a block for vectors that read past the end of a row: rows near the end of the block are
/// copied to a padded buffer.
class ReadableRows {
  public:
    /// Bytes that may be read after the end of a row.
    static constexpr std::int64_t kAfter = 64;

    explicit ReadableRows(const RotatedRows& block) noexcept
        : rows_(reinterpret_cast<const std::uint8_t*>(block.rows)), stride_(block.rowStride) {
        scaleAt_ = static_cast<std::int64_t>(
            rotatedCodeBytes(block.bits, static_cast<int>(block.columns)));
        if (block.count == 0) return;
        // Within this many rows of the end, a vector may start in one row and end after the last.
        const std::int64_t last = stride_ > 0 ? (kAfter + stride_ - 1) / stride_ : block.count;
        firstCopied_ = block.count > last ? block.count - last : 0;
        const std::int64_t bytes = (block.count - 1 - firstCopied_) * stride_ + scaleAt_ + 2;
        __builtin_memcpy(copy_, rows_ + firstCopied_ * stride_, static_cast<std::size_t>(bytes));
    }
    const std::uint8_t* row(std::int64_t r) const noexcept {
        return r < firstCopied_ ? rows_ + r * stride_ : copy_ + (r - firstCopied_) * stride_;
    }
    /// Returns the scale of a row, an f16.
    std::uint16_t scale(const std::uint8_t* row) const noexcept {
        std::uint16_t half;
        __builtin_memcpy(&half, row + scaleAt_, 2);
        return half;
    }
    /// Prefetches the memory that is read some rows later.
    void fetchAhead(const std::uint8_t* row, int rows) const noexcept {
        constexpr std::int64_t kAhead = 4096;
        constexpr std::int64_t kLine = 64;
        for (std::int64_t i = 0; i < rows * stride_; i += kLine)
            __builtin_prefetch(row + kAhead + i);
    }

  private:
    const std::uint8_t* rows_;
    std::int64_t stride_;
    std::int64_t scaleAt_;
    std::int64_t firstCopied_ = 0;
    std::uint8_t copy_[kMaxRotatedDim + 3 * kAfter];
};

}  // namespace lacuna
