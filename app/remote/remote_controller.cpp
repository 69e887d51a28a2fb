#include "app/remote/remote_controller.h"

#include <QPointer>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/remote/engine_replies.h"
#include "app/remote/remote_engine.h"
#include "app/remote/remote_monitor.h"
#include "app/remote/secret_service.h"
#include "app/state/application_state.h"
#include "app/state/list_text.h"
#include "app/state/number_format.h"
#include "app/state/telemetry/metrics_store.h"

namespace lacuna::app {

namespace {

QString figureText(double value, FigureUnit unit) {
    switch (unit) {
        case FigureUnit::Count:
        case FigureUnit::Tokens:
            return value == std::floor(value) ? countText(std::llround(value)) : realText(value, 1);
        case FigureUnit::Share:
            return percentText(value);
        case FigureUnit::Bytes:
            return bytesText(std::llround(value));
        case FigureUnit::Seconds:
            return durationText(value);
        case FigureUnit::TokensPerSecond:
            return RemoteController::tr("%1 tok/s").arg(rateText(value));
        case FigureUnit::Nats:
            return realText(value, 5);
    }
    return {};
}

FigureLine lineOf(Figure figure, const FigureReading& name, const FigureValue& value) {
    const FigureWords words = wordsOf(figure);
    FigureLine line{words.label, value.reported, {}, {}};
    const bool counted = value.reported && name.name->kind != FigureKind::Gauge &&
                         name.name->kind != FigureKind::Mean;
    if (value.now)
        line.now = counted ? RemoteController::tr("%1 / s").arg(figureText(*value.now, words.unit))
                           : figureText(*value.now, words.unit);
    if (value.total) line.total = figureText(*value.total, words.unit);
    return line;
}

QVector<FigureLine> linesOf(const RemoteMonitor::Look& look) {
    QVector<FigureLine> lines;
    for (std::size_t i = 0; i < kFigureCount; ++i)
        lines.push_back(lineOf(static_cast<Figure>(i), look.readings[i], look.values[i]));
    return lines;
}

std::optional<qint64> wholeOf(const FigureValues& values, Figure figure) {
    const auto& now = valueOf(values, figure).now;
    return now ? std::optional<qint64>(std::llround(*now)) : std::nullopt;
}

/// Selects the values shown in the charts.
QVector<MetricReading> readingsFor(const FigureValues& values) {
    QVector<MetricReading> readings;
    const auto put = [&](Metric metric, const std::optional<double>& value) {
        if (value) readings.push_back({metric, *value});
    };
    const auto now = [&](Figure figure) { return valueOf(values, figure).now; };
    put(Metric::AnswersRunning, now(Figure::Running));
    put(Metric::RequestsWaiting, now(Figure::Waiting));
    put(Metric::CacheShare, cacheShare(values));
    put(Metric::LogicalBytes, now(Figure::LogicalBytes));
    put(Metric::LiveBytes, now(Figure::LiveBytes));
    put(Metric::AllocatedBytes, now(Figure::AllocatedBytes));
    put(Metric::ResidentBytes, now(Figure::ResidentBytes));
    put(Metric::QualityKl, now(Figure::QualityKl));
    put(Metric::DecodeRate, answerRate(values));
    put(Metric::PrefillRate, promptRate(values));
    const auto logical = now(Figure::LogicalBytes), live = now(Figure::LiveBytes);
    if (logical && live && *live > 0) put(Metric::ByteRatio, *logical / *live);
    return readings;
}

QString engineName(const RemoteMonitor::Look& look) {
    QString name = QString::fromLatin1(familyName(look.family).data(),
                                       static_cast<qsizetype>(familyName(look.family).size()));
    if (look.lmCache && look.family != EngineFamily::LmCache)
        name = RemoteController::tr("%1 with LMCache").arg(name);
    return name;
}

SlotLine lineOf(const ListedSlot& slot) {
    QStringList parts{slot.busy ? RemoteController::tr("writing") : RemoteController::tr("free")};
    if (slot.prompt) parts << RemoteController::tr("prompt %1 tokens").arg(countText(*slot.prompt));
    if (slot.written) parts << RemoteController::tr("%1 written").arg(countText(*slot.written));
    if (slot.context) parts << RemoteController::tr("room for %1").arg(countText(*slot.context));
    return {slot.id, slot.busy, app::listed(parts)};
}

}  // namespace

/// An engine being tested or connected: its client and its models. It may be destroyed at any time,
/// even from a callback of its client.
struct RemoteLink {
    struct Close {
        void operator()(RemoteClient* client) const { client->close(); }
    };
    RemoteConnection connection;
    std::unique_ptr<RemoteClient, Close> client;
    QVector<ListedModel> models = {};
};

struct RemoteController::Impl {
    RemoteController& owner;
    ApplicationState& state;
    std::unique_ptr<ConnectionList> list;
    std::unique_ptr<RemoteLink> link;  ///< to the connected engine, or to one being connected
    std::unique_ptr<RemoteMonitor> monitor;
    RemoteEngine* engine = nullptr;  ///< owned by the state
    QVector<FigureLine> figures;
    EngineFamily family = EngineFamily::Unknown;
    std::optional<double> tokensBefore;
    QVector<SlotLine> slotLines;
    QStringList properties;

