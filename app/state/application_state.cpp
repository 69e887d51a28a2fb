// Order of construction: bridge, engine (not started), controllers, start. Destruction runs
// backwards, so that no event finds a dead receiver: the engine's thread is joined first.

#include "app/state/application_state.h"

#include <QCoreApplication>
#include <QDateTime>
#include <algorithm>
#include <exception>
#include <utility>
#include <variant>

#include "app/state/calibration_controller.h"
#include "app/state/chat_controller.h"
#include "app/state/config_controller.h"
#include "app/state/conversation_storage.h"
#include "app/state/engine_share.h"
#include "app/state/engine_thread.h"
#include "app/state/measurement_controller.h"
#include "app/state/memory_controller.h"
#include "app/state/metrics_store.h"
#include "app/state/model_controller.h"
#include "app/state/number_format.h"
#include "app/state/program_log.h"
#include "app/state/quality_controller.h"
#include "app/state/report_controller.h"
#include "app/state/retention_rows.h"
#include "app/state/server_controller.h"
#include "app/state/session_feed.h"
#include "app/state/view_rows.h"
#include "engine/base/clock.h"
#include "engine/report/recorder.h"
#include "engine/session/automatic_precision.h"
#include "engine/session/read_facts.h"
#include "engine/settings/config_check.h"
#include "engine/settings/facts.h"

namespace lacuna::app {

namespace {

struct Start {
    EngineConfig config;
    QString problem;
};

/// What a person may set at the start, or the defaults and why not.
Start startingConfig(const QStringList& settings, const MachineFacts& machine) {
    std::vector<std::string> assignments;
    for (const QString& setting : settings) assignments.push_back(fromQt(setting));
    const auto wanted = withSettings(EngineConfig{}, assignments);
    if (!wanted) return {EngineConfig{}, toQt(violationsError(wanted.error()).what)};
    const auto checked = check(*wanted, nullptr, machine);
    if (!checked) return {EngineConfig{}, toQt(violationsError(checked.error()).what)};
    return {*wanted, {}};
}

/// Measurements are kept where conversations are kept at all.
PrecisionSource precisionSource(const ApplicationOptions& options) {
    if (options.dataFolder.isEmpty()) return {};
    return {.folder = measurementsFolder()};
}

}  // namespace

struct ApplicationState::Impl {
    ApplicationState& owner;
    MachineFacts machine;
    Start start;
    SteadyClock clock;
    Recorder recorder;
    ProgramLog log;
    MetricsStore metrics;
    RetentionHistory retention;
    EngineShare share;
    std::unique_ptr<EngineHost> engine;
    SessionFeed feed;
    ModelController model;
    ChatController chat;
    ConfigController config;
    ReportController report;
    PreviewController preview;
    MeasurementController measurement;
    QualityController quality;
    CalibrationController calibration;
    ServerController server;
    MemoryController memory;
    std::unique_ptr<ConversationStorage> keeper;
    EventBridge bridge;

