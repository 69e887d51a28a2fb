#pragma once
/// \file
/// Attention Matching of a whole cache, as one compaction plan. Sinks and the newest tokens stay as
/// they are and take part in the softmax the fit is judged by (merging identity,
/// docs/cache-contracts.md, "Attention over slots"). Work splits over (layer, head); results do not
/// depend on the thread count.

#include <cstdint>
#include <optional>

#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/attention_matching.h"
#include "engine/compress/matching_budgets.h"
#include "engine/compress/reference_queries.h"
#include "engine/kv/eviction/eviction_plan.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// Which queries a head is fitted to.
enum class FitQueries {
    Captured,          ///< those the model asked so far
    CapturedAndProbes  ///< and as many random ones, for what will be asked only later
};

/// How one head is compacted within a plan.
struct HeadMatching {
    MatchingOptions options;
    FitQueries queries = FitQueries::Captured;
};
/// For a head that may be asked for anything later: rare keys stay.
[[nodiscard]] HeadMatching cautiousMatching();
/// For a head known to go on as it did: the closest fit to the captured queries.
[[nodiscard]] HeadMatching closeMatching();

/// How much of a plan is made to see what it would cost: budgets are divided among all heads, and
/// of those that would shrink, ordered by what they keep, evenly spread ones are fitted.
struct FitSample {
    std::int64_t scores = 0;  ///< most products of slots and queries over all heads; 0: any number
    int heads = 0;            ///< most heads; 0: any number
};

struct MatchingRequest {
    HeadTargetsRequest targets;  ///< its budget counts protected slots too
    std::uint64_t seed = 0;      ///< of the probe queries
    /// Of heads that need far context, or of all where no profile tells which those are.
    HeadMatching needy = cautiousMatching();
    HeadMatching others = closeMatching();
    std::int64_t verbatim = 0;  ///< as CompactionPlan::verbatim; at most the protected newest ones
    double pinPercent = 0;  ///< of the tokens, the rarest: they and their neighbours stay verbatim
    MatchingWatch watch = {};
    std::optional<FitSample> sample = {};  ///< heads outside of it stay as they are; none: all
};

/// The heads that a plan shrinks.
struct MatchedHeads {
    std::int64_t all = 0;
    std::int64_t fitted = 0;     ///< of them, those that were fitted: all, or a sample
    std::int64_t slotsLost = 0;  ///< by the targets of all, at least
    std::int64_t lostByFitted = 0;
    /// Standard error of the mean held-out error that comes of fitting a sample; 0: of none.
    double spread = 0;
};

struct MatchingPlan {
    CompactionPlan plan;
    std::int64_t queriesPerHead = 0;
    MatchedHeads heads = {};
    std::int64_t pinnedSlots = 0;    ///< that stay as they are beside a match, over all heads
    double heldOutError = 0;         ///< mean over fitted heads
    double selectMs = 0, fitMs = 0;  ///< wall time of the two stages, estimated by their shares
};

/// Errors: those of matchHead with layer and head; those of headTargets; Cancelled;
/// KvNonFinite when more than one slot in a thousand is not finite. @pre queries.tokens() > 0
[[nodiscard]] Result<MatchingPlan> planMatching(const KvCache& cache,
                                                const ReferenceQueries& queries,
                                                const MatchingRequest& request, ThreadPool& pool);

}  // namespace lacuna
