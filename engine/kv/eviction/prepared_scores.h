#pragma once
/// \file
/// Scores computed before an eviction is due, a few heads between every two tokens, so that the
/// eviction itself only selects and marks. Scores of KeyDiff and TriAttention are final once all
/// tokens before keyDiffAnchorEnd are present. A prepared eviction therefore keeps exactly the same
/// slots as one that scores everything at once. Owned by the component that evicts from the cache,
/// on the engine thread.

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/thread_pool.h"
#include "engine/kv/eviction/eviction_plan.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

class PreparedScores {
  public:
    /// Scores enough heads to finish one step before an eviction that is due after `steps` more
    /// steps of one token. Does nothing while tokens of the mean direction are missing, for
    /// policies that read no key, and if later queries count.
    void advance(KvCache& cache, const EvictionOptions& options, std::int64_t steps,
                 ThreadPool& pool);
    /// Returns true if the scores are those of an eviction with these options now.
    [[nodiscard]] bool fit(const KvCache& cache, const EvictionOptions& options) const;
    /// Scores of one head that currently has `slots` slots; empty if it was not scored. Slots
    /// written since then hold protected tokens, whose scores are meaningless. Different heads may
    /// be requested from different threads.
    [[nodiscard]] std::span<const float> of(std::size_t head, std::size_t slots);
    /// Must be called when rows have moved, or tokens before the end of the mean direction have
    /// changed.
    void clear();
    /// Must be called when the cache was rolled back to `tokens` tokens.
    void dropFrom(std::int64_t tokens);

  private:
    const KvCache* cache_ = nullptr;
    EvictionPolicy policy_ = EvictionPolicy::KeyDiff;
    const QueryScores* attention_ = nullptr;
    std::int64_t compactions_ = 0;
    std::int64_t tokensWhenDue_ = 0;
    std::int64_t anchorEnd_ = 0;
    std::vector<SlotScores> scores_;  ///< by KvShape::headIndex; empty if not scored yet
    std::size_t next_ = 0;            ///< next head to score
};

}  // namespace lacuna
