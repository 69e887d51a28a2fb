#pragma once
/// \file
/// What an answer may lose where a slot is missing: attention that goes to a value that is nearly
/// zero changes nothing (docs/attention-matching.md, "Slots by head"). Pure.

#include "engine/kv/eviction/eviction_scores.h"
#include "engine/kv/eviction/reconstruction_scores.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// [slots] of a head: the share of attention that a repetition of the text gives a slot, times the
/// length of its value, 0 where that is not finite. Comparable between heads.
[[nodiscard]] SlotScores slotInfluence(const KvCache& cache, const ReconstructionScores& found,
                                       LayerIndex layer, HeadIndex number);

}  // namespace lacuna