    Impl(ApplicationState& self, const ApplicationOptions& options,
         std::unique_ptr<EngineHost> host)
        : owner(self),
          machine(machineFacts()),
          start(startingConfig(options.settings, machine)),
          recorder(machine, start.config, QDateTime::currentMSecsSinceEpoch()),
          log(options.dataFolder),
          share(machine, start.config),
          engine(host ? std::move(host)
                      : std::make_unique<EngineThread>(
                            machine, start.config, options.workerNiceness, precisionSource(options),
                            std::filesystem::path(fromQt(options.dataFolder)), share.makers())),
          feed(start.config),
          model(*engine),
          chat(*engine),
          config(machine, start.config,
                 {[this](const SetConfig& command) { engine->send(command); },
                  [this] { return clock.nowNs(); },
                  [this](const ConfigRejected& event) {
                      recorder.add(event);
                      feed.onRejected(event);
                      feed.flush();
                  },
                  [this](const SetCacheSettings& command) { engine->send(command); }}),
          report([this] { return std::make_shared<const Recording>(recorder.recording()); }),
          preview(*engine),
          measurement(*engine, machine,
                      {[this] { return chat.messages(); }, [this] { return chat.current(); },
                       [this] { return qint64{feed.engine().contextTokens}; },
                       [this]() -> const EngineConfig& { return config.inForce(); }}),
          quality(*engine, machine),
          calibration(*engine, machine),
          server(share, options.server, options.dataFolder),
          memory(*engine, chat),
          bridge([this](std::vector<Event>&& batch) { receive(std::move(batch)); }) {
        startLog();
        connectFeed();
        connectMeasuring();
        connect(&server, &ServerController::noticed, &owner,
                [this](const QString& sentence) { feed.note(EventKind::Notice, sentence); });
        share.begin(*engine, bridge);
        if (!options.dataFolder.isEmpty()) keepConversations(options);
    }

    /// Posts from the engine's thread must end before any receiver goes, and what the server still
    /// sends before that.
    ~Impl() {
        server.shutDown();
        engine.reset();
        log.add(LogSeverity::Info, QStringLiteral("program"), owner.tr("ends"));
    }

    void startLog() {
        log.add(LogSeverity::Info, QStringLiteral("program"),
                owner.tr("Lacuna %1 starts: Qt %2, %3, %4 cores, %5 (%6), %7 of memory")
                    .arg(QCoreApplication::applicationVersion(), QString::fromLatin1(qVersion()),
                         toQt(machine.system), countText(machine.cores), toQt(machine.cpu),
                         toQt(machine.isa), bytesText(machine.memoryBytes)));
        if (!start.problem.isEmpty())
            log.add(LogSeverity::Warning, QStringLiteral("settings"), start.problem);
        connect(&feed, &SessionFeed::eventArrived, &owner, [this](const EventRow& row) {
            if (const auto line = lineOf(row)) log.add(*line);
        });
        connect(&log, &ProgramLog::notWritten, &owner,
                [this](const QString& sentence) { feed.note(EventKind::Notice, sentence); });
    }

    void connectFeed() {
        connect(&feed, &SessionFeed::samplesArrived, &owner,
                [this](const QVector<SampleRow>& rows) { metrics.addSamples(rows); });
        connect(&feed, &SessionFeed::compactionArrived, &owner, [this](const CompactionRow& row) {
            metrics.addCompactions({row});
            if (row.result == CompactionResult::Done)
                retention.compacted(row.conversation, row.number);
        });
        connect(&feed, &SessionFeed::qualityArrived, &owner,
                [this](const QualityRow& row) { metrics.addQuality({row}); });
        connect(&feed, &SessionFeed::configArrived, &owner,
                [this](const ConfigRow& row) { metrics.addConfigs({row}); });
        connect(&feed, &SessionFeed::turnArrived, &owner,
                [this](const TurnRow& row) { metrics.addTurns({row}); });
        connect(&feed, &SessionFeed::storedArrived, &owner,
                [this](const StoredRow& row) { metrics.addStored(row); });
        connect(&feed, &SessionFeed::engineChanged, &owner,
                [this] { config.setHeldSlots(feed.engine().slotsLargestHead); });
        connect(&chat, &ChatController::cacheGivenUp, &feed, &SessionFeed::forgetCache);
        connect(&chat, &ChatController::currentChanged, &owner, [this] { showCurrent(); });
        showCurrent();
        connect(&config, &ConfigController::ownChanged, &owner, [this](qint64 conversation) {
            chat.setOwnSettings(conversation, config.ownSettings(conversation));
        });
        connect(&model, &ModelController::changed, &owner,
                [this] { chat.setModelProblem(model.problem()); });
    }

    void showCurrent() {
        feed.showConversation(chat.current());
        config.showConversation(chat.current());
    }

