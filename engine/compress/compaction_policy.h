#pragma once
/// \file
/// When a cache is compacted and to what size, as numbers and as the sentence a person reads.
/// Pure functions. docs/eviction.md, "When a compaction fires"; docs/attention-matching.md, "Rules"
/// (AM-2).

#include <cstdint>
#include <optional>
#include <string>

#include "engine/compress/compactor.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/kv_options.h"

namespace lacuna {

struct CompactionLimits {
    int target = 0;   ///< slots per head after a compaction
    int trigger = 0;  ///< fires when a head has more
};

/// Nothing when the options never compact: no method, L2 without a budget, or attention matching
/// with a ratio of 1 and no budget.
[[nodiscard]] std::optional<CompactionLimits> compactionLimits(const KvOptions& options,
                                                               std::int64_t tokens);
/// Slots that are held against the limits: of the largest head among the layers that a compaction
/// with these options touches; for attention matching, which gives heads different numbers on
/// purpose, their mean, rounded up.
[[nodiscard]] int compactableSlots(const KvCache& cache, const KvOptions& options);
/// Whether a compaction with these options would leave every layer whole.
[[nodiscard]] bool skipsEveryLayer(const KvCache& cache, const KvOptions& options);
/// The state with its explanation.
[[nodiscard]] CompactionState describeState(const KvCache& cache, const KvOptions& options);

}  // namespace lacuna
