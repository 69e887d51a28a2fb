// Construction order: engine (not started), controllers, subscription, start. Destruction joins the
// engine's thread first, so that no event reaches a destroyed receiver.

#include "app/state/application_state.h"

#include <QCoreApplication>
#include <QDateTime>
#include <algorithm>
#include <exception>
#include <functional>
#include <optional>
#include <utility>
#include <variant>

#include "app/state/chat/conversation_cache.h"
#include "app/state/chat/conversation_list.h"
#include "app/state/chat/conversation_pins.h"
#include "app/state/chat/conversation_turns.h"
#include "app/state/engine/engine_router.h"
#include "app/state/engine/engine_text.h"
#include "app/state/engine/event_delivery.h"
#include "app/state/engine/event_dispatcher.h"
#include "app/state/experiments/measurement_controller.h"
#include "app/state/experiments/quality_controller.h"
#include "app/state/files/program_files.h"
#include "app/state/files/program_log.h"
#include "app/state/models/calibration_controller.h"
#include "app/state/models/memory_controller.h"
#include "app/state/models/model_controller.h"
#include "app/state/models/model_jobs.h"
#include "app/state/models/model_library.h"
#include "app/state/number_format.h"
#include "app/state/remote_attachment.h"
#include "app/state/report/recording_controller.h"
#include "app/state/report/report_controller.h"
#include "app/state/server/server_controller.h"
#include "app/state/settings/config_controller.h"
#include "app/state/settings/profile_controller.h"
#include "app/state/storage/conversation_storage.h"
#include "app/state/telemetry/metrics_store.h"
#include "app/state/telemetry/retention_rows.h"
#include "app/state/telemetry/session_feed.h"
#include "app/state/view_rows.h"
#include "engine/base/clock.h"
#include "engine/host/engine_host.h"
#include "engine/report/recorder.h"
#include "engine/session/jobs/automatic_precision.h"
#include "engine/session/prefix_folder.h"
#include "engine/session/read_facts.h"
#include "engine/session/running_model.h"
#include "engine/settings/config_check.h"
#include "engine/settings/facts.h"

namespace lacuna::app {

namespace {

struct Start {
    MachineFacts machine;
    EngineConfig config;
};

/// @pre the settings are valid
Start startWith(const QStringList& settings) {
    Start start{machineFacts(), {}};
    std::vector<std::string> assignments;
    for (const QString& setting : settings) assignments.push_back(fromQt(setting));
    const auto wanted = withSettings(EngineConfig{}, assignments);
    const auto checked = wanted ? check(*wanted, nullptr, start.machine)
                                : tl::unexpected<std::vector<RuleViolation>>(wanted.error());
    Q_ASSERT(checked);
    if (checked) start.config = checked->get();
    return start;
}

/// With a data folder, measurements, model profiles and the disk tier of the prefix cache are
/// stored as well, and surrogates are fitted.
EngineOptions engineOptions(const ApplicationOptions& options, const MachineFacts& machine,
                            const EngineConfig& config) {
    const std::filesystem::path folder(fromQt(options.dataFolder));
    EngineOptions engine{
        .machine = machine, .config = config, .workerNiceness = options.workerNiceness};
    engine.samplesQuality = true;
    if (folder.empty()) return engine;
    engine.precision.folder = measurementsFolder();
    engine.profileFolder = folder;
    engine.measuresHeads = true;
    engine.measuresPrecision = !engine.precision.folder.empty();
    engine.calibrationText = [] { return calibrationBook(); };
    engine.prefixFolder = prefixFolderIn(folder);
    return engine;
}

}  // namespace

struct ApplicationState::Impl {
    /// If a blocked GUI thread accumulates this many samples, further ones are dropped.
    static constexpr std::size_t kMaxSamples = 65'536;

    ApplicationState& owner;
    MachineFacts machine;
    SteadyClock clock;
    Recorder recorder;
    ProgramLog log;
    MetricsStore metrics;
    RetentionHistory retention;
    std::optional<ModelFacts> facts;           ///< of the loaded model
    std::unique_ptr<CommandSink> otherEngine;  ///< replaces the host in tests; null otherwise
    std::unique_ptr<EngineHost> host;
    EngineRouter engine;
    ConfigController config;  ///< owns the settings of the window
    SessionFeed feed;
    ModelController model;
    ConversationList conversations;
    ConversationPins pins;
    ConversationTurns turns;
    ConversationCache cache;
    RemoteAttachment attachment;
    ReportController report;
    RecordingController recordings;
    PreviewController preview;
    MeasurementController measurement;
    QualityController quality;
    CalibrationController calibration;
    ProfileController profiles;
    ServerController server;
    MemoryController memory;
    ModelLibrary library;
    ModelJobs jobs;
    std::unique_ptr<ConversationStorage> storage;
    EventDispatcher dispatcher;
    EventDelivery events;
    QString dataFolder;

