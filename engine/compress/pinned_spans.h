#pragma once
/// \file
/// Rare strings that no compaction may merge: names, numbers, codes. Attention matching keeps what
/// was looked at so far, and a number is looked at when it is asked for. A token counts as rare
/// when its keys are unlike those of the others, over many heads; its neighbours stay with it,
/// because a code is worth nothing in parts (docs/attention-matching.md, "Rare strings"). Pure
/// functions.

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/thread_pool.h"
#include "engine/compress/span_attention.h"
#include "engine/kv/eviction/eviction_plan.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// Neighbouring positions that stay together.
struct PinnedRun {
    std::int32_t first = 0;
    std::int32_t last = 0;  ///< one past the end
    float rarity = 0;       ///< of its rarest token: mean over heads, 1 for an average token
    friend bool operator==(const PinnedRun&, const PinnedRun&) = default;
};

struct PinRequest {
    SelectionRule rule;                ///< what stays anyway is not pinned
    double percent = 0;                ///< of the tokens, before their neighbours are added
    std::vector<int> skipLayers = {};  ///< left whole
};

/// Rarest first; nothing where percent is 0.
[[nodiscard]] std::vector<PinnedRun> pinnedRuns(const KvCache& cache, const PinRequest& request,
                                                ThreadPool& pool);

/// Slots of a span that runs pin, ascending: whole runs, the rarest first, as long as there are not
/// more than `most` in all.
[[nodiscard]] std::vector<std::int32_t> pinnedSlots(const HeadSpan& span,
                                                    std::span<const PinnedRun> runs, int most);

}  // namespace lacuna
