#pragma once
/// \file
/// Which slots an eviction keeps: protected ones (the first positions and the newest), then the
/// best scores, per head, per layer or for the whole cache; the slots are shared out evenly or by
/// the scores themselves. Protection follows logical position, so
/// that it means the same on a cache that was compacted before. Pure apart from the norms a cache
/// keeps. Scoring splits over (layer, head); results do not depend on the thread count.
/// docs/eviction.md, "Which slots compete", "Heads that choose together", "Slots by head"; R0.3,
/// R0.4.

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/kv/eviction/eviction_scores.h"
#include "engine/kv/eviction/kept_spans.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/kv_options.h"

namespace lacuna {

/// Among equal scores. The default forgets the older token; the other one is the cache contract's.
enum class TieRule { NewerFirst, LowerSlotFirst };

struct SelectionRule {
    int budget = 0;       ///< slots that stay, protected ones included
    int keepRecent = 32;  ///< newest positions that always stay
    int nSink = 4;        ///< first positions that always stay
    /// Newest positions that stay as well, so that a conversation can go back into them. Scores do
    /// not depend on it.
    int open = 0;
    [[nodiscard]] int newest() const { return keepRecent > open ? keepRecent : open; }
    TieRule tie = TieRule::NewerFirst;
    /// Positions that stay whatever their scores; null: none.
    std::shared_ptr<const KeptSpans> kept = nullptr;
};

struct SlotPositions {
    const std::int32_t* positions = nullptr;  ///< [slots], or null: slot j holds position j
    int slots = 0;
    std::int64_t tokens = 0;      ///< logical length
    const float* bias = nullptr;  ///< [slots] or null; minus infinity marks a hole
    [[nodiscard]] bool isHole(int slot) const {
        return bias != nullptr && bias[slot] == -std::numeric_limits<float>::infinity();
    }
    [[nodiscard]] std::int64_t at(int slot) const {
        return positions == nullptr ? slot : positions[slot];
    }
};

/// Whether a slot stays whatever its score.
[[nodiscard]] bool isProtected(const SelectionRule& rule, std::int64_t position,
                               std::int64_t tokens);

/// Slots to keep. Scores that are no number lose against all others.
/// Errors: InvalidArgument (scores not one per slot, or no more slots than the budget), Range (the
/// budget leaves no room alongside the protected slots), naming slots, budget and protection.
[[nodiscard]] Result<SlotMarks> selectSlots(std::span<const float> scores,
                                            const SlotPositions& slots, const SelectionRule& rule);

class PreparedScores;         // prepared_scores.h
struct ReconstructionScores;  // reconstruction_scores.h

struct EvictionOptions {
    SelectionRule rule;
    EvictionPolicy policy = EvictionPolicy::KeyDiff;
    LayerCoherence coherence = LayerCoherence::PerHead;
    /// Not Auto. @pre PerHead where it is not Equal; scores of attention where it is WholeModel
    EvictionBudgets budgets = EvictionBudgets::Equal;
    std::vector<int> skipLayers;  ///< left whole
    std::uint64_t seed = 0;
    PreparedScores* prepared = nullptr;  ///< used where they fit, or null
    /// What policies that need queries use; settled, of this cache or its original.
    const QueryScores* attention = nullptr;
    /// What Reconstruct uses.
    std::shared_ptr<const ReconstructionScores> reconstruction = nullptr;
    /// Positions whose scores count less, where the policy uses attention; null: none.
    std::shared_ptr<const std::vector<bool>> structural = nullptr;
    int queries = 64;           ///< newest ones that SnapKV uses
    std::int64_t verbatim = 0;  ///< as CompactionPlan::verbatim; at most the protected newest ones
};

/// Whether a layer is left whole: one of `named`, or one that keeps a window of its own.
[[nodiscard]] bool staysWhole(const KvCache& cache, std::span<const int> named, int layer);

/// Scores of one head, index layer * kvHeads + head, for an eviction of a cache of `tokens` tokens,
/// which may still come; empty for skipped layers. @pre options.attention where the policy judges
/// by queries of the conversation
[[nodiscard]] SlotScores scoreHead(KvCache& cache, const EvictionOptions& options,
                                   std::int64_t tokens, std::size_t head);
/// What scores by queries are asked for, likewise.
[[nodiscard]] ScoreRequest scoreRequest(const EvictionOptions& options, std::int64_t tokens);
/// Scores of every head, likewise.
[[nodiscard]] std::vector<SlotScores> scoreCache(KvCache& cache, const EvictionOptions& options,
                                                 ThreadPool& pool);

struct EvictionPlan {
    CompactionPlan plan;
    std::int64_t badSlots = 0;  ///< keys that are not finite numbers; evicted first
    int ownChoice = 0;  ///< heads that should have chosen together but hold different positions
};

/// From scores that were made before. Heads at or below the budget are left alone, and so are heads
/// that share one while they hold no more than it together. Errors: those of
/// selectSlots with layer and head, of selectShared with the layer; KvNonFinite when a protected
/// key or more than one in a thousand is not finite; InvalidArgument where a policy needs queries
/// and none were seen.
[[nodiscard]] Result<EvictionPlan> planEviction(const KvCache& cache,
                                                std::span<const SlotScores> scores,
                                                const EvictionOptions& options);
/// Scores and chooses in one go, head by head on all threads: what a compaction between two tokens
/// calls. Same choice and errors as the two steps.
[[nodiscard]] Result<EvictionPlan> planEviction(KvCache& cache, const EvictionOptions& options,
                                                ThreadPool& pool);

/// Rows moved between two tokens, in bytes, to give the memory of evicted slots back. Half of an 8
/// B model's cache of 8,192 tokens takes eight slices, so that tokens of 10 ms leave it within 200
/// ms.
constexpr std::int64_t kTidySliceBytes = std::int64_t{40} << 20;

}  // namespace lacuna
