#pragma once
/// \file
/// IEEE half and bfloat16 as 16-bit patterns; conversion to and from float with round to nearest
/// even. Scalar and portable: the reference for the kernels' conversions.

#include <bit>
#include <cstdint>

namespace lacuna {

[[nodiscard]] float halfToFloat(std::uint16_t bits);
[[nodiscard]] std::uint16_t floatToHalf(float value);
[[nodiscard]] inline float bfloatToFloat(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}
[[nodiscard]] std::uint16_t floatToBfloat(float value);

}  // namespace lacuna
