#include "engine/session/settings_service.h"

#include <utility>

#include "engine/base/string_format.h"
#include "engine/settings/compaction_reach.h"
#include "engine/settings/config_check.h"
#include "engine/settings/settings_diff.h"

namespace lacuna {
namespace {

std::string ownerName(ConversationId id) {
    return format("conversation {}, which has its own cache settings", id.value);
}

/// Target conversation and revision of a settings command.
struct SettingsChange {
    std::optional<ConversationId> conversation;
    Revision revision;
};
std::optional<SettingsChange> settingsChange(const Command& command) {
    if (const auto* all = std::get_if<SetConfig>(&command))
        return SettingsChange{std::nullopt, all->revision};
    if (const auto* one = std::get_if<SetCacheSettings>(&command))
        return SettingsChange{one->conversation, one->revision};
    return std::nullopt;
}

}  // namespace

std::optional<ConversationFilter> SettingsService::change(const SetConfig& asked,
                                                          const ModelFacts* model) {
    const auto reject = [&](std::vector<RuleViolation> violations) {
        io_.post(ConfigRejected{asked.revision, std::move(violations), io_.clock().nowNs()});
        return std::nullopt;
    };
    const auto checked = check(asked.config, model, machine_);
    if (!checked) return reject(checked.error());
    for (const ConversationId id : settings_.owners()) {
        auto own = check(withCacheSettings(asked.config, cacheSettingsOf(settings_.of(id))), model,
                         machine_);
        if (own) continue;
        for (RuleViolation& one : own.error())
            one.sentence = format("It does not fit {}: {}", ownerName(id), one.sentence);
        return reject(std::move(own).error());
    }
    const EngineConfig before = settings_.shared();
    const std::string reached = model != nullptr ? reachNote(before, *model) : std::string();
    settings_.share(checked->get());
    publishApplied({.revision = asked.revision, .config = settings_.shared()}, before);
    if (model != nullptr) noteReach(*model, reached);
    if (before.kv == settings_.shared().kv) return std::nullopt;
    return [this](ConversationId id) { return !settings_.hasOwn(id); };
}

std::optional<ConversationFilter> SettingsService::change(const SetCacheSettings& asked,
                                                          const ModelFacts* model) {
    const ConversationId id = asked.conversation;
    const EngineConfig wanted =
        asked.own ? withCacheSettings(settings_.shared(), *asked.own) : settings_.shared();
    const auto checked = check(wanted, model, machine_);
    if (!checked) {
        io_.post(ConfigRejected{asked.revision, checked.error(), io_.clock().nowNs()});
        return std::nullopt;
    }
    const EngineConfig before = settings_.of(id);
    const bool ownBefore = settings_.hasOwn(id);
    settings_.setOwn(id, asked.own);
    publishApplied({.revision = asked.revision,
                    .conversation = id,
                    .own = asked.own.has_value(),
                    .ownBefore = ownBefore,
                    .config = settings_.of(id)},
                   before);
    if (before.kv == settings_.of(id).kv) return std::nullopt;
    return [id](ConversationId one) { return one == id; };
}

void SettingsService::adaptTo(const RunningModel& model) {
    dropUnsuitable(model);
    const ModelFacts& facts = model.facts();
    noteReach(facts, "");
    const int context = effectiveContext(settings_.shared(), facts, machine_);
    if (settings_.shared().context == 0 && context < facts.context)
        io_.post(Notice{format(
            "The context is {} tokens instead of {}, because the cache must fit this machine's "
            "memory.",
            context, facts.context)});
}

/// Drops instead of rejecting: a model must not be refused because of settings that one
/// conversation had under another model.
void SettingsService::dropUnsuitable(const RunningModel& model) {
    for (const ConversationId id : settings_.owners()) {
        const EngineConfig& own = settings_.of(id);
        Status suits;
        if (const auto checked = check(own, &model.facts(), machine_); !checked)
            suits = tl::unexpected<Error>(violationsError(checked.error()));
        else if (model.draft() != nullptr)
            suits = checkWithDraft(own);
        if (suits) continue;
        settings_.setOwn(id, std::nullopt);
        io_.post(CacheSettingsDropped{
            id, format("The cache settings of {} do not fit this model and were discarded: {}",
                       ownerName(id), suits.error().what)});
    }
}

/// Fills in time and differences. `before` are the previous settings of the conversation, or the
/// shared ones.
void SettingsService::publishApplied(ConfigApplied applied, const EngineConfig& before) {
    io_.applied(applied.revision);
    applied.at = io_.at();
    applied.timeNs = io_.clock().nowNs();
    applied.changes = settingsDiff(before, applied.config);
    io_.post(std::move(applied));
}

/// Reports which layers a compaction cannot shrink, unless `published` already reported the same.
void SettingsService::noteReach(const ModelFacts& model, const std::string& published) {
    const std::string note = reachNote(settings_.shared(), model);
    if (!note.empty() && note != published) io_.post(Notice{note + "."});
}

std::optional<ConfigSuperseded> supersededBy(const Command& command,
                                             std::span<const Command> after) {
    const auto change = settingsChange(command);
    std::optional<ConfigSuperseded> superseded;
    for (const Command& later : after)
        if (const auto newer = settingsChange(later);
            change && newer && newer->conversation == change->conversation)
            superseded = ConfigSuperseded{change->revision, newer->revision};
    return superseded;
}

}  // namespace lacuna
