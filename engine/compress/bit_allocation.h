#pragma once
/// \file
/// Which components of a transformed token get how many bits, by dynamic programming over a budget
/// in bytes per token (KVTC, Staniszewski and Lancucki 2025; docs/stored-caches.md, "The plan").
/// The budget is of one token and one layer group, whatever the number of tokens: a component may
/// get no bits at all. Pure functions, any thread.

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/base/result.h"

namespace lacuna {

/// How the components of a group are coded, with one 16-bit scale and one 16-bit shift for each
/// group and token. \note The numbers are written to files.
enum class ComponentCode : std::uint8_t {
    None = 0,  ///< not at all: they decode to zero
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
/// Of a group and token: scale and shift.
inline constexpr int kGroupSideBytes = 4;
/// Lengths that a group may have.
inline constexpr std::array<int, 5> kGroupLengths{1, 16, 64, 256, 1024};

/// Neighbouring components that are coded alike.
struct ComponentGroup {
    int length = 0;
    ComponentCode code = ComponentCode::None;
    friend bool operator==(const ComponentGroup&, const ComponentGroup&) = default;
};
/// Groups in order, from the first component on.
using BitPlan = std::vector<ComponentGroup>;

/// Bytes for one token: codes, rounded up to whole bytes, and scale and shift; 0 for None.
[[nodiscard]] constexpr int groupBytes(int length, ComponentCode code) {
    return code == ComponentCode::None ? 0 : (length * bitsOf(code) + 7) / 8 + kGroupSideBytes;
}
[[nodiscard]] std::int64_t planBytes(std::span<const ComponentGroup> plan);
/// Components from the first to the last one that is coded.
[[nodiscard]] int codedComponents(std::span<const ComponentGroup> plan);

struct AllocationProblem {
    int components = 0;
    /// Mean squared error of components [first, first + length) under a code, at least 0; of None
    /// the sum of their variances. Asked once for each.
    std::function<double(int first, int length, ComponentCode code)> error;
    std::int64_t budget = 0;  ///< bytes per token
};

struct Allocation {
    BitPlan plan;  ///< its lengths sum to the components; neighbours without code are one group
    double error = 0;
};
/// The plan of the least error among those of kGroupLengths within the budget; the first of several
/// in the order of lengths and codes. components x budget x 16 steps.
/// @pre components >= 0, budget >= 0
[[nodiscard]] Allocation allocateBits(const AllocationProblem& problem);

/// Whether a plan can have been made for so many components and this budget. Errors: Config, naming
/// the group.
[[nodiscard]] Status checkPlan(std::span<const ComponentGroup> plan, int components,
                               std::int64_t budget);

/// Bytes per token of a layer group of `width` numbers at a nominal ratio, 16-bit numbers being 1.
/// @pre ratio >= 1
[[nodiscard]] std::int64_t budgetOf(std::int64_t width, double ratio);

/// The group's numbers of one token, coded and decoded; what is stored and what plans are judged
/// by. `scale` and `shift` are binary16 patterns, `codes` holds a code for each number (of Fp8 its
/// byte). Numbers must be finite; `none` writes nothing and reads as zeros.
struct CodedGroup {
    std::uint16_t scale = 0;
    std::uint16_t shift = 0;
};
[[nodiscard]] CodedGroup encodeGroup(std::span<const float> numbers, ComponentCode code,
                                     std::uint8_t* codes);
void decodeGroup(const CodedGroup& group, ComponentCode code, const std::uint8_t* codes,
                 std::span<float> numbers);

}  // namespace lacuna
