#pragma once
/// \file
/// What a question looks for among the tokens that compactions forgot: it is read once over the
/// whole text, and forgotten tokens that one of its queries gives much attention to are named, with
/// what stands around them, to be brought back before it is answered (RepairKV; docs/bring-back.md,
/// "What a question looks for"). Called on the thread that owns the model.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/compactor.h"
#include "engine/generate/sequence.h"
#include "engine/kv/eviction/reconstruction_scores.h"
#include "engine/model/transformer.h"

namespace lacuna {

struct LookBackLimits {
    float least = 0.1F;     ///< attention that is worth bringing its tokens back, 0..1
    int before = 6;         ///< tokens that come along in front of one that is looked at
    int after = 18;         ///< and behind it; fewer of both where the room is short
    std::size_t spans = 4;  ///< most runs of tokens
    std::int64_t room = 0;  ///< most tokens in all
};

struct LookBackMeans {
    Transformer& model;
    ThreadPool& pool;
    const CompactorModel& facts;  ///< of the model
    int chunk = 128;              ///< tokens per forward pass, at most those the model allows
    std::function<bool()> cancelled = {};
};

/// Runs of tokens around those that some head of `cache` has forgotten and `looked` gives much
/// attention to, what is looked at most last, none touching another. Pure function.
[[nodiscard]] KeptSpans soughtSpans(const ReconstructionScores& looked, const KvCache& cache,
                                    const LookBackLimits& limits);

/// The same for a question after the text of `sequence`. `whole` was never compacted and covers a
/// start of that text; afterwards it covers all of it and the question. Errors: those of
/// Transformer::forward, Cancelled.
[[nodiscard]] Result<KeptSpans> soughtBy(std::span<const TokenId> question,
                                         const Sequence& sequence, KvCache& whole,
                                         const LookBackMeans& means, const LookBackLimits& limits);

}  // namespace lacuna
