#include "app/state/settings/config_controller.h"

#include <QStringList>
#include <QTimer>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "app/state/engine/engine_text.h"
#include "app/state/list_text.h"
#include "app/state/number_format.h"
#include "app/state/settings/config_machine.h"
#include "app/state/telemetry/recoding_view.h"
#include "app/state/view_rows.h"
#include "engine/base/check.h"
#include "engine/values/value_keys.h"

namespace lacuna::app {

struct ConfigController::Impl {
    ConfigController& owner;
    Ports ports;
    ConfigState state;
    std::vector<std::unique_ptr<SettingModel>> settings;  ///< in table order
    ConfigStatus status;
    QTimer rest, unanswered, mark;

    Impl(ConfigController& self, const MachineFacts& machine, const EngineConfig& config,
         Ports given)
        : owner(self), ports(std::move(given)), state(machine, config) {
        for (const SettingState& setting : state.settings) {
            settings.emplace_back(new SettingModel(viewOf(*setting.spec)));
            fill(settings.back()->m_view, setting);
        }
        runTimer(rest, kRestMs, DraftsDue{});
        runTimer(unanswered, kPendingMs, LateAnswer{});
        runTimer(mark, kFadeMs, OldMarks{});
    }

    void runTimer(QTimer& timer, int ms, const ConfigInput& then) {
        timer.setSingleShot(true);
        timer.setInterval(ms);
        connect(&timer, &QTimer::timeout, &owner, [this, then] { run(then); });
    }

    static void apply(ConfigEffects::Timer effect, QTimer& timer) {
        if (effect == ConfigEffects::Timer::Start) timer.start();
        if (effect == ConfigEffects::Timer::Stop) timer.stop();
    }

    /// Sends only after the state is updated, because a port may reply synchronously and start the
    /// next transition.
    void run(const ConfigInput& input) {
        auto [after, effects] = next(std::move(state), input, ports.now());
        state = std::move(after);
        apply(effects.rest, rest);
        apply(effects.unanswered, unanswered);
        apply(effects.mark, mark);
        for (const std::size_t at : effects.changed) fill(settings[at]->m_view, state.settings[at]);
        status = statusOf(state.overall);
        for (const auto& command : effects.send)
            std::visit([this](const auto& one) { give(one); }, command);
        for (const std::size_t at : effects.changed) Q_EMIT settings[at]->changed();
        if (effects.overall) Q_EMIT owner.statusChanged();
        if (effects.ownChanged) Q_EMIT owner.ownChanged(effects.ownChanged->value);
        if (effects.impliedMethod)
            Q_EMIT owner.impliedMethod(toQt(effects.impliedMethod->first),
                                       choiceWords("method", keyOf(effects.impliedMethod->second)));
    }

    int heldSlots = 0;

    // --- undo ---

    struct Change {
        std::optional<ConversationId> conversation;
        SettingEdits before;  ///< previous values of the settings
    };
    static constexpr qsizetype kMostChanges = 50;
    QVector<Change> changes;          ///< applied changes, newest last
    std::set<std::int64_t> unlisted;  ///< revisions that cannot be undone

    void list(const ConfigApplied& event) {
        if (unlisted.erase(event.revision.value) > 0) return;
        if (event.changes.empty()) return;
        Change change{event.conversation, {}};
        for (const SettingChange& one : event.changes)
            change.before.push_back({std::string(one.spec->key), one.before});
        changes.push_back(std::move(change));
        if (changes.size() > kMostChanges) changes.removeFirst();
        Q_EMIT owner.undoChanged();
    }

    /// Returns the latest change if it can be undone for the shown conversation; otherwise null.
    [[nodiscard]] const Change* lastChange() const {
        if (changes.isEmpty()) return nullptr;
        const bool shownIsOwn = state.sent.hasOwn(state.shown);
        const auto& whose = changes.back().conversation;
        const bool reached = whose ? *whose == state.shown && shownIsOwn : !shownIsOwn;
        return reached ? &changes.back() : nullptr;
    }

    void giveUnlisted(SettingEdits edits) {
        const std::int64_t before = state.overall.requestedRevision;
        run(SettingsGiven{std::move(edits)});
        if (state.overall.requestedRevision != before)
            unlisted.insert(state.overall.requestedRevision);
    }

    [[nodiscard]] static SettingEdits read(const QVector<std::pair<QString, QString>>& values) {
        SettingEdits edits;
        for (const auto& [key, text] : values) edits.push_back(readEdit(fromQt(key), fromQt(text)));
        return edits;
    }

    void give(const SetConfig& command) const { ports.send(command); }
    void give(const SetCacheSettings& command) const { ports.sendOwn(command); }
    void give(const ConfigRejected& refusal) const {
        if (ports.rejectedLocally) ports.rejectedLocally(refusal);
    }

    [[nodiscard]] static QString deferredSentence(SettingTiming when) {
        switch (when) {
            case SettingTiming::Live:
                return tr("Takes effect at the next token.");
            case SettingTiming::NextTurn:
                return tr("Takes effect with the next answer.");
            case SettingTiming::NewCache:
                return tr("Takes effect when a conversation's cache is rebuilt.");
        }
        return {};
    }

