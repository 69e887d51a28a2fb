// Three configurations are kept: `inForce` (the engine's word), `asked` (inForce plus everything
// sent) and the drafts, texts per knob that are not sent yet or were refused. An edit is tried
// first together with all refused drafts, since raising one setting may make another valid, and
// then alone, since one wrong value must not hold up the others.

#include "app/state/config_controller.h"

#include <QTimer>
#include <algorithm>
#include <map>
#include <utility>

#include "app/state/setting_hints.h"
#include "app/state/view_rows.h"
#include "engine/session/command.h"
#include "engine/session/config_check.h"
#include "engine/session/event.h"
#include "engine/session/facts.h"
#include "engine/session/knob_spec.h"

namespace lacuna::app {

namespace {

struct Entry {
    KnobView view;
    bool draft = false;     ///< requested is not part of `asked`
    qint64 answeredAt = 0;  ///< ns; start of the fade of Applied
};

struct Attempt {
    EngineConfig config;
    std::vector<RuleViolation> violations;
};

}  // namespace

struct ConfigController::Impl {
    ConfigController& owner;
    MachineFacts machine;
    std::optional<ModelFacts> model;
    Ports ports;
    EngineConfig initial, inForce, asked;
    std::vector<Entry> entries;
    ConfigStatus status;
    QTimer rest, pendingMark, fade;
    qint64 lastRevision = 0;
    std::map<qint64, qint64> sentAt;       ///< revision to ns
    std::optional<RuleViolation> refusal;  ///< of the last edit, told when the drag rests

    Impl(ConfigController& self, const MachineFacts& machineFacts, const EngineConfig& config,
         Ports given)
        : owner(self),
          machine(machineFacts),
          ports(std::move(given)),
          initial(config),
          inForce(config),
          asked(config) {
        for (const KnobSpec& spec : knobSpecs()) {
            Entry entry;
            entry.view = viewOf(spec);
            entry.view.requested = entry.view.effective = toQt(knobText(config, spec.key));
            entries.push_back(std::move(entry));
        }
        narrow();
    }

    Entry* find(const QString& key) {
        const auto at = std::find_if(entries.begin(), entries.end(),
                                     [&](const Entry& entry) { return entry.view.key == key; });
        return at == entries.end() ? nullptr : &*at;
    }

    /// Ranges a slider can use: the static ones, narrowed by the model.
    void narrow() {
        const int context = inForce.context > 0 ? inForce.context : (model ? model->context : 4096);
        for (Entry& entry : entries) {
            KnobView& view = entry.view;
            view.idleReason = noEffectReason(asked, view.key);
            const KnobSpec* spec = findKnob(fromQt(view.key));
            if (spec == nullptr) continue;
            const bool inTokens =
                view.key == QLatin1String("budget") || view.key == QLatin1String("keep_recent");
            if (inTokens) view.maximum = std::min<double>(spec->maximum, context);
            if (view.key == QLatin1String("context")) {
                view.maximum =
                    model ? std::min<double>(spec->maximum, model->context) : spec->maximum;
            }
        }
    }

    [[nodiscard]] std::vector<RuleViolation> violationsOf(const EngineConfig& config) const {
        auto checked = check(config, model ? &*model : nullptr, machine);
        return checked ? std::vector<RuleViolation>{} : std::move(checked).error();
    }

    Attempt attempt(const QVector<std::pair<QString, QString>>& values) const {
        Attempt result{asked, {}};
        for (const auto& [key, text] : values) {
            if (auto violation = setKnob(result.config, fromQt(key), fromQt(text))) {
                result.violations.push_back(std::move(*violation));
            }
        }
        if (result.violations.empty()) result.violations = violationsOf(result.config);
        return result;
    }

