#pragma once
/// \file
/// What a question looks for among the tokens that compactions forgot: it is read once over the
/// whole text, and forgotten tokens that one of its queries gives much attention to are named, with
/// the sentences they stand in, to be brought back before it is answered (RepairKV;
/// docs/bring-back.md, "What a question looks for"). Called on the thread that owns the model.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/compactor.h"
#include "engine/generate/look_back_limits.h"
#include "engine/generate/sequence.h"
#include "engine/kv/eviction/reconstruction_scores.h"
#include "engine/model/transformer.h"

namespace lacuna {

struct LookBackMeans {
    Transformer& model;
    ThreadPool& pool;
    const CompactorModel& facts;  ///< of the model
    int chunk = 128;              ///< tokens per forward pass, at most those the model allows
    std::function<bool()> cancelled = {};
};

/// A question that is read, or is about to be.
struct LookedFor {
    std::span<const TokenId> text;      ///< all that stands before it
    std::span<const TokenId> question;  ///< whose queries look; its last token is not yet read
    const KvCache& cache;               ///< what compactions left of the text
};

/// Runs of tokens around those that some head of `cache` has forgotten and `looked` gives much
/// attention to, what is looked at most last, none touching another. Pure function.
[[nodiscard]] KeptSpans soughtSpans(const ReconstructionScores& looked, const KvCache& cache,
                                    const LookBackLimits& limits);

/// The same for a question. `whole` was never compacted and covers a start of the text; afterwards
/// it covers all of it, and the question but for its last token. Errors: those of
/// Transformer::forward, Cancelled, those of KvCache::share.
[[nodiscard]] Result<KeptSpans> soughtBy(const LookedFor& asked, KvCache& whole,
                                         const LookBackMeans& means, const LookBackLimits& limits);

}  // namespace lacuna
