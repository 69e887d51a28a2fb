#include <algorithm>

#include "app/state/config_changes.h"
#include "app/state/setting_hints.h"
#include "app/state/view_rows.h"
#include "engine/session/event.h"
#include "engine/settings/knob_spec.h"

namespace lacuna::app {

void ConfigController::Impl::markPending() {
    for (Entry& entry : entries) {
        if (entry.view.state != ChangeState::Submitted) continue;
        entry.view.state = ChangeState::Pending;
        Q_EMIT owner.knobChanged(entry.view.key);
    }
    if (status.state == ChangeState::Submitted) {
        status.state = ChangeState::Pending;
        Q_EMIT owner.statusChanged();
    }
}

void ConfigController::Impl::endFade() {
    const qint64 now = ports.now();
    bool more = false;
    for (Entry& entry : entries) {
        if (entry.view.state != ChangeState::Applied) continue;
        if (now - entry.answeredAt < qint64{kFadeMs} * 1'000'000) {
            more = true;
            continue;
        }
        entry.view.state = ChangeState::Settled;
        Q_EMIT owner.knobChanged(entry.view.key);
    }
    if (more) fade.start();
}

void ConfigController::Impl::setEffective(Entry& entry, const EngineConfig& config,
                                          qint64 revision) {
    KnobView& view = entry.view;
    view.effective = toQt(knobText(config, fromQt(view.key)));
    if (waiting(view) && view.revision <= revision) {
        view.state = ChangeState::Applied;
        view.sentence.clear();
        entry.answeredAt = ports.now();
        fade.start();
    } else if (view.state == ChangeState::Settled || view.state == ChangeState::Applied) {
        view.requested = view.effective;
    }
    Q_EMIT owner.knobChanged(view.key);
}

void ConfigController::Impl::acknowledge(qint64 revision, qint64 timeNs) {
    const auto asking = sentAt.find(revision);
    if (asking == sentAt.end()) return;
    status.acknowledgeMs = static_cast<double>(std::max<qint64>(timeNs - asking->second, 0)) / 1e6;
    sentAt.erase(sentAt.begin(), std::next(asking));
}

void ConfigController::Impl::applied(const ConfigApplied& event) {
    if (event.conversation)
        allInForce.setOwn(*event.conversation,
                          event.own ? std::optional(cacheSettingsOf(event.config)) : std::nullopt);
    else
        allInForce.share(event.config);
    const qint64 revision = event.revision.value;
    status.effectiveRevision = revision;
    acknowledge(revision, event.timeNs);
    for (Entry& entry : entries) {
        const bool concerned = event.conversation
                                   ? *event.conversation == shown && entry.view.ofConversation
                                   : !entry.view.ofConversation || !allInForce.hasOwn(shown);
        if (!concerned) continue;
        const std::string key = fromQt(entry.view.key);
        const bool deferred =
            std::find(event.deferred.begin(), event.deferred.end(), key) != event.deferred.end();
        if (deferred) {
            entry.view.state = ChangeState::Pending;
            entry.view.revision = revision;
            entry.view.sentence = deferredSentence(entry.view.when);
            Q_EMIT owner.knobChanged(entry.view.key);
        } else {
            setEffective(entry, event.config, revision);
        }
    }
    if (revision >= status.requestedRevision) {
        status.requestedRevision = revision;
        lastRevision = std::max(lastRevision, revision);
        allSent = allInForce;
        rebuildAsked();
        status.state = event.deferred.empty() ? ChangeState::Applied : ChangeState::Pending;
        status.sentence =
            event.deferred.empty() ? QString() : owner.tr("A part waits for the next answer.");
    }
    refreshApplicability();
    Q_EMIT owner.statusChanged();
    if (event.conversation) Q_EMIT owner.ownChanged(event.conversation->value);
}

void ConfigController::Impl::dropped(ConversationId conversation) {
    allInForce.setOwn(conversation, std::nullopt);
    allSent.setOwn(conversation, std::nullopt);
    if (conversation == shown) showSettled();
    Q_EMIT owner.ownChanged(conversation.value);
}

void ConfigController::Impl::rejected(const ConfigRejected& event) {
    const qint64 revision = event.revision.value;
    acknowledge(revision, event.timeNs);
    const bool failedWhileApplying = event.violations.empty();
    for (Entry& entry : entries) {
        KnobView& view = entry.view;
        if (!waiting(view) || view.revision != revision) continue;
        const auto own = std::find_if(
            event.violations.begin(), event.violations.end(),
            [&](const RuleViolation& violation) { return toQt(violation.field) == view.key; });
        view.state = failedWhileApplying ? ChangeState::RolledBack : ChangeState::Rejected;
        if (own != event.violations.end()) {
            view.sentence = toQt(own->sentence);
            view.rule = toQt(own->rule);
            view.nearest = toQt(own->nearest);
            view.nearestKey = view.key;
            entry.draft = true;
        } else {
            view.sentence =
                failedWhileApplying
                    ? owner.tr("The engine could not apply this change; %1 is still in force.")
                          .arg(view.effective)
                    : owner.tr("Not applied: %1").arg(toQt(event.violations.front().sentence));
            entry.draft = !failedWhileApplying;
            if (failedWhileApplying) view.requested = view.effective;
        }
        Q_EMIT owner.knobChanged(view.key);
    }
    // What was asked for is void; edits made since are tried again on top of what is in force.
    if (revision >= status.requestedRevision) {
        allSent = allInForce;
        rebuildAsked();
        status.state = failedWhileApplying ? ChangeState::RolledBack : ChangeState::Rejected;
        status.sentence = failedWhileApplying ? owner.tr("The change was rolled back.")
                                              : toQt(event.violations.front().sentence);
    }
    refreshApplicability();
    Q_EMIT owner.statusChanged();
}

void ConfigController::Impl::superseded(const ConfigSuperseded& event) {
    const qint64 by = event.by.value;
    sentAt.erase(event.revision.value);
    for (Entry& entry : entries) {
        KnobView& view = entry.view;
        if (!waiting(view) || view.revision != event.revision.value) continue;
        // The newer configuration carries this value too, so the knob waits for that one's answer.
        view.revision = by;
        view.sentence = owner.tr("Sent again with revision %1.").arg(by);
        Q_EMIT owner.knobChanged(view.key);
    }
    if (status.requestedRevision == event.revision.value) {
        status.state = ChangeState::Superseded;
        Q_EMIT owner.statusChanged();
    }
}

void ConfigController::Impl::turnStarted(const TurnStarted& event) {
    const bool newCache = event.reusedTokens == 0;
    for (Entry& entry : entries) {
        const KnobView& view = entry.view;
        if (view.state != ChangeState::Pending || view.revision > event.revision.value) continue;
        if (view.ofConversation && !shareSettings(event.conversation, shown)) continue;
        const bool now = view.when == KnobWhenView::NextTurn ||
                         (view.when == KnobWhenView::NewCache && newCache);
        if (now) setEffective(entry, event.config, event.revision.value);
    }
    const bool waits = std::any_of(entries.begin(), entries.end(),
                                   [](const Entry& entry) { return waiting(entry.view); });
    if (!waits && status.state == ChangeState::Pending) {
        status.state = ChangeState::Applied;
        status.sentence.clear();
    }
    Q_EMIT owner.statusChanged();
}

}  // namespace lacuna::app
