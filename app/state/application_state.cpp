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

#include "app/state/chat/chat_controller.h"
#include "app/state/engine/engine_router.h"
#include "app/state/engine/engine_text.h"
#include "app/state/engine/event_delivery.h"
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
    ChatController chat;
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
    EventDelivery events;
    EventSubscription remoteEvents;
    QString dataFolder;
    std::optional<RemoteView> remote;  ///< the attached remote engine
    MetricsStore localMetrics;  ///< figures of the local engine while charts show a remote one
    EngineState localState = EngineState::NoModel;

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
          chat(engine),
          report([this] { return std::make_shared<const Recording>(recorder.recording()); }),
          recordings([this] { return replayMakers(); }),
          preview(engine),
          measurement(engine, machine,
                      {[this] { return chat.messages(); }, [this] { return chat.current(); },
                       [this] { return qint64{feed.engine().contextTokens}; },
                       [this]() -> const EngineConfig& { return config.inEffect(); }}),
          quality(machine, options.dataFolder, options.program),
          calibration(engine, machine),
          profiles(config, quality, options.dataFolder),
          server(host.get(), options.server, options.dataFolder),
          memory(engine, chat, feed),
          library(options.dataFolder, machine, [this] { return config.asked(); }),
          jobs(options.program),
          events(otherEngine ? *otherEvents : host->events(),
                 {.audience = Audience::Window,
                  .retention = true,  // The recorder needs retention of all conversations.
                  .maxSamples = kMaxSamples},
                 EventDelivery::kWindowMs,
                 [this](std::vector<Event>&& batch) { receive(std::move(batch)); }),
          dataFolder(options.dataFolder) {
        startLog();
        connectFeed();
        connectMeasuring();
        connectModels();
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

    /// The store for figures of the local engine, also while charts show a remote one.
    [[nodiscard]] MetricsStore& localCharts() { return remote ? localMetrics : metrics; }

    void connectFeed() {
        connect(&feed, &SessionFeed::samplesArrived, &owner,
                [this](const QVector<SampleRow>& rows) { localCharts().addSamples(rows); });
        connect(&feed, &SessionFeed::compactionArrived, &owner, [this](const CompactionRow& row) {
            localCharts().addCompactions({row});
            if (compacted(outcomeOf(row))) retention.compacted(row.conversation, row.number);
            if (row.kept) retention.measured(row.conversation, *row.kept);
        });
        connect(&feed, &SessionFeed::qualityArrived, &owner,
                [this](const QualityRow& row) { localCharts().addQuality({row}); });
        connect(&feed, &SessionFeed::configArrived, &owner,
                [this](const ConfigRow& row) { localCharts().addConfigs({row}); });
        connect(&feed, &SessionFeed::turnArrived, &owner,
                [this](const TurnRow& row) { localCharts().addTurns({row}); });
        connect(&feed, &SessionFeed::storedArrived, &owner,
                [this](const StoredRow& row) { localCharts().addStored(row); });
        connect(&feed, &SessionFeed::restoredArrived, &owner,
                [this](const RestoredRow& row) { localCharts().addRestored(row); });
        connect(&feed, &SessionFeed::engineChanged, &owner,
                [this] { config.setHeldSlots(static_cast<int>(feed.engine().slotsPerHead)); });
        connect(&chat, &ChatController::cacheReleased, &feed, &SessionFeed::dropCache);
        connect(&chat, &ChatController::compactionRequested, &feed, [this](qint64 conversation) {
            if (!remote) feed.expectCompaction(conversation);
        });
        connect(&feed, &SessionFeed::cacheShown, &owner,
                [this](const SampleRow& row) { localCharts().showConversation(row); });
        connect(&feed, &SessionFeed::cachesDropped, &owner,
                [this](qint64 timeNs) { localCharts().dropCaches(timeNs); });
        connect(&chat, &ChatController::currentChanged, &owner, [this] { showCurrent(); });
        showCurrent();
        connect(&config, &ConfigController::ownChanged, &owner, [this](qint64 conversation) {
            chat.setOwnSettings(conversation, config.ownSettings(conversation));
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
        chat.setModelProblem(remote ? QString() : model.problem(), !remote && model.loading());
    }

    void showThoughtForm() {
        chat.setThoughtForm(remote || !host ? ThoughtForm() : thoughtFormOf(host->model()));
    }

    void showModelName() {
        const QString there = remote && remote->model.isEmpty() ? remote->name : QString();
        chat.setModelName(!remote ? model.view().name : there.isEmpty() ? remote->model : there);
    }

    void showCurrent() {
        feed.showConversation(chat.current());
        config.showConversation(chat.current());
    }

    void connectMeasuring() {
        connect(&chat, &ChatController::currentChanged, &owner,
                [this] { preview.showConversation(chat.current()); });
        preview.showConversation(chat.current());
        const auto asked = [this] { preview.setRequested(config.asked()); };
        connect(&config, &ConfigController::statusChanged, &owner, asked);
        asked();
        connect(&chat, &ChatController::stateChanged, &owner, [this] {
            preview.setAnswering(chat.anyAnswering());
            showBusy();
        });
        connect(&measurement, &MeasurementController::changed, &owner, [this] {
            const bool runs = measurement.view().what != Measuring::Nothing;
            chat.hold(runs ? owner.tr("%1 Wait until it ends or stop it.")
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
            chat.anyAnswering()
                ? owner.tr("An answer is being written. Wait until it ends or stop it.")
                : localEngineBlocker());
    }

    [[nodiscard]] QString localEngineBlocker() const {
        return remote ? owner.tr("Answers now come from %1. Disconnect to use the local engine.")
                            .arg(remote->name)
                      : QString();
    }

    [[nodiscard]] QString attachBlocker() const {
        if (chat.anyAnswering())
            return owner.tr("An answer is being written. Wait until it ends or stop it.");
        if (model.loading())
            return owner.tr("A model is being loaded. Wait until it is loaded or stop it.");
        if (measurement.view().what != Measuring::Nothing)
            return owner.tr("A measurement is running. Wait until it ends or stop it.");
        return {};
    }

    void attach(std::unique_ptr<CommandSink> other, EventHub& otherEvents, const RemoteView& view) {
        detach();
        remoteEvents = otherEvents.subscribe({}, [this](const Event& event) {
            std::visit([this](const auto& value) { onElsewhere(value); }, event);
        });
        engine.attach(std::move(other));
        remote = view;
        metrics.exchange(localMetrics);
        metrics.setSource(view.name);
        feed.note(EventKind::Model,
                  owner.tr("Answers now come from %1 at %2").arg(view.name, view.address));
        feed.onState(StateChanged{EngineState::Idle});
        showAttached();
    }

    void detach() {
        if (!remote) return;
        engine.detach();
        remoteEvents.close();
        feed.note(EventKind::Model, owner.tr("Disconnected from %1").arg(remote->name));
        remote.reset();
        metrics.exchange(localMetrics);
        localMetrics = MetricsStore();
        feed.onState(StateChanged{localState});
        showAttached();
    }

    void showRemote(const RemoteView& view) {
        const RemoteView before = *std::exchange(remote, view);
        feed.showRemote(remote);
        showModelName();
        if (before.model != view.model || before.family != view.family ||
            before.problem != view.problem)
            Q_EMIT owner.remoteChanged();
    }

    void showAttached() {
        feed.showRemote(remote);
        showModelName();
        showThoughtForm();
        showReadiness();
        showBusy();
        Q_EMIT owner.remoteChanged();
    }

    // Events of a remote engine are not recorded, because they cannot be replayed.
    template <class Other>
    void onElsewhere(const Other&) {}
    void onElsewhere(const StateChanged& event) {
        feed.onState(event);
        feed.flush();
    }
    void onElsewhere(const TurnStarted& event) {
        feed.note(EventKind::Turn, owner.tr("Question sent to %1").arg(remote->name));
        chat.onTurnStarted(event);
    }
    void onElsewhere(const TokenText& event) {
        chat.onText(event.conversation.value, toQt(event.text));
    }
    void onElsewhere(const TurnFinished& event) {
        TurnRow row = lacuna::app::rowOf(event, clock.nowNs());
        row.regenerateTokens.reset();
        metrics.addTurns({row});
        if (event.error)
            feed.note(EventKind::Notice, engineText(event.error->what));
        else
            feed.note(EventKind::Turn,
                      owner.tr("%1 answered (%2)").arg(remote->name, engineText(row.finish)));
        // A prompt has at least one token, so zero indicates that the engine reported no counts.
        const bool counted = row.promptTokens > 0;
        if (counted) remote->contextTokens = row.promptTokens + row.answerTokens;
        feed.showRemote(remote);
        chat.onTurnFinished(event, counted ? std::optional(row) : std::nullopt);
    }

    /// Pauses the quality table and calibration while the engine has other work.
    void connectQuality() {
        const auto waits = [this] {
            const QString why = chat.anyAnswering() ? owner.tr("Paused while an answer is written.")
                                : measurement.view().what != Measuring::Nothing
                                    ? owner.tr("Paused while another measurement runs.")
                                    : QString();
            quality.setPaused(why);
            calibration.setPaused(why);
        };
        connect(&calibration, &CalibrationController::loadRequested, &model,
                &ModelController::load);
        connect(&chat, &ChatController::stateChanged, &owner, waits);
        connect(&measurement, &MeasurementController::changed, &owner, waits);
    }

    void keepConversations(const ApplicationOptions& options) {
        storage = std::make_unique<ConversationStorage>(
            options.dataFolder, [this](qint64 conversation) { return chat.record(conversation); });
        ConversationStorage* kept = storage.get();
        connect(&chat, &ChatController::conversationTouched, kept, &ConversationStorage::touch);
        connect(&chat, &ChatController::conversationRemoved, kept, &ConversationStorage::remove);
        connect(&chat, &ChatController::conversationRestored, kept, &ConversationStorage::restore);
        connect(&chat, &ChatController::linesRequested, kept, &ConversationStorage::fetch);
        connect(kept, &ConversationStorage::fetched, &chat, &ChatController::fill);
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
                    chat.restore(records);
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
            chat.setOwnSettings(record.id, {});
        }
    }

    void receive(std::vector<Event>&& batch) {
        for (const Event& event : batch) {
            attempt([&] { recorder.add(event); });
            attempt([&] { std::visit([this](const auto& value) { on(value); }, event); });
        }
        chat.flushText();
        if (!threw.isEmpty())
            feed.note(EventKind::Notice,
                      owner.tr("A message from the engine could not be processed: %1")
                          .arg(std::exchange(threw, {})));
        const qint64 dropped = events.samplesDropped();
        if (dropped > localCharts().dropped())
            localCharts().addDropped(dropped - localCharts().dropped());
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

    void on(const StateChanged& event) {
        localState = event.state;
        if (!remote) feed.onState(event);
    }
    void on(const ModelLoading& event) { model.onLoading(event); }
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
        if (!remote) showThoughtForm();
        chat.sendQueued();
    }
    void on(const ModelFailed& event) {
        feed.onFailed(event);
        // onFailed first, because returnQueued depends on whether another model is still loading.
        model.onFailed(event);
        if (!model.loading()) chat.returnQueued();
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
        chat.returnQueued();
    }
    void on(const PrecisionChosen& event) {
        const Recording& recording = recorder.recording();  // The recorder has already processed
                                                            // this event.
        if (recording.model) config.setModel(&*recording.model);
        model.onPrecision(event);
        feed.note(EventKind::Model,
                  owner.tr("Precision from the next answer on: %1").arg(engineText(event.note)));
    }
    void on(const PrecisionMeasured& event) { model.onPrecision(event); }
    void on(const ModelInspected& event) { model.onInspected(event); }
    void on(const HeadProfilesInEffect& event) {
        const Recording& recording = recorder.recording();  // The recorder has already processed
                                                            // this event.
        if (recording.model) config.setModel(&*recording.model);
        preview.onHeadProfiles();
        model.onHeads(event);
    }
    void on(const SurrogateFitted& event) { model.onSurrogate(event); }
    void on(const HeadsMeasured& event) { model.onHeads(event); }
    void on(const TurnStarted& event) {
        feed.onTurnStarted(event);
        memory.onTurnStarted(event);
        config.onTurnStarted(event);
        chat.onTurnStarted(event);
    }
    void on(const PrefillProgress& event) { chat.onPrefill(event); }
    void on(const TokenText& event) { chat.onText(event); }
    void on(const TurnFinished& event) {
        chat.flushText();
        // A turn rejected before prefill has changed nothing.
        if (!event.error || !event.text.empty()) preview.onGrown(event.conversation.value);
        chat.onTurnFinished(event, feed.onTurnFinished(event));
        // Recordings need a retention snapshot after every turn.
        if (event.turn != 0) engine.send(RequestRetention{event.conversation});
    }
    void on(const ConfigApplied& event) {
        feed.flush();  // Steps so far used the previous settings.
        config.onApplied(event);
        feed.onApplied(event);
        if (storage && !event.conversation) storage->saveSettings(settingsChosen(event.config));
    }
    void on(const ConfigRejected& event) {
        feed.onRejected(event);
        config.onRejected(event);
    }
    void on(const CacheSettingsDropped& event) {
        config.onDropped(event);
        feed.onDropped(event);
    }
    void on(const ConfigSuperseded& event) { config.onSuperseded(event); }
    void on(const StepSample& event) {
        feed.onSample(event);
        memory.onSample(event);
    }
    void on(const CompactionHappened& event) {
        const bool done = compacted(outcomeOf(event.report));
        if (done) preview.onGrown(event.conversation.value);
        feed.onCompaction(event);
        if (event.retention) on(*event.retention);
    }
    void on(const PrefixCacheChanged& event) {
        feed.onPrefixes(event);
        memory.onPrefixes(event);
    }
    void on(const PromptCacheMoved& event) {
        if (event.error) feed.onNotice(Notice{describe(*event.error)});
        if (cachesMoving == 0) return;  // The request came from a client of the server.
        --cachesMoving;
        const QString path = toQt(event.path);
        const QString tokens = countText(event.tokens);
        Q_EMIT owner.cacheFileDone(
            event.error ? engineText(event.error->what)
            : event.loaded
                ? owner
                      .tr("The cache of this conversation was loaded from %1, %2 tokens. The next "
                          "question reuses it as far as the text matches.")
                      .arg(path, tokens)
                : owner.tr("The cache of this conversation was saved to %1, %2 tokens.")
                      .arg(path, tokens),
            event.error.has_value());
    }
    void on(const SpanRestored& event) { feed.onSpanRestored(event); }
    void on(const TextPinned& event) { chat.onPinned(event); }
    void on(const ReadingEstimated& event) { chat.onEstimated(event); }
    void on(const QualitySampled& event) { feed.onQuality(event); }
    void on(const CompactionPreviewed& event) { preview.onPreviewed(event); }
    void on(const PreviewOutcome& event) { preview.onOutcome(event); }
    void on(const QualityJobProgress& event) { measurement.onProgress(event); }
    void on(const ComparedText& event) { measurement.onText(event); }
    void on(const SettingsCompared& event) { measurement.onCompared(event); }
    void on(const SettingsSwept& event) { measurement.onSwept(event); }
    void on(const RotationsCalibrated& event) { calibration.onCalibrated(event); }
    void on(const CacheRecoded& event) { feed.onRecoded(event); }
    void on(const RetentionSnapshot& event) {
        Q_EMIT owner.retentionArrived(
            retention.noted(lacuna::app::viewOf(event, facts ? &*facts : nullptr)));
    }
    void on(const Notice& event) { feed.onNotice(event); }
    void on(const Fatal& event) {
        chat.flushText();
        feed.onFatal(event.error);
        const QString gone =
            owner.tr("The engine stopped: %1 Restart Lacuna.").arg(engineText(event.error.what));
        chat.setModelProblem(gone);
        chat.returnQueued();
        measurement.onEngineEnded(gone);
        quality.onEngineEnded(gone);
        calibration.onEngineEnded(gone);
    }

    int cachesMoving = 0;  ///< pending requests of the window
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
RecordingController& ApplicationState::recording() {
    return m_impl->recordings;
}
PreviewController& ApplicationState::preview() {
    return m_impl->preview;
}
QString ApplicationState::attachBlocker() const {
    return m_impl->attachBlocker();
}
void ApplicationState::attach(std::unique_ptr<CommandSink> engine, EventHub& events,
                              const RemoteView& view) {
    m_impl->attach(std::move(engine), events, view);
}
void ApplicationState::detach() {
    m_impl->detach();
}
const std::optional<RemoteView>& ApplicationState::remote() const {
    return m_impl->remote;
}
void ApplicationState::showRemote(const RemoteView& view) {
    m_impl->showRemote(view);
}
QString ApplicationState::localEngineBlocker() const {
    return m_impl->localEngineBlocker();
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
void ApplicationState::saveCache(const QString& path) {
    ++m_impl->cachesMoving;
    m_impl->engine.send(SavePromptCache{ConversationId(m_impl->chat.current()),
                                        std::filesystem::path(fromQt(path))});
}
void ApplicationState::loadCache(const QString& path) {
    ++m_impl->cachesMoving;
    m_impl->engine.send(LoadPromptCache{ConversationId(m_impl->chat.current()),
                                        std::filesystem::path(fromQt(path))});
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
