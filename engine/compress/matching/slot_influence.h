#pragma once
/// \file
/// Influence of a slot on the output: attention to a value that is nearly zero changes nothing
/// (docs/attention-matching.md, "Slots per head"). Pure.

#include "engine/kv/eviction/eviction_scores.h"
#include "engine/kv/eviction/reconstruction_scores.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// [slots] of a head: the attention share of a slot in a repetition of the text, times the norm of
/// its value; 0 if that is not finite. Comparable between heads.
[[nodiscard]] SlotScores slotInfluence(const KvCache& cache, const ReconstructionScores& found,
                                       LayerIndex layer, HeadIndex number);

}  // namespace lacuna