    Impl(ApplicationState& self, const ApplicationOptions& options,
         std::unique_ptr<CommandSink> other, EventHub* otherEvents, const Start& start)
        : owner(self),
          machine(start.machine),
          recorder(machine, start.config, QDateTime::currentMSecsSinceEpoch()),
          log(options.dataFolder),
          otherEngine(std::move(other)),
          host(otherEngine
                   ? nullptr
                   : std::make_unique<EngineHost>(engineOptions(options, machine, start.config))),
          engine(otherEngine ? *otherEngine : *host,
                 [this]() -> const EngineConfig& { return config.inEffect(); }),
          config(machine, start.config,
                 {[this](const SetConfig& command) { engine.send(command); },
                  [this] { return clock.nowNs(); },
                  [this](const ConfigRejected& event) {
                      recorder.add(event);
                      feed.onRejected(event);
                      feed.flush();
                  },
                  [this](const SetCacheSettings& command) { engine.send(command); }}),
          feed(config.settingsInEffect()),
          model(engine),
          pins(engine, conversations),
          turns(engine, conversations, pins),
          cache(engine, conversations),
          attachment(engine, turns, feed, metrics),
          report([this] { return std::make_shared<const Recording>(recorder.recording()); }),
          recordings([this] { return replayMakers(); }),
          preview(engine),
          measurement(engine, machine,
                      {[this] { return conversations.messages(); },
                       [this] { return conversations.current(); },
                       [this] { return qint64{feed.engine().contextTokens}; },
                       [this]() -> const EngineConfig& { return config.inEffect(); }}),
          quality(machine, options.dataFolder, options.program),
          calibration(engine, machine),
          profiles(config, quality, options.dataFolder),
          server(host.get(), options.server, options.dataFolder),
          memory(engine, conversations, cache, feed),
          library(options.dataFolder, machine, [this] { return config.asked(); }),
          jobs(options.program),
          events(otherEngine ? *otherEvents : host->events(),
                 {.audience = Audience::Window,
                  .retention = true,  // The recorder needs retention of all conversations.
                  .maxSamples = kMaxSamples},
                 EventDelivery::kWindowMs,
                 [this](std::vector<Event>&& batch) { receive(std::move(batch)); }),
          dataFolder(options.dataFolder) {
        subscribe();
        startLog();
        connectFeed();
        connectMeasuring();
        connectModels();
        connectAttachment();
        connect(&server, &ServerController::noticed, &owner,
                [this](const QString& sentence) { feed.note(EventKind::Notice, sentence); });
        if (host) host->start();
        if (!options.dataFolder.isEmpty()) keepConversations(options);
    }

    /// The server uses the engine and must stop first.
    ~Impl() {
        server.shutDown();
        if (host) host->stop();
        otherEngine.reset();
        log.add(LogSeverity::Info, QStringLiteral("program"), owner.tr("ends"));
    }

    /// Model makers for a replay, which reuse the loaded model instead of reading it again.
    [[nodiscard]] std::shared_ptr<const ModelMakers> replayMakers() const {
        auto makers = std::make_shared<ModelMakers>();
        const std::shared_ptr<const LoadedModel> inUse = host ? host->model() : nullptr;
        const std::filesystem::path itsPath(fromQt(model.view().path));
        if (inUse != nullptr)
            makers->load = [inUse, itsPath, read = makers->load](const std::filesystem::path& path,
                                                                 const LoadOptions& options) {
                return path == itsPath ? Result<std::shared_ptr<const LoadedModel>>(inUse)
                                       : read(path, options);
            };
        return makers;
    }

    void startLog() {
        log.add(LogSeverity::Info, QStringLiteral("program"),
                owner.tr("Lacuna %1 starts: Qt %2, %3, %4 cores, %5 (%6), %7 of memory")
                    .arg(QCoreApplication::applicationVersion(), QString::fromLatin1(qVersion()),
                         toQt(machine.system), countText(machine.cores), toQt(machine.cpu),
                         toQt(machine.isa), bytesText(machine.memoryBytes)));
        connect(&feed, &SessionFeed::eventArrived, &owner, [this](const EventRow& row) {
            if (const auto line = lineOf(row)) log.add(*line);
        });
        connect(&log, &ProgramLog::writeFailed, &owner,
                [this](const QString& sentence) { feed.note(EventKind::Notice, sentence); });
    }

