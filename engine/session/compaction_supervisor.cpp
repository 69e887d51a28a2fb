#include "engine/session/compaction_supervisor.h"

#include <algorithm>
#include <utility>

#include "engine/compress/compaction_trigger.h"
#include "engine/generate/compaction_inputs.h"

namespace lacuna {

void CompactionSupervisor::compactNow(ConversationId id, RunningModel* model) {
    if (Sequence* sequence = conversations_.find(id)) {
        compact(id, *sequence, CompactionCause::Manual, *model);
        return;
    }
    CompactionReport report;
    report.cause = CompactionCause::Manual;
    report.method = settings_.of(id).kv.method;
    report.reason = model != nullptr ? "this conversation has no cache yet" : "no model is loaded";
    happened(id, std::move(report));
}

void CompactionSupervisor::compact(ConversationId id, Sequence& sequence, CompactionCause cause,
                                   RunningModel& model) {
    const KvOptions& kv = settings_.of(id).kv;
    const QueryReader reader =
        queryReader({.model = &model.transformer(),
                     .tokens = sequence.tokens(),
                     .type = kv.type,
                     .chunk = std::min(settings_.shared().prefillChunk, model.stepRoom()),
                     .mostBytes = passBytes(),
                     .cancelled = [this] { return doors_.cancelAsked(); }});
    happened(id, sequence.compactor().compact(sequence.cache(), kv,
                                              {.cause = cause,
                                               .mode = CompactionCall::Mode::Beside,
                                               .order = doors_.backgroundOrder(doors_.at(), id),
                                               .reader = reader}));
    sample(id, sequence, nullptr);
}

void CompactionSupervisor::showRetention(ConversationId id, const RunningModel* model) {
    RetentionSnapshot snapshot;
    snapshot.conversation = id;
    const KvOptions& kv = settings_.of(id).kv;
    snapshot.sinks = kv.nSink;
    snapshot.recent = kv.keepRecent;
    Sequence* sequence = conversations_.find(id);
    if (sequence != nullptr && model != nullptr) {
        if (const auto limits = compactionLimits(kv, sequence->cache().offset().value)) {
            snapshot.sinks = limits->nSink;
            snapshot.recent = limits->keepRecent;
        }
        snapshot.row = retention(sequence->cache());
        for (const TokenId token : sequence->tokens())
            snapshot.pieces.push_back(model->loaded()
                                          .tokenizer.pieceBytes(token, SpecialOutput::Show)
                                          .value_or(std::string()));
    }
    doors_.post(std::move(snapshot));
}

void CompactionSupervisor::settingsChanged(const WhichConversations& which,
                                           std::span<Turn* const> answering, RunningModel* model) {
    conversations_.forEachNamed([&](ConversationId id, Sequence&) {
        if (which(id)) abort(id, "the settings were changed");
    });
    for (const Turn* turn : answering) {
        const ConversationId id = turn->conversation();
        const EngineConfig& config = settings_.of(id);
        if (!which(id)) continue;
        if (turn->inPrefill() && config.prefillPolicy == PrefillPolicy::AfterPrefill) continue;
        Sequence* sequence = conversations_.find(id);
        if (sequence != nullptr && sequence->compactor().state(sequence->cache(), config.kv).due)
            compact(id, *sequence, CompactionCause::ConfigChange, *model);
    }
}

void CompactionSupervisor::happened(ConversationId id, CompactionReport report) {
    if (report.result == CompactionResult::Done) count_(id);
    const CompactionHappened happened{.timeNs = doors_.clock().nowNs(),
                                      .at = doors_.at(),
                                      .conversation = id,
                                      .revision = doors_.revision(),
                                      .report = std::move(report)};
    doors_.post(happened);
    previews_.compacted(happened, settings_.of(id).kv, doors_.poster());
}

/// Of those that end outside of a step.
void CompactionSupervisor::ended(ConversationId id, CompactionReport report) {
    happened(id, std::move(report));
    if (Sequence* sequence = conversations_.find(id)) sample(id, *sequence, nullptr);
}

void CompactionSupervisor::sample(ConversationId id, Sequence& sequence,
                                  const GenerationStep* step) {
    StepSample row;
    if (step != nullptr) {
        row.phase = step->prefill ? EngineState::Prefill : EngineState::Decode;
        row.tokens = step->tokens;
        row.stepMs = step->stepMs;
    }
    row.kv = sequence.cache().stats();
    row.compaction = sequence.compactor().state(sequence.cache(), settings_.of(id).kv);
    row.liveBytesAll = liveCacheBytes(conversations_);
    doors_.sample(id, std::move(row));
}

Status CompactionSupervisor::makeRoom(std::span<Turn* const> answering, RunningModel& model) {
    const ConfigOf configOf = [this](ConversationId id) -> const EngineConfig& {
        return settings_.of(id);
    };
    const auto growth = growthOf(answering, configOf);
    return keepWithinLimit(
        {.conversations = conversations_,
         .limitMiB = settings_.shared().cacheLimitMiB,
         .configOf = configOf,
         .model = cacheModelOf(model.facts()),
         .growth = growth,
         .told = [this](ConversationId id,
                        CompactionReport report) { ended(id, std::move(report)); },
         .notice = doors_.poster(),
         .pool = model.pool()});
}

std::int64_t CompactionSupervisor::passBytes() const {
    return lacuna::passBytes(settings_.shared().cacheLimitMiB, conversations_);
}

bool CompactionSupervisor::anyInBackground() const {
    bool any = false;
    conversations_.forEach([&any](Sequence& one) { any = any || one.compactor().busy(); });
    return any;
}

void CompactionSupervisor::settle() {
    // Nothing to do needs no memory, so that a question is answered even where there is none left.
    if (!anyInBackground()) return;
    conversations_.forEachNamed([&](ConversationId id, Sequence& sequence) {
        if (!sequence.compactor().busy()) return;
        const BackgroundOrder order = doors_.backgroundOrder(doors_.at(), id);
        if (auto report = sequence.compactor().settle(sequence.cache(), order))
            ended(id, std::move(*report));
    });
}

void CompactionSupervisor::abort(ConversationId id, const std::string& reason) {
    Sequence* sequence = conversations_.find(id);
    if (sequence == nullptr) return;
    if (auto report = sequence->compactor().abort(reason)) ended(id, std::move(*report));
}

void CompactionSupervisor::letGo() {
    conversations_.forEachNamed(
        [this](ConversationId id, Sequence&) { abort(id, "the model was given back"); });
    previews_.clear();
}

}  // namespace lacuna
