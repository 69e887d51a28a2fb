#include "engine/session/span_restoring.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/kv/kv_factory.h"
#include "engine/model/model_cache.h"

namespace lacuna {

void SpanRestoring::bringBack(const BringBack& command) {
    EngineDoors& doors = means_.doors;
    const ConversationId id = command.conversation;
    const std::int64_t begin = doors.clock().nowNs();
    SpanBroughtBack said{
        .at = doors.at(), .conversation = id, .first = command.first, .count = command.count};
    auto restored = restore(command, said);
    said.ended = true;
    said.seconds = secondsSince(doors.clock(), begin);
    if (!restored) {
        said.error = std::move(restored).error();
        return doors.post(std::move(said));
    }
    Sequence& sequence = *means_.conversations.find(id);
    if (restored->compaction.result == CompactionResult::Done)
        means_.compactions.happened(id, std::move(restored->compaction));
    means_.compactions.sample(id, sequence, nullptr);
    said.keptTokens = tokensOf(sequence.stayingSpans());
    doors.post(std::move(said));
}

Result<BroughtBack> SpanRestoring::restore(const BringBack& command, SpanBroughtBack& said) {
    const ConversationId id = command.conversation;
    RunningModel* const model = means_.models.model();
    Sequence* const sequence = means_.conversations.find(id);
    if (model == nullptr) return fail(ErrorCode::InvalidArgument, "no model is loaded");
    if (sequence == nullptr)
        return fail(ErrorCode::InvalidArgument, "this conversation has no cache yet");
    if (means_.answers(id))
        return fail(ErrorCode::InvalidArgument,
                    "an answer of this conversation is being written; wait for its end");
    const EngineConfig& config = means_.settings.of(id);
    const auto all = static_cast<std::int64_t>(sequence->tokens().size());
    const std::int64_t first = std::clamp<std::int64_t>(command.first, -1, all);
    const TokenSpan span{first, first + std::clamp<std::int64_t>(command.count, 0, all + 1)};
    LACUNA_TRY_STATUS(checkBringBack(*sequence, span, config.kv));
    if (!isOfChoice(sequence->cache(), cacheChoice(cacheModelOf(model->facts()), config.kv)))
        return fail(ErrorCode::InvalidArgument,
                    "the cache of this conversation is not yet of the settings; ask again after "
                    "its next answer");
    if (sequence->compactor().state(sequence->cache(), config.kv).background)
        return fail(ErrorCode::InvalidArgument,
                    "a compaction of this conversation is going on in the background; ask again "
                    "after its end");
    waitForDismissed(id, *sequence);
    LACUNA_TRY(auto start, startOf(command, *sequence));
    said.restoredTokens = start->offset().value;
    said.rereadTokens = all - said.restoredTokens;
    means_.doors.post(said);
    QueryPass pass = means_.compactions.passFor(id, *sequence, *model);
    pass.cancelled = [this] { return means_.doors.cancelAsked(); };
    const BringBackMeans means{
        .model = model->transformer(),
        .kv = config.kv,
        .chunk = pass.chunk,
        .mostBytes = pass.mostBytes,
        .reader = queryReader(pass),
        .cancelled = pass.cancelled,
        .whole = [&](KvCache& whole) { means_.prefixes.keepWhole(id, sequence->tokens(), whole); }};
    return lacuna::bringBack(*sequence, span, std::move(start), means);
}

/// A compaction that was broken off still refers to rows of the cache, for a moment.
void SpanRestoring::waitForDismissed(ConversationId id, Sequence& sequence) {
    constexpr std::chrono::milliseconds kPoll{1};
    while (sequence.compactor().busy()) {
        std::this_thread::sleep_for(kPoll);
        if (auto report = sequence.compactor().settle(sequence.cache(), BackgroundOrder::Hold))
            means_.compactions.happened(id, std::move(*report));
    }
}

/// In a replay what was kept then is read again where it is not kept now: rows are the same.
Result<std::unique_ptr<KvCache>> SpanRestoring::startOf(const BringBack& command,
                                                        const Sequence& sequence) {
    const auto all = static_cast<std::int64_t>(sequence.tokens().size());
    PrefixAnswer found =
        means_.prefixes.wholeStart(command.conversation, sequence, command.restored.value_or(all),
                                   [this] { return means_.doors.cancelAsked(); });
    if (found.cache != nullptr) return std::move(found.cache);
    if (command.restored)
        return makeModelCache(means_.models.model()->loaded(),
                              means_.settings.of(command.conversation).kv);
    return fail(ErrorCode::Unsupported,
                format("{}; only reading the text again gives these tokens back", found.note));
}

}  // namespace lacuna
