#pragma once
/// \file
/// Products of whole numbers with a matrix of bytes, exact in sums of 32 bits: what decoding a
/// stored cache needs, whose components are multiples of a unit and whose basis is codes. Numbers
/// of up to 16 bits are multiplied as two bytes, the upper one only where it says something. The
/// sums are the same on every processor, and scaled and shifted with one rounding. Pure functions,
/// any thread.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/kernels/kernels.h"

namespace lacuna {

/// Tokens whose numbers lie together.
inline constexpr std::int64_t kCodeTokens = 64;
/// Columns of a panel.
inline constexpr int kCodeColumns = 32;
/// Numbers of a token that are multiplied together; a depth is a multiple of it.
inline constexpr std::int64_t kCodeQuad = 4;
/// Numbers are at most that large.
inline constexpr int kLargestCoded = 32639;

/// Numbers of kCodeTokens tokens as they are multiplied.
struct CodedNumbers {
    std::int64_t depth = 0;
    std::vector<std::int8_t> low;         ///< [depth / 4][kCodeTokens][4] lower bytes
    std::vector<std::int8_t> high;        ///< the same of upper bytes, of these quads alone:
    std::vector<std::int32_t> highQuads;  ///< ascending
    std::array<std::int32_t, kCodeTokens> offsets{};  ///< -128 times the sum of a token's numbers
};
/// From numbers [depth][kCodeTokens], each within kLargestCoded of 0. @pre depth is a multiple of
/// kCodeQuad
void splitNumbers(const std::int16_t* numbers, std::int64_t depth, CodedNumbers& out);

/// Bytes of a panel of kCodeColumns columns.
[[nodiscard]] constexpr std::size_t codePanelBytes(std::int64_t depth) {
    return static_cast<std::size_t>(depth) * kCodeColumns;
}
/// Columns `first` .. of a matrix [rows, stride] as a panel: [depth / 4][column][4] codes + 128.
/// Rows up to the depth and columns up to kCodeColumns that are not there count as zeros.
void packCodes(const std::int8_t* matrix, std::int64_t stride, std::int64_t rows,
               std::int64_t first, int columns, std::int64_t depth, std::uint8_t* panel);

/// c [tokens, width] = shift + scale * (numbers [tokens, depth] x panel [depth, width]).
struct CodeTile {
    const CodedNumbers* numbers = nullptr;
    const std::uint8_t* panel = nullptr;  ///< of at least the numbers' depth
    const float* scale = nullptr;         ///< [kCodeColumns]
    const float* shift = nullptr;         ///< [kCodeColumns]
    float* c = nullptr;
    std::int64_t cStride = 0;
    std::int64_t tokens = kCodeTokens;  ///< that are written, from the first on
    int width = kCodeColumns;
};
using CodeProduct = void (*)(const CodeTile& tile) noexcept;
/// What a table's processor multiplies with; the plain one's is the reference.
[[nodiscard]] CodeProduct codeProductOf(const KernelTable& table);
/// Whether it multiplies bytes with one instruction, several times as fast as floats.
[[nodiscard]] bool multipliesBytes(const KernelTable& table);

}  // namespace lacuna
