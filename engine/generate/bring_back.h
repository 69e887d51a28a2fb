#pragma once
/// \file
/// Restores evicted tokens to the cache of a conversation. Starting with an uncompacted cache of a
/// prefix, the rest of the text is reread and compacted with the current settings, except for the
/// restored tokens, which all later compactions keep unchanged. All or nothing. Called on the
/// thread that owns the model. docs/bring-back.md; RepairKV.

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>

#include "engine/base/result.h"
#include "engine/compress/driver/query_source.h"
#include "engine/generate/sequence.h"
#include "engine/model/transformer.h"

namespace lacuna {

/// Parameters of bringBack().
struct RestoreDependencies {
    Transformer& model;
    const KvOptions& kv;  ///< current settings
    int chunk = 128;      ///< tokens per forward pass, at most the model's limit
    /// Maximum size of the full cache before it is compacted.
    std::int64_t maxBytes = std::numeric_limits<std::int64_t>::max();
    QueryReader reader = {};                         ///< same as CompactionCall::reader
    std::function<bool()> cancelled = {};            ///< polled within forward passes; true cancels
    std::function<void(KvCache&)> onFullCache = {};  ///< called with the full cache before it is
                                                     ///< compacted
};

struct RestoredSpans {
    std::int64_t restored = 0;  ///< tokens of the initial prefix
    std::int64_t reread = 0;    ///< reread tokens after the prefix
    CompactionReport compaction;
};

/// Checks that compactions with these settings can keep `spans` in addition to the spans they keep
/// already. Errors: Range (no tokens, outside of the text, or too many), Unsupported (the sequence
/// was shifted).
[[nodiscard]] Status checkRestore(const Sequence& sequence, const KeptSpans& spans,
                                  const KvOptions& kv);
/// Checks that the full cache of the sequence fits into `maxBytes`. Errors: NoMemory, with both
/// numbers.
[[nodiscard]] Status checkFullCacheFits(const Sequence& sequence, const LoadedModel& model,
                                        const KvOptions& kv, std::int64_t maxBytes);
/// Number of restored and pinned tokens that a compaction of a text of `tokens` tokens may keep
/// (BB-3).
[[nodiscard]] std::int64_t maxKeptTokens(const KvOptions& kv, std::int64_t tokens);
/// The Range error for `tokens` restored and pinned tokens that exceed a maxKeptTokens of `room`.
[[nodiscard]] tl::unexpected<Error> keptTokensExceeded(std::int64_t tokens, std::int64_t room);
/// Number of tokens of a span held by every head without a window: that of the head with the
/// fewest.
[[nodiscard]] std::int64_t tokensHeld(const KvCache& cache, const TokenSpan& span);
/// Number of tokens that compactions of the sequence could keep in addition to those they keep
/// already.
[[nodiscard]] std::int64_t roomForMore(const Sequence& sequence, const KvOptions& kv);
/// Restores `spans` with one compaction. `start` is an uncompacted cache of the first tokens of the
/// sequence. On error the sequence is unchanged. Errors: those of checkRestore, NoMemory
/// (maxBytes), Cancelled, those of Transformer::forward, Unsupported (the compaction failed). @pre
/// the compactor has no background work
[[nodiscard]] Result<RestoredSpans> bringBack(Sequence& sequence, const KeptSpans& spans,
                                              std::unique_ptr<KvCache> start,
                                              const RestoreDependencies& dependencies);

}  // namespace lacuna
