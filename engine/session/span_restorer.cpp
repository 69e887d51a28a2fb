#include "engine/session/span_restorer.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/kv/kv_factory.h"
#include "engine/model/model_cache.h"

namespace lacuna {
namespace {

/// Returns the spans that a command names, within or just outside a text of `tokens`.
KeptSpans spansOf(const BringBack& command, std::int64_t tokens) {
    if (!command.spans.empty()) return command.spans;
    const std::int64_t first = std::clamp<std::int64_t>(command.first, -1, tokens);
    return {{first, first + std::clamp<std::int64_t>(command.count, 0, tokens + 1)}};
}

}  // namespace

void SpanRestorer::bringBack(const BringBack& command) {
    EngineIo& io = dependencies_.io;
    const std::int64_t begin = io.clock().nowNs();
    SpanRestored event{.at = io.at(),
                       .conversation = command.conversation,
                       .first = command.first,
                       .count = command.count,
                       .spans = command.spans,
                       .forQuestion = command.forQuestion};
    if (const Status done = execute(command, event); !done) event.error = done.error();
    event.ended = true;
    event.seconds = secondsSince(io.clock(), begin);
    io.post(std::move(event));
}

Status SpanRestorer::execute(const BringBack& command, SpanRestored& event) {
    const ConversationId id = command.conversation;
    Sequence* const sequence = dependencies_.conversations.find(id);
    if (dependencies_.models.model() == nullptr)
        return fail(ErrorCode::InvalidArgument, "no model is loaded");
    if (sequence == nullptr)
        return fail(ErrorCode::InvalidArgument, "this conversation has no cache yet");
    if (dependencies_.answers(id) && !command.forQuestion)
        return fail(ErrorCode::InvalidArgument,
                    "an answer of this conversation is being written; wait until it ends");
    const auto all = static_cast<std::int64_t>(sequence->tokens().size());
    const KeptSpans spans = spansOf(command, all);
    LACUNA_TRY_STATUS(checkRestore(*sequence, spans, dependencies_.settings.of(id).kv));
    LACUNA_TRY_STATUS(ready(id, *sequence));
    LACUNA_TRY(auto start, startOf(command, *sequence));
    event.restoredTokens = start->offset().value;
    event.rereadTokens = all - event.restoredTokens;
    dependencies_.io.post(event);
    return restore(*sequence, spans, std::move(start), event);
}

Status SpanRestorer::ready(ConversationId id, Sequence& sequence) {
    const EngineConfig& config = dependencies_.settings.of(id);
    const CacheModel model = cacheModelOf(dependencies_.models.model()->facts());
    if (!matchesChoice(sequence.cache(), cacheChoice(model, config.kv)))
        return fail(ErrorCode::InvalidArgument,
                    "the cache of this conversation does not use the current settings yet; try "
                    "again after its next answer");
    // A restoration cancels it, a search for tokens to restore does not.
    if (sequence.compactor().measuresLater()) return {};
    if (sequence.compactor().state(sequence.cache(), config.kv).background)
        return fail(ErrorCode::InvalidArgument,
                    "this conversation is being compacted in the background; try again when that "
                    "has ended");
    // A cancelled compaction still refers to rows of the cache for a moment.
    constexpr std::chrono::milliseconds kPoll{1};
    while (sequence.compactor().busy()) {
        std::this_thread::sleep_for(kPoll);
        if (auto report = sequence.compactor().settle(sequence.cache(), BackgroundPolicy::Hold))
            dependencies_.compactions.happened(id, std::move(*report));
    }
    return {};
}

Status SpanRestorer::restore(Sequence& sequence, const KeptSpans& spans,
                             std::unique_ptr<KvCache> start, SpanRestored& event) {
    const ConversationId id = event.conversation;
    RunningModel& model = *dependencies_.models.model();
    if (sequence.compactor().measuresLater()) {
        dependencies_.compactions.abort(id, CompactionReason::OtherCompaction);
        LACUNA_TRY_STATUS(ready(id, sequence));
    }
    QueryPass pass = dependencies_.compactions.passFor(id, sequence, model);
    pass.cancelled = [this] { return dependencies_.io.cancelRequested(); };
    LACUNA_TRY(RestoredSpans back, lacuna::bringBack(sequence, spans, std::move(start),
                                                     {.model = model.transformer(),
                                                      .kv = dependencies_.settings.of(id).kv,
                                                      .chunk = pass.chunk,
                                                      .maxBytes = pass.maxBytes,
                                                      .reader = queryReader(pass),
                                                      .cancelled = pass.cancelled,
                                                      .onFullCache = [&](KvCache& whole) {
                                                          dependencies_.prefixes.keepFullCache(
                                                              id, sequence.tokens(), whole);
                                                      }}));
    if (compacted(outcomeOf(back.compaction)))
        dependencies_.compactions.happened(id, std::move(back.compaction));
    dependencies_.telemetry.publish(id, sequence);
    event.keptTokens = tokensOf(sequence.allKeptSpans());
    return {};
}

/// In a replay, a prefix that was stored in the recorded run but is missing is reread; the rows are
/// the same.
Result<std::unique_ptr<KvCache>> SpanRestorer::startOf(const BringBack& command,
                                                       const Sequence& sequence) {
    const auto all = static_cast<std::int64_t>(sequence.tokens().size());
    PrefixAnswer found = dependencies_.prefixes.fullStart(
        command.conversation, sequence, command.restored.value_or(all),
        [this] { return dependencies_.io.cancelRequested(); });
    if (found.cache != nullptr) return std::move(found.cache);
    if (command.restored)
        return makeModelCache(dependencies_.models.model()->loaded(),
                              dependencies_.settings.of(command.conversation).kv);
    return fail(
        ErrorCode::Unsupported,
        format("{}; these tokens can only be restored by reading the text again", found.note));
}

}  // namespace lacuna