    void connectMeasuring() {
        connect(&chat, &ChatController::currentChanged, &owner,
                [this] { preview.showConversation(chat.current()); });
        preview.showConversation(chat.current());
        const auto asked = [this] { preview.setAsked(config.asked()); };
        connect(&config, &ConfigController::statusChanged, &owner, asked);
        asked();
        connect(&chat, &ChatController::stateChanged, &owner, [this] {
            preview.setAnswering(chat.anyAnswering());
            measurement.setBusy(
                chat.anyAnswering()
                    ? owner.tr("An answer is being written. Wait for its end or stop it.")
                    : QString());
        });
        connect(&measurement, &MeasurementController::changed, &owner, [this] {
            const bool runs = measurement.view().what != Measuring::Nothing;
            chat.hold(runs ? owner.tr("%1 Wait for its end or stop it.").arg(measurement.whyNot())
                           : QString());
        });
        connectQuality();
    }

    /// The engine does everything else first; the page says so.
    void connectQuality() {
        const auto waits = [this] {
            const QString why = chat.anyAnswering() ? owner.tr("Paused while an answer is written.")
                                : measurement.view().what != Measuring::Nothing
                                    ? owner.tr("Paused while another measurement runs.")
                                    : QString();
            quality.setPaused(why);
            calibration.setPaused(why);
        };
        connect(&calibration, &CalibrationController::loadWanted, &model, &ModelController::load);
        connect(&chat, &ChatController::stateChanged, &owner, waits);
        connect(&measurement, &MeasurementController::changed, &owner, waits);
    }

    void keepConversations(const ApplicationOptions& options) {
        keeper = std::make_unique<ConversationStorage>(
            options.dataFolder, [this](qint64 conversation) { return chat.record(conversation); });
        ConversationStorage* kept = keeper.get();
        connect(&chat, &ChatController::conversationTouched, kept, &ConversationStorage::touch);
        connect(&chat, &ChatController::conversationRemoved, kept, &ConversationStorage::remove);
        connect(&chat, &ChatController::conversationReturned, kept, &ConversationStorage::restore);
        connect(&chat, &ChatController::linesWanted, kept, &ConversationStorage::fetch);
        connect(kept, &ConversationStorage::fetched, &chat, &ChatController::fill);
        connect(kept, &ConversationStorage::noticed, &owner,
                [this](const QString& sentence) { feed.note(EventKind::Notice, sentence); });
        connect(kept, &ConversationStorage::keepingChanged, &owner,
                [this](int, const QString& problem) {
                    if (problem == std::exchange(notKept, problem)) return;
                    feed.note(EventKind::Notice, problem.isEmpty()
                                                     ? owner.tr("Conversations are on disk again.")
                                                     : problem);
                });
        connect(kept, &ConversationStorage::opened, &owner,
                [this, given = options.settings](const QVector<ConversationRecord>& records,
                                                 const QMap<QString, QString>& settings) {
                    chat.restore(records);
                    restoreSettings(settings, given);
                    restoreOwn(records);
                    Q_EMIT owner.conversationsRestored(records.isEmpty() && settings.isEmpty());
                });
        kept->open();
    }

    /// Settings of the last run, except those given at this start.
    void restoreSettings(const QMap<QString, QString>& settings, const QStringList& given) {
        QVector<std::pair<QString, QString>> values;
        const QStringList known = config.keys();
        for (auto value = settings.begin(); value != settings.end(); ++value) {
            const bool overruled = std::any_of(given.begin(), given.end(), [&](const QString& set) {
                return set.section(QLatin1Char('='), 0, 0).trimmed() == value.key();
            });
            if (!overruled && known.contains(value.key()))
                values.push_back({value.key(), value.value()});
        }
        if (!values.isEmpty()) config.restore(values);
    }