    void connectFeed() {
        connect(
            &feed, &SessionFeed::samplesArrived, &owner,
            [this](const QVector<SampleRow>& rows) { attachment.localCharts().addSamples(rows); });
        connect(&feed, &SessionFeed::compactionArrived, &owner, [this](const CompactionRow& row) {
            attachment.localCharts().addCompactions({row});
            if (compacted(outcomeOf(row))) retention.compacted(row.conversation, row.number);
            if (row.kept) retention.measured(row.conversation, *row.kept);
        });
        connect(&feed, &SessionFeed::qualityArrived, &owner,
                [this](const QualityRow& row) { attachment.localCharts().addQuality({row}); });
        connect(&feed, &SessionFeed::configArrived, &owner,
                [this](const ConfigRow& row) { attachment.localCharts().addConfigs({row}); });
        connect(&feed, &SessionFeed::turnArrived, &owner,
                [this](const TurnRow& row) { attachment.localCharts().addTurns({row}); });
        connect(&feed, &SessionFeed::storedArrived, &owner,
                [this](const StoredRow& row) { attachment.localCharts().addStored(row); });
        connect(&feed, &SessionFeed::restoredArrived, &owner,
                [this](const RestoredRow& row) { attachment.localCharts().addRestored(row); });
        connect(&feed, &SessionFeed::engineChanged, &owner,
                [this] { config.setHeldSlots(static_cast<int>(feed.engine().slotsPerHead)); });
        connect(&cache, &ConversationCache::released, &feed, &SessionFeed::dropCache);
        connect(&cache, &ConversationCache::compactionRequested, &feed,
                [this](qint64 conversation) {
                    if (!attachment.view()) feed.expectCompaction(conversation);
                });
        connect(&feed, &SessionFeed::cacheShown, &owner,
                [this](const SampleRow& row) { attachment.localCharts().showConversation(row); });
        connect(&feed, &SessionFeed::cachesDropped, &owner,
                [this](qint64 timeNs) { attachment.localCharts().dropCaches(timeNs); });
        connect(&conversations, &ConversationList::currentChanged, &owner,
                [this] { showCurrent(); });
        showCurrent();
        connect(&config, &ConfigController::ownChanged, &owner, [this](qint64 conversation) {
            conversations.setOwnSettings(conversation, config.ownSettings(conversation));
        });
        connect(&model, &ModelController::changed, &owner, [this] { showModelName(); });
        connect(&model, &ModelController::changed, &owner, [this] { showReadiness(); });
    }

    /// Connects draft models, the model list and the results of jobs.
    void connectModels() {
        model.setDrafts([this](const QString& path) { return library.draftOf(path); });
        connect(&model, &ModelController::loaded, &owner,
                [this](const QString& path) { library.noteLoaded(path); });
        connect(
            &model, &ModelController::failed, &owner,
            [this](const QString& path, const QString& draft, const QString& sentence, bool none) {
                if (draft.isEmpty()) return;
                library.setDraft(path, {});
                feed.note(
                    EventKind::Notice,
                    owner.tr("%1 cannot be the draft model for %2: %3").arg(draft, path, sentence));
                if (none) model.loadAlone(path);
            });
        connect(&library, &ModelLibrary::savingFailed, &owner,
                [this](const QString& sentence) { feed.note(EventKind::Notice, sentence); });
        connect(&jobs, &ModelJobs::ended, &owner, [this] {
            feed.note(EventKind::Model,
                      jobs.view().title + QStringLiteral(". ") + jobs.view().sentence);
            library.refresh(jobs.view().model);
            if (!jobs.view().made.isEmpty()) library.addModel(jobs.view().made);
        });
    }

    void showReadiness() {
        const bool remote = attachment.view().has_value();
        turns.setModelProblem(remote ? QString() : model.problem(), !remote && model.loading());
    }

    void showThoughtForm() {
        turns.setThoughtForm(attachment.view() || !host ? ThoughtForm()
                                                        : thoughtFormOf(host->model()));
    }

    void showModelName() {
        const std::optional<RemoteView>& remote = attachment.view();
        turns.setModelName(!remote                   ? model.view().name
                           : remote->model.isEmpty() ? remote->name
                                                     : remote->model);
    }

