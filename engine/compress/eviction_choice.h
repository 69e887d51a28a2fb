#pragma once
/// \file
/// By which policy the evictions of one sequence choose: what `auto` stands for, what cannot work
/// here and is replaced, saying so, and the queries of policies that use attention. Owned by the
/// engine thread. docs/eviction.md, "Which keys to keep", "Scores by attention".

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
    /// Both must outlive it.
    EvictionChoice(const CompactorModel& model, ThreadPool& pool);
    ~EvictionChoice();
    EvictionChoice(const EvictionChoice&) = delete;
    EvictionChoice& operator=(const EvictionChoice&) = delete;

    /// Who must see the queries of every forward pass over `cache`, or null; then what was kept for
    /// other options is dropped.
    [[nodiscard]] QueryObserver* observer(const KvCache& cache, const KvOptions& options);
    /// Collects for every policy at once; hands the queries on to `other` as well.
    [[nodiscard]] QueryObserver* observeAll(const KvCache& cache, QueryObserver& other);
    /// Completes `eviction`, whose rule holds the budget, for `cache`: the sequence's own or a copy
    /// of it. Adds to `notes` what was done otherwise than requested.
    void complete(KvCache& cache, const KvOptions& options, EvictionOptions& eviction,
                  CompactionNotes& notes);
    void forgetFrom(Position position);

    /// The policy that an eviction would use now, as far as it can be known without reading a key.
    [[nodiscard]] EvictionPolicy foreseen(const KvOptions& options) const;
    /// The scores of a policy by queries, as they are now, where they can be made before an
    /// eviction is due; else null.
    [[nodiscard]] const QueryScores* foreseenScores(EvictionPolicy policy, const KvCache& cache);
    /// What the options ask for, `auto` resolved.
    [[nodiscard]] EvictionPolicy wanted(const KvOptions& options) const;

  private:
    class Everyone;
    [[nodiscard]] QueryScores& watching(EvictionPolicy policy, const KvCache& cache);
    [[nodiscard]] std::unique_ptr<QueryScores>& kept(EvictionPolicy policy);
    [[nodiscard]] bool foretells(EvictionPolicy policy) const;
    [[nodiscard]] bool calibrated(EvictionPolicy policy) const;
    [[nodiscard]] EvictionPolicy checkNorms(KvCache& cache, EvictionPolicy policy,
                                            CompactionNotes& notes);
    [[nodiscard]] EvictionPolicy useQueries(EvictionPolicy policy, const KvCache& cache,
                                            EvictionOptions& eviction, CompactionNotes& notes);

    const CompactorModel& model_;
    ThreadPool& pool_;
    std::array<std::unique_ptr<QueryScores>, 4> scores_;  ///< of policies that use attention
    std::unique_ptr<Everyone> everyone_;
    std::optional<double> firstNormSpread_;  ///< at the first compaction of this sequence
};

}  // namespace lacuna
