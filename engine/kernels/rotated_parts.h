#pragma once
/// \file
/// What the kernels of rotated codes share: their parts of the tables, codebooks as the instruction
/// sets want them, and rows that vectors may read on after their end. Private to this room.

#include <cstddef>
#include <cstdint>

#include "engine/kernels/kernel_parts.h"
#include "engine/kernels/rotated_rows.h"
#include "engine/tensor/rotated_codes.h"

namespace lacuna {

void fillScalarRotatedKernels(KernelTable& table) noexcept;
void fillSimdRotatedKernels(SimdLevel level, KernelTable& table) noexcept;
void fillSimdEncodeKernels(SimdLevel level, KernelTable& table) noexcept;
/// Integer products for Precision::Fast, from the smallest instruction set to the largest.
void fillAvx2RotatedKernels(KernelTable& table) noexcept;
void fillVnniRotatedKernels(KernelTable& table) noexcept;
void fillVbmiRotatedKernels(KernelTable& table) noexcept;
/// Rows for the products of bfloat16.
void fillBfloatRotatedKernels(KernelTable& table) noexcept;
/// In floats, for the bits that integer products leave to them.
void dotManyRotatedFloats(SimdLevel level, const RotatedRows& block, const QueryRows& q) noexcept;
void addManyRotatedFloats(SimdLevel level, const RotatedRows& block, const QueryRows& q) noexcept;
/// Up to 5 bits with VNNI, row by row; and with VBMI four rows at once, which leaves the lengths
/// that are no multiple of 64 to the former.
void dotManyRotatedVnni(const RotatedRows& block, const QueryRows& q) noexcept;
void addManyRotatedVnni(const RotatedRows& block, const QueryRows& q) noexcept;
void dotManyRotatedFours(const RotatedRows& block, const QueryRows& q) noexcept;
void addManyRotatedFours(const RotatedRows& block, const QueryRows& q) noexcept;

/// The 2^bits centroids, for code that may call nothing of other files but plain functions.
[[nodiscard]] const float* rotatedCodebook(int bits) noexcept;
/// The borders between them as a tree [2^bits]: the middle one at 1, the children of i at 2i, of
/// the lower half, and 2i + 1.
[[nodiscard]] const float* rotatedBorders(int bits) noexcept;
/// Centroids of up to 5 bits as bytes: step * (level - 128), with the step that loses least.
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

/// Rows of a block for vectors that read on after the end of a row: those near the end of the block
/// are copied to where that is allowed.
class ReadableRows {
  public:
    /// Bytes that may be read after the end of a row.
    static constexpr std::int64_t kAfter = 64;

    explicit ReadableRows(const RotatedRows& block) noexcept
        : rows_(reinterpret_cast<const std::uint8_t*>(block.rows)), stride_(block.rowStride) {
        scaleAt_ = static_cast<std::int64_t>(
            rotatedCodeBytes(block.bits, static_cast<int>(block.columns)));
        if (block.count == 0) return;
        // So many rows from the end a vector may begin in one row and end after the last.
        const std::int64_t last = stride_ > 0 ? (kAfter + stride_ - 1) / stride_ : block.count;
        firstCopied_ = block.count > last ? block.count - last : 0;
        const std::int64_t bytes = (block.count - 1 - firstCopied_) * stride_ + scaleAt_ + 2;
        __builtin_memcpy(copy_, rows_ + firstCopied_ * stride_, static_cast<std::size_t>(bytes));
    }
    const std::uint8_t* row(std::int64_t r) const noexcept {
        return r < firstCopied_ ? rows_ + r * stride_ : copy_ + (r - firstCopied_) * stride_;
    }
    /// Of a row, an f16.
    std::uint16_t scale(const std::uint8_t* row) const noexcept {
        std::uint16_t half;
        __builtin_memcpy(&half, row + scaleAt_, 2);
        return half;
    }
    /// Asks for the memory that is read some rows later.
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
