#pragma once
/// \file
/// Chooses the eviction policy of one sequence: resolves `auto`, replaces policies that cannot work
/// here with a note, and collects the queries of policies that use attention. Owned by the engine
/// thread. docs/eviction.md, "Which keys to keep", "Scores by attention".

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "engine/base/thread_pool.h"
#include "engine/kv/eviction/eviction_plan.h"

namespace lacuna {

struct CompactorModel;

class EvictionChoice {
  public:
    /// `model` and `pool` must outlive the object.
    EvictionChoice(const CompactorModel& model, ThreadPool& pool);
    /// Copies what `other` observed, for `cache`, which is a copy of the observed cache and must
    /// outlive this object.
    EvictionChoice(const EvictionChoice& other, const KvCache& cache);
    ~EvictionChoice();
    EvictionChoice(const EvictionChoice&) = delete;
    EvictionChoice& operator=(const EvictionChoice&) = delete;

    /// Returns the observer for the queries of every forward pass over `cache`, or null. Drops data
    /// kept for other options.
    [[nodiscard]] QueryObserver* observer(const KvCache& cache, const KvOptions& options);
    /// Returns an observer that collects data for every policy and forwards the queries to `other`.
    [[nodiscard]] QueryObserver* observeAll(const KvCache& cache, QueryObserver& other);
    /// Completes `eviction`, whose rule already holds the budget, for `cache`, which is the
    /// sequence's own or a copy of it. Records deviations from the request in `notes`.
    void complete(KvCache& cache, const KvOptions& options, EvictionOptions& eviction,
                  CompactionNotes& notes);
    void dropFrom(Position position);
    /// Keeps the decision that a copy made for the sequence.
    void keepDecision(const EvictionChoice& copy);

    /// Policy that an eviction would use now, as far as it can be known without reading a key.
    [[nodiscard]] EvictionPolicy predictedPolicy(const KvOptions& options) const;
    /// Current query scores of a policy if they can be computed before an eviction is due;
    /// otherwise null.
    [[nodiscard]] const QueryScores* predictedScores(EvictionPolicy policy, const KvCache& cache);
    /// Policy requested by the options, with `auto` resolved.
    [[nodiscard]] EvictionPolicy requestedPolicy(const KvOptions& options) const;

  private:
    class Everyone;
    [[nodiscard]] QueryScores& watching(EvictionPolicy policy, const KvCache& cache);
    [[nodiscard]] std::unique_ptr<QueryScores>& kept(EvictionPolicy policy);
    [[nodiscard]] bool predictsScores(EvictionPolicy policy) const;
    [[nodiscard]] bool calibrated(EvictionPolicy policy) const;
    [[nodiscard]] EvictionPolicy checkNorms(KvCache& cache, EvictionPolicy policy,
                                            CompactionNotes& notes);
    [[nodiscard]] EvictionPolicy useQueries(EvictionPolicy policy, const KvCache& cache,
                                            EvictionOptions& eviction, CompactionNotes& notes);

    const CompactorModel& model_;
    ThreadPool& pool_;
    std::array<std::unique_ptr<QueryScores>, 4> scores_;  ///< scores of the policies that use
                                                          ///< attention
    std::unique_ptr<Everyone> everyone_;
    std::optional<double> firstNormSpread_;  ///< value at the first compaction of this sequence
};

}  // namespace lacuna
