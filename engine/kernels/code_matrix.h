#pragma once
/// \file
/// Exact products of integers with a matrix of bytes, in sums of 32 bits. Used to decode a stored
/// cache, whose components are multiples of a unit and whose basis consists of codes. Numbers of up
/// to 16 bits are multiplied as two bytes; zero upper bytes are skipped. The sums are the same on
/// every processor, and are scaled and shifted with one rounding. Pure functions, any thread.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/kernels/kernels.h"

namespace lacuna {

/// Number of tokens whose numbers are stored together.
inline constexpr std::int64_t kCodeTokens = 64;
/// Number of columns of a panel.
inline constexpr int kCodeColumns = 32;
/// Number of values of a token that are multiplied together; a depth is a multiple of it.
inline constexpr std::int64_t kCodeQuad = 4;
/// Largest absolute value of a number.
inline constexpr int kLargestCoded = 32639;

/// Numbers of kCodeTokens tokens in the layout of the products.
struct CodedNumbers {
    std::int64_t depth = 0;
    std::vector<std::int8_t> low;   ///< [depth / 4][kCodeTokens][4] lower bytes
    std::vector<std::int8_t> high;  ///< the same for upper bytes, only of the quads in highQuads
    std::vector<std::int32_t> highQuads;              ///< ascending
    std::array<std::int32_t, kCodeTokens> offsets{};  ///< -128 times the sum of a token's numbers
};
/// Splits numbers [depth][kCodeTokens] with absolute values of at most kLargestCoded. @pre depth is
/// a multiple of kCodeQuad
void splitNumbers(const std::int16_t* numbers, std::int64_t depth, CodedNumbers& out);

/// Returns the bytes of a panel of kCodeColumns columns.
[[nodiscard]] constexpr std::size_t codePanelBytes(std::int64_t depth) {
    return static_cast<std::size_t>(depth) * kCodeColumns;
}
/// Packs columns `first` .. of a matrix [rows, stride] into a panel: [depth / 4][column][4] codes +
/// 128. Missing rows up to the depth and missing columns up to kCodeColumns count as zeros.
void packCodes(const std::int8_t* matrix, std::int64_t stride, std::int64_t rows,
               std::int64_t first, int columns, std::int64_t depth, std::uint8_t* panel);

/// c [tokens, width] = shift + scale * (numbers [tokens, depth] x panel [depth, width]).
struct CodeTile {
    const CodedNumbers* numbers = nullptr;
    const std::uint8_t* panel = nullptr;  ///< with at least the depth of the numbers
    const float* scale = nullptr;         ///< [kCodeColumns]
    const float* shift = nullptr;         ///< [kCodeColumns]
    float* c = nullptr;
    std::int64_t cStride = 0;
    std::int64_t tokens = kCodeTokens;  ///< number of tokens written, from the first on
    int width = kCodeColumns;
};
using CodeProduct = void (*)(const CodeTile& tile) noexcept;
/// Returns the product for the processor of a table; that of the plain one is the reference.
[[nodiscard]] CodeProduct codeProductOf(const KernelTable& table);
/// Returns whether the table multiplies bytes with one instruction, several times as fast as
/// floats.
[[nodiscard]] bool multipliesBytes(const KernelTable& table);

}  // namespace lacuna
