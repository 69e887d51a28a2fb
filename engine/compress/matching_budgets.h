#pragma once
/// \file
/// Slots of every head after a compaction by attention matching: how many in all is the caller's,
/// who gets them is decided here (docs/attention-matching.md, "Slots by head"). Work splits over
/// (layer, head).

#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/head_profile.h"
#include "engine/compress/matching_progress.h"
#include "engine/compress/reference_queries.h"
#include "engine/kv/eviction/eviction_plan.h"
#include "engine/kv/eviction/reconstruction_scores.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/kv_options.h"

namespace lacuna {

struct HeadTargetsRequest {
    SelectionRule rule;  ///< budget: mean over the heads of layers that are not skipped
    HeadBudgets budgets = HeadBudgets::Uniform;
    /// Of the kind asked for; Reconstruction goes halfway to it. Null: there is none.
    const HeadProfile* profile = nullptr;
    std::vector<int> skipLayers = {};  ///< left whole, alongside the budget
    float scale = 0;
    float softCap = 0;                                      ///< of scores; 0: none
    std::shared_ptr<const AttentionSinks> sinks = nullptr;  ///< of the model, or null
    /// What Reconstruction uses.
    std::shared_ptr<const ReconstructionScores> reconstruction = nullptr;
};

/// Auto and TaskFree mean TaskFree where there is a profile, else Coverage: it may still be made.
[[nodiscard]] HeadBudgets resolvedBudgets(HeadBudgets asked, const HeadProfile* profile);
/// Whether a division is made by what was measured of the model.
[[nodiscard]] bool usesProfile(HeadBudgets resolved);
/// The part of its context that a head of a profile cannot do without, 1 for the most needy.
[[nodiscard]] std::vector<double> profileNeeds(const HeadProfile& profile);

/// Whether a division looks at every head before it decides.
[[nodiscard]] bool surveysHeads(HeadBudgets resolved);

/// Who watches a long division, and may break it off between two heads.
struct MatchingWatch {
    std::stop_token stop = {};
    MatchingProgress* progress = nullptr;
    /// Asked between groups of heads on the caller's thread; true breaks off. Empty: never asked.
    std::function<bool()> brokenOff = {};
    void step() const {
        if (progress != nullptr) progress->step();
    }
};

/// [layers * kvHeads]; a head of a skipped layer gets all it has. Errors: Range (no room alongside
/// the protected slots), Unsupported (a profile or scores of a repetition are asked for and there
/// are none, or some of another shape), Cancelled, as attendSpan.
[[nodiscard]] Result<std::vector<int>> headTargets(const KvCache& cache,
                                                   const ReferenceQueries& queries,
                                                   const HeadTargetsRequest& request,
                                                   ThreadPool& pool,
                                                   const MatchingWatch& watch = {});

}  // namespace lacuna
