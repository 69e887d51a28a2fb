#pragma once
/// \file
/// Tokens that compactions forgot, brought back into the cache of a conversation: from a start of
/// its text that was kept whole the rest is read again, and the whole is compacted as the settings
/// say, but for those tokens, which stay as the model computed them from then on. Happens in full
/// or not at all. Called on the thread that owns the model. docs/bring-back.md; RepairKV.

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>

#include "engine/base/result.h"
#include "engine/compress/query_source.h"
#include "engine/generate/sequence.h"
#include "engine/model/transformer.h"

namespace lacuna {

/// What tokens are brought back with.
struct BringBackMeans {
    Transformer& model;
    const KvOptions& kv;  ///< the settings in force
    int chunk = 128;      ///< tokens per forward pass, at most those the model allows
    /// Most bytes that the cache of all tokens may take before it is compacted.
    std::int64_t mostBytes = std::numeric_limits<std::int64_t>::max();
    QueryReader reader = {};                   ///< as CompactionCall::reader
    std::function<bool()> cancelled = {};      ///< asked within forward passes; true ends it
    std::function<void(KvCache&)> whole = {};  ///< shown the cache of all tokens
};

struct BroughtBack {
    std::int64_t restored = 0;  ///< tokens of the start
    std::int64_t reread = 0;    ///< tokens after it, read again
    CompactionReport compaction;
};

/// Whether `spans` are of tokens of the sequence that compactions can keep with those they keep
/// already, as the settings are. Errors: Range (none, outside of the text, or too many tokens),
/// Unsupported (the sequence was shifted).
[[nodiscard]] Status checkBringBack(const Sequence& sequence, const KeptSpans& spans,
                                    const KvOptions& kv);
/// Whether the cache of all tokens of the sequence fits into `mostBytes` before it is compacted.
/// Errors: NoMemory, with both numbers.
[[nodiscard]] Status checkWholeFits(const Sequence& sequence, const LoadedModel& model,
                                    const KvOptions& kv, std::int64_t mostBytes);
/// Tokens that a compaction of a text of `tokens` tokens may keep for having been brought back or
/// pinned (BB-3).
[[nodiscard]] std::int64_t stayingRoom(const KvOptions& kv, std::int64_t tokens);
/// Of a span, the tokens that every head without a window holds: those of the head with the fewest.
[[nodiscard]] std::int64_t tokensHeld(const KvCache& cache, const TokenSpan& span);
/// Tokens that compactions of the sequence could keep besides those they keep already.
[[nodiscard]] std::int64_t roomForMore(const Sequence& sequence, const KvOptions& kv);
/// Brings `spans` back with one compaction, from `start`, a cache that was never compacted of the
/// first tokens of the sequence. On error the sequence is as before. Errors: those of
/// checkBringBack, NoMemory (mostBytes), Cancelled, those of Transformer::forward, Unsupported (the
/// compaction failed). @pre nothing runs in the background of the compactor
[[nodiscard]] Result<BroughtBack> bringBack(Sequence& sequence, const KeptSpans& spans,
                                            std::unique_ptr<KvCache> start,
                                            const BringBackMeans& means);

}  // namespace lacuna
