// What each command does, at the safe point where it is taken.

#include "engine/session/engine_loop.h"

#include "engine/session/knob_spec.h"
#include "engine/session/prompt_cache_moves.h"

namespace lacuna {

void Engine::Impl::on(SetConfig& change) {
    const auto checked =
        check(change.config, model_ ? &model_->facts() : nullptr, context_.machine);
    if (!checked) {
        post(ConfigRejected{change.revision, checked.error(), context_.clock.nowNs()});
        return;
    }
    ConfigApplied applied{.revision = change.revision,
                          .config = change.config,
                          .at = at_,
                          .timeNs = context_.clock.nowNs(),
                          .live = {},
                          .deferred = {}};
    for (const KnobSpec& spec : knobSpecs()) {
        if (knobValue(config_, spec.key) == knobValue(change.config, spec.key)) continue;
        (spec.when == KnobWhen::Live ? applied.live : applied.deferred).emplace_back(spec.key);
    }
    const bool compressionChanged = config_.kv != change.config.kv;
    config_ = checked->get();
    revision_ = change.revision;
    post(std::move(applied));
    if (!compressionChanged) return;
    abortCompactions(conversations_, "the settings were changed", told());
    compactForConfig();
}

void Engine::Impl::on(CompactNow& command) {
    Sequence* sequence = conversations_.find(command.conversation);
    if (sequence != nullptr) {
        compact(command.conversation, *sequence, CompactionCause::Manual);
        return;
    }
    CompactionReport report;
    report.cause = CompactionCause::Manual;
    report.method = config_.kv.method;
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
                              .kv = config_.kv,
                              .make = [this] { return makeSequence(); },
                              .busy = [this](ConversationId one) { return turns_.runs(one); }}));
}

void Engine::Impl::on(RequestRetention& command) {
    RetentionSnapshot snapshot;
    snapshot.conversation = command.conversation;
    snapshot.sinks = config_.kv.nSink;
    snapshot.recent = config_.kv.keepRecent;
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

/// A tighter setting takes effect on the answers in progress now, not only when a cache grows.
void Engine::Impl::compactForConfig() {
    for (const Turn* turn : turns_.running()) {
        if (turn->inPrefill() && config_.prefillPolicy == PrefillPolicy::AfterPrefill) continue;
        Sequence* sequence = conversations_.find(turn->conversation());
        if (sequence != nullptr && sequence->compactor().state(sequence->cache(), config_.kv).due)
            compact(turn->conversation(), *sequence, CompactionCause::ConfigChange);
    }
}

void Engine::Impl::compact(ConversationId conversation, Sequence& sequence, CompactionCause cause) {
    postCompaction(conversation,
                   sequence.compactor().compactSoon(sequence.cache(), config_.kv, cause));
    postSample(conversation, sequence, nullptr);
}

QualityJobTools Engine::Impl::jobTools() {
    return {.model = model_.get(),
            .answering = turns_.anyRunning(),
            .config = config_,
            .machine = context_.machine,
            .post = poster(),
            .cancelled = [this] { return cancelAsked(); }};
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