    Impl(RemoteController& self, ApplicationState& of, std::unique_ptr<ConnectionList> given)
        : owner(self),
          state(of),
          list(given ? std::move(given)
                     : std::make_unique<ConnectionList>(of.dataFolder(),
                                                        std::make_unique<SecretService>())) {
        connect(list.get(), &ConnectionList::changed, &owner, &RemoteController::changed);
    }

    using Heard = std::function<void(const RemoteOutcome&)>;

    /// Creates a client for the address; calls `done` with an error and returns null if the address
    /// or key is invalid.
    std::unique_ptr<RemoteLink> linkTo(const RemoteConnection& connection, const QString& key,
                                       const Heard& done) {
        const RemoteAddress address = addressFrom(connection.address);
        QString problem = address.ok() ? keyProblem(key) : address.problem;
        if (!problem.isEmpty()) {
            done({false, problem});
            return nullptr;
        }
        auto made = std::make_unique<RemoteLink>();
        made->connection = connection;
        made->client.reset(new RemoteClient(address, key, &owner));
        return made;
    }

    // ------------------------------------------------------------ test

    void test(const RemoteConnection& connection, const QString& key, const Heard& done) {
        const std::shared_ptr<RemoteLink> tried = linkTo(connection, key, done);
        if (!tried) return;
        const QString openly =
            sendsKeyOpenly(tried->client->address(), key)
                ? QLatin1Char(' ') + tr("The key is sent over the network unencrypted (http).")
                : QString();
        tried->client->ask(
            {RemoteMethod::Get, QStringLiteral("/v1/models")},
            [tried, done, openly](const RemoteReply& reply) {
                if (!reply) return done({false, reply.error().sentence});
                const auto models = modelsFrom(*reply);
                if (!models) return done({false, notUnderstood(models.error()).sentence});
                if (models->isEmpty())
                    return done({false, tr("The engine answers, but has no model loaded.")});
                const QString first = models->front().id;
                const QString found = models->size() == 1
                                          ? tr("The engine answers, with the model %1.").arg(first)
                                          : tr("The engine answers, with %1 models, %2 the first.")
                                                .arg(models->size())
                                                .arg(first);
                tried->client->ask(
                    {RemoteMethod::Get, QStringLiteral("/metrics")},
                    [tried, done, found, openly](const RemoteReply& metrics) {
                        done({true, found + QLatin1Char(' ') + metricsSentence(metrics) + openly});
                    });
            });
    }

