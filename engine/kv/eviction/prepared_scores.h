#pragma once
/// \file
/// Scores of an eviction that comes, made before it is due, a few heads between each two tokens:
/// the pause of the eviction itself is then choosing and marking. Scores of KeyDiff and
/// TriAttention do not change any more once all tokens before keyDiffAnchorEnd are there, so that a
/// prepared eviction keeps the same slots, bit for bit, as one that scores everything at once.
/// Owned by whoever evicts from one cache, on the engine thread.

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/thread_pool.h"
#include "engine/kv/eviction/eviction_plan.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

class PreparedScores {
  public:
    /// Scores so many heads that all are done one step before an eviction that is due after `steps`
    /// more steps of one token. Nothing while tokens of the mean direction are missing, for
    /// policies that read no key, and where queries that are still to come count.
    void advance(KvCache& cache, const EvictionOptions& options, std::int64_t steps,
                 ThreadPool& pool);
    /// Whether the scores are those of an eviction with these options now.
    [[nodiscard]] bool fit(const KvCache& cache, const EvictionOptions& options) const;
    /// Scores of one head that has `slots` slots now; empty where it was not scored. Slots that
    /// were written since hold protected tokens, whose scores say nothing. Different heads may be
    /// asked from different threads.
    [[nodiscard]] std::span<const float> of(std::size_t head, std::size_t slots);
    /// Rows have moved, or tokens before the end of the mean direction have changed.
    void clear();
    /// The cache went back to `tokens` tokens.
    void forgetFrom(std::int64_t tokens);

  private:
    const KvCache* cache_ = nullptr;
    EvictionPolicy policy_ = EvictionPolicy::KeyDiff;
    const QueryScores* attention_ = nullptr;
    std::int64_t compactions_ = 0;
    std::int64_t tokensWhenDue_ = 0;
    std::int64_t anchorEnd_ = 0;
    std::vector<SlotScores> scores_;  ///< [layers * kvHeads]; empty where not scored yet
    std::size_t next_ = 0;            ///< head that is scored next
};

}  // namespace lacuna
