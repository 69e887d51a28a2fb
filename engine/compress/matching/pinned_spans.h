#pragma once
/// \file
/// Finds rare strings that no compaction may merge: names, numbers, codes. Attention matching keeps
/// what was attended so far, but a number is attended only when it is needed. A token counts as
/// rare if its keys differ from the others in many heads; its neighbours stay with it, because part
/// of a code is useless (docs/attention-matching.md, "Rare strings"). Pure functions.

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/thread_pool.h"
#include "engine/compress/matching/span_attention.h"
#include "engine/kv/eviction/eviction_plan.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// Run of adjacent positions that stay together.
struct PinnedRun {
    std::int32_t first = 0;
    std::int32_t last = 0;  ///< one past the end
    float rarity = 0;       ///< rarity of its rarest token: mean over heads, 1 for an average token
    friend bool operator==(const PinnedRun&, const PinnedRun&) = default;
};

struct PinRequest {
    SelectionRule rule;                ///< tokens it protects anyway are not pinned
    double percent = 0;                ///< share of the tokens, without their neighbours
    std::vector<int> skipLayers = {};  ///< layers left uncompressed
};

/// Returns the runs, rarest first; empty if percent is 0.
[[nodiscard]] std::vector<PinnedRun> pinnedRuns(const KvCache& cache, const PinRequest& request,
                                                ThreadPool& pool);

/// Slots of a span to pin, ascending: complete runs, the rarest first, up to `most` slots in total.
[[nodiscard]] std::vector<std::int32_t> pinnedSlots(const HeadSpan& span,
                                                    std::span<const PinnedRun> runs, int most);

}  // namespace lacuna
