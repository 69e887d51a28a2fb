#pragma once
/// \file
/// Compaction by eviction or by attention matching, with one signature. A request holds everything
/// a method needs besides the cache, so that it can run on any thread; it returns a plan, which is
/// applied in a separate step. CompactionMethods builds the requests of one sequence from the
/// queries and key norms it has observed. Owned by the engine thread. docs/eviction.md;
/// docs/attention-matching.md.

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
#include "engine/compress/driver/compaction_report.h"
#include "engine/compress/driver/compaction_trigger.h"
#include "engine/compress/driver/eviction_choice.h"
#include "engine/compress/driver/query_source.h"
#include "engine/compress/matching/matching_plan.h"
#include "engine/compress/matching/reference_queries.h"
#include "engine/kv/eviction/eviction_plan.h"
#include "engine/kv/eviction/prepared_scores.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// An attention matching with the queries it is evaluated on, of at least one token.
struct MatchingWork {
    ReferenceQueries queries;
    MatchingRequest request;
};
using MethodRequest = std::variant<EvictionOptions, MatchingWork>;

/// Changes that a method would make to a cache.
struct MethodPlan {
    CompactionPlan change;
    bool touched = false;  ///< true if some head has more slots than its target
    CompactionNotes notes = {};
    double selectShare = 1;             ///< share of the planning time; the rest went to the fit
    std::int64_t referenceQueries = 0;  ///< per KV head
    std::optional<double> heldOutError = std::nullopt;
    MatchedHeads heads = {};  ///< set by an attention matching
};

/// Plans an eviction. Errors: as planEviction.
[[nodiscard]] Result<MethodPlan> evict(KvCache& cache, const EvictionOptions& request,
                                       ThreadPool& pool);
/// Plans an attention matching. Errors: as planMatching.
[[nodiscard]] Result<MethodPlan> match(const KvCache& cache, const MatchingWork& request,
                                       ThreadPool& pool);

/// Inputs of one compaction, as decided by the trigger.
struct RequestedMethod {
    const KvOptions& options;
    CompactionLimits limits = {};
    Position turn{};  ///< one turn late: start of the newest turn, which is kept; otherwise 0
    const QueryReader& reader;           ///< makes queries by an extra forward pass; may be empty
    PreparedScores* prepared = nullptr;  ///< scores prepared for this cache, or null
    /// Dry run: text read for it is not stored.
    bool trial = false;
    /// Auto may have the text reread for its scores, because no answer is pending.
    bool mayRead = false;
    std::span<const TokenId> text = {};  ///< text of the cache, as far as it is known
    KeptSpans kept = {};                 ///< tokens that must not be changed
};

class CompactionMethods {
  public:
    /// `pool` and `clock` must outlive the object.
    CompactionMethods(const CompactorModel& model, const KvShape& shape, ThreadPool& pool,
                      const Clock& clock);
    /// Copies what `other` observed, for requests on `cache`, which is a copy of the observed cache
    /// and must outlive this object.
    CompactionMethods(const CompactionMethods& other, const KvCache& cache);

    /// Returns the observer for the queries of forward passes over `cache`, or null. If the options
    /// use the newest turn, tokens at and after `turn` are kept in preference to older ones.
    [[nodiscard]] QueryObserver* observer(const KvCache& cache, const KvOptions& options,
                                          Position turn);
    /// Returns an observer that collects data for every method and policy.
    [[nodiscard]] QueryObserver* observeAll(const KvCache& cache);
    void dropFrom(Position position);
    /// Keeps the decisions that a copy made for the sequence.
    void keepDecisions(const CompactionMethods& copy) { choice_.keepDecision(copy.choice_); }

    /// Returns the options, extended by the layers of this model that must be skipped if attention
    /// decides: a layer with a sliding window says nothing about keys outside of it.
    [[nodiscard]] KvOptions forModel(const KvOptions& options) const;
    /// Returns true if compacting the full cache requires the text to be reread. `options` come
    /// from forModel; `mayRead` is that of RequestedMethod.
    [[nodiscard]] bool readsText(const KvCache& cache, const KvOptions& options,
                                 bool mayRead) const;
    /// Builds the request for the method. Adds notes and the times of scores and queries to the
    /// account. Errors: Cancelled, if a pass for queries was cancelled.
    [[nodiscard]] Result<MethodRequest> request(KvCache& cache, const RequestedMethod& request,
                                                CompactionReportBuilder& account);
    /// Plans the request; adds its time and figures to the account. Errors: as evict and match.
    [[nodiscard]] Result<MethodPlan> plan(KvCache& cache, const MethodRequest& request,
                                          CompactionReportBuilder& account) const;
    /// Applies a plan; does not move rows if slots are only removed. Returns Done, Skipped if
    /// nothing changes, or Failed, which leaves the cache unchanged.
    [[nodiscard]] CompactionEnd apply(KvCache& cache, const MethodPlan& plan,
                                      CompactionReportBuilder& account) const;
    /// Plans and applies the request.
    [[nodiscard]] CompactionEnd compactAtOnce(KvCache& cache, const MethodRequest& request,
                                              CompactionReportBuilder& account) const;
    /// Returns true if the next eviction is near enough to prepare its scores.
    [[nodiscard]] static bool isNear(const KvCache& cache, const KvOptions& options,
                                     const CompactionLimits& limits);
    /// Prepares a slice of the scores needed by the next eviction. @pre inSight
    void prepare(PreparedScores& scores, KvCache& cache, const KvOptions& options,
                 const CompactionLimits& limits);

  private:
    [[nodiscard]] std::optional<CompactionReason> budgetsNote(HeadBudgets budgets) const;
    [[nodiscard]] EvictionOptions eviction(const RequestedMethod& request) const;
    [[nodiscard]] std::vector<bool> structureOf(std::span<const TokenId> text) const;
    /// Adds the spans to be kept to the rule, as far as there is room for them.
    void keepSpans(const RequestedMethod& request, SelectionRule& rule,
                   CompactionReportBuilder& account) const;
    [[nodiscard]] KeptSpans marksOf(std::span<const TokenId> text) const;
    [[nodiscard]] MatchingRequest matching(const RequestedMethod& request,
                                           const SelectionRule& rule) const;

    const CompactorModel& model_;
    ThreadPool& pool_;
    const Clock& clock_;
    /// Returns true if scores are predicted while the text is read.
    [[nodiscard]] bool predictsScores(const KvOptions& options) const;
    /// Returns true if scores are predicted because Auto divides slots by them. The text is not
    /// reread for that.
    [[nodiscard]] bool autoPredicts(const KvOptions& options) const;
    /// Returns true if Auto resolves to reconstruction when its scores are available.
    [[nodiscard]] static bool automatic(const KvOptions& options);
    /// Returns the predictor of scores; recreated for another surrogate.
    [[nodiscard]] PredictedScores& predicting();
    /// Returns reconstruction scores of the text, or the reason why there are none. Errors:
    /// Cancelled.
    [[nodiscard]] Result<FoundScores> scoresFor(const QueryRequest& asked,
                                                const RequestedMethod& request);
    /// Returns an observer that forwards to both, or the one that is not null.
    [[nodiscard]] QueryObserver* together(QueryObserver* first, QueryObserver* second);

    ReferenceQueries queries_;
    EvictionChoice choice_;
    std::optional<PredictedScores> predicted_;
    std::unique_ptr<QueryObserver> together_;  ///< forwards to the two below
    QueryObserver* togetherFirst_ = nullptr;
    QueryObserver* togetherSecond_ = nullptr;
};

}  // namespace lacuna