    static QString metricsSentence(const RemoteReply& reply) {
        if (!reply) return tr("It offers no metrics, so the charts stay empty.");
        const auto scrape =
            readMetrics({reply->constData(), static_cast<std::size_t>(reply->size())});
        if (!scrape) return tr("Its metrics cannot be read, so the charts stay empty.");
        const RemoteMonitor::Look look{familyOf(*scrape), hasLmCache(*scrape), 0, {}, {}};
        const auto readings = readingsOf(*scrape);
        const auto known = std::count_if(readings.begin(), readings.end(),
                                         [](const auto& one) { return one.name != nullptr; });
        return look.family == EngineFamily::Unknown
                   ? tr("None of its metrics are known here.")
                   : tr("Its metrics are those of %1: %2 values.").arg(engineName(look)).arg(known);
    }

    // ------------------------------------------------------------ connection

    void connectTo(const RemoteConnection& connection, const QString& key, const Heard& done) {
        auto made = linkTo(connection, key, done);
        if (!made) return;
        link = std::move(made);
        Q_EMIT owner.changed();
        link->client->ask({RemoteMethod::Get, QStringLiteral("/v1/models")},
                          [this, done, asked = link.get()](const RemoteReply& reply) {
                              if (link.get() == asked)
                                  begin(reply, done);  // Otherwise another connection has replaced
                                                       // this one.
                          });
    }

    void begin(const RemoteReply& reply, const Heard& done) {
        QString problem = reply ? state.attachBlocker() : reply.error().sentence;
        const auto models = reply ? modelsFrom(*reply) : QVector<ListedModel>();
        if (problem.isEmpty() && !models) problem = notUnderstood(models.error()).sentence;
        if (problem.isEmpty() && models->isEmpty())
            problem = tr("The engine answers, but has no model loaded.");
        if (!problem.isEmpty()) {
            abandon();
            return done({false, problem});
        }
        link->models = *models;
        attach();
        done({true, tr("Answers now come from %1.").arg(link->connection.name)});
    }

    void abandon() {
        link.reset();
        Q_EMIT owner.changed();
    }

    [[nodiscard]] ListedModel chosenModel() const {
        for (const ListedModel& model : link->models)
            if (model.id == link->connection.model) return model;
        return link->models.front();
    }

    void attach() {
        const ListedModel model = chosenModel();
        RemoteView view;
        view.name = link->connection.name;
        view.address = link->client->address().root.toString();
        view.model = model.id;
        view.contextLimit = model.context;
        auto made = std::make_unique<RemoteEngine>(*link->client, model.id);
        engine = made.get();
        state.attach(std::move(made), engine->events(), view);
        monitor = std::make_unique<RemoteMonitor>(*link->client);
        connect(monitor.get(), &RemoteMonitor::looked, &owner,
                [this](const RemoteMonitor::Look& look) { take(look); });
        const auto tell = [this](const QString& sentence) {
            RemoteView now = *state.remote();
            now.problem = sentence;
            clearFigures(now);
            state.showRemote(now);
            Q_EMIT owner.figuresChanged();
        };
        connect(monitor.get(), &RemoteMonitor::failed, &owner, tell);
        connect(monitor.get(), &RemoteMonitor::noMetrics, &owner, tell);
        monitor->start();
        Q_EMIT owner.changed();
    }

    void detach() {
        if (!link) return;
        monitor.reset();
        engine = nullptr;
        if (state.remote()) state.detach();
        figures.clear();
        slotLines.clear();
        properties.clear();
        family = EngineFamily::Unknown;
        tokensBefore.reset();
        abandon();
    }

    /// Clears the values last reported by the engine.
    void clearFigures(RemoteView& view) {
        figures.clear();
        tokensBefore.reset();
        view.cacheShare.reset();
        view.answerRate.reset();
        view.running.reset();
        view.waiting.reset();
        view.liveBytes.reset();
        view.allocatedBytes.reset();
    }

    void take(const RemoteMonitor::Look& look) {
        const bool known = std::exchange(family, look.family) == look.family;
        engine->setFamily(family);
        RemoteView view = *state.remote();
        view.family = engineName(look);
        view.problem.clear();
        view.cacheShare = cacheShare(look.values);
        view.answerRate = answerRate(look.values);
        view.running = wholeOf(look.values, Figure::Running);
        view.waiting = wholeOf(look.values, Figure::Waiting);
        view.liveBytes = wholeOf(look.values, Figure::LiveBytes);
        view.allocatedBytes = wholeOf(look.values, Figure::AllocatedBytes);
        figures = linesOf(look);
        state.metrics().addReadings(look.timeNs, tokensSince(look.values),
                                    readingsFor(look.values));
        state.showRemote(view);
        if (!known)
            Q_EMIT owner.changed();  // A newly detected family has other controls and settings.
        Q_EMIT owner.figuresChanged();
    }