    [[nodiscard]] static QString exclusionText(const SettingState& setting) {
        switch (setting.remark) {
            case Remark::None:
                return {};
            case Remark::Refused:
                return ruleText(setting.refusal.sentence);
            case Remark::Deferred:
                return deferredSentence(setting.spec->when);
            case Remark::SentAgain:
                return tr("Sent again with revision %1.").arg(setting.revision);
            case Remark::OthersRefused:
                return tr("Not applied: %1").arg(ruleText(setting.refusal.sentence));
            case Remark::ApplyFailed:
                return tr("The engine could not apply this change; %1 is still in effect.")
                    .arg(toQt(settingText(*setting.spec, setting.effective)));
        }
        return {};
    }

    [[nodiscard]] static QString idleReason(const SettingHints& hints) {
        // Announce the method that the setting would set.
        if (hints.impliedMethod)
            return tr("changing it sets %1")
                .arg(choiceWords("method", keyOf(*hints.impliedMethod)));
        if (hints.idle == nullptr) return {};
        // The engine's sentence names methods by key, while the window uses words.
        switch (hints.idle->cause) {
            case IdleCause::NoMethod:
                return tr("unused without a method");
            case IdleCause::Matching:
                return tr("unused by attention matching");
            case IdleCause::Eviction:
                return tr("unused by eviction");
            case IdleCause::Other:
                break;
        }
        return tr("no effect while %1").arg(ruleText(hints.idle->sentence));
    }

    [[nodiscard]] static QString idleBrief(const SettingHints& hints) {
        if (hints.impliedMethod)
            return tr("sets %1").arg(choiceWords("method", keyOf(*hints.impliedMethod)));
        return hints.idle == nullptr ? QString() : tr("unused");
    }

    /// Offers half of the held slots, because the smallest valid budget would evict nearly all of
    /// them in one click.
    void offerHalf(SettingView& view) const {
        const bool budget =
            view.nearestKey == QLatin1String("budget") &&
            (view.rule == QLatin1String("BUD-REQ") || view.rule == QLatin1String("BUD-MIN"));
        const int half = (heldSlots + 1) / 2;
        if (view.state != ChangeState::Rejected || !budget || half <= view.nearest.toInt()) return;
        view.nearest = QString::number(half);
        view.sentence += tr(" A budget of %1 keeps half of the %2 slots that a head holds now.")
                             .arg(countText(half), countText(heldSlots));
    }

    void fill(SettingView& view, const SettingState& setting) const {
        view.maximum = setting.hints.maximum;
        view.requested = setting.requested;
        view.typed = toQt(setting.typed);
        view.effective = setting.effective;
        view.state = setting.state;
        view.sentence = exclusionText(setting);
        view.rule = toQt(setting.refusal.rule);
        view.nearest = toQt(setting.refusal.nearest);
        view.nearestKey = toQt(setting.refusal.nearestKey);
        view.idleReason = idleReason(setting.hints);
        view.idleBrief = idleBrief(setting.hints);
        view.meaning = engineText(setting.hints.meaning);
        view.revision = setting.revision;
        offerHalf(view);
    }

