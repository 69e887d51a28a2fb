#pragma once
/// \file
/// Allocates bits to the components of a transformed token by dynamic programming over a budget in
/// bytes per token (KVTC, Staniszewski and Lancucki 2025; docs/stored-caches.md, "The plan"). The
/// budget applies to one token of one layer group, independent of the number of tokens; a component
/// may get no bits at all. Pure functions, any thread.

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/base/result.h"

namespace lacuna {

/// Coding of the components of a group. Each group and token has one 16-bit scale and one 16-bit
/// shift. \note The numbers are written to files.
enum class ComponentCode : std::uint8_t {
    None = 0,  ///< not coded: the components decode to zero
    Int2 = 1,
    Int4 = 2,
    Fp8 = 3,  ///< e4m3
};
inline constexpr std::array<ComponentCode, 4> kComponentCodes{
    ComponentCode::None, ComponentCode::Int2, ComponentCode::Int4, ComponentCode::Fp8};
[[nodiscard]] constexpr int bitsOf(ComponentCode code) {
    constexpr std::array<int, 4> kBits{0, 2, 4, 8};
    return kBits[static_cast<std::size_t>(code)];
}
/// Bytes of the scale and shift of one group and token.
inline constexpr int kGroupSideBytes = 4;
/// Permitted group lengths.
inline constexpr std::array<int, 5> kGroupLengths{1, 16, 64, 256, 1024};

/// Run of neighbouring components with the same coding.
struct ComponentGroup {
    int length = 0;
    ComponentCode code = ComponentCode::None;
    friend bool operator==(const ComponentGroup&, const ComponentGroup&) = default;
};
/// Groups in order, starting with the first component.
using BitPlan = std::vector<ComponentGroup>;

/// Bytes for one token: codes rounded up to full bytes, plus scale and shift; 0 for None.
[[nodiscard]] constexpr int groupBytes(int length, ComponentCode code) {
    return code == ComponentCode::None ? 0 : (length * bitsOf(code) + 7) / 8 + kGroupSideBytes;
}
[[nodiscard]] std::int64_t planBytes(std::span<const ComponentGroup> plan);
/// Number of components up to and including the last coded one.
[[nodiscard]] int codedComponents(std::span<const ComponentGroup> plan);

struct AllocationProblem {
    int components = 0;
    /// Mean squared error of components [first, first + length) under a code, at least 0; for None
    /// the sum of their variances. Called once for each combination.
    std::function<double(int first, int length, ComponentCode code)> error;
    std::int64_t budget = 0;  ///< bytes per token
};

struct Allocation {
    BitPlan plan;  ///< its lengths add up to the number of components; adjacent uncoded components
                   ///< form one group
    double error = 0;
};
/// Returns the plan with the least error within the budget that uses the lengths of kGroupLengths.
/// Ties go to the first in the order of lengths and codes. Takes components x budget x 16 steps.
/// @pre components >= 0, budget >= 0
[[nodiscard]] Allocation allocateBits(const AllocationProblem& problem);

/// Checks that a plan is possible for this number of components and this budget. Errors: Config,
/// naming the group.
[[nodiscard]] Status checkPlan(std::span<const ComponentGroup> plan, int components,
                               std::int64_t budget);

/// Bytes per token of a layer group of `width` numbers at a nominal ratio, relative to 16-bit
/// numbers.
/// @pre ratio >= 1
[[nodiscard]] std::int64_t budgetOf(std::int64_t width, double ratio);

/// Numbers of one group and token, coded and decoded, as they are stored and as plans are
/// evaluated. `scale` and `shift` are binary16 patterns; `codes` holds one code for each number
/// (for Fp8 its byte). Numbers must be finite; None writes nothing and decodes to zeros.
struct CodedGroup {
    std::uint16_t scale = 0;
    std::uint16_t shift = 0;
};
[[nodiscard]] CodedGroup encodeGroup(std::span<const float> numbers, ComponentCode code,
                                     std::uint8_t* codes);
void decodeGroup(const CodedGroup& group, ComponentCode code, const std::uint8_t* codes,
                 std::span<float> numbers);

}  // namespace lacuna