    /// Returns the tokens read and written since the previous scrape, for the token axis.
    qint64 tokensSince(const FigureValues& values) {
        const auto read = valueOf(values, Figure::PromptTokens).total;
        const auto written = valueOf(values, Figure::AnswerTokens).total;
        if (!read && !written) return 0;
        const double now = read.value_or(0) + written.value_or(0);
        const double before = std::exchange(tokensBefore, now).value_or(now);
        return std::llround(std::max(now - before, 0.0));
    }

    // ------------------------------------------------------------ details and controls

    void refreshDetails() {
        if (family != EngineFamily::LlamaServer && family != EngineFamily::Lacuna) return;
        link->client->ask({RemoteMethod::Get, QStringLiteral("/slots")},
                          [this](const RemoteReply& reply) {
                              if (!state.remote()) return;
                              slotLines.clear();
                              if (reply)
                                  if (const auto listed = slotsFrom(*reply))
                                      for (const ListedSlot& slot : *listed)
                                          slotLines.push_back(lineOf(slot));
                              Q_EMIT owner.figuresChanged();
                          });
        link->client->ask({RemoteMethod::Get, QStringLiteral("/props")},
                          [this](const RemoteReply& reply) {
                              if (!state.remote()) return;
                              properties = reply ? propertiesFrom(*reply) : QStringList();
                              Q_EMIT owner.figuresChanged();
                          });
    }

    void run(const EngineControl& control, const Heard& done) {
        if (control.eachSlot) return runForSlots(control, done);
        link->client->ask(control.request, [control, done](const RemoteReply& reply) {
            const ControlOutcome outcome = outcomeOf(control, reply);
            done({outcome.ok, outcome.sentence});
        });
    }

    void runForSlots(const EngineControl& control, const Heard& done) {
        link->client->ask({RemoteMethod::Get, QStringLiteral("/slots")},
                          [this, control, done](const RemoteReply& reply) {
                              if (!reply) return done({false, reply.error().sentence});
                              const auto listed = slotsFrom(*reply);
                              if (!listed)
                                  return done({false, notUnderstood(listed.error()).sentence});
                              QVector<int> ids;
                              for (const ListedSlot& slot : *listed) ids.push_back(slot.id);
                              runForNext(control, ids, done);
                          });
    }

