#pragma once
/// \file
/// e^x and functions of it without branches, so that the compiler vectorises loops over them, with
/// the same bits at every position of an array. Internal to engine/recurrent.

#include <bit>
#include <cstdint>

namespace lacuna {

/// Relative error below 2e-7; arguments outside of [-87, 88] are clamped, NaN stays NaN.
[[nodiscard]] inline float fastExp(float x) {
    const float low = x < -87.0F ? -87.0F : x;
    const float limited = low > 88.0F ? 88.0F : low;
    constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: the sum's low bits are the nearest integer
    const float shifted = limited * 1.44269504F + kRound;
    const float whole = shifted - kRound;
    // ln 2 in two parts, the first with few enough bits that its product is exact
    const float rest = (limited - whole * 0.693359375F) - whole * -2.12194440e-4F;
    float sum = 1.9875691500e-4F;
    sum = sum * rest + 1.3981999507e-3F;
    sum = sum * rest + 8.3334519073e-3F;
    sum = sum * rest + 4.1665795894e-2F;
    sum = sum * rest + 1.6666665459e-1F;
    sum = sum * rest + 5.0000001201e-1F;
    const float mantissa = sum * rest * rest + rest + 1.0F;
    const std::uint32_t exponent = (std::bit_cast<std::uint32_t>(shifted) + 127U) << 23U;
    return mantissa * std::bit_cast<float>(exponent);
}

[[nodiscard]] inline float fastSigmoid(float x) {
    return 1.0F / (1.0F + fastExp(-x));
}

}  // namespace lacuna
