// The loop: take commands at a safe point, dispatch each to the owner of the state that it changes,
// then let the turn runner begin a turn or take one step of all running turns, or wait. Everything
// that changes the engine happens on this thread, between two steps.
//
//     commands -> Engine -> SettingsService          current settings; answers to changes
//                   |
//                   +-----> ModelHolder           load, unload, inspect; caches made for the model
//                   |           ^
//                   +-----> TurnRunner            queued and running turns, steps, safe points
//                   |           |
//                   |           v
//                   +-----> CompactionSupervisor  all compactions, whatever triggers them
//                   |
//                   +-----> SpanRestorer         restores evicted tokens
//                   |           ^
//                   |     AutoRestore        finds those relevant to a turn; called by turns
//                   |
//                   +-----> TextPinner           words that compactions must keep
//                   |           ^ turns begin
//                   +-----> IdleScheduler         slices of idle work, by priority:
//                                                 ComparisonJob, SweepJob, CacheFormatMigrations,
//                                                 texts read for compactions, CompactionPreviewJob,
//                                                 live quality, PrecisionJob, copy scores,
//                                                 SurrogateJob, HeadProfileJob,
//                                                 RotationCalibrationJob
//
// An arrow is a call; other dependencies are passed to constructors and calls. Two objects are
// shared by several owners: the SequencePool with the caches, and the EngineIo, which
// publish events, report cancels and hold the current safe point.

#include "engine/session/engine.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/log.h"
#include "engine/base/process_heap.h"
#include "engine/base/string_format.h"
#include "engine/session/auto_restore.h"
#include "engine/session/cache_limit.h"
#include "engine/session/compaction_supervisor.h"
#include "engine/session/engine_io.h"
#include "engine/session/jobs/cache_format_migrations.h"
#include "engine/session/jobs/compaction_preview_job.h"
#include "engine/session/jobs/head_profile_job.h"
#include "engine/session/jobs/idle_job.h"
#include "engine/session/jobs/precision_job.h"
#include "engine/session/jobs/quality_jobs.h"
#include "engine/session/jobs/rotation_calibration_job.h"
#include "engine/session/jobs/surrogate_job.h"
#include "engine/session/model_holder.h"
#include "engine/session/prompt_cache_moves.h"
#include "engine/session/sequence_pool.h"
#include "engine/session/settings_service.h"
#include "engine/session/shortage.h"
#include "engine/session/span_restorer.h"
#include "engine/session/text_pinner.h"
#include "engine/session/thread_niceness.h"
#include "engine/session/turn_runner.h"

namespace lacuna {
namespace {

constexpr std::chrono::milliseconds kBackgroundPoll{20};
// Long enough for consecutive turns to reuse the freed memory.
constexpr std::chrono::milliseconds kIdleBeforeTrim{500};
// Dragging a setting requests a series of estimates of the same text.
constexpr std::chrono::milliseconds kIdleBeforeRelease{10'000};

/// Returns true if a cancel in the same batch applies to this command, with no other long-running
/// command in between.
bool cancelFollows(std::span<const Command> after) {
    const auto next = std::ranges::find_if(after, [](const Command& command) {
        return std::holds_alternative<CancelTurn>(command) ||
               std::holds_alternative<Submit>(command) ||
               std::holds_alternative<LoadModel>(command) ||
               std::holds_alternative<BringBack>(command);
    });
    return next != after.end() && std::holds_alternative<CancelTurn>(*next);
}

ConversationFilter only(ConversationId id) {
    return [id](ConversationId one) { return one == id; };
}

/// Reads texts and measures losses for compactions.
class CompactionReading final : public IdleJob {
  public:
    CompactionReading(CompactionSupervisor& compactions, ModelHolder& models)
        : compactions_(compactions), models_(models) {}
    [[nodiscard]] bool isPending() override { return compactions_.needsReading(); }
    void advance(std::int64_t /*room*/) override { compactions_.readNextChunk(*models_.model()); }
    void reset() override { compactions_.release(); }

  private:
    CompactionSupervisor& compactions_;
    ModelHolder& models_;
};

/// First part of the head measurement: copy scores, known after one reading. The rest takes long
/// and is less valuable than a surrogate, so it has lower priority.
class CopyScores final : public IdleJob {
  public:
    explicit CopyScores(HeadProfileJob& heads) : heads_(heads) {}
    [[nodiscard]] bool isPending() override { return !heads_.begun() && heads_.isPending(); }
    void advance(std::int64_t room) override { heads_.advance(room); }
    void reset() override {}  // the measurement resets itself

  private:
    HeadProfileJob& heads_;
};

}  // namespace

struct Engine::Impl {
    Impl(EngineOptions options, CommandSource& commands, EventSink& events)
        : options_(std::move(options)),
          makers_(options_.makers ? options_.makers : std::make_shared<const ModelMakers>()),
          commands_(commands),
          io_(commands, events, clock_) {}

