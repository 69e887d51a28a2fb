#pragma once
/// \file
/// The best of many scores without sorting them: a limit is looked for by counting the scores above
/// it, a few passes that close in on the one that leaves as many as wanted; only the slots around
/// the limit are looked at one by one. Linear in the slots, same result as a sort. Pure; scratch is
/// lent by the caller and grows once. docs/eviction.md, "Which slots compete"; R0.4 (ties).

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/kv/eviction/eviction_plan.h"
#include "engine/kv/slot_marks.h"

namespace lacuna {

/// Buffers of one thread.
struct TopScratch {
    std::vector<float> scores;  ///< as a policy gives them
    std::vector<float> ranks;   ///< as they compete
    SlotMarks above;
    std::vector<std::int32_t> border;
};

struct TopSlots {
    SlotMarks keep;
    std::int64_t notFinite = 0;      ///< scores that are no number, holes apart
    std::int64_t badProtected = -1;  ///< position of a protected one among them; -1: none
};

/// Slots with the largest `factor` * score. Errors: as selectSlots.
[[nodiscard]] Result<TopSlots> topSlots(std::span<const float> scores, float factor,
                                        const SlotPositions& slots, const SelectionRule& rule,
                                        TopScratch& scratch);

}  // namespace lacuna
