// Changes of settings: those of all conversations, and the cache settings of one.

#include "engine/session/engine_loop.h"

#include "engine/base/string_format.h"
#include "engine/settings/compaction_reach.h"
#include "engine/settings/knob_spec.h"

namespace lacuna {
namespace {

std::string ownerName(ConversationId id) {
    return format("conversation {}, which has cache settings of its own", id.value);
}

}  // namespace

void Engine::Impl::on(SetConfig& change) {
    const ModelFacts* model = model_ ? &model_->facts() : nullptr;
    const auto reject = [&](std::vector<RuleViolation> violations) {
        post(ConfigRejected{change.revision, std::move(violations), context_.clock.nowNs()});
    };
    const auto checked = check(change.config, model, context_.machine);
    if (!checked) return reject(checked.error());
    for (const ConversationId id : settings_.owners()) {
        auto own = check(withCacheSettings(change.config, cacheSettingsOf(settings_.of(id))), model,
                         context_.machine);
        if (own) continue;
        for (RuleViolation& one : own.error())
            one.sentence = format("It does not suit {}: {}", ownerName(id), one.sentence);
        return reject(std::move(own).error());
    }
    const EngineConfig before = settings_.shared();
    const std::string reached = model ? reachNote(before, *model) : std::string();
    settings_.share(checked->get());
    tellApplied(change.revision, std::nullopt, before);
    noteReach(reached);
    if (before.kv != settings_.shared().kv)
        cacheSettingsChanged([this](ConversationId id) { return !settings_.hasOwn(id); });
}

void Engine::Impl::on(SetCacheSettings& change) {
    const ConversationId id = change.conversation;
    const EngineConfig wanted =
        change.own ? withCacheSettings(settings_.shared(), *change.own) : settings_.shared();
    const auto checked = check(wanted, model_ ? &model_->facts() : nullptr, context_.machine);
    if (!checked) {
        post(ConfigRejected{change.revision, checked.error(), context_.clock.nowNs()});
        return;
    }
    const EngineConfig before = settings_.of(id);
    settings_.setOwn(id, change.own);
    tellApplied(change.revision, id, before);
    if (before.kv != settings_.of(id).kv)
        cacheSettingsChanged([id](ConversationId one) { return one == id; });
}

/// `before` was in force for the conversation, or for all where it is nobody's.
void Engine::Impl::tellApplied(Revision revision, std::optional<ConversationId> conversation,
                               const EngineConfig& before) {
    revision_ = revision;
    ConfigApplied applied{.revision = revision,
                          .conversation = conversation,
                          .own = conversation && settings_.hasOwn(*conversation),
                          .config = conversation ? settings_.of(*conversation) : settings_.shared(),
                          .at = at_,
                          .timeNs = context_.clock.nowNs(),
                          .live = {},
                          .deferred = {}};
    for (const KnobSpec& spec : knobSpecs()) {
        if (knobValue(before, spec.key) == knobValue(applied.config, spec.key)) continue;
        (spec.when == KnobWhen::Live ? applied.live : applied.deferred).emplace_back(spec.key);
    }
    post(std::move(applied));
}

/// Says which layers a compaction cannot make smaller, unless that is what `said` said.
void Engine::Impl::noteReach(const std::string& said) {
    if (!model_) return;
    const std::string note = reachNote(settings_.shared(), model_->facts());
    if (!note.empty() && note != said) post(Notice{note + "."});
}

void Engine::Impl::cacheSettingsChanged(const TurnsInFlight::Which& which) {
    conversations_.forEachNamed([&](ConversationId id, Sequence&) {
        if (which(id)) abortCompaction(conversations_, id, "the settings were changed", told());
    });
    compactForConfig(which);
}

/// A tighter setting takes effect on the answers in progress now, not only when a cache grows.
void Engine::Impl::compactForConfig(const TurnsInFlight::Which& which) {
    for (const Turn* turn : turns_.running()) {
        const ConversationId id = turn->conversation();
        const EngineConfig& config = settings_.of(id);
        if (!which(id)) continue;
        if (turn->inPrefill() && config.prefillPolicy == PrefillPolicy::AfterPrefill) continue;
        Sequence* sequence = conversations_.find(id);
        if (sequence != nullptr && sequence->compactor().state(sequence->cache(), config.kv).due)
            compact(id, *sequence, CompactionCause::ConfigChange);
    }
}

/// A model is not refused for what one conversation was set to under another.
void Engine::Impl::dropUnsuitedSettings() {
    for (const ConversationId id : settings_.owners()) {
        const EngineConfig& own = settings_.of(id);
        Status suits;
        if (const auto checked = check(own, &model_->facts(), context_.machine); !checked)
            suits = tl::unexpected<Error>(violationsError(checked.error()));
        else if (model_->draft() != nullptr)
            suits = checkBesideDraft(own);
        if (suits) continue;
        settings_.setOwn(id, std::nullopt);
        post(CacheSettingsDropped{
            id, format("The cache settings of {} do not suit this model and were given up: {}",
                       ownerName(id), suits.error().what)});
    }
}

}  // namespace lacuna
