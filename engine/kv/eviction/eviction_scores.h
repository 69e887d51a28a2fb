#pragma once
/// \file
/// Scores that decide which slots an eviction keeps: one number per slot, larger ones are kept
/// longer. All policies share one signature. The policies here need no queries; those that do are
/// in attention_scores.h, expected_attention.h and tri_attention.h. Pure functions on one head;
/// different heads may be scored from different threads, with bitwise identical results for any
/// thread count.
///
/// The right norm direction differs between model families, so both are provided besides their
/// controls: KeepLowNorm (arXiv:2406.11430: low norms attract attention), KeepHighNorm, KeyDiff
/// (arXiv:2504.15364: keys unlike the others), StreamingLLM (a sliding window) and Random.

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "engine/kv/kv_cache.h"
#include "engine/kv/kv_options.h"

namespace lacuna {

struct ScoreInput {
    KvHeadView head;
    int keyDim = 0;
    std::span<const float> norms;  ///< [slots], Euclidean norms of the keys
    std::uint64_t seed = 0;
    std::uint64_t stream = 0;  ///< random stream, different for each head
    /// Keys from this position on are excluded from KeyDiff's mean direction (keyDiffAnchorEnd).
    std::int64_t anchorEnd = std::numeric_limits<std::int64_t>::max();
};

using SlotScores = std::vector<float>;  ///< [slots]; NaN if the key is not finite

[[nodiscard]] SlotScores keepLowNormScores(const ScoreInput& input);
[[nodiscard]] SlotScores keepHighNormScores(const ScoreInput& input);
/// Negated cosine between a key and the mean direction of the head's keys before `anchorEnd`.
[[nodiscard]] SlotScores keyDiffScores(const ScoreInput& input);
[[nodiscard]] SlotScores keepRecentScores(const ScoreInput& input);
/// Depends on seed, stream and position only, so the score of a token never changes.
[[nodiscard]] SlotScores randomScores(const ScoreInput& input);
/// Scores of `policy`; empty for policies that use queries. Auto means KeyDiff here: callers that
/// know the model pass the resolved policy.
[[nodiscard]] SlotScores evictionScores(EvictionPolicy policy, const ScoreInput& input);

/// Sets the scores of slots whose keys are not finite to NaN, under any policy.
[[nodiscard]] SlotScores markBadKeys(const ScoreInput& input, SlotScores scores);

/// Standard deviation divided by mean of the finite norms; 0 for fewer than two. Below
/// kNearlyConstantNorms (models with QK-norm) norms are uninformative and KeyDiff is used instead
/// (docs/eviction.md, "Which keys to keep").
[[nodiscard]] double normSpread(std::span<const float> norms);
constexpr double kNearlyConstantNorms = 0.05;

/// Tokens from this position on are excluded from KeyDiff's mean direction when a cache of `tokens`
/// tokens is evicted from. They are the newest `keepRecent`, which stay anyway, or half of all
/// tokens if that is less. The scores of the others are thus known some tokens before an eviction
/// is due (prepared_scores.h).
[[nodiscard]] std::int64_t keyDiffAnchorEnd(std::int64_t tokens, int keepRecent);

/// The eviction for which scores are computed.
struct ScoreRequest {
    int queries = 64;         ///< number of newest queries used by an observation window
    std::int64_t tokens = 0;  ///< logical length of the cache at the eviction
    /// Positions from here on stay anyway, or are the newer half (keyDiffAnchorEnd).
    std::int64_t anchorEnd = 0;
};

/// Scores slots by the observed queries of one sequence. Owned by the engine thread.
class QueryScores : public QueryObserver {
  public:
    /// Drops the queries of tokens at and after this position.
    virtual void dropFrom(Position position) = 0;
    /// Processes pending queries; must be called before slots of the cache are removed.
    virtual void settle() = 0;
    /// Number of tokens whose queries a score is based on.
    [[nodiscard]] virtual int observed(LayerIndex layer) const = 0;
    [[nodiscard]] virtual bool watches(const KvCache& cache) const = 0;
    /// Returns a copy for `cache`, which is a copy of the observed cache and must outlive it.
    [[nodiscard]] virtual std::unique_ptr<QueryScores> copyFor(const KvCache& cache) const = 0;
    /// Scores [slots] of a head of the observed cache or of a copy of it; empty if no query was
    /// seen. Different heads may be scored from different threads. @pre settled
    [[nodiscard]] virtual SlotScores scores(const KvHeadView& head, LayerIndex layer,
                                            HeadIndex number,
                                            const ScoreRequest& request) const = 0;
    /// Returns true if tokens appended before the request cannot change a score, so that scores can
    /// be computed before an eviction is due. @pre the cache has request.anchorEnd tokens
    [[nodiscard]] virtual bool known(const ScoreRequest& /*request*/) const { return false; }
};

}  // namespace lacuna
