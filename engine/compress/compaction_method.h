#pragma once
/// \file
/// How a cache is compacted: by eviction or by attention matching, with one signature. A request
/// holds all that a method needs besides the cache, so that it may run on any thread; a plan comes
/// back, and applying it is a step of its own. CompactionMethods makes the requests of one
/// sequence, from what it has seen of it: queries and key norms. Owned by the engine thread.
/// docs/eviction.md; docs/attention-matching.md.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/compaction_report.h"
#include "engine/compress/compaction_trigger.h"
#include "engine/compress/eviction_choice.h"
#include "engine/compress/matching_plan.h"
#include "engine/compress/query_source.h"
#include "engine/compress/reference_queries.h"
#include "engine/kv/eviction/eviction_plan.h"
#include "engine/kv/eviction/prepared_scores.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// An attention matching with the queries that judge it, of at least one token.
struct MatchingWork {
    ReferenceQueries queries;
    MatchingRequest request;
};
using MethodRequest = std::variant<EvictionOptions, MatchingWork>;

/// What a method would do to a cache.
struct MethodPlan {
    CompactionPlan change;
    bool touched = false;  ///< some head has more slots than its target
    CompactionNotes notes = {};
    double selectShare = 1;  ///< of the time that planning took; the rest went to the fit
    std::int64_t referenceQueries = 0;  ///< per KV head
    std::optional<double> heldOutError = std::nullopt;
    MatchedHeads heads = {};  ///< of an attention matching
};

/// The plan of an eviction. Errors: as planEviction.
[[nodiscard]] Result<MethodPlan> evict(KvCache& cache, const EvictionOptions& request,
                                       ThreadPool& pool);
/// The plan of an attention matching. Errors: as planMatching.
[[nodiscard]] Result<MethodPlan> match(const KvCache& cache, const MatchingWork& request,
                                       ThreadPool& pool);

/// What is to be compacted, as the trigger says.
struct MethodWish {
    const KvOptions& options;
    CompactionLimits limits = {};
    Position turn{};  ///< of one turn late: where the newest began, which stays; 0: of no such
    const QueryReader& reader;           ///< makes queries that nobody asked; may be empty
    PreparedScores* prepared = nullptr;  ///< of this cache, or null
    /// To see what would come of it: nothing that is read for it is remembered.
    bool trial = false;
    /// Whether Auto may have the text read again for its scores: nobody waits for an answer.
    bool mayRead = false;
    std::span<const TokenId> text = {};  ///< of the cache, as far as it is known
    KeptSpans kept = {};                 ///< that are to stay as they are
};

class CompactionMethods {
  public:
    /// Both must outlive it.
    CompactionMethods(const CompactorModel& model, const KvShape& shape, ThreadPool& pool,
                      const Clock& clock);

    /// Who must see the queries of the forward passes over `cache`, or null. Tokens at and after
    /// `turn` stay before older ones do, where the options use the newest turn.
    [[nodiscard]] QueryObserver* observer(const KvCache& cache, const KvOptions& options,
                                          Position turn);
    /// Collects for every method and policy.
    [[nodiscard]] QueryObserver* observeAll(const KvCache& cache);
    void forgetFrom(Position position);

    /// The options with the layers that are left alone in this model where attention decides: what
    /// a layer does not look at for its window says nothing.
    [[nodiscard]] KvOptions forModel(const KvOptions& options) const;
    /// Whether a compaction of the whole of it needs the text read again, under options that are
    /// forModel. `mayRead`: as MethodWish::mayRead.
    [[nodiscard]] bool readsText(const KvCache& cache, const KvOptions& options,
                                 bool mayRead) const;
    /// What the method is to do; notes on it, and the times of scores and queries, go into the
    /// account. Errors: Cancelled, when a pass for queries was broken off.
    [[nodiscard]] Result<MethodRequest> request(KvCache& cache, const MethodWish& wish,
                                                CompactionAccount& account);
    /// Plans it; its time and figures go into the account. Errors: as evict and match.
    [[nodiscard]] Result<MethodPlan> plan(KvCache& cache, const MethodRequest& request,
                                          CompactionAccount& account) const;
    /// Carries a plan out, without moving a row where slots only go. Done, Skipped when nothing is
    /// touched, or Failed: the cache is then as it was before.
    [[nodiscard]] CompactionEnd apply(KvCache& cache, const MethodPlan& plan,
                                      CompactionAccount& account) const;
    /// Both.
    [[nodiscard]] CompactionEnd compactAtOnce(KvCache& cache, const MethodRequest& request,
                                              CompactionAccount& account) const;
    /// Whether the next eviction is so near that its scores can be prepared.
    [[nodiscard]] static bool inSight(const KvCache& cache, const KvOptions& options,
                                      const CompactionLimits& limits);
    /// Prepares a slice of the scores that the next eviction asks for. @pre inSight
    void prepare(PreparedScores& scores, KvCache& cache, const KvOptions& options,
                 const CompactionLimits& limits);

  private:
    [[nodiscard]] std::optional<CompactionReason> budgetsNote(HeadBudgets budgets) const;
    [[nodiscard]] EvictionOptions eviction(const MethodWish& wish) const;
    [[nodiscard]] std::vector<bool> structureOf(std::span<const TokenId> text) const;
    /// Makes the rule keep what is to be kept, as far as there is room for it.
    void keepSpans(const MethodWish& wish, SelectionRule& rule, CompactionAccount& account) const;
    [[nodiscard]] KeptSpans marksOf(std::span<const TokenId> text) const;
    [[nodiscard]] MatchingRequest matching(const MethodWish& wish, const SelectionRule& rule) const;

    const CompactorModel& model_;
    ThreadPool& pool_;
    const Clock& clock_;
    /// Whether scores are foretold while the text is read.
    [[nodiscard]] bool foretells(const KvOptions& options) const;
    /// Whether they are because Auto divides by them. Nothing is read again for it.
    [[nodiscard]] bool autoForetells(const KvOptions& options) const;
    /// Whether Auto stands for reconstruction where its scores can be had.
    [[nodiscard]] static bool automatic(const KvOptions& options);
    /// What foretells them; made again for another surrogate.
    [[nodiscard]] ForetoldScores& foretelling();
    /// Reconstruction scores of the text, or why there are none. Errors: Cancelled.
    [[nodiscard]] Result<FoundScores> scoresFor(const QueryWish& asked, const MethodWish& wish);
    /// Both, or the one that there is.
    [[nodiscard]] QueryObserver* together(QueryObserver* first, QueryObserver* second);

    ReferenceQueries queries_;
    EvictionChoice choice_;
    std::optional<ForetoldScores> foretold_;
    std::unique_ptr<QueryObserver> together_;  ///< of these two
    QueryObserver* togetherFirst_ = nullptr;
    QueryObserver* togetherSecond_ = nullptr;
};

}  // namespace lacuna