    void connectAttachment() {
        connect(&attachment, &RemoteAttachment::viewChanged, &owner, [this] { showModelName(); });
        connect(&attachment, &RemoteAttachment::exchanged, &owner, [this] {
            showThoughtForm();
            showReadiness();
            showBusy();
        });
    }

    void showCurrent() {
        feed.showConversation(conversations.current());
        config.showConversation(conversations.current());
    }

    void connectMeasuring() {
        connect(&conversations, &ConversationList::currentChanged, &owner,
                [this] { preview.showConversation(conversations.current()); });
        preview.showConversation(conversations.current());
        const auto asked = [this] { preview.setRequested(config.asked()); };
        connect(&config, &ConfigController::statusChanged, &owner, asked);
        asked();
        connect(&conversations, &ConversationList::stateChanged, &owner, [this] {
            preview.setAnswering(conversations.anyAnswering());
            showBusy();
        });
        connect(&measurement, &MeasurementController::changed, &owner, [this] {
            const bool runs = measurement.view().what != Measuring::Nothing;
            turns.hold(runs ? owner.tr("%1 Wait until it ends or stop it.")
                                  .arg(measurement.disabledReason())
                            : QString());
        });
        connectQuality();
        connectJobs();
    }

    /// Keeps the engine's other work up to date in the status line.
    void connectJobs() {
        const auto show = [this] { feed.showJob(job()); };
        connect(&measurement, &MeasurementController::changed, &owner, show);
        connect(&preview, &PreviewController::changed, &owner, show);
        connect(&preview, &PreviewController::predictedLossChanged, &owner, show);
        connect(&quality, &QualityController::changed, &owner, show);
        connect(&calibration, &CalibrationController::changed, &owner, show);
        connect(&model, &ModelController::changed, &owner, show);
    }

    [[nodiscard]] EngineJob job() const {
        switch (measurement.view().what) {
            case Measuring::Comparison:
                return EngineJob::Comparison;
            case Measuring::Sweep:
                return EngineJob::Sweep;
            case Measuring::Nothing:
                break;
        }
        if (const EngineJob estimate = preview.job(); estimate != EngineJob::None) return estimate;
        const QualityProgressView& table = quality.progress();
        if (table.running && table.paused.isEmpty()) return EngineJob::QualityTable;
        if (calibration.view().running) return EngineJob::Calibration;
        if (model.measuringPrecision()) return EngineJob::PrecisionMeasuring;
        return model.heads().share >= 0 ? EngineJob::HeadProfileJob : EngineJob::None;
    }

    void showBusy() {
        measurement.setBusy(
            conversations.anyAnswering()
                ? owner.tr("An answer is being written. Wait until it ends or stop it.")
                : attachment.localEngineBlocker());
    }

    [[nodiscard]] QString attachBlocker() const {
        if (conversations.anyAnswering())
            return owner.tr("An answer is being written. Wait until it ends or stop it.");
        if (model.loading())
            return owner.tr("A model is being loaded. Wait until it is loaded or stop it.");
        if (measurement.view().what != Measuring::Nothing)
            return owner.tr("A measurement is running. Wait until it ends or stop it.");
        return {};
    }

    /// Pauses the quality table and calibration while the engine has other work.
    void connectQuality() {
        const auto waits = [this] {
            const QString why = conversations.anyAnswering()
                                    ? owner.tr("Paused while an answer is written.")
                                : measurement.view().what != Measuring::Nothing
                                    ? owner.tr("Paused while another measurement runs.")
                                    : QString();
            quality.setPaused(why);
            calibration.setPaused(why);
        };
        connect(&calibration, &CalibrationController::loadRequested, &model,
                &ModelController::load);
        connect(&conversations, &ConversationList::stateChanged, &owner, waits);
        connect(&measurement, &MeasurementController::changed, &owner, waits);
    }

