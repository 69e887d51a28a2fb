#include "engine/base/half.h"

#include <cmath>

namespace lacuna {

float halfToFloat(std::uint16_t bits) {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
    const std::uint32_t exponent = (bits >> 10) & 0x1fU;
    const std::uint32_t mantissa = bits & 0x3ffU;
    if (exponent == 0) {
        const float magnitude = std::ldexp(static_cast<float>(mantissa), -24);
        return sign != 0 ? -magnitude : magnitude;
    }
    const std::uint32_t wide = exponent == 0x1f ? 0x7f800000U : (exponent + 112U) << 23;
    return std::bit_cast<float>(sign | wide | (mantissa << 13));
}

std::uint16_t floatToHalf(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    if (magnitude >= 0x7f800000U) {  // infinity or NaN
        const std::uint32_t payload =
            magnitude > 0x7f800000U ? 0x200U | ((magnitude >> 13) & 0x3ffU) : 0U;
        return static_cast<std::uint16_t>(sign | 0x7c00U | payload);
    }
    if (magnitude >= 0x477ff000U)
        return static_cast<std::uint16_t>(sign | 0x7c00U);  // rounds to infinity
    if (magnitude < 0x38800000U) {  // subnormal half: round with the FPU's own nearest-even
        const float scaled = std::bit_cast<float>(magnitude) + 0.5F;
        return static_cast<std::uint16_t>(sign |
                                          (std::bit_cast<std::uint32_t>(scaled) - 0x3f000000U));
    }
    const std::uint32_t odd = (magnitude >> 13) & 1U;
    return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000U + 0xfffU + odd) >> 13));
}

std::uint16_t floatToBfloat(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7fffffffU) > 0x7f800000U) return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
    return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

}  // namespace lacuna