    void run(const std::stop_token& stop);
    void releaseCaches() noexcept {
        previews_.release();
        turns_.releaseCaches();
    }
    void post(Event event) { io_.post(std::move(event)); }

  private:
    void runOnce();
    void waitForCommand();
    void takeCommands();
    void execute(std::vector<Command>& commands);
    void answerForShortage(const Command& command);
    void publishReleased();
    void settle() {
        compactions_.settle(models_.model(), turns_.answering());
        prefixes_.settle();
    }

    void on(LoadModel& command) {
        const RunningModel* loaded = models_.load(command, [this] { letModelGo(); });
        if (loaded == nullptr) return;
        prefixes_.modelChanged();
        settings_.adaptTo(*loaded);
        io_.enter(EngineState::Idle);
    }
    void on(UnloadModel&) {
        models_.unload([this] { letModelGo(); });
        prefixes_.modelChanged();
    }
    void on(InspectModel& command) { models_.inspect(command); }
    void on(SetConfig& command) { change(command); }
    void on(SetCacheSettings& command) { change(command); }
    void on(Submit& question) {
        previews_.release();
        turns_.ask(std::move(question));
    }
    void on(CancelTurn& command) {
        const auto which = [who = command.conversation](ConversationId one) {
            return !who || *who == one;
        };
        turns_.cancel(which);
        compactions_.stop(which);
        if (command.conversation && !command.measurement) return;
        comparison_.stop();
        sweep_.stop();
    }
    void on(ReleaseConversation& command);
    void on(CompactNow& command) { compactions_.compactNow(command.conversation, models_.model()); }
    void on(BringBack& command) { restoring_.bringBack(command); }
    void on(PinText& command) { pinning_.pin(command); }
    void on(EstimateReading& request) { turns_.estimate(request); }
    void on(RequestPreview& request) { previews_.ask(std::move(request)); }
    void on(RequestRetention& request) { compactions_.showRetention(request.conversation); }
    void on(CompareSettings& request) { comparison_.begin(std::move(request)); }
    void on(SweepSettings& request) { sweep_.begin(std::move(request)); }
    void on(CalibrateRotations& request) { rotations_.begin(std::move(request)); }
    void on(StopCalibration&) { rotations_.stop(); }
    void on(SavePromptCache& command);
    void on(LoadPromptCache& command);
    void on(ClearPrefixCache& command) { prefixes_.clear(command.memory, command.disk); }
    void on(EndPromptGroup& command) { prefixes_.endGroup(command.group); }
    void on(SetPageFidelity& command) { prefixes_.setPageFidelity(command.fidelity); }
    void on(UseHeadProfiles& command) { heads_.use(std::move(command)); }
    void on(MeasurePrecision&) { precision_.request(); }
    void on(SkipPrecision&) { precision_.skip(); }
    void on(FitSurrogate&) { surrogate_.request(); }
    void on(SkipSurrogate&) { surrogate_.skip(); }
    void on(FinishRecoding& command) { recodings_.finish(command.conversation); }
    void on(UsePrecision& command) { models_.use(asRecorded(command.precision)); }

    /// Drops all references to the model before it is unloaded.
    void letModelGo();
    template <class Change>
    void change(const Change& command) {
        if (command.cancels && !recodings_.isRunning(*command.cancels)) return tooLate(command);
        const ConversationSettings before = settings_.inEffect();
        if (const auto which = settings_.change(command, models_.facts())) {
            compactions_.settingsChanged(*which, turns_.running(), models_.model());
            recodings_.settingsChanged(*which, before);
        }
        prefixes_.settingsChanged();
    }
    /// Rejects a change whose recoding has already ended.
    template <class Change>
    void tooLate(const Change& command) {
        post(ConfigRejected{command.revision, {}, io_.clock().nowNs()});
        post(
            Notice{format("The conversion of the cache of conversation {} had already finished and "
                          "could not be cancelled.",
                          command.cancels->value)});
    }

    [[nodiscard]] MeasuringTools measuringTools() {
        return {.models = models_,
                .settings = settings_.inEffect(),
                .machine = options_.machine,
                .io = io_};
    }