    void keepConversations(const ApplicationOptions& options) {
        storage = std::make_unique<ConversationStorage>(
            options.dataFolder,
            [this](qint64 conversation) { return conversations.record(conversation); });
        ConversationStorage* kept = storage.get();
        connect(&conversations, &ConversationList::touched, kept, &ConversationStorage::touch);
        connect(&conversations, &ConversationList::removed, kept, &ConversationStorage::remove);
        connect(&conversations, &ConversationList::returned, kept, &ConversationStorage::restore);
        connect(&conversations, &ConversationList::linesRequested, kept,
                &ConversationStorage::fetch);
        connect(kept, &ConversationStorage::fetched, &conversations, &ConversationList::fill);
        connect(kept, &ConversationStorage::noticed, &owner,
                [this](const QString& sentence) { feed.note(EventKind::Notice, sentence); });
        connect(kept, &ConversationStorage::savingChanged, &owner,
                [this](int, const QString& problem) {
                    if (problem == std::exchange(savingFailed, problem)) return;
                    feed.note(EventKind::Notice,
                              problem.isEmpty() ? owner.tr("Conversations are saved to disk again.")
                                                : problem);
                });
        connect(kept, &ConversationStorage::opened, &owner,
                [this, given = options.settings](const QVector<ConversationRecord>& records,
                                                 const QMap<QString, QString>& settings) {
                    conversations.restore(records);
                    restoreSettings(settings, given);
                    restoreOwn(records);
                    Q_EMIT owner.conversationsRestored(records.isEmpty() && settings.isEmpty());
                });
        kept->open();
    }

    /// Restores the settings of the last run except those given at this start.
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

    /// Restores cache settings that belong to single conversations.
    void restoreOwn(const QVector<ConversationRecord>& records) {
        for (const ConversationRecord& record : records) {
            if (record.ownSettings.isEmpty()) continue;
            const QString problem = config.restoreOwn(record.id, record.ownSettings);
            if (problem.isEmpty()) continue;
            feed.note(EventKind::Notice,
                      owner.tr("The cache settings of \u201c%1\u201d were discarded: %2")
                          .arg(record.title, problem));
            conversations.setOwnSettings(record.id, {});
        }
    }

    void receive(std::vector<Event>&& batch) {
        for (const Event& event : batch) {
            attempt([&] { recorder.add(event); });
            attempt([&] { dispatcher.dispatch(event); });
        }
        turns.flushText();
        if (!threw.isEmpty())
            feed.note(EventKind::Notice,
                      owner.tr("A message from the engine could not be processed: %1")
                          .arg(std::exchange(threw, {})));
        const qint64 dropped = events.samplesDropped();
        if (dropped > attachment.localCharts().dropped())
            attachment.localCharts().addDropped(dropped - attachment.localCharts().dropped());
        feed.setSamplesDropped(dropped);
        feed.flush();
    }

    /// An event that fails, mostly for lack of memory, must not prevent later events.
    template <class Work>
    void attempt(const Work& work) {
        try {
            work();
        } catch (const std::exception& thrown) {
            threw = QString::fromUtf8(thrown.what());
        }
    }

    /// Handlers of an event run in the order of their subscription.
    void subscribe() {
        subscribeOwn();
        config.subscribeTo(dispatcher);  // Before the feed, which reads the active settings.
        feed.subscribeTo(dispatcher);
        attachment.subscribeTo(dispatcher);
        memory.subscribeTo(dispatcher);
        model.subscribeTo(dispatcher);
        turns.subscribeTo(dispatcher);
        pins.subscribeTo(dispatcher);
        cache.subscribeTo(dispatcher);
        preview.subscribeTo(dispatcher);
        measurement.subscribeTo(dispatcher);
        calibration.subscribeTo(dispatcher);
    }

    /// Subscribes to the events that several controllers handle together.
    void subscribeOwn() {
        subscribeOwn<ModelLoaded, ModelFailed, ModelUnloaded, PrecisionChosen, HeadProfilesInEffect,
                     TurnFinished, ConfigApplied, CompactionHappened, RetentionSnapshot, Fatal>();
    }
    template <class... Events>
    void subscribeOwn() {
        (dispatcher.subscribe<Events>([this](const Events& event) { on(event); }), ...);
    }