    /// Cache settings that conversations have of their own.
    void restoreOwn(const QVector<ConversationRecord>& records) {
        for (const ConversationRecord& record : records) {
            if (record.ownSettings.isEmpty()) continue;
            const QString problem = config.restoreOwn(record.id, record.ownSettings);
            if (problem.isEmpty()) continue;
            feed.note(EventKind::Notice,
                      owner.tr("The cache settings of \u201c%1\u201d were given up: %2")
                          .arg(record.title, problem));
            chat.setOwnSettings(record.id, {});
        }
    }

    void receive(std::vector<Event>&& batch) {
        for (const Event& event : batch) {
            attempt([&] { recorder.add(event); });
            attempt([&] { std::visit([this](const auto& value) { on(value); }, event); });
        }
        flushText();
        if (!threw.isEmpty())
            feed.note(EventKind::Notice,
                      owner.tr("Something the engine told could not be taken: %1")
                          .arg(std::exchange(threw, {})));
        const qint64 dropped = bridge.samplesDropped();
        if (dropped > metrics.dropped()) metrics.addDropped(dropped - metrics.dropped());
        feed.setSamplesDropped(dropped);
        feed.flush();
    }

    /// What cannot be taken, for want of memory mostly, must not cost what comes after it.
    template <class Work>
    void attempt(const Work& work) {
        try {
            work();
        } catch (const std::exception& thrown) {
            threw = QString::fromUtf8(thrown.what());
        }
    }

    /// Text of a batch reaches the chat in one piece per conversation.
    void flushText() {
        if (text.isEmpty()) return;
        chat.onText(textOf, std::exchange(text, {}));
    }

    void on(const StateChanged& event) { feed.onState(event); }
    void on(const ModelLoading& event) { model.onLoading(event); }
    void on(const ModelLoaded& event) {
        config.setModel(&event.facts);
        measurement.setModel(&event.facts);
        quality.setModel(&event.facts);
        calibration.setModel(&event.facts);
        preview.clear();
        memory.onModelGone();
        feed.onLoaded(event);
        model.onLoaded(event);
    }
    void on(const ModelFailed& event) {
        feed.onFailed(event);
        model.onFailed(event);
    }
    void on(const ModelUnloaded&) {
        config.setModel(nullptr);
        measurement.setModel(nullptr);
        quality.setModel(nullptr);
        calibration.setModel(nullptr);
        preview.clear();
        memory.onModelGone();
        feed.onUnloaded();
        model.onUnloaded();
    }
    void on(const PrecisionChosen& event) {
        const Recording& recording = recorder.recording();  // knows of it already
        if (recording.model) config.setModel(&*recording.model);
        model.onPrecision(event);
    }
    void on(const ModelInspected& event) { model.onInspected(event); }
    void on(const HeadProfilesInForce& event) { model.onHeads(event); }
    void on(const HeadsMeasured& event) { model.onHeads(event); }
    void on(const TurnStarted& event) {
        feed.onTurnStarted(event);
        memory.onTurnStarted(event);
        config.onTurnStarted(event);
        chat.onTurnStarted(event);
    }
    void on(const PrefillProgress& event) { chat.onPrefill(event); }
    void on(const TokenText& event) {
        if (event.conversation.value != textOf) flushText();
        textOf = event.conversation.value;
        text += toQt(event.text);
    }
    void on(const TurnFinished& event) {
        flushText();
        preview.onGrown(event.conversation.value);
        chat.onTurnFinished(event, feed.onTurnFinished(event));
    }
    void on(const ConfigApplied& event) {
        feed.onApplied(event);
        config.onApplied(event);
        if (keeper && !event.conversation) keeper->saveSettings(settingsChosen(event.config));
    }
    void on(const ConfigRejected& event) {
        feed.onRejected(event);
        config.onRejected(event);
    }
    void on(const CacheSettingsDropped& event) {
        feed.onDropped(event);
        config.onDropped(event);
    }
    void on(const ConfigSuperseded& event) { config.onSuperseded(event); }
    void on(const StepSample& event) {
        feed.onSample(event);
        memory.onSample(event);
    }
    void on(const CompactionHappened& event) {
        if (event.report.result == CompactionResult::Done)
            preview.onGrown(event.conversation.value);
        feed.onCompaction(event);
    }
    void on(const PrefixCacheChanged& event) {
        feed.onPrefixes(event);
        memory.onPrefixes(event);
    }
    void on(const PromptCacheMoved& event) {
        if (event.error) feed.onNotice(Notice{describe(*event.error)});
    }
    void on(const QualitySampled& event) { feed.onQuality(event); }
    void on(const CompactionPreviewed& event) { preview.onPreviewed(event); }
    void on(const PreviewOutcome& event) { preview.onOutcome(event); }
    void on(const QualityJobProgress& event) { measurement.onProgress(event); }
    void on(const ComparedText& event) { measurement.onText(event); }
    void on(const SettingsCompared& event) { measurement.onCompared(event); }
    void on(const SettingsSwept& event) { measurement.onSwept(event); }
    void on(const QualityTablesKept& event) { quality.onKept(event); }
    void on(const QualityTableFilled& event) { quality.onFilled(event); }
    void on(const RotationsCalibrated& event) { calibration.onCalibrated(event); }
    void on(const RetentionSnapshot& event) {
        Q_EMIT owner.retentionArrived(retention.noted(lacuna::app::viewOf(event)));
    }
    void on(const Notice& event) { feed.onNotice(event); }
    void on(const Fatal& event) {
        flushText();
        feed.onFatal(event.error);
        const QString gone =
            owner.tr("The engine stopped: %1 Restart Lacuna.").arg(toQt(event.error.what));
        chat.setModelProblem(gone);
        measurement.onEngineGone(gone);
        quality.onEngineGone(gone);
        calibration.onEngineGone(gone);
    }

