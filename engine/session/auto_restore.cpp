#include "engine/session/auto_restore.h"

#include <algorithm>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/generate/compaction_inputs.h"

namespace lacuna {

std::optional<std::int64_t> AutoRestore::promptRead(ConversationId id, BringBackMode mode,
                                                    std::span<const TokenId> prompt,
                                                    Sequence& sequence) {
    if (dependencies_.restoresAreRecorded || mode == BringBackMode::Off ||
        dependencies_.settings.of(id).kv.method == CompactionMethod::None)
        return 0;
    const auto read = static_cast<std::int64_t>(sequence.tokens().size());
    const auto rest = static_cast<std::int64_t>(prompt.size()) - read;
    const bool named = mode == BringBackMode::Ask;
    if (!sequence.shifted() && rest != 1 && !(named && rest == 0)) return 0;
    // An eviction due with the first token must happen first, so that the tokens it evicts are
    // proposed as well.
    if (named && rest == 1 && dueTokens(id, sequence).tokens() > 0) return std::nullopt;
    const auto all = static_cast<std::int64_t>(prompt.size());
    const LookBackBounds& bounds = dependencies_.bounds;
    const std::int64_t asking =
        std::clamp(all - sequence.beforeTurn(), bounds.minAsking, bounds.maxAsking);
    const auto text = static_cast<std::size_t>(std::max<std::int64_t>(all - asking, 0));
    const Look look{.conversation = id,
                    .mode = mode,
                    .sequence = sequence,
                    .asked = {.text = prompt.first(text),
                              .question = prompt.subspan(text),
                              .cache = sequence.cache()},
                    .due = named ? TokenSpan{} : dueTokens(id, sequence),
                    .hasEvicted = sequence.cache().stats().compactions > 0};
    if (!look.hasEvicted && look.due.tokens() <= 0) return 0;
    EngineIo& io = dependencies_.io;
    const std::int64_t begin = io.clock().nowNs();
    SpanRestored event{.at = io.at(), .conversation = id, .forQuestion = true};
    if (const Status done = act(look, event); !done) event.error = done.error();
    if (event.error && event.error->code == ErrorCode::Cancelled) return std::nullopt;
    event.ended = true;
    event.seconds = secondsSince(io.clock(), begin);
    const bool came = !event.error && !event.offered;
    const std::int64_t count = came ? event.count : 0;
    io.post(std::move(event));
    return count;
}

Status AutoRestore::act(const Look& look, SpanRestored& event) {
    const ConversationId id = look.conversation;
    Sequence& sequence = look.sequence;
    const KvOptions& kv = dependencies_.settings.of(id).kv;
    RunningModel& model = *dependencies_.models.model();
    if (sequence.shifted())
        return fail(ErrorCode::Unsupported,
                    "older tokens of this conversation were dropped to make room in the context");
    LACUNA_TRY_STATUS(dependencies_.restoring.ready(id, sequence));
    if (sequence.compactor().readsText(sequence.cache(), kv))
        return fail(ErrorCode::Unsupported,
                    "compactions with these settings read the full text again, which takes too "
                    "long between a question and its answer");
    LACUNA_TRY(auto whole, fullStart(look));
    event.restoredTokens = whole->offset().value;
    event.rereadTokens = static_cast<std::int64_t>(sequence.tokens().size()) - event.restoredTokens;
    LACUNA_TRY_STATUS(checkCost(event.rereadTokens + 1));
    const QueryPass pass = dependencies_.compactions.passFor(id, sequence, model);
    LACUNA_TRY_STATUS(checkFullCacheFits(sequence, model.loaded(), kv, pass.maxBytes));
    const CompactorModel facts = compactorModel(model.loaded(), 0, {});
    LookBackLimits limits = dependencies_.bounds.needed;
    limits.room = roomForMore(sequence, kv);
    limits.due = look.due;
    LACUNA_TRY(const KeptSpans spans,
               neededBy(look.asked, *whole,
                        {.model = model.transformer(),
                         .pool = model.pool(),
                         .facts = facts,
                         .chunk = pass.chunk,
                         .cancelled = [this] { return dependencies_.io.cancelRequested(); }},
                        limits));
    event.spans = spans;
    event.count = tokensOf(spans);
    if (!spans.empty()) event.first = std::ranges::min(spans, {}, &TokenSpan::first).first;
    event.offered = !spans.empty() && look.mode == BringBackMode::Ask;
    if (!spans.empty() && !event.offered)
        return dependencies_.restoring.restore(sequence, spans, std::move(whole), event);
    // Stores the reread rows for the next turn.
    dependencies_.prefixes.keepFullCache(
        id, sequence.tokens().first(static_cast<std::size_t>(whole->offset().value)), *whole);
    event.keptTokens = tokensOf(sequence.allKeptSpans());
    return {};
}

/// Returns a cache of the text before the user message.
Result<std::unique_ptr<KvCache>> AutoRestore::fullStart(const Look& look) {
    const auto before = static_cast<std::int64_t>(look.asked.text.size());
    if (!look.hasEvicted) {
        LACUNA_TRY(auto own, look.sequence.cache().share());
        LACUNA_TRY_STATUS(own->rollback(static_cast<int>(own->offset().value - before)));
        return own;
    }
    PrefixAnswer found =
        dependencies_.prefixes.fullStart(look.conversation, look.sequence, before,
                                         [this] { return dependencies_.io.cancelRequested(); });
    if (found.cache == nullptr) return fail(ErrorCode::Unsupported, std::move(found.note));
    return std::move(found.cache);
}

Status AutoRestore::checkCost(std::int64_t tokens) const {
    const double seconds = static_cast<double>(tokens) * dependencies_.prefixes.secondsPerToken();
    const LookBackBounds& bounds = dependencies_.bounds;
    if (tokens <= bounds.read && seconds <= bounds.seconds) return {};
    return fail(ErrorCode::Unsupported,
                format("it would read {} tokens again, in about {:.1f} s; the limit between a "
                       "question and its answer is {} tokens and {:.0f} s",
                       tokens, seconds, bounds.read, bounds.seconds));
}

/// Returns the tokens that a due eviction may remove. It happens with the first token of the answer
/// and does not consider the user message.
TokenSpan AutoRestore::dueTokens(ConversationId id, Sequence& sequence) const {
    const KvOptions& kv = dependencies_.settings.of(id).kv;
    if (kv.method != CompactionMethod::Eviction ||
        !sequence.compactor().state(sequence.cache(), kv).due)
        return {};
    return {kv.nSink, static_cast<std::int64_t>(sequence.tokens().size()) - kv.keepRecent};
}

}  // namespace lacuna
