// best[i][b] is the least error of the first i components within b bytes. The group that ends at i
// has one of a few lengths and one of four codes, so every cell compares a score of earlier cells.
// The choice is stored as one byte, and the plan is reconstructed backwards. Unused bytes cost
// nothing: best[0][b] is 0 for every b.

#include "engine/compress/transform/bit_allocation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "engine/base/half.h"
#include "engine/base/string_format.h"

namespace lacuna {
namespace {

constexpr float kLargestFp8 = 448;  // largest number of e4m3 in the variant without infinities
constexpr float kLargestHalf = 65504;
constexpr int kFp8Bias = 7;
constexpr int kFp8Mantissa = 3;

/// Encodes a choice as one byte.
constexpr std::uint8_t choiceOf(std::size_t length, std::size_t code) {
    return static_cast<std::uint8_t>(length * kComponentCodes.size() + code);
}

/// Converts |x| <= 448 to e4m3, rounding to nearest, ties to even.
std::uint8_t toFp8(float x) {
    const float magnitude = std::min(std::fabs(x), kLargestFp8);
    const std::uint8_t sign = std::signbit(x) ? 0x80 : 0;
    // A binade has 2^3 steps; below the smallest normal number the step is constant.
    int exponent = 0;
    static_cast<void>(std::frexp(magnitude, &exponent));
    exponent = std::max(exponent - 1, 1 - kFp8Bias);
    const auto steps =
        static_cast<int>(std::nearbyint(std::ldexp(magnitude, kFp8Mantissa - exponent)));
    // 16 `steps` are the next binade; the sum carries over into the exponent.
    const int code = steps + ((exponent + kFp8Bias - 1) << kFp8Mantissa);
    return static_cast<std::uint8_t>(sign | std::min(code, 0x7E));
}

float fromFp8(std::uint8_t code) {
    const int exponent = code >> kFp8Mantissa & 0xF;
    const int mantissa = code & 7;
    const float magnitude =
        exponent == 0
            ? std::ldexp(static_cast<float>(mantissa), 1 - kFp8Bias - kFp8Mantissa)
            : std::ldexp(static_cast<float>(mantissa + 8), exponent - kFp8Bias - kFp8Mantissa);
    return (code & 0x80) != 0 ? -magnitude : magnitude;
}

}  // namespace

std::int64_t planBytes(std::span<const ComponentGroup> plan) {
    std::int64_t bytes = 0;
    for (const ComponentGroup& group : plan) bytes += groupBytes(group.length, group.code);
    return bytes;
}

int codedComponents(std::span<const ComponentGroup> plan) {
    int end = 0;
    int coded = 0;
    for (const ComponentGroup& group : plan) {
        end += group.length;
        if (group.code != ComponentCode::None) coded = end;
    }
    return coded;
}

Allocation allocateBits(const AllocationProblem& problem) {
    const auto components = static_cast<std::size_t>(problem.components);
    const auto width = static_cast<std::size_t>(problem.budget) + 1;
    std::vector<double> best((components + 1) * width, std::numeric_limits<double>::infinity());
    std::vector<std::uint8_t> choice((components + 1) * width);
    std::fill_n(best.begin(), width, 0.0);
    for (std::size_t end = 1; end <= components; ++end) {
        double* const row = best.data() + end * width;
        std::uint8_t* const chosen = choice.data() + end * width;
        for (std::size_t l = 0; l < kGroupLengths.size(); ++l) {
            const auto length = static_cast<std::size_t>(kGroupLengths[l]);
            if (length > end) break;
            for (std::size_t c = 0; c < kComponentCodes.size(); ++c) {
                const ComponentCode code = kComponentCodes[c];
                const auto cost = static_cast<std::size_t>(groupBytes(kGroupLengths[l], code));
                if (cost >= width) continue;
                const double error =
                    problem.error(static_cast<int>(end - length), kGroupLengths[l], code);
                const double* const before = best.data() + (end - length) * width;
                for (std::size_t b = cost; b < width; ++b) {
                    const double sum = before[b - cost] + error;
                    if (!(sum < row[b])) continue;
                    row[b] = sum;
                    chosen[b] = choiceOf(l, c);
                }
            }
        }
    }
    Allocation out{.plan = {}, .error = best[components * width + width - 1]};
    for (std::size_t end = components, left = width - 1; end > 0;) {
        const std::uint8_t taken = choice[end * width + left];
        const int length = kGroupLengths[taken / kComponentCodes.size()];
        const ComponentCode code = kComponentCodes[taken % kComponentCodes.size()];
        if (code == ComponentCode::None && !out.plan.empty() &&
            out.plan.back().code == ComponentCode::None)
            out.plan.back().length += length;
        else
            out.plan.push_back({length, code});
        end -= static_cast<std::size_t>(length);
        left -= static_cast<std::size_t>(groupBytes(length, code));
    }
    std::ranges::reverse(out.plan);
    return out;
}

Status checkPlan(std::span<const ComponentGroup> plan, int components, std::int64_t budget) {
    std::int64_t sum = 0;
    std::size_t index = 0;
    for (const ComponentGroup& group : plan) {
        const bool known = std::ranges::find(kComponentCodes, group.code) != kComponentCodes.end();
        const bool fits =
            group.code == ComponentCode::None
                ? group.length >= 1
                : std::ranges::find(kGroupLengths, group.length) != kGroupLengths.end();
        if (!known || !fits)
            return fail(ErrorCode::Config,
                        format("group {} of a plan has {} components of code {}", index,
                               group.length, static_cast<int>(group.code)));
        sum += group.length;
        ++index;
    }
    if (sum != components)
        return fail(ErrorCode::Config,
                    format("a plan has {} components instead of {}", sum, components));
    if (planBytes(plan) > budget)
        return fail(ErrorCode::Config, format("a plan takes {} bytes per token; the budget is {}",
                                              planBytes(plan), budget));
    return {};
}

std::int64_t budgetOf(std::int64_t width, double ratio) {
    return static_cast<std::int64_t>(std::floor(2.0 * static_cast<double>(width) / ratio));
}

CodedGroup encodeGroup(std::span<const float> numbers, ComponentCode code, std::uint8_t* codes) {
    CodedGroup out;
    if (code == ComponentCode::None || numbers.empty()) return out;
    const auto [least, most] = std::ranges::minmax(numbers);
    const auto half = [](float x) {
        return floatToHalf(std::clamp(x, -kLargestHalf, kLargestHalf));
    };
    if (code == ComponentCode::Fp8) {
        // Centring encodes a single number by its shift alone.
        out.shift = half(least + (most - least) / 2);
        const float centre = halfToFloat(out.shift);
        const float reach = std::max(most - centre, centre - least);
        out.scale = half(reach / kLargestFp8);
        const float scale = halfToFloat(out.scale);
        for (std::size_t i = 0; i < numbers.size(); ++i)
            codes[i] =
                scale > 0
                    ? toFp8(std::clamp((numbers[i] - centre) / scale, -kLargestFp8, kLargestFp8))
                    : std::uint8_t{0};
        return out;
    }
    const int levels = (1 << bitsOf(code)) - 1;
    out.shift = half(least);
    const float low = halfToFloat(out.shift);
    out.scale = half((most - low) / static_cast<float>(levels));
    const float scale = halfToFloat(out.scale);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        codes[i] =
            scale > 0
                ? static_cast<std::uint8_t>(std::clamp(std::nearbyint((numbers[i] - low) / scale),
                                                       0.0F, static_cast<float>(levels)))
                : std::uint8_t{0};
    return out;
}

void decodeGroup(const CodedGroup& group, ComponentCode code, const std::uint8_t* codes,
                 std::span<float> numbers) {
    if (code == ComponentCode::None) {
        std::ranges::fill(numbers, 0.0F);
        return;
    }
    const float scale = halfToFloat(group.scale);
    const float shift = halfToFloat(group.shift);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = shift + scale * (code == ComponentCode::Fp8 ? fromFp8(codes[i])
                                                                 : static_cast<float>(codes[i]));
}

}  // namespace lacuna
