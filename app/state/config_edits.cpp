#include <algorithm>

#include "app/state/config_changes.h"
#include "app/state/setting_hints.h"
#include "app/state/view_rows.h"
#include "engine/session/command.h"
#include "engine/settings/knob_spec.h"

namespace lacuna::app {

ConfigController::Impl::Impl(ConfigController& self, const MachineFacts& machineFacts,
                             const EngineConfig& config, Ports given)
    : owner(self),
      machine(machineFacts),
      ports(std::move(given)),
      initial(config),
      asked(config),
      allInForce(config),
      allSent(config) {
    for (const KnobSpec& spec : knobSpecs()) {
        Entry entry;
        entry.view = viewOf(spec);
        entry.view.requested = entry.view.effective = toQt(knobText(config, spec.key));
        entries.push_back(std::move(entry));
    }
    narrow();
}

ConfigController::Impl::Entry* ConfigController::Impl::find(const QString& key) {
    const auto at = std::find_if(entries.begin(), entries.end(),
                                 [&](const Entry& entry) { return entry.view.key == key; });
    return at == entries.end() ? nullptr : &*at;
}

void ConfigController::Impl::narrow() {
    const int context = inForce().context > 0 ? inForce().context : (model ? model->context : 4096);
    for (Entry& entry : entries) {
        KnobView& view = entry.view;
        view.idleReason = noEffectReason(asked, model ? &*model : nullptr, view.key);
        view.meaning = meaningOf(asked, model ? &*model : nullptr, view.key);
        const KnobSpec* spec = findKnob(fromQt(view.key));
        if (spec == nullptr) continue;
        const bool inTokens =
            view.key == QLatin1String("budget") || view.key == QLatin1String("keep_recent");
        if (inTokens) view.maximum = std::min<double>(spec->maximum, context);
        if (view.key == QLatin1String("context")) {
            view.maximum = model ? std::min<double>(spec->maximum, model->context) : spec->maximum;
        }
    }
}

std::vector<RuleViolation> ConfigController::Impl::violationsOf(const EngineConfig& config) const {
    auto checked = check(config, model ? &*model : nullptr, machine);
    return checked ? std::vector<RuleViolation>{} : std::move(checked).error();
}

ConfigController::Impl::Attempt ConfigController::Impl::attempt(const SettingValues& values) const {
    Attempt result{asked, {}};
    for (const auto& [key, text] : values) {
        if (auto violation = setKnob(result.config, fromQt(key), fromQt(text))) {
            result.violations.push_back(std::move(*violation));
        }
    }
    if (result.violations.empty()) result.violations = violationsOf(result.config);
    return result;
}

SettingValues ConfigController::Impl::refusedDrafts(const SettingValues& except) const {
    SettingValues drafts;
    for (const Entry& entry : entries) {
        const bool edited = std::any_of(except.begin(), except.end(), [&](const auto& value) {
            return value.first == entry.view.key;
        });
        if (entry.draft && !edited) drafts.push_back({entry.view.key, entry.view.requested});
    }
    return drafts;
}

void ConfigController::Impl::markRefused(const SettingValues& values,
                                         const RuleViolation& violation) {
    for (const auto& [key, text] : values) {
        Entry* entry = find(key);
        if (entry == nullptr) continue;
        KnobView& view = entry->view;
        entry->draft = true;
        view.requested = text;
        view.state = ChangeState::Rejected;
        view.sentence = toQt(violation.sentence);
        view.rule = toQt(violation.rule);
        view.nearest = toQt(violation.nearest);
        view.nearestKey = violation.field.empty() ? key : toQt(violation.field);
        Q_EMIT owner.knobChanged(key);
    }
    status.state = ChangeState::Rejected;
    status.sentence = toQt(violation.sentence);
    refusal = violation;
    Q_EMIT owner.statusChanged();
}

void ConfigController::Impl::forgetRefusal() {
    refusal.reset();
    if (status.state != ChangeState::Rejected) return;
    const auto refused = std::find_if(entries.begin(), entries.end(),
                                      [](const Entry& entry) { return entry.draft; });
    if (refused != entries.end()) {
        status.sentence = refused->view.sentence;
        return;
    }
    const bool sent = std::any_of(entries.begin(), entries.end(),
                                  [](const Entry& entry) { return waiting(entry.view); });
    status.state = anyDraft() ? ChangeState::Draft
                   : sent     ? ChangeState::Pending
                              : ChangeState::Settled;
    status.sentence.clear();
}

void ConfigController::Impl::accept(const SettingValues& values) {
    for (const auto& [key, text] : values) {
        Entry* entry = find(key);
        if (entry == nullptr) continue;
        KnobView& view = entry->view;
        entry->draft = false;
        view.requested = toQt(knobText(asked, fromQt(key)));
        view.state = view.requested == view.effective && view.revision <= status.effectiveRevision
                         ? ChangeState::Settled
                         : ChangeState::Draft;
        view.sentence.clear();
        view.rule.clear();
        view.nearest.clear();
        view.nearestKey.clear();
        Q_EMIT owner.knobChanged(key);
    }
    refusal.reset();
    status.state = anyDraft() ? ChangeState::Draft : ChangeState::Settled;
    status.sentence.clear();
    refreshApplicability();
    Q_EMIT owner.statusChanged();
}

void ConfigController::Impl::refreshApplicability() {
    narrow();
    Q_EMIT owner.knobsChanged();
}

void ConfigController::Impl::tryEdit(const SettingValues& values) {
    const auto drafts = refusedDrafts(values);
    if (!drafts.isEmpty()) {
        Attempt all = attempt(drafts + values);
        if (all.violations.empty()) {
            asked = std::move(all.config);
            accept(drafts + values);
            return;
        }
    }
    Attempt alone = attempt(values);
    if (alone.violations.empty()) {
        asked = std::move(alone.config);
        accept(values);
    } else {
        markRefused(values, alone.violations.front());
    }
}

void ConfigController::Impl::submit() {
    rest.stop();
    if (refusal) {
        const ConfigRejected told{Revision(++lastRevision), {*refusal}, ports.now()};
        refusal.reset();
        if (ports.refusedHere) ports.refusedHere(told);
    }
    if (!anyDraft()) return;
    const bool own = allSent.hasOwn(shown);
    bool forOne = false;
    bool forAll = false;
    for (const Entry& entry : entries)
        if (entry.view.state == ChangeState::Draft)
            (own && entry.view.ofConversation ? forOne : forAll) = true;
    const auto submitted = [&](Revision revision, bool ofConversation) {
        for (Entry& entry : entries) {
            if (entry.view.state != ChangeState::Draft) continue;
            if (own && entry.view.ofConversation != ofConversation) continue;
            entry.view.state = ChangeState::Submitted;
            entry.view.revision = revision.value;
            entry.view.sentence = deferredSentence(entry.view.when);
            Q_EMIT owner.knobChanged(entry.view.key);
        }
    };
    if (forAll) {
        const CacheSettings shared = cacheSettingsOf(own ? allSent.shared() : asked);
        allSent.share(withCacheSettings(asked, shared));
        const Revision revision = announce();
        submitted(revision, false);
        ports.send(SetConfig{revision, allSent.shared()});
    }
    if (forOne) {
        submitted(Revision(lastRevision + 1), true);
        sendOwn(shown, cacheSettingsOf(asked));
    }
    Q_EMIT owner.statusChanged();
}

Revision ConfigController::Impl::announce() {
    const Revision revision(++lastRevision);
    status.state = ChangeState::Submitted;
    status.sentence.clear();
    status.requestedRevision = revision.value;
    sentAt[revision.value] = ports.now();
    pendingMark.start();
    return revision;
}

void ConfigController::Impl::sendOwn(ConversationId conversation,
                                     const std::optional<CacheSettings>& own) {
    allSent.setOwn(conversation, own);
    ports.sendOwn(SetCacheSettings{announce(), conversation, own});
}

bool ConfigController::Impl::anyDraft() const {
    return std::any_of(entries.begin(), entries.end(),
                       [](const Entry& entry) { return entry.view.state == ChangeState::Draft; });
}

void ConfigController::Impl::revert() {
    rest.stop();
    refusal.reset();
    asked = sent();
    for (Entry& entry : entries) {
        KnobView& view = entry.view;
        if (!entry.draft && view.state != ChangeState::Draft) continue;
        entry.draft = false;
        view.requested = toQt(knobText(sent(), fromQt(view.key)));
        view.state = view.requested == view.effective ? ChangeState::Settled : ChangeState::Pending;
        view.sentence.clear();
        view.rule.clear();
        view.nearest.clear();
        view.nearestKey.clear();
        Q_EMIT owner.knobChanged(view.key);
    }
    status.state = ChangeState::Settled;
    status.sentence.clear();
    refreshApplicability();
    Q_EMIT owner.statusChanged();
}

void ConfigController::Impl::rebuildAsked() {
    asked = sent();
    for (const Entry& entry : entries) {
        if (entry.view.state != ChangeState::Draft) continue;
        EngineConfig with = asked;
        if (!setKnob(with, fromQt(entry.view.key), fromQt(entry.view.requested))) asked = with;
    }
}

void ConfigController::Impl::show(ConversationId conversation) {
    if (conversation == shown) return;
    if (shareSettings(shown, conversation)) {
        shown = conversation;
        return;
    }
    if (sending == SendPolicy::AfterRest) {
        submit();
    } else {
        SettingValues drafts = refusedDrafts({});
        for (const Entry& entry : entries)
            if (entry.view.state == ChangeState::Draft)
                drafts.push_back({entry.view.key, entry.view.requested});
        if (!drafts.isEmpty()) parked[shown] = drafts;
    }
    shown = conversation;
    rest.stop();
    refusal.reset();
    for (Entry& entry : entries) {
        entry.draft = false;
        entry.view.state = ChangeState::Settled;
        entry.view.rule.clear();
        entry.view.nearest.clear();
        entry.view.nearestKey.clear();
    }
    showSettled();
    const auto kept = parked.extract(shown);
    if (!kept.empty()) tryEdit(kept.mapped());
}

/// Every setting that no draft stands in: as it was sent, and what is in force.
void ConfigController::Impl::showSettled() {
    for (Entry& entry : entries) {
        KnobView& view = entry.view;
        view.effective = toQt(knobText(inForce(), fromQt(view.key)));
        if (entry.draft || view.state == ChangeState::Draft) continue;
        view.requested = toQt(knobText(sent(), fromQt(view.key)));
        const bool same = view.requested == view.effective;
        if (same && waiting(view)) continue;  // of a change that has not been answered yet
        view.state = same ? ChangeState::Settled : ChangeState::Pending;
        view.sentence.clear();
        if (!same) view.revision = status.requestedRevision;
    }
    rebuildAsked();
    refreshApplicability();
    Q_EMIT owner.statusChanged();
}

}  // namespace lacuna::app
