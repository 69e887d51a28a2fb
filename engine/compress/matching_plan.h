#pragma once
/// \file
/// Attention Matching of a whole cache, as one compaction plan. Sinks and the newest tokens stay as
/// they are and take part in the softmax the fit is judged by (merging identity, algorithms 1.2).
/// Work splits over (layer, head); results do not depend on the thread count.

#include <cstdint>

#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/attention_matching.h"
#include "engine/compress/reference_queries.h"
#include "engine/kv/eviction_plan.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// Options for queries that were captured while a text was read, and so miss what is asked later.
[[nodiscard]] MatchingOptions liveMatching();

struct MatchingRequest {
    SelectionRule rule;  ///< budget: slots per head afterwards, protected ones included
    float scale = 0;
    std::uint64_t seed = 0;  ///< of the probe queries
    MatchingOptions options = liveMatching();
};

struct MatchingPlan {
    CompactionPlan plan;
    std::int64_t queriesPerHead = 0;
    std::int64_t matchedHeads = 0;
    double heldOutError = 0;         ///< mean over matched heads
    double selectMs = 0, fitMs = 0;  ///< wall time of the two stages, estimated by their shares
};

/// Errors: those of matchHead with layer and head; Range when the budget leaves no room;
/// KvNonFinite when more than one slot in a thousand is not finite. @pre queries.tokens() > 0
[[nodiscard]] Result<MatchingPlan> planMatching(const KvCache& cache,
                                                const ReferenceQueries& queries,
                                                const MatchingRequest& request, ThreadPool& pool);

}  // namespace lacuna
