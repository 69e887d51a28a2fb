#pragma once
/// \file
/// The best of many scores without sorting them: scores fall into bins of equal width, whole bins
/// are taken from the top, and only the bin on the border is looked at slot by slot. Linear in the
/// slots, same result as a sort. Pure; scratch is lent by the caller and grows once.
/// Specification: algorithms R0.4 (ties), 1.4.

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/kv/eviction_plan.h"

namespace lacuna {

/// Buffers of one thread.
struct TopScratch {
    std::vector<float> scores;
    std::vector<std::uint16_t> bins;
    std::vector<std::int32_t> border;
};

struct TopSlots {
    std::vector<std::int32_t> keep;  ///< ascending
    std::int64_t notFinite = 0;      ///< scores that are no number, holes apart
    std::int64_t badProtected = -1;  ///< position of a protected one among them; -1: none
};

/// As selectSlots, which adds nothing but the wording of a score that is missing.
[[nodiscard]] Result<TopSlots> topSlots(std::span<const float> scores, const SlotPositions& slots,
                                        const SelectionRule& rule, TopScratch& scratch);

}  // namespace lacuna
