#pragma once
/// \file
/// Which slots stay where several heads share one budget: the best of all of them, so that a head
/// whose scores are high keeps more than one whose scores are low. Ada-KV (arXiv 2407.11550) shares
/// within a layer and keeps a safe share for each head; KVzip (arXiv 2505.23416) over the whole
/// model. Pure functions. docs/eviction.md, "Slots by head"; R0.3, R0.4.

#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/kv/eviction/eviction_plan.h"
#include "engine/kv/slot_marks.h"

namespace lacuna {

/// What of the evenly shared budget each head chooses for itself under Ada-KV, beside what is
/// protected: alpha of the paper.
constexpr double kSafeShare = 0.2;

/// One head of those that share. Scores must mean the same in all of them.
struct SharingHead {
    std::span<const float> scores;
    SlotPositions slots;
};

/// Slots to keep of every head: exactly heads * rule.budget in all. Each keeps what is protected
/// and its own best floor(safeShare * (budget - protected)), one at least where nothing is
/// protected; what is left of the total goes to the best of the others, whichever head they are of.
/// Equal scores: by the tie rule, then the earlier head. Scores that are no number lose against all
/// others. Errors: InvalidArgument (scores not one per slot, or no more slots than the total),
/// Range (the budget leaves no room alongside the protected slots of a head).
[[nodiscard]] Result<std::vector<SlotMarks>> selectShared(std::span<const SharingHead> heads,
                                                          const SelectionRule& rule,
                                                          double safeShare);

}  // namespace lacuna
