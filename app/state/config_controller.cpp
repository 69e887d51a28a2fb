#include "app/state/config_controller.h"

#include <utility>

#include "app/state/config_changes.h"
#include "app/state/setting_hints.h"
#include "app/state/view_rows.h"
#include "engine/settings/knob_spec.h"

namespace lacuna::app {

ConfigController::ConfigController(const MachineFacts& machine, const EngineConfig& initial,
                                   Ports ports, QObject* parent)
    : QObject(parent), m_impl(std::make_unique<Impl>(*this, machine, initial, std::move(ports))) {
    m_impl->rest.setSingleShot(true);
    m_impl->rest.setInterval(kRestMs);
    connect(&m_impl->rest, &QTimer::timeout, this, &ConfigController::submitNow);
    m_impl->pendingMark.setSingleShot(true);
    m_impl->pendingMark.setInterval(kPendingMs);
    connect(&m_impl->pendingMark, &QTimer::timeout, this, [this] { m_impl->markPending(); });
    m_impl->fade.setSingleShot(true);
    m_impl->fade.setInterval(kFadeMs);
    connect(&m_impl->fade, &QTimer::timeout, this, [this] { m_impl->endFade(); });
}

ConfigController::~ConfigController() = default;

QStringList ConfigController::keys() const {
    QStringList keys;
    for (const Impl::Entry& entry : m_impl->entries) keys.push_back(entry.view.key);
    return keys;
}

KnobView ConfigController::knob(const QString& key) const {
    const Impl::Entry* entry = m_impl->find(key);
    return entry == nullptr ? KnobView{} : entry->view;
}

const ConfigStatus& ConfigController::status() const {
    return m_impl->status;
}

QString ConfigController::effective(const QString& key) const {
    return knob(key).effective;
}

const EngineConfig& ConfigController::inForce() const {
    return m_impl->inForce();
}

const EngineConfig& ConfigController::asked() const {
    return m_impl->asked;
}

bool ConfigController::hasDrafts() const {
    return m_impl->anyDraft();
}

SendPolicy ConfigController::sending() const {
    return m_impl->sending;
}

void ConfigController::setSending(SendPolicy policy) {
    if (policy == m_impl->sending) return;
    m_impl->sending = policy;
    if (policy == SendPolicy::AfterRest) {
        m_impl->submit();
    } else {
        m_impl->rest.stop();
    }
    Q_EMIT statusChanged();
}

void ConfigController::revert() {
    m_impl->revert();
}

void ConfigController::edit(const QString& key, const QString& text, EditPace pace) {
    const Impl::Entry* entry = m_impl->find(key);
    if (entry == nullptr) return;
    const bool moved = entry->view.requested != text;
    const QString method = moved ? methodNeeded(m_impl->asked, key, text) : QString();
    const SettingValues together{{key, text}, {QStringLiteral("method"), method}};
    if (!method.isEmpty() && m_impl->attempt(together).violations.empty()) {
        m_impl->tryEdit(together);
        Q_EMIT methodBrought(key, method);
    } else {
        m_impl->tryEdit({{key, text}});
    }
    if (m_impl->sending == SendPolicy::WhenTold) return;
    if (pace == EditPace::Settled) {
        m_impl->submit();
    } else {
        m_impl->rest.start();
    }
}

void ConfigController::editAll(const SettingValues& values) {
    m_impl->tryEdit(values);
    m_impl->submit();
}

void ConfigController::submitNow() {
    m_impl->submit();
}

void ConfigController::useNearest(const QString& key) {
    const KnobView view = knob(key);
    if (view.nearest.isEmpty()) return;
    edit(view.nearestKey, view.nearest, EditPace::Settled);
}

void ConfigController::discard(const QString& key) {
    Impl::Entry* entry = m_impl->find(key);
    if (entry == nullptr || !entry->draft) return;
    entry->draft = false;
    KnobView& view = entry->view;
    view.requested = toQt(knobText(m_impl->asked, fromQt(key)));
    view.state = ChangeState::Settled;
    view.sentence.clear();
    view.rule.clear();
    view.nearest.clear();
    view.nearestKey.clear();
    m_impl->forgetRefusal();
    Q_EMIT knobChanged(key);
    Q_EMIT statusChanged();
}

void ConfigController::resetAll() {
    SettingValues values;
    for (Impl::Entry& entry : m_impl->entries) {
        entry.draft = false;
        const QString start = toQt(knobText(m_impl->initial, fromQt(entry.view.key)));
        if (start != entry.view.requested || entry.view.state == ChangeState::Rejected) {
            values.push_back({entry.view.key, start});
        }
    }
    if (!values.isEmpty()) editAll(values);
}

void ConfigController::setModel(const ModelFacts* facts) {
    m_impl->model = facts == nullptr ? std::nullopt : std::optional<ModelFacts>(*facts);
    m_impl->refreshApplicability();
}

void ConfigController::onApplied(const ConfigApplied& event) {
    m_impl->applied(event);
}

void ConfigController::onRejected(const ConfigRejected& event) {
    m_impl->rejected(event);
}

void ConfigController::onDropped(const CacheSettingsDropped& event) {
    m_impl->dropped(event.conversation);
}

void ConfigController::showConversation(qint64 conversation) {
    m_impl->show(ConversationId(conversation));
}

bool ConfigController::own() const {
    return m_impl->allSent.hasOwn(m_impl->shown);
}

void ConfigController::setOwn(bool own) {
    if (own == this->own() || !m_impl->ports.sendOwn) return;
    if (m_impl->sending == SendPolicy::AfterRest) m_impl->submit();
    m_impl->sendOwn(m_impl->shown,
                    own ? std::optional(cacheSettingsOf(m_impl->sent())) : std::nullopt);
    m_impl->showSettled();
}

QMap<QString, QString> ConfigController::ownSettings(qint64 conversation) const {
    const ConversationId id(conversation);
    QMap<QString, QString> values;
    if (!m_impl->allInForce.hasOwn(id)) return values;
    for (const Impl::Entry& entry : m_impl->entries)
        if (entry.view.ofConversation)
            values.insert(entry.view.key,
                          toQt(knobText(m_impl->allInForce.of(id), fromQt(entry.view.key))));
    return values;
}

QString ConfigController::restoreOwn(qint64 conversation, const QMap<QString, QString>& settings) {
    const ConversationId id(conversation);
    EngineConfig config = m_impl->allSent.of(id);
    for (auto value = settings.begin(); value != settings.end(); ++value) {
        const Impl::Entry* entry = m_impl->find(value.key());
        if (entry == nullptr || !entry->view.ofConversation) continue;  // of another version
        if (const auto violation = setKnob(config, fromQt(value.key()), fromQt(value.value())))
            return toQt(violation->sentence);
    }
    const auto violations = m_impl->violationsOf(config);
    if (!violations.empty()) return toQt(violations.front().sentence);
    m_impl->sendOwn(id, cacheSettingsOf(config));
    if (id == m_impl->shown) m_impl->showSettled();
    return {};
}

void ConfigController::onSuperseded(const ConfigSuperseded& event) {
    m_impl->superseded(event);
}

void ConfigController::onTurnStarted(const TurnStarted& event) {
    m_impl->turnStarted(event);
}

}  // namespace lacuna::app
