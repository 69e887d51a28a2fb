#pragma once
/// \file
/// Selects the slots that an eviction keeps: protected ones (the first positions and the newest),
/// then the best scores, per head, per layer or for the full cache. The slots are divided evenly or
/// by the scores. Protection follows logical positions, so it is unaffected by earlier compactions.
/// Pure apart from the norms that a cache stores. Scoring splits over (layer, head); results do not
/// depend on the thread count. docs/eviction.md, "Which slots compete", "Joint selection", "Slots
/// per head"; R0.3, R0.4.

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

/// Resolves ties between scores. The default drops the older token; the other rule is that of the
/// cache contract.
enum class TieRule { NewerFirst, LowerSlotFirst };

struct SelectionRule {
    int budget = 0;       ///< number of slots that stay, including protected ones
    int keepRecent = 32;  ///< number of newest positions that always stay
    int nSink = 4;        ///< number of first positions that always stay
    /// Newest positions that also stay, so that a conversation can be rolled back into them. Scores
    /// do not depend on it.
    int open = 0;
    [[nodiscard]] int newest() const { return keepRecent > open ? keepRecent : open; }
    TieRule tie = TieRule::NewerFirst;
    /// Positions that stay whatever their scores; may be null.
    std::shared_ptr<const KeptSpans> kept = nullptr;
};

struct SlotPositions {
    const std::int32_t* positions = nullptr;  ///< [slots], or null: slot j holds position j
    int slots = 0;
    std::int64_t tokens = 0;      ///< logical length
    const float* bias = nullptr;  ///< [slots] or null; -infinity marks a hole
    [[nodiscard]] bool isHole(int slot) const {
        return bias != nullptr && bias[slot] == -std::numeric_limits<float>::infinity();
    }
    [[nodiscard]] std::int64_t at(int slot) const {
        return positions == nullptr ? slot : positions[slot];
    }
};

/// Returns true if a slot stays whatever its score.
[[nodiscard]] bool isProtected(const SelectionRule& rule, std::int64_t position,
                               std::int64_t tokens);

/// Selects the slots to keep. NaN scores lose against all others. Errors: InvalidArgument (not one
/// score per slot, or no more slots than the budget), Range (the budget leaves no room besides the
/// protected slots), naming slots, budget and protection.
[[nodiscard]] Result<SlotMarks> selectSlots(std::span<const float> scores,
                                            const SlotPositions& slots, const SelectionRule& rule);

class PreparedScores;         // prepared_scores.h
struct ReconstructionScores;  // reconstruction_scores.h

struct EvictionOptions {
    SelectionRule rule;
    EvictionPolicy policy = EvictionPolicy::KeyDiff;
    LayerCoherence coherence = LayerCoherence::PerHead;
    /// Must not be Auto. @pre PerHead unless it is Equal; attention scores if it is WholeModel
    EvictionBudgets budgets = EvictionBudgets::Equal;
    std::vector<int> skipLayers;  ///< layers left uncompressed
    std::uint64_t seed = 0;
    PreparedScores* prepared = nullptr;  ///< used if they fit, or null
    /// Scores for policies that need queries; settled, for this cache or its original.
    const QueryScores* attention = nullptr;
    /// Scores for Reconstruct.
    std::shared_ptr<const ReconstructionScores> reconstruction = nullptr;
    /// Positions whose scores are lowered if the policy uses attention; may be null.
    std::shared_ptr<const std::vector<bool>> structural = nullptr;
    int queries = 64;           ///< number of newest queries used by SnapKV
    std::int64_t verbatim = 0;  ///< as CompactionPlan::verbatim; at most the number of protected
                                ///< newest tokens
};

/// Returns true if a layer is not compacted: one of `named`, one with its own window, or one
/// without rows.
[[nodiscard]] bool isKeptFull(const KvCache& cache, std::span<const int> named, int layer);

/// Scores of one head, by KvShape::headIndex, for a possibly later eviction from a cache of
/// `tokens` tokens; empty for skipped layers. @pre options.attention is set if the policy uses
/// queries of the conversation
[[nodiscard]] SlotScores scoreHead(KvCache& cache, const EvictionOptions& options,
                                   std::int64_t tokens, std::size_t head);
/// Returns the request for query scores of the same eviction.
[[nodiscard]] ScoreRequest scoreRequest(const EvictionOptions& options, std::int64_t tokens);
/// Scores of all heads for the same eviction.
[[nodiscard]] std::vector<SlotScores> scoreCache(KvCache& cache, const EvictionOptions& options,
                                                 ThreadPool& pool);

struct EvictionPlan {
    CompactionPlan plan;
    std::int64_t badSlots = 0;  ///< keys that are not finite, which are evicted first
    int ownChoice = 0;  ///< heads that should have chosen jointly but hold different positions
};

/// Plans an eviction with existing scores. Heads at or below the budget are not changed, and
/// neither are heads that share a budget while their total is within it. Errors: those of
/// selectSlots with layer and head, of selectShared with the layer; KvNonFinite if a protected key
/// or more than one key in a thousand is not finite; InvalidArgument if a policy needs queries and
/// none were seen.
[[nodiscard]] Result<EvictionPlan> planEviction(const KvCache& cache,
                                                std::span<const SlotScores> scores,
                                                const EvictionOptions& options);
/// Scores and selects in one pass, head by head on all threads, for a compaction between two
/// tokens. Same selection and errors as the two steps.
[[nodiscard]] Result<EvictionPlan> planEviction(KvCache& cache, const EvictionOptions& options,
                                                ThreadPool& pool);

/// Bytes of rows moved between two tokens to release the memory of evicted slots. Half of an 8 B
/// model's cache of 8,192 tokens takes eight slices, so that with 10 ms per token it is released
/// within 200 ms.
constexpr std::int64_t kDefragmentSliceBytes = std::int64_t{40} << 20;

}  // namespace lacuna