    QString text;
    qint64 textOf = 0;
    QString notKept;  ///< why conversations are not on disk, as noted last
    QString threw;    ///< what an event of this batch threw last, or empty
};

ApplicationState::ApplicationState(const ApplicationOptions& options, QObject* parent)
    : ApplicationState(options, nullptr, parent) {}

ApplicationState::ApplicationState(const ApplicationOptions& options,
                                   std::unique_ptr<EngineHost> engine, QObject* parent)
    : QObject(parent), m_impl(std::make_unique<Impl>(*this, options, std::move(engine))) {}

ApplicationState::~ApplicationState() = default;

ModelController& ApplicationState::model() {
    return m_impl->model;
}
ChatController& ApplicationState::chat() {
    return m_impl->chat;
}
ConfigController& ApplicationState::config() {
    return m_impl->config;
}
SessionFeed& ApplicationState::feed() {
    return m_impl->feed;
}
MetricsStore& ApplicationState::metrics() {
    return m_impl->metrics;
}
ReportController& ApplicationState::report() {
    return m_impl->report;
}
PreviewController& ApplicationState::preview() {
    return m_impl->preview;
}
MeasurementController& ApplicationState::measurement() {
    return m_impl->measurement;
}
QualityController& ApplicationState::quality() {
    return m_impl->quality;
}

CalibrationController& ApplicationState::calibration() {
    return m_impl->calibration;
}
MemoryController& ApplicationState::memory() {
    return m_impl->memory;
}
ServerController& ApplicationState::server() {
    return m_impl->server;
}
ProgramLog& ApplicationState::log() {
    return m_impl->log;
}
MachineView ApplicationState::machine() const {
    return lacuna::app::viewOf(m_impl->machine);
}
ConversationStorage* ApplicationState::keeper() {
    return m_impl->keeper.get();
}
QString ApplicationState::startProblem() const {
    return m_impl->start.problem;
}
void ApplicationState::drain() {
    m_impl->bridge.drain();
}

}  // namespace lacuna::app
