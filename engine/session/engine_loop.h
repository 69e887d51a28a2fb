#pragma once

// The engine's parts and its one thread's work, by what causes it: commands, models, turns,
// compactions beside them. Each group is written in the file that it names.
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "engine/session/background_compactions.h"
#include "engine/session/conversation_store.h"
#include "engine/session/engine.h"
#include "engine/session/live_quality_monitor.h"
#include "engine/session/memory_probe.h"
#include "engine/session/quality_jobs.h"
#include "engine/session/turns_in_flight.h"
#include "engine/settings/conversation_settings.h"

namespace lacuna {

/// NO_MEMORY with a sentence, or with two words where there is no memory for one.
[[nodiscard]] Error shortage(const char* sentence) noexcept;

struct Engine::Impl {
    explicit Impl(EngineContext context)
        : context_(std::move(context)),
          settings_(context_.config),
          conversations_(context_.residentConversations),
          memory_(context_.clock),
          live_(context_.clock) {}

    // the loop
    void run(const std::stop_token& stop);
    void runOnce();
    void takeCommands();
    void obey(std::vector<Command>& commands);
    /// Whether what is being done is to end: a cancel waits, or was taken together with the command
    /// being obeyed and stands behind it.
    [[nodiscard]] bool cancelAsked() const;

    // when memory runs out (engine_shortage.cpp)
    void giveCachesBack() noexcept;
    void endForShortage();
    void tellEnd(Turn& ended, FinishReason reason, const std::optional<Error>& error);
    void answerForShortage(const Command& command);

    // settings (engine_settings.cpp)
    void on(SetConfig& change);
    void on(SetCacheSettings& change);
    void compactForConfig(const TurnsInFlight::Which& which);
    void tellApplied(Revision revision, std::optional<ConversationId> conversation,
                     const EngineConfig& before);
    void cacheSettingsChanged(const TurnsInFlight::Which& which);
    void dropUnsuitedSettings();
    void noteReach(const std::string& said);

    // commands (engine_commands.cpp)
    void on(CompactNow& command);
    void on(ForgetConversation& command);
    void on(SavePromptCache& command);
    void on(LoadPromptCache& command);
    void on(RequestRetention& command);
    void on(RequestPreview& request);
    void on(CompareSettings& request) { runComparison(request, jobTools()); }
    void on(SweepSettings& request) { runSweep(request, jobTools()); }
    void on(CancelTurn& command);
    void on(Submit& question) { turns_.ask(std::move(question)); }
    void compact(ConversationId conversation, Sequence& sequence, CompactionCause cause);
    [[nodiscard]] QualityJobTools jobTools();
    void cancel(const TurnsInFlight::Which& which);
    void endTurns(const TurnsInFlight::Which& which);

    // the model in use (engine_models.cpp)
    void on(LoadModel& command);
    void on(UnloadModel&);
    void on(InspectModel& command);
    [[nodiscard]] Result<std::unique_ptr<RunningModel>> load(const LoadModel& command);
    void dropModel();
    void tellThreads();

    // turns (engine_turns.cpp)
    void startTurn(Submit question);
    void beginAndTell(Submit question);
    [[nodiscard]] Status beginTurn(Turn& turn, const std::vector<ChatMessage>& messages,
                                   const StopAsked& stop);
    [[nodiscard]] Result<std::unique_ptr<Sequence>> makeSequence(ConversationId id);
    [[nodiscard]] Sequence::CacheMaker cacheMaker(ConversationId id);
    [[nodiscard]] Sequence::CompactorMaker compactorMaker();
    [[nodiscard]] bool keepLimit();
    void stepTurns();
    void afterStep(const TurnStep& one, const ForwardOptions& options);
    void measure(ConversationId id, const Sequence& sequence, const GenerationStep& step,
                 const ForwardOptions& options);
    void failTurn(const TurnStep& failed);
    void endTurn(Turn& turn, FinishReason reason, std::optional<Error> error = std::nullopt);

    // compactions in the background (engine_turns.cpp)
    void settleWhileIdle();
    void directCompactions();
    [[nodiscard]] std::function<BackgroundOrder(ConversationId)> orderAt(SafePoint at);
    [[nodiscard]] CompactionTold told();

    [[nodiscard]] ConfigOf configOf() const {
        return [this](ConversationId id) -> const EngineConfig& { return settings_.of(id); };
    }

    // events
    void post(Event event) { context_.events.post(std::move(event)); }
    [[nodiscard]] std::function<void(Event)> poster();
    void showActivity();
    void enter(EngineState state);
    void postCompaction(ConversationId conversation, CompactionReport report);
    void postSample(ConversationId conversation, Sequence& sequence, const GenerationStep* step);

    EngineContext context_;
    ConversationSettings settings_;
    Revision revision_;
    SafePoint at_;
    EngineState state_ = EngineState::NoModel;
    bool announced_ = false;
    std::stop_token stop_;
    bool cancelFollows_ = false;  ///< the command being obeyed, in what was taken with it
    std::unique_ptr<RunningModel> model_;
    ConversationStore conversations_;  ///< goes before the model, whose threads its compactors use
    TurnsInFlight turns_;
    MemoryProbe memory_;
    PreviewBook previews_;
    LiveQualityMonitor live_;
};

}  // namespace lacuna
