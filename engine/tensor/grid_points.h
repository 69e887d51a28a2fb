#pragma once
/// \file
/// Points from which the IQ formats take their values: four or eight small integers each, one byte
/// per value, the first in the lowest byte. The points are part of the formats (ggml); the numbers
/// are from the reference reader (Python package `gguf`). Pure data.

#include <array>
#include <bit>
#include <cstdint>

namespace lacuna {

// Values 8, 25, 43; signs are stored separately.
extern const std::array<std::uint64_t, 256> kGridIQ2_XXS;
extern const std::array<std::uint64_t, 512> kGridIQ2_XS;
extern const std::array<std::uint64_t, 1024> kGridIQ2_S;
/// Values -1, 0, 1 of IQ1_S and IQ1_M.
extern const std::array<std::uint64_t, 2048> kGridIQ1;
/// Values 4, 12, 20, 28, 36, 44, 52, 62; signs are stored separately.
extern const std::array<std::uint32_t, 256> kGridIQ3_XXS;
/// Values 1, 3, 5, 7, 9, 11, 13, 15; signs are stored separately.
extern const std::array<std::uint32_t, 512> kGridIQ3_S;

/// Derives eight signs from seven: the number of negative values is even. Bit i: value i is
/// negative.
[[nodiscard]] constexpr unsigned evenSigns(unsigned seven) noexcept {
    const auto odd = static_cast<unsigned>(std::popcount(seven & 0x7FU)) & 1U;
    return (seven & 0x7FU) | (odd << 7U);
}

}  // namespace lacuna