    [[nodiscard]] static ConfigStatus statusOf(const OverallState& overall) {
        QString sentence = ruleText(overall.sentence);
        if (overall.remark == Remark::Deferred)
            sentence = tr("Some changes take effect with the next answer.");
        else if (overall.remark == Remark::ApplyFailed)
            sentence = tr("The change was rolled back.");
        return {.state = overall.state,
                .requestedRevision = overall.requestedRevision,
                .effectiveRevision = overall.effectiveRevision,
                .sentence = sentence,
                .acknowledgeMs = overall.acknowledgeMs};
    }
};

ConfigController::ConfigController(const MachineFacts& machine, const EngineConfig& initial,
                                   Ports ports, QObject* parent)
    : QObject(parent), m_impl(std::make_unique<Impl>(*this, machine, initial, std::move(ports))) {}

ConfigController::~ConfigController() = default;

// ---------------------------------------------------------------- reading

QStringList ConfigController::keys() const {
    QStringList keys;
    for (const auto& setting : m_impl->settings) keys.push_back(setting->view().key);
    return keys;
}

SettingModel& ConfigController::setting(const QString& key) const {
    const SettingState* const found = m_impl->state.find(fromQt(key));
    LACUNA_REQUIRE(found != nullptr, "a setting is shown by a key of the table");
    return *m_impl->settings[static_cast<std::size_t>(found - m_impl->state.settings.data())];
}

const SettingView& ConfigController::spec(const QString& key) const {
    static const SettingView none;
    return m_impl->state.find(fromQt(key)) == nullptr ? none : setting(key).view();
}

const ConfigStatus& ConfigController::status() const {
    return m_impl->status;
}

QString ConfigController::effective(const QString& key) const {
    return spec(key).effectiveText();
}

const EngineConfig& ConfigController::inEffect() const {
    return m_impl->state.inEffect.of(m_impl->state.shown);
}

const ConversationSettings& ConfigController::settingsInEffect() const {
    return m_impl->state.inEffect;
}

const EngineConfig& ConfigController::asked() const {
    return m_impl->state.asked;
}

bool ConfigController::hasDrafts() const {
    return m_impl->state.hasDrafts();
}

SendPolicy ConfigController::sending() const {
    return m_impl->state.sending;
}

bool ConfigController::own() const {
    return m_impl->state.sent.hasOwn(m_impl->state.shown);
}

QMap<QString, QString> ConfigController::ownSettings(qint64 conversation) const {
    const ConversationId id(conversation);
    QMap<QString, QString> values;
    if (!m_impl->state.inEffect.hasOwn(id)) return values;
    for (const SettingState& setting : m_impl->state.settings)
        if (setting.ofConversation())
            values.insert(toQt(setting.spec->key),
                          toQt(settingValueText(m_impl->state.inEffect.of(id), setting.spec->key)));
    return values;
}

// ---------------------------------------------------------------- editing

void ConfigController::edit(const QString& key, const QString& text, EditPace pace) {
    m_impl->run(SettingMoved{readEdit(fromQt(key), fromQt(text)), pace});
}

void ConfigController::edit(const QString& key, SettingValue value, EditPace pace) {
    m_impl->run(SettingMoved{{fromQt(key), std::move(value)}, pace});
}

void ConfigController::editAll(const QVector<std::pair<QString, QString>>& values) {
    m_impl->run(SettingsGiven{Impl::read(values)});
}

void ConfigController::adopt(const EngineConfig& config) {
    SettingEdits edits;
    for (const SettingChange& change : settingsDiff(asked(), config))
        edits.push_back({std::string(change.spec->key), change.after});
    if (!edits.empty()) m_impl->run(SettingsGiven{std::move(edits)});
}

void ConfigController::cancelRecoding(const RecodingView& view) {
    m_impl->run(SettingsGiven{Impl::read(view.back), ConversationId(view.conversation)});
}

void ConfigController::submitNow() {
    m_impl->run(DraftsDue{});
}

void ConfigController::revert() {
    m_impl->run(DraftsDiscarded{});
}

void ConfigController::setSending(SendPolicy policy) {
    m_impl->run(SendingChosen{policy});
}

void ConfigController::setHeldSlots(int held) {
    m_impl->heldSlots = held;
}

void ConfigController::useNearest(const QString& key) {
    const SettingView view = spec(key);  // A copy, because the edit changes the view.
    if (!view.nearest.isEmpty()) edit(view.nearestKey, view.nearest, EditPace::Settled);
}

void ConfigController::discard(const QString& key) {
    m_impl->run(SettingDiscarded{fromQt(key)});
}

void ConfigController::resetAll() {
    m_impl->run(AllReset{});
}

void ConfigController::restore(const QVector<std::pair<QString, QString>>& values) {
    m_impl->giveUnlisted(Impl::read(values));
}

void ConfigController::undo() {
    if (m_impl->lastChange() == nullptr) return;
    m_impl->giveUnlisted(m_impl->changes.takeLast().before);
    Q_EMIT undoChanged();
}

QString ConfigController::undoText() const {
    const Impl::Change* const change = m_impl->lastChange();
    if (change == nullptr) return {};
    QStringList parts;
    for (const SettingEdit& edit : change->before)
        parts << setting(toQt(edit.key)).view().label + QLatin1Char(' ') +
                     toQt(settingText(*findSetting(edit.key), *edit.value));
    return listed(parts);
}

void ConfigController::showConversation(qint64 conversation) {
    m_impl->run(ConversationShown{ConversationId(conversation)});
    Q_EMIT undoChanged();
}

void ConfigController::setOwn(bool own) {
    if (own != this->own() && m_impl->ports.sendOwn) m_impl->run(ConversationValueChosen{own});
}

QString ConfigController::restoreOwn(qint64 conversation, const QMap<QString, QString>& settings) {
    std::map<std::string, std::string> texts;
    for (auto value = settings.begin(); value != settings.end(); ++value)
        texts.emplace(fromQt(value.key()), fromQt(value.value()));
    const ConversationId id(conversation);
    const auto own = m_impl->state.ownSettingsWith(id, texts);
    if (!own) return engineText(own.error());
    m_impl->run(ConversationValuesRestored{id, *own});
    return {};
}

// ---------------------------------------------------------------- engine events

void ConfigController::setModel(const ModelFacts* facts) {
    m_impl->run(ModelKnown{facts == nullptr ? std::nullopt : std::optional(*facts)});
}

void ConfigController::onApplied(const ConfigApplied& event) {
    m_impl->list(event);
    m_impl->run(event);
}

void ConfigController::onRejected(const ConfigRejected& event) {
    m_impl->run(event);
}

void ConfigController::onSuperseded(const ConfigSuperseded& event) {
    m_impl->run(event);
}

void ConfigController::onDropped(const CacheSettingsDropped& event) {
    m_impl->run(event);
}

void ConfigController::onTurnStarted(const TurnStarted& event) {
    m_impl->run(event);
}

}  // namespace lacuna::app
