#pragma once
/// \file
/// Number of slots of every head after an attention matching: the caller sets the total, which is
/// divided among the heads here (docs/attention-matching.md, "Slots per head"). Work splits over
/// (layer, head).

#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/head_profile.h"
#include "engine/compress/matching/matching_progress.h"
#include "engine/compress/matching/reference_queries.h"
#include "engine/kv/eviction/eviction_plan.h"
#include "engine/kv/eviction/reconstruction_scores.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/kv_options.h"

namespace lacuna {

struct HeadTargetsRequest {
    SelectionRule rule;  ///< its budget is the mean over the heads of layers that are not skipped
    HeadBudgets budgets = HeadBudgets::Uniform;
    /// Profile of the requested kind; Reconstruction moves halfway towards it. Null if there is
    /// none.
    const HeadProfile* profile = nullptr;
    std::vector<int> skipLayers = {};  ///< layers left uncompressed, not counted in the budget
    float scale = 0;
    float softCap = 0;                                      ///< soft cap of scores; 0: none
    std::shared_ptr<const AttentionSinks> sinks = nullptr;  ///< sinks of the model; may be null
    /// Scores for Reconstruction.
    std::shared_ptr<const ReconstructionScores> reconstruction = nullptr;
};

/// Resolves Auto and TaskFree to TaskFree if there is a profile, otherwise to Coverage, since the
/// profile may be measured later.
[[nodiscard]] HeadBudgets resolvedBudgets(HeadBudgets asked, const HeadProfile* profile);
/// Returns true if a division is based on measurements of the model.
[[nodiscard]] bool usesProfile(HeadBudgets resolved);
/// Share of its context that each head of a profile needs, 1 for the most demanding head.
[[nodiscard]] std::vector<double> profileNeeds(const HeadProfile& profile);

/// Returns true if a division surveys every head first.
[[nodiscard]] bool surveysHeads(HeadBudgets resolved);

/// Observes a long division and may cancel it between two heads.
struct MatchingWatch {
    std::stop_token stop = {};
    MatchingProgress* progress = nullptr;
    /// Polled on the caller's thread between groups of heads; true cancels. May be empty.
    std::function<bool()> cancelled = {};
    void step() const {
        if (progress != nullptr) progress->step();
    }
};

/// By KvShape::headIndex; a head of a skipped layer gets all its slots. Errors: Range (no room
/// besides the protected slots), Unsupported (a required profile or reconstruction scores are
/// missing or have another shape), Cancelled, as attendSpan.
[[nodiscard]] Result<std::vector<int>> headTargets(const KvCache& cache,
                                                   const ReferenceQueries& queries,
                                                   const HeadTargetsRequest& request,
                                                   ThreadPool& pool,
                                                   const MatchingWatch& watch = {});

}  // namespace lacuna
