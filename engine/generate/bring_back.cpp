#include "engine/generate/bring_back.h"

#include <algorithm>
#include <span>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/base/units.h"
#include "engine/compress/driver/compaction_trigger.h"
#include "engine/kv/eviction/eviction_plan.h"
#include "engine/kv/kv_factory.h"
#include "engine/model/model_cache.h"
#include "engine/values/compaction_sentences.h"

namespace lacuna {
namespace {

std::int64_t roomOf(const Sequence& sequence, const KvOptions& kv) {
    return maxKeptTokens(kv, static_cast<std::int64_t>(sequence.tokens().size()));
}

/// Feeds the tokens that the cache does not cover yet. @pre the cache covers a prefix of them
Status readRest(KvCache& cache, std::span<const TokenId> tokens,
                const RestoreDependencies& dependencies) {
    const auto end = static_cast<std::int64_t>(tokens.size());
    for (std::int64_t at = cache.offset().value; at < end; at = cache.offset().value) {
        const std::int64_t count =
            std::min<std::int64_t>(std::max(dependencies.chunk, 1), end - at);
        const BatchRun run{
            .tokens = tokens.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(count)),
            .cache = &cache,
            .logits = LogitsFor::None,
            .promptEnd = Position(static_cast<std::int32_t>(end))};
        LACUNA_TRY([[maybe_unused]] const auto none,
                   dependencies.model.forward({&run, 1}, {.cancelled = dependencies.cancelled}));
    }
    return {};
}

/// Compacts the full cache of a sequence, keeping `spans`.
Result<CompactionReport> compactFullCache(Sequence& sequence, KvCache& cache,
                                          const KeptSpans& spans,
                                          const RestoreDependencies& dependencies) {
    CompactionReport report = sequence.compactor().compact(cache, dependencies.kv,
                                                           {.cause = CompactionCause::Restore,
                                                            .mode = CompactionCall::Mode::Trial,
                                                            .reader = dependencies.reader});
    if (report.result == CompactionResult::Aborted)
        return fail(ErrorCode::Cancelled, exclusionText(report.notes));
    if (report.result == CompactionResult::Failed)
        return fail(ErrorCode::Unsupported, exclusionText(report.notes));
    for (const TokenSpan& span : spans)
        if (tokensHeld(cache, span) < span.tokens())
            return keptTokensExceeded(tokensOf(sequence.allKeptSpans()),
                                      roomOf(sequence, dependencies.kv));
    return report;
}

}  // namespace

std::int64_t maxKeptTokens(const KvOptions& kv, std::int64_t tokens) {
    const auto limits = compactionLimits(kv, tokens);
    if (!limits || tokens <= limits->target || tokens < kv.compactionFloor) return tokens;
    return roomForSpans(limits->target, limits->nSink + limits->keepRecent);
}

std::int64_t tokensHeld(const KvCache& cache, const TokenSpan& span) {
    const KvShape& shape = cache.shape();
    std::int64_t fewest = span.tokens();
    for (int i = 0; i < shape.headCount(); ++i) {
        const KvHeadLocation place = shape.placeOf(i);
        const KvHeadView head = cache.head(place.layer, place.head);
        if (head.window > 0) continue;
        const SlotPositions slots{head.positions, head.slots, cache.offset().value, head.bias};
        std::int64_t held = 0;
        for (int slot = 0; slot < slots.slots; ++slot)
            held += !slots.isHole(slot) && span.has(slots.at(slot)) ? 1 : 0;
        fewest = std::min(fewest, held);
    }
    return fewest;
}

tl::unexpected<Error> keptTokensExceeded(std::int64_t tokens, std::int64_t room) {
    return fail(ErrorCode::Range,
                format("{} tokens are restored or pinned, but compactions with these settings can "
                       "keep only {} unchanged; choose fewer or compact less",
                       tokens, room));
}

Status checkRestore(const Sequence& sequence, const KeptSpans& spans, const KvOptions& kv) {
    const auto tokens = static_cast<std::int64_t>(sequence.tokens().size());
    if (spans.empty()) return fail(ErrorCode::Range, "no tokens were named to restore");
    KeptSpans kept = sequence.allKeptSpans();
    for (const TokenSpan& span : spans) {
        if (span.first < 0 || span.tokens() < 1 || span.last > tokens)
            return fail(
                ErrorCode::Range,
                format("tokens {} to {} are not part of this conversation, whose cache covers {}",
                       span.first, span.last, tokens));
        kept = withSpan(kept, span);
    }
    if (sequence.shifted())
        return fail(ErrorCode::Unsupported,
                    "older tokens of this conversation were dropped to make room in the context, "
                    "so its text cannot be read again");
    const std::int64_t room = roomOf(sequence, kv);
    if (tokensOf(kept) <= room) return {};
    return keptTokensExceeded(tokensOf(kept), room);
}

Status checkFullCacheFits(const Sequence& sequence, const LoadedModel& model, const KvOptions& kv,
                          std::int64_t maxBytes) {
    const std::int64_t bytes =
        cacheBytes(cacheModelOf(model), kv, static_cast<std::int64_t>(sequence.tokens().size()));
    if (bytes <= maxBytes) return {};
    return fail(ErrorCode::NoMemory,
                format("the full cache would take {:.1f} MiB for a moment, but only {:.1f} MiB are "
                       "left below cache_limit",
                       static_cast<double>(bytes) / kMiB,
                       static_cast<double>(std::max<std::int64_t>(maxBytes, 0)) / kMiB));
}

std::int64_t roomForMore(const Sequence& sequence, const KvOptions& kv) {
    return std::max<std::int64_t>(0, roomOf(sequence, kv) - tokensOf(sequence.allKeptSpans()));
}

Result<RestoredSpans> bringBack(Sequence& sequence, const KeptSpans& spans,
                                std::unique_ptr<KvCache> start,
                                const RestoreDependencies& dependencies) {
    LACUNA_TRY_STATUS(checkRestore(sequence, spans, dependencies.kv));
    LACUNA_TRY_STATUS(checkFullCacheFits(sequence, dependencies.model.model(), dependencies.kv,
                                         dependencies.maxBytes));
    RestoredSpans out{.restored = start->offset().value, .compaction = {}};
    out.reread = static_cast<std::int64_t>(sequence.tokens().size()) - out.restored;
    LACUNA_TRY_STATUS(readRest(*start, sequence.tokens(), dependencies));
    if (dependencies.onFullCache) dependencies.onFullCache(*start);
    KeptSpans before = sequence.keptSpans();
    KeptSpans kept = before;
    for (const TokenSpan& span : spans) kept = withSpan(kept, span);
    sequence.keepSpans(std::move(kept));
    auto compacted = compactFullCache(sequence, *start, spans, dependencies);
    if (!compacted) {
        sequence.keepSpans(std::move(before));
        return tl::unexpected<Error>(std::move(compacted).error());
    }
    out.compaction = std::move(*compacted);
    sequence.exchangeCache(std::move(start));
    return out;
}

}  // namespace lacuna
