#pragma once
/// \file
/// Finds the evicted tokens that a question needs. The question is read once with the full cache;
/// evicted tokens with high attention from one of its queries are returned with their surrounding
/// sentences, to be restored before the answer (RepairKV; docs/bring-back.md, "Automatic
/// restoration"). Called on the thread that owns the model.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/driver/compactor.h"
#include "engine/generate/look_back_limits.h"
#include "engine/generate/sequence.h"
#include "engine/kv/eviction/reconstruction_scores.h"
#include "engine/model/transformer.h"

namespace lacuna {

struct AutoRestoreDependencies {
    Transformer& model;
    ThreadPool& pool;
    const CompactorModel& facts;  ///< properties of the model
    int chunk = 128;              ///< tokens per forward pass, at most the model's limit
    std::function<bool()> cancelled = {};
};

/// A question that was read or is about to be.
struct LookBackQuestion {
    std::span<const TokenId> text;      ///< everything before the question
    std::span<const TokenId> question;  ///< the question; its last token is not read yet
    const KvCache& cache;               ///< compacted cache of the text
};

/// Returns disjoint runs around tokens that some head of `cache` has evicted and to which `looked`
/// gives high attention, ordered by ascending attention. Pure function.
[[nodiscard]] KeptSpans neededSpans(const ReconstructionScores& looked, const KvCache& cache,
                                    const LookBackLimits& limits);

/// Like neededSpans(), for a question. `full` is an uncompacted cache of a prefix of the text;
/// afterwards it covers all of the text, and the question except its last token. Errors: those of
/// Transformer::forward, Cancelled, those of KvCache::share.
[[nodiscard]] Result<KeptSpans> neededBy(const LookBackQuestion& asked, KvCache& full,
                                         const AutoRestoreDependencies& dependencies,
                                         const LookBackLimits& limits);

}  // namespace lacuna
