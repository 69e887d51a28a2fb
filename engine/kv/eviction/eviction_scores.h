#pragma once
/// \file
/// What an eviction keeps first: one number per slot, larger is kept longer. All policies have the
/// same shape; those here need no queries (attention_scores.h, expected_attention.h and
/// tri_attention.h have those that do). Pure functions on one head; different heads may be scored
/// from different threads, with the same bits for any thread count.
///
/// Which norm direction is right differs between model families, so both are here alongside their
/// controls: KeepLowNorm (arXiv 2406.11430: low norms draw attention), KeepHighNorm, KeyDiff (arXiv
/// 2504.15364: keys unlike the others), StreamingLLM (a sliding window) and Random.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/kv/kv_cache.h"
#include "engine/kv/kv_options.h"

namespace lacuna {

struct ScoreInput {
    KvHeadView head;
    int keyDim = 0;
    std::span<const float> norms;  ///< [slots], Euclidean lengths of the keys
    std::uint64_t seed = 0;
    std::uint64_t stream = 0;  ///< differs between heads
    /// Keys of this position on are left out of KeyDiff's mean direction (keyDiffAnchorEnd).
    std::int64_t anchorEnd = std::numeric_limits<std::int64_t>::max();
};

using SlotScores = std::vector<float>;  ///< [slots]; not a number where the key is not finite

[[nodiscard]] SlotScores keepLowNormScores(const ScoreInput& input);
[[nodiscard]] SlotScores keepHighNormScores(const ScoreInput& input);
/// Minus the cosine between a key and the mean direction of the head's keys before `anchorEnd`.
[[nodiscard]] SlotScores keyDiffScores(const ScoreInput& input);
[[nodiscard]] SlotScores keepRecentScores(const ScoreInput& input);
/// Depends on seed, stream and position only: a token keeps its luck for as long as it lives.
[[nodiscard]] SlotScores randomScores(const ScoreInput& input);
/// The one of `policy`; empty for those that use queries. Auto is KeyDiff: who knows the model
/// asks for the policy it stands for.
[[nodiscard]] SlotScores evictionScores(EvictionPolicy policy, const ScoreInput& input);

/// Gives slots whose keys are not finite no score, under any policy.
[[nodiscard]] SlotScores markBadKeys(const ScoreInput& input, SlotScores scores);

/// Standard deviation over mean of the finite norms; 0 for fewer than two. Below
/// kNearlyConstantNorms (models with QK-norm) norms say nothing and KeyDiff is used instead
/// (docs/eviction.md, "Which keys to keep").
[[nodiscard]] double normSpread(std::span<const float> norms);
constexpr double kNearlyConstantNorms = 0.05;

/// Tokens of this position on are left out of the mean direction of KeyDiff when a cache of
/// `tokens` tokens is evicted from. They are the newest `keepRecent`, which stay anyway, or half of
/// all where that is less. Scores of the others are then known some tokens before an eviction is
/// due (prepared_scores.h).
[[nodiscard]] std::int64_t keyDiffAnchorEnd(std::int64_t tokens, int keepRecent);

/// The eviction that scores are made for.
struct ScoreRequest {
    int queries = 64;         ///< newest queries that an observation window uses
    std::int64_t tokens = 0;  ///< logical length of the cache when it is evicted from
    /// Positions from here on stay anyway, or are the newer half (keyDiffAnchorEnd).
    std::int64_t anchorEnd = 0;
};

/// Scores of slots by the queries of one sequence, which it watches. Owned by the engine thread.
class QueryScores : public QueryObserver {
  public:
    /// Forgets what tokens at and after this position asked.
    virtual void forgetFrom(Position position) = 0;
    /// Takes the queries in that still wait; to be called before slots of the cache go.
    virtual void settle() = 0;
    /// Queries that a score rests on: the tokens that asked.
    [[nodiscard]] virtual int observed(LayerIndex layer) const = 0;
    [[nodiscard]] virtual bool watches(const KvCache& cache) const = 0;
    /// Of a head of the cache watched or of a copy of it, [slots]; empty where no query was seen.
    /// Different heads may be scored from different threads. @pre settled
    [[nodiscard]] virtual SlotScores scores(const KvHeadView& head, LayerIndex layer,
                                            HeadIndex number,
                                            const ScoreRequest& request) const = 0;
    /// Whether tokens that come between now and the request change no score, so that scores can be
    /// made before an eviction is due. @pre the cache has request.anchorEnd tokens
    [[nodiscard]] virtual bool known(const ScoreRequest& /*request*/) const { return false; }
};

}  // namespace lacuna