    void on(const ModelLoaded& event) {
        facts = event.facts;
        config.setModel(&event.facts);
        measurement.setModel(&event.facts);
        quality.setModel(&event.facts);
        calibration.setModel(&event.facts);
        preview.clear();
        memory.onModelReleased();
        feed.onLoaded(event);
        model.onLoaded(event);
        if (!attachment.view()) showThoughtForm();
        turns.sendQueued();
    }
    void on(const ModelFailed& event) {
        feed.onFailed(event);
        // onFailed first, because returnQueued depends on whether another model is still loading.
        model.onFailed(event);
        if (!model.loading()) turns.returnQueued();
    }
    void on(const ModelUnloaded&) {
        facts.reset();
        config.setModel(nullptr);
        measurement.setModel(nullptr);
        quality.setModel(nullptr);
        calibration.setModel(nullptr);
        preview.clear();
        memory.onModelReleased();
        feed.onUnloaded();
        model.onUnloaded();
        turns.returnQueued();
    }
    void on(const PrecisionChosen& event) {
        const Recording& recording = recorder.recording();  // The recorder has already processed
                                                            // this event.
        if (recording.model) config.setModel(&*recording.model);
        model.onPrecision(event);
        feed.note(EventKind::Model,
                  owner.tr("Precision from the next answer on: %1").arg(engineText(event.note)));
    }
    void on(const HeadProfilesInEffect& event) {
        const Recording& recording = recorder.recording();  // The recorder has already processed
                                                            // this event.
        if (recording.model) config.setModel(&*recording.model);
        preview.onHeadProfiles();
        model.onHeads(event);
    }
    void on(const TurnFinished& event) {
        turns.flushText();
        // A turn rejected before prefill has changed nothing.
        if (!event.error || !event.text.empty()) preview.onGrown(event.conversation.value);
        turns.onTurnFinished(event, feed.onTurnFinished(event));
        // Recordings need a retention snapshot after every turn.
        if (event.turn != 0) engine.send(RequestRetention{event.conversation});
    }
    void on(const ConfigApplied& event) {
        feed.flush();  // Steps so far used the previous settings.
        config.onApplied(event);
        feed.onApplied(event);
        if (storage && !event.conversation) storage->saveSettings(settingsChosen(event.config));
    }
    void on(const CompactionHappened& event) {
        const bool done = compacted(outcomeOf(event.report));
        if (done) preview.onGrown(event.conversation.value);
        feed.onCompaction(event);
        if (event.retention) on(*event.retention);
    }
    void on(const RetentionSnapshot& event) {
        Q_EMIT owner.retentionArrived(
            retention.noted(lacuna::app::viewOf(event, facts ? &*facts : nullptr)));
    }
    void on(const Fatal& event) {
        turns.flushText();
        feed.onFatal(event.error);
        const QString gone =
            owner.tr("The engine stopped: %1 Restart Lacuna.").arg(engineText(event.error.what));
        turns.setModelProblem(gone);
        turns.returnQueued();
        measurement.onEngineEnded(gone);
        quality.onEngineEnded(gone);
        calibration.onEngineEnded(gone);
    }

    QString savingFailed;  ///< last reported reason why conversations are not stored
    QString threw;         ///< message of the last exception in this batch, or empty
};

ApplicationState::ApplicationState(const ApplicationOptions& options, QObject* parent)
    : QObject(parent),
      m_impl(
          std::make_unique<Impl>(*this, options, nullptr, nullptr, startWith(options.settings))) {}

ApplicationState::ApplicationState(const ApplicationOptions& options,
                                   std::unique_ptr<CommandSink> engine, EventHub& events,
                                   QObject* parent)
    : QObject(parent),
      m_impl(std::make_unique<Impl>(*this, options, std::move(engine), &events,
                                    startWith(options.settings))) {}

ApplicationState::~ApplicationState() = default;

ModelController& ApplicationState::model() {
    return m_impl->model;
}
ConversationList& ApplicationState::conversations() {
    return m_impl->conversations;
}
ConversationTurns& ApplicationState::turns() {
    return m_impl->turns;
}
ConversationPins& ApplicationState::pins() {
    return m_impl->pins;
}
ConversationCache& ApplicationState::cache() {
    return m_impl->cache;
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
RecordingController& ApplicationState::recording() {
    return m_impl->recordings;
}
PreviewController& ApplicationState::preview() {
    return m_impl->preview;
}
QString ApplicationState::attachBlocker() const {
    return m_impl->attachBlocker();
}
RemoteAttachment& ApplicationState::attachment() {
    return m_impl->attachment;
}
QString ApplicationState::dataFolder() const {
    return m_impl->dataFolder;
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
ProfileController& ApplicationState::profiles() {
    return m_impl->profiles;
}
MemoryController& ApplicationState::memory() {
    return m_impl->memory;
}
ModelLibrary& ApplicationState::library() {
    return m_impl->library;
}
ModelJobs& ApplicationState::jobs() {
    return m_impl->jobs;
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
ConversationStorage* ApplicationState::storage() {
    return m_impl->storage.get();
}
void ApplicationState::drain() {
    m_impl->events.drain();
}

}  // namespace lacuna::app