    /// Runs the operation for one slot after the other and stops at the first failure.
    void runForNext(const EngineControl& control, QVector<int> ids, const Heard& done) {
        if (ids.isEmpty()) return done({true, tr("%1: done.").arg(control.label)});
        EngineControl one = control;
        one.eachSlot = false;
        one.request.path.replace(QLatin1String("{}"), QString::number(ids.takeFirst()));
        link->client->ask(one.request, [this, control, one, ids, done](const RemoteReply& reply) {
            const ControlOutcome outcome = outcomeOf(one, reply);
            if (!outcome.ok) return done({false, outcome.sentence});
            runForNext(control, ids, done);
        });
    }
};

RemoteController::RemoteController(ApplicationState& state, std::unique_ptr<ConnectionList> list,
                                   QObject* parent)
    : QObject(parent), m_impl(std::make_unique<Impl>(*this, state, std::move(list))) {}

RemoteController::~RemoteController() {
    m_impl->detach();
}

const ConnectionList& RemoteController::list() const {
    return *m_impl->list;
}

void RemoteController::save(const RemoteDraft& draft, std::function<void(const Saved&)> done) {
    const RemoteAddress address = addressFrom(draft.address);
    const QString problem =
        address.ok() ? keyProblem(draft.key.value_or(QString())) : address.problem;
    if (!problem.isEmpty()) return done({{}, problem});
    RemoteConnection connection = m_impl->list->find(draft.id).value_or(RemoteConnection{});
    connection.name = draft.name.simplified();
    if (connection.name.isEmpty()) connection.name = address.root.host();
    connection.address = draft.address.trimmed();
    const QString id = m_impl->list->save(connection).id;
    if (!draft.key)
        return done(
            {id, m_impl->list->problem().isEmpty() ? tr("Saved.") : m_impl->list->problem()});
    m_impl->list->storeKey(id, *draft.key, [id, done](KeyStorage place, const QString& why) {
        QString sentence = tr("Saved. %1").arg(placeText(place));
        if (!why.isEmpty()) sentence += QLatin1Char(' ') + why;
        done({id, sentence});
    });
}

void RemoteController::remove(const QString& id) {
    if (connectedId() == id) disconnectNow();
    m_impl->list->remove(id);
}

void RemoteController::test(const RemoteDraft& draft,
                            std::function<void(const RemoteOutcome&)> done) {
    RemoteConnection connection{draft.id, draft.name, draft.address, {}, KeyStorage::None};
    if (draft.key || draft.id.isEmpty())
        return m_impl->test(connection, draft.key.value_or(QString()), done);
    m_impl->list->readKey(draft.id,
                          [this, connection, done](const QString& key, const QString& problem) {
                              if (!problem.isEmpty()) return done({false, problem});
                              m_impl->test(connection, key, done);
                          });
}

void RemoteController::connectTo(const QString& id,
                                 std::function<void(const RemoteOutcome&)> done) {
    const auto connection = m_impl->list->find(id);
    if (!connection) return done({false, tr("This engine is not in the list.")});
    disconnectNow();
    if (const QString problem = m_impl->state.attachBlocker(); !problem.isEmpty())
        return done({false, problem});
    m_impl->list->readKey(
        id, [this, connection = *connection, done](const QString& key, const QString& problem) {
            if (!problem.isEmpty()) return done({false, problem});
            m_impl->connectTo(connection, key, done);
        });
}

void RemoteController::disconnectNow() {
    m_impl->detach();
}

bool RemoteController::connected() const {
    return m_impl->state.remote().has_value();
}

bool RemoteController::connecting() const {
    return m_impl->link != nullptr && !connected();
}

QString RemoteController::connectedId() const {
    return connected() && m_impl->link ? m_impl->link->connection.id : QString();
}

QStringList RemoteController::models() const {
    QStringList names;
    if (m_impl->link)
        for (const ListedModel& model : m_impl->link->models) names << model.id;
    return names;
}

void RemoteController::chooseModel(const QString& model) {
    if (!connected() || model == m_impl->state.remote()->model) return;
    m_impl->link->connection.model = model;
    m_impl->list->setModel(m_impl->link->connection.id, model);
    m_impl->engine->setModel(model);
    RemoteView view = *m_impl->state.remote();
    view.model = model;
    view.contextLimit = m_impl->chosenModel().context;
    m_impl->state.showRemote(view);
}

const QVector<FigureLine>& RemoteController::figures() const {
    return m_impl->figures;
}

QVector<ControlLine> RemoteController::controls() const {
    QVector<ControlLine> lines;
    if (connected())
        for (const EngineControl& control : controlsOf(m_impl->family))
            lines.push_back({control.id, control.label, control.meaning});
    return lines;
}

void RemoteController::run(const QString& control, std::function<void(const RemoteOutcome&)> done) {
    if (!connected()) return;
    for (const EngineControl& one : controlsOf(m_impl->family))
        if (one.id == control) return m_impl->run(one, done);
}

const QVector<SlotLine>& RemoteController::slotLines() const {
    return m_impl->slotLines;
}

const QStringList& RemoteController::properties() const {
    return m_impl->properties;
}

void RemoteController::refreshDetails() {
    if (connected()) m_impl->refreshDetails();
}

bool RemoteController::isForwarded(const QString& setting) const {
    return lacuna::app::isForwarded(setting.toStdString(), m_impl->family);
}

}  // namespace lacuna::app