    [[nodiscard]] QVector<std::pair<QString, QString>> refusedDrafts(
        const QVector<std::pair<QString, QString>>& except) const {
        QVector<std::pair<QString, QString>> drafts;
        for (const Entry& entry : entries) {
            const bool edited = std::any_of(except.begin(), except.end(), [&](const auto& value) {
                return value.first == entry.view.key;
            });
            if (entry.draft && !edited) drafts.push_back({entry.view.key, entry.view.requested});
        }
        return drafts;
    }

    void markRefused(const QVector<std::pair<QString, QString>>& values,
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

    void accept(const QVector<std::pair<QString, QString>>& values) {
        for (const auto& [key, text] : values) {
            Entry* entry = find(key);
            if (entry == nullptr) continue;
            KnobView& view = entry->view;
            entry->draft = false;
            view.requested = toQt(knobText(asked, fromQt(key)));
            view.state =
                view.requested == view.effective && view.revision <= status.effectiveRevision
                    ? ChangeState::Settled
                    : ChangeState::Draft;
            view.sentence.clear();
            view.rule.clear();
            view.nearest.clear();
            view.nearestKey.clear();
            Q_EMIT owner.knobChanged(key);
        }
        refusal.reset();
        const bool anyDraft = std::any_of(entries.begin(), entries.end(), [](const Entry& entry) {
            return entry.view.state == ChangeState::Draft;
        });
        status.state = anyDraft ? ChangeState::Draft : ChangeState::Settled;
        status.sentence.clear();
        refreshApplicability();
        Q_EMIT owner.statusChanged();
    }

    void refreshApplicability() {
        narrow();
        Q_EMIT owner.knobsChanged();
    }

    void tryEdit(const QVector<std::pair<QString, QString>>& values) {
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

    void submit() {
        rest.stop();
        if (refusal) {
            const ConfigRejected told{Revision(++lastRevision), {*refusal}, ports.now()};
            refusal.reset();
            if (ports.refusedHere) ports.refusedHere(told);
        }
        const bool waiting = std::any_of(entries.begin(), entries.end(), [](const Entry& entry) {
            return entry.view.state == ChangeState::Draft;
        });
        if (!waiting) return;
        const qint64 revision = ++lastRevision;
        for (Entry& entry : entries) {
            if (entry.view.state != ChangeState::Draft) continue;
            entry.view.state = ChangeState::Submitted;
            entry.view.revision = revision;
            entry.view.sentence = deferredSentence(entry.view.when);
            Q_EMIT owner.knobChanged(entry.view.key);
        }
        status.state = ChangeState::Submitted;
        status.requestedRevision = revision;
        sentAt[revision] = ports.now();
        pendingMark.start();
        Q_EMIT owner.statusChanged();
        ports.send(SetConfig{Revision(revision), asked});
    }

    void markPending() {
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

    void endFade() {
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

    [[nodiscard]] static bool waiting(const KnobView& view) {
        return view.state == ChangeState::Submitted || view.state == ChangeState::Pending;
    }

    void setEffective(Entry& entry, const EngineConfig& config, qint64 revision) {
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

    void acknowledge(qint64 revision, qint64 timeNs) {
        const auto sent = sentAt.find(revision);
        if (sent == sentAt.end()) return;
        status.acknowledgeMs =
            static_cast<double>(std::max<qint64>(timeNs - sent->second, 0)) / 1e6;
        sentAt.erase(sentAt.begin(), std::next(sent));
    }

    void applied(const ConfigApplied& event) {
        inForce = event.config;
        const qint64 revision = event.revision.value;
        status.effectiveRevision = revision;
        acknowledge(revision, event.timeNs);
        for (Entry& entry : entries) {
            const std::string key = fromQt(entry.view.key);
            const bool deferred = std::find(event.deferred.begin(), event.deferred.end(), key) !=
                                  event.deferred.end();
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
            if (!rest.isActive()) asked = inForce;
            status.state = event.deferred.empty() ? ChangeState::Applied : ChangeState::Pending;
            status.sentence =
                event.deferred.empty() ? QString() : owner.tr("A part waits for the next answer.");
        }
        refreshApplicability();
        Q_EMIT owner.statusChanged();
    }

    void rejected(const ConfigRejected& event) {
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
            asked = inForce;
            status.state = failedWhileApplying ? ChangeState::RolledBack : ChangeState::Rejected;
            status.sentence = failedWhileApplying ? owner.tr("The change was rolled back.")
                                                  : toQt(event.violations.front().sentence);
        }
        refreshApplicability();
        Q_EMIT owner.statusChanged();
    }
};

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
    for (const Entry& entry : m_impl->entries) keys.push_back(entry.view.key);
    return keys;
}

KnobView ConfigController::knob(const QString& key) const {
    const Entry* entry = m_impl->find(key);
    return entry == nullptr ? KnobView{} : entry->view;
}

const ConfigStatus& ConfigController::status() const {
    return m_impl->status;
}

QString ConfigController::effective(const QString& key) const {
    return knob(key).effective;
}

const EngineConfig& ConfigController::inForce() const {
    return m_impl->inForce;
}

void ConfigController::edit(const QString& key, const QString& text, EditPace pace) {
    const Entry* entry = m_impl->find(key);
    if (entry == nullptr) return;
    const bool moved = entry->view.requested != text;
    const QString method = moved ? methodNeeded(m_impl->asked, key, text) : QString();
    const QVector<std::pair<QString, QString>> together{{key, text},
                                                        {QStringLiteral("method"), method}};
    if (!method.isEmpty() && m_impl->attempt(together).violations.empty()) {
        m_impl->tryEdit(together);
        Q_EMIT methodBrought(key, method);
    } else {
        m_impl->tryEdit({{key, text}});
    }
    if (pace == EditPace::Settled) {
        m_impl->submit();
    } else {
        m_impl->rest.start();
    }
}

void ConfigController::editAll(const QVector<std::pair<QString, QString>>& values) {
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
    Entry* entry = m_impl->find(key);
    if (entry == nullptr || !entry->draft) return;
    entry->draft = false;
    KnobView& view = entry->view;
    view.requested = toQt(knobText(m_impl->asked, fromQt(key)));
    view.state = ChangeState::Settled;
    view.sentence.clear();
    view.rule.clear();
    view.nearest.clear();
    Q_EMIT knobChanged(key);
}

void ConfigController::resetAll() {
    QVector<std::pair<QString, QString>> values;
    for (Entry& entry : m_impl->entries) {
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

void ConfigController::onSuperseded(const ConfigSuperseded& event) {
    const qint64 by = event.by.value;
    m_impl->sentAt.erase(event.revision.value);
    for (Entry& entry : m_impl->entries) {
        KnobView& view = entry.view;
        if (!Impl::waiting(view) || view.revision != event.revision.value) continue;
        // The newer configuration carries this value too, so the knob waits for that one's answer.
        view.revision = by;
        view.sentence = tr("Sent again with revision %1.").arg(by);
        Q_EMIT knobChanged(view.key);
    }
    if (m_impl->status.requestedRevision == event.revision.value) {
        m_impl->status.state = ChangeState::Superseded;
        Q_EMIT statusChanged();
    }
}

void ConfigController::onTurnStarted(const TurnStarted& event) {
    const bool newCache = event.reusedTokens == 0;
    for (Entry& entry : m_impl->entries) {
        KnobView& view = entry.view;
        if (view.state != ChangeState::Pending || view.revision > event.revision.value) continue;
        const bool now = view.when == KnobWhenView::NextTurn ||
                         (view.when == KnobWhenView::NewCache && newCache);
        if (now) m_impl->setEffective(entry, event.config, event.revision.value);
    }
    const bool waits = std::any_of(m_impl->entries.begin(), m_impl->entries.end(),
                                   [](const Entry& entry) { return Impl::waiting(entry.view); });
    if (!waits && m_impl->status.state == ChangeState::Pending) {
        m_impl->status.state = ChangeState::Applied;
        m_impl->status.sentence.clear();
    }
    Q_EMIT statusChanged();
}

}  // namespace lacuna::app
