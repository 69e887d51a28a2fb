// What each command does, at the safe point where it is taken.

#include "engine/session/engine_loop.h"

#include <algorithm>

#include "engine/generate/query_pass.h"
#include "engine/session/cache_limit.h"
#include "engine/session/prompt_cache_moves.h"

namespace lacuna {

void Engine::Impl::on(CompactNow& command) {
    Sequence* sequence = conversations_.find(command.conversation);
    if (sequence != nullptr) {
        compact(command.conversation, *sequence, CompactionCause::Manual);
        return;
    }
    CompactionReport report;
    report.cause = CompactionCause::Manual;
    report.method = settings_.of(command.conversation).kv.method;
    report.reason = model_ ? "this conversation has no cache yet" : "no model is loaded";
    postCompaction(command.conversation, std::move(report));
}

void Engine::Impl::on(ForgetConversation& command) {
    const ConversationId id = command.conversation;
    endTurns([id](ConversationId one) { return one == id; });
    abortCompaction(conversations_, id, "the conversation was given up", told());
    conversations_.forget(id);
}

void Engine::Impl::on(SavePromptCache& command) {
    post(savePrompt(command, conversations_.find(command.conversation), model_.get()));
}

void Engine::Impl::on(LoadPromptCache& command) {
    post(loadPrompt(command, {.conversations = conversations_,
                              .model = model_.get(),
                              .kv = settings_.of(command.conversation).kv,
                              .make = [&] { return makeSequence(command.conversation); },
                              .busy = [this](ConversationId one) { return turns_.runs(one); }}));
}

void Engine::Impl::on(RequestRetention& command) {
    RetentionSnapshot snapshot;
    snapshot.conversation = command.conversation;
    const KvOptions& kv = settings_.of(command.conversation).kv;
    snapshot.sinks = kv.nSink;
    snapshot.recent = kv.keepRecent;
    if (Sequence* sequence = conversations_.find(command.conversation);
        sequence != nullptr && model_) {
        snapshot.row = retention(sequence->cache());
        for (const TokenId token : sequence->tokens())
            snapshot.pieces.push_back(model_->loaded()
                                          .tokenizer.pieceBytes(token, SpecialOutput::Show)
                                          .value_or(std::string()));
    }
    post(std::move(snapshot));
}

void Engine::Impl::on(RequestPreview& request) {
    previews_.preview(request, conversations_.find(request.conversation), jobTools());
}

void Engine::Impl::on(CancelTurn& command) {
    cancel([only = command.conversation](ConversationId one) { return !only || *only == one; });
}

void Engine::Impl::compact(ConversationId conversation, Sequence& sequence, CompactionCause cause) {
    const QueryReader reader =
        queryReader({.model = &model_->transformer(),
                     .tokens = sequence.tokens(),
                     .type = settings_.of(conversation).kv.type,
                     .chunk = std::min(settings_.shared().prefillChunk, model_->stepRoom()),
                     .mostBytes = passBytes(settings_.shared().cacheLimitMiB, conversations_),
                     .cancelled = [this] { return cancelAsked(); }});
    sequence.compactor().direct(orderAt(at_)(conversation));
    postCompaction(conversation,
                   sequence.compactor().compactSoon(sequence.cache(), settings_.of(conversation).kv,
                                                    cause, reader));
    postSample(conversation, sequence, nullptr);
}

QualityJobTools Engine::Impl::jobTools() {
    return {.model = model_.get(),
            .answering = turns_.anyRunning(),
            .config = settings_.shared(),
            .machine = context_.machine,
            .post = poster(),
            .cancelled = [this] { return cancelAsked(); },
            .passBytes = passBytes(settings_.shared().cacheLimitMiB, conversations_)};
}

/// A question taken back before its answer began is no turn: nothing but its end is told.
void Engine::Impl::cancel(const TurnsInFlight::Which& which) {
    endTurns(which);
    for (const ConversationId conversation : turns_.withdraw(which)) {
        TurnFinished withdrawn;
        withdrawn.conversation = conversation;
        withdrawn.at = at_;
        withdrawn.reason = FinishReason::Cancelled;
        post(std::move(withdrawn));
    }
}

void Engine::Impl::endTurns(const TurnsInFlight::Which& which) {
    for (Turn* turn : turns_.running())
        if (which(turn->conversation())) endTurn(*turn, FinishReason::Cancelled);
}

}  // namespace lacuna
