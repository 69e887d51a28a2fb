#pragma once
/// \file
/// Selects slots for several heads that share one budget: the best of all of them, so that a head
/// with high scores keeps more. Ada-KV (arXiv:2407.11550) shares within a layer and keeps a safe
/// share for each head; KVzip (arXiv:2505.23416) shares over the full model. Pure functions.
/// docs/eviction.md, "Slots per head"; R0.3, R0.4.

#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/kv/eviction/eviction_plan.h"
#include "engine/kv/slot_marks.h"

namespace lacuna {

/// Share of the equal budget, besides protected slots, that each head selects for itself under
/// Ada-KV: alpha in the paper.
constexpr double kSafeShare = 0.2;

/// One of the heads that share a budget. Scores must be comparable between them.
struct SharingHead {
    std::span<const float> scores;
    SlotPositions slots;
};

/// Selects the slots to keep of every head: exactly heads * rule.budget in total. Each head keeps
/// its protected slots and its own best floor(safeShare * (budget - protected)), at least one if
/// nothing is protected; the rest of the total goes to the best of the others in any head. Ties: by
/// the tie rule, then the earlier head. NaN scores lose against all others. Errors: InvalidArgument
/// (not one score per slot, or no more slots than the total), Range (the budget leaves no room
/// besides the protected slots of a head).
[[nodiscard]] Result<std::vector<SlotMarks>> selectShared(std::span<const SharingHead> heads,
                                                          const SelectionRule& rule,
                                                          double safeShare);

}  // namespace lacuna
