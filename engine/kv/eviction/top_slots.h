#pragma once
/// \file
/// Selects the best of many scores without sorting. The threshold is found by counting the scores
/// above candidates, in a few passes; only the slots around it are examined one by one. Linear in
/// the slots, same result as a sort. Pure; the caller owns the scratch, which grows once.
/// docs/eviction.md, "Which slots compete"; R0.4 (ties).

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/kv/eviction/eviction_plan.h"
#include "engine/kv/slot_marks.h"

namespace lacuna {

/// Buffers for one thread.
struct TopScratch {
    std::vector<float> scores;  ///< scores of the policy
    std::vector<float> ranks;   ///< keys of the comparison
    SlotMarks above;
    std::vector<std::int32_t> border;
};

struct TopSlots {
    SlotMarks keep;
    std::int64_t notFinite = 0;      ///< number of NaN scores, without holes
    std::int64_t badProtected = -1;  ///< position of a protected slot among them; -1: none
};

/// Selects the slots with the largest `factor` * score. Errors: as selectSlots.
[[nodiscard]] Result<TopSlots> topSlots(std::span<const float> scores, float factor,
                                        const SlotPositions& slots, const SelectionRule& rule,
                                        TopScratch& scratch);

}  // namespace lacuna
