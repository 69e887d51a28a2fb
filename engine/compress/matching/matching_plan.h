#pragma once
/// \file
/// Attention Matching of a full cache, as one compaction plan. Sinks and newest tokens stay
/// unchanged and take part in the softmax that the fit is evaluated with (merging identity,
/// docs/cache-contracts.md, "Attention over slots"). Work splits over (layer, head); results do not
/// depend on the thread count.

#include <cstdint>
#include <optional>

#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/matching/attention_matching.h"
#include "engine/compress/matching/matching_budgets.h"
#include "engine/compress/matching/reference_queries.h"
#include "engine/kv/eviction/eviction_plan.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// Queries that a head is fitted to.
enum class FitQueries {
    Captured,          ///< queries of the model so far
    CapturedAndProbes  ///< random ones in addition, which stand in for unknown later queries
};

/// Method for one head within a plan.
struct HeadMatching {
    MatchingOptions options;
    FitQueries queries = FitQueries::Captured;
};
/// For a head that later queries may probe for anything: keeps rare keys.
[[nodiscard]] HeadMatching distantMatching();
/// For a head that is expected to continue as before: the closest fit to the captured queries.
[[nodiscard]] HeadMatching closeMatching();

/// Part of a plan that is computed to estimate its loss: budgets are divided among all heads, but
/// only evenly spaced ones of the heads that would shrink, sorted by what they keep, are fitted.
struct FitSample {
    std::int64_t scores = 0;  ///< maximum number of products of slots and queries over all heads;
                              ///< 0: unlimited
    int heads = 0;            ///< maximum number of heads; 0: unlimited
};

struct MatchingRequest {
    HeadTargetsRequest targets;  ///< its budget includes protected slots
    std::uint64_t seed = 0;      ///< seed of the probe queries
    /// For heads that need distant context, or for all heads without a profile.
    HeadMatching distant = distantMatching();
    HeadMatching others = closeMatching();
    std::int64_t verbatim = 0;  ///< as CompactionPlan::verbatim; at most the number of protected
                                ///< newest tokens
    double pinPercent = 0;      ///< share of the rarest tokens, which stay verbatim with their
                                ///< neighbours
    MatchingWatch watch = {};
    std::optional<FitSample> sample = {};  ///< heads outside of the sample stay unchanged; nullopt:
                                           ///< all heads are fitted
};

/// Heads that a plan shrinks.
struct MatchedHeads {
    std::int64_t all = 0;
    std::int64_t fitted = 0;     ///< number of fitted heads: all, or a sample
    std::int64_t slotsLost = 0;  ///< lower bound from the targets of all heads
    std::int64_t lostByFitted = 0;
    /// Standard error of the mean held-out error due to sampling heads; 0 without a sample.
    double spread = 0;
};

struct MatchingPlan {
    CompactionPlan plan;
    std::int64_t queriesPerHead = 0;
    MatchedHeads heads = {};
    std::int64_t pinnedSlots = 0;    ///< slots kept unchanged next to a match, over all heads
    double heldOutError = 0;         ///< mean over fitted heads
    double selectMs = 0, fitMs = 0;  ///< wall time of the two stages, estimated by their shares
};

/// Errors: those of matchHead with layer and head; those of headTargets; Cancelled; KvNonFinite if
/// more than one slot in a thousand is not finite. @pre queries.tokens() > 0
[[nodiscard]] Result<MatchingPlan> planMatching(const KvCache& cache,
                                                const ReferenceQueries& queries,
                                                const MatchingRequest& request, ThreadPool& pool);

}  // namespace lacuna