    // Members refer to those declared above them. Conversations are destroyed before the model,
    // whose threads their compactors use.
    const EngineOptions options_;
    const std::shared_ptr<const ModelMakers> makers_;
    CommandSource& commands_;
    NullLogger log_;  ///< the same facts are posted as events
    const SteadyClock clock_;
    EngineIo io_;
    SettingsService settings_{options_.config, options_.machine, io_};
    ModelHolder models_{{.makers = *makers_,
                         .precision = options_.precision,
                         .machine = options_.machine,
                         .settings = settings_.inEffect(),
                         .io = io_,
                         .log = log_,
                         .profileFolder = options_.profileFolder,
                         .profilesGiven = options_.profilesGiven}};
    std::vector<ConversationId> released_;  ///< released caches not published yet
    SequencePool conversations_{options_.residentConversations,
                                [this](ConversationId id) { released_.push_back(id); }};
    PrefixSharing prefixes_{{.models = models_,
                             .conversations = conversations_,
                             .settings = settings_.inEffect(),
                             .io = io_,
                             .log = log_,
                             .keepsAll = options_.keepsPrefixes,
                             .folder = options_.prefixFolder,
                             .calibrations = options_.profileFolder}};
    StepTelemetry telemetry_{conversations_, prefixes_, settings_.inEffect(), io_};
    CompactionSupervisor compactions_{conversations_,
                                      prefixes_,
                                      settings_.inEffect(),
                                      io_,
                                      models_,
                                      telemetry_,
                                      [this](ConversationId id) { turns_.countCompaction(id); }};
    CompactionPreviewJob previews_{{.conversations = conversations_,
                                    .models = models_,
                                    .compactions = compactions_,
                                    .io = io_}};
    CacheFormatMigrations recodings_{{.conversations = conversations_,
                                      .models = models_,
                                      .settings = settings_.inEffect(),
                                      .compactions = compactions_,
                                      .telemetry = telemetry_,
                                      .io = io_,
                                      .numbersAtOnce = options_.recodedAtOnce}};
    TextPinner pinning_{{.conversations = conversations_,
                         .models = models_,
                         .compactions = compactions_,
                         .settings = settings_.inEffect(),
                         .io = io_}};
    SpanRestorer restoring_{{.conversations = conversations_,
                             .models = models_,
                             .compactions = compactions_,
                             .telemetry = telemetry_,
                             .prefixes = prefixes_,
                             .settings = settings_.inEffect(),
                             .io = io_,
                             .answers = [this](ConversationId id) { return turns_.answers(id); }}};
    AutoRestore lookBack_{{.models = models_,
                           .compactions = compactions_,
                           .prefixes = prefixes_,
                           .restoring = restoring_,
                           .settings = settings_.inEffect(),
                           .io = io_,
                           .restoresAreRecorded = options_.restoresAreRecorded,
                           .bounds = options_.lookBack}};
    LiveQualityMonitor quality_{{.conversations = conversations_,
                                 .settings = settings_.inEffect(),
                                 .io = io_,
                                 .pauses = options_.samplesQuality}};
    TurnRunner turns_{{.conversations = conversations_,
                       .models = models_,
                       .compactions = compactions_,
                       .telemetry = telemetry_,
                       .recodings = recodings_,
                       .prefixes = prefixes_,
                       .lookBack = lookBack_,
                       .pinning = pinning_,
                       .quality = quality_,
                       .settings = settings_.inEffect(),
                       .machine = options_.machine,
                       .io = io_,
                       .log = log_}};
    PrecisionJob precision_{{.models = models_,
                             .settings = settings_.inEffect(),
                             .io = io_,
                             .log = log_,
                             .folder = options_.precision.folder,
                             .automatic = options_.measuresPrecision}};
    HeadProfileJob heads_{
        {.models = models_,
         .conversations = conversations_,
         .io = io_,
         .log = log_,
         .folder = options_.measuresHeads ? options_.profileFolder : std::filesystem::path()}};
    SurrogateJob surrogate_{{.models = models_,
                             .conversations = conversations_,
                             .io = io_,
                             .log = log_,
                             .folder = options_.profileFolder,
                             .text = options_.calibrationText}};
    RotationCalibrationJob rotations_{
        {.models = models_, .io = io_, .log = log_, .folder = options_.profileFolder}};
    ComparisonJob comparison_{measuringTools()};
    SweepJob sweep_{measuringTools()};
    CompactionReading reading_{compactions_, models_};
    CopyScores copyScores_{heads_};
    // Jobs that a client waits for come first.
    IdleScheduler idle_{{&comparison_, &sweep_, &recodings_, &reading_, &previews_, &quality_,
                         &precision_, &copyScores_, &surrogate_, &heads_, &rotations_}};
};

void Engine::Impl::run(const std::stop_token& stop) {
    io_.runUntil(stop);
    niceThisThread(options_.workerNiceness);
    io_.enter(EngineState::NoModel);
    while (!stop.stop_requested()) {
        try {
            runOnce();
        } catch (const std::bad_alloc&) {
            turns_.endAllTurns();
        }
    }
    turns_.cancel([](ConversationId) { return true; });
    comparison_.stop();
    sweep_.stop();
    rotations_.stop();
}

void Engine::Impl::runOnce() {
    settle();
    takeCommands();
    publishReleased();
    const bool advanced = turns_.advance();
    publishReleased();
    if (advanced) return idle_.pause();
    IdleJob* const job = io_.commandWaits() ? nullptr : idle_.next();
    if (job != nullptr) return job->advance(compactions_.passBytes());
    if (compactions_.anyInBackground() || prefixes_.writes())
        commands_.waitFor(io_.stop(), kBackgroundPoll);
    else
        waitForCommand();
}

void Engine::Impl::waitForCommand() {
    commands_.waitFor(io_.stop(), kIdleBeforeTrim);
    if (io_.commandWaits()) return;
    trimHeap();
    if (previews_.holdsReading()) {
        commands_.waitFor(io_.stop(), kIdleBeforeRelease);
        if (io_.commandWaits()) return;
        previews_.release();
        trimHeap();
    }
    commands_.wait(io_.stop());
}

/// Publishes an empty sample for each released cache. This follows the start of the turn that
/// needed the room, so that the safe points of events only increase.
void Engine::Impl::publishReleased() {
    for (const ConversationId id : released_) {
        if (conversations_.find(id) != nullptr) continue;  // the conversation has a new cache
        telemetry_.publishReleased(id);
    }
    released_.clear();
}

/// Repeats until no more are due, because a source may return them one at a time.
void Engine::Impl::takeCommands() {
    for (auto commands = commands_.take(io_.at()); !commands.empty();
         commands = commands_.take(io_.at())) {
        execute(commands);
        settle();  // in a replay it ends here, before the turn that followed it
    }
}

void Engine::Impl::execute(std::vector<Command>& commands) {
    for (std::size_t i = 0; i < commands.size(); ++i) {
        const auto after = std::span<const Command>(commands).subspan(i + 1);
        io_.cancelFollows(cancelFollows(after));
        try {
            if (const auto superseded = supersededBy(commands[i], after))
                post(*superseded);
            else
                std::visit([this](auto& one) { on(one); }, commands[i]);
        } catch (const std::bad_alloc&) {
            answerForShortage(commands[i]);
        }
    }
}

void Engine::Impl::answerForShortage(const Command& command) {
    releaseCaches();
    if (auto answer = shortageAnswer(command, io_.at(), models_.model() != nullptr)) {
        post(std::move(*answer));
        if (std::holds_alternative<LoadModel>(command)) turns_.updateActivity();
        return;
    }
    turns_.endAllTurns();
    post(Notice{"The request was not carried out, because there is not enough memory."});
}

void Engine::Impl::on(ReleaseConversation& command) {
    turns_.end(only(command.conversation));
    compactions_.abort(command.conversation, CompactionReason::ConversationDropped);
    recodings_.abandon(only(command.conversation));
    previews_.release();
    conversations_.remove(command.conversation);
    prefixes_.remove(command.conversation);
}

void Engine::Impl::on(SavePromptCache& command) {
    const Sequence* const sequence = conversations_.find(command.conversation);
    const bool saves = sequence != nullptr && models_.model() != nullptr;
    post(savePrompt(
        command, sequence, models_.model(),
        saves ? prefixes_.checkpointsOf(command.conversation, *sequence) : Checkpoints()));
}

void Engine::Impl::on(LoadPromptCache& command) {
    post(loadPrompt(command, {.conversations = conversations_,
                              .model = models_.model(),
                              .kv = settings_.inEffect().of(command.conversation).kv,
                              .make = [&] { return models_.makeSequence(command.conversation); },
                              .busy = [this](ConversationId one) { return turns_.answers(one); }}));
}

void Engine::Impl::letModelGo() {
    turns_.release();
    idle_.reset();
    prefixes_.releaseModel();
    conversations_.clear();
}

Engine::Engine(EngineOptions options, CommandSource& commands, EventSink& events)
    : impl_(std::make_unique<Impl>(std::move(options), commands, events)) {}
Engine::~Engine() = default;

void Engine::run(std::stop_token stop) {
    try {
        impl_->run(stop);
    } catch (const std::bad_alloc&) {
        endWith(ErrorCode::NoMemory, "the engine ran out of memory and has stopped.");
    } catch (const std::exception& problem) {
        endWith(ErrorCode::Internal, problem.what());
    } catch (...) {
        endWith(ErrorCode::Internal, "an unknown exception was thrown.");
    }
}

/// Releases the caches first to make room for the message; they are of no further use.
void Engine::endWith(ErrorCode code, const char* sentence) noexcept {
    impl_->releaseCaches();
    try {
        Error error = shortage(sentence);
        error.code = code;
        impl_->post(Fatal{std::move(error)});
    } catch (...) {
        // Even that allocation failed: the thread ends without an event, and the program continues.
    }
}

}  // namespace lacuna
