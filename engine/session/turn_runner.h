#pragma once
/// \file
/// Queued and running turns: how one begins, the common step of all that run, and how one ends.
/// Only this class advances the safe point.
///
/// Points (event.h) are counted so that a recording can be replayed. A point belongs to what
/// follows it: first the commands in order, then either the start of a turn, which makes a new
/// point, or a step. A step undone by a cancel does not count, so the point after it equals the one
/// before it. The end of a turn advances the index by one, so that no two ends share a point and
/// idle commands share none with a turn.
///
/// Owned by the engine thread; called at safe points.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/log.h"
#include "engine/session/active_turns.h"
#include "engine/session/auto_restore.h"
#include "engine/session/compaction_supervisor.h"
#include "engine/session/engine_io.h"
#include "engine/session/jobs/cache_format_migrations.h"
#include "engine/session/jobs/live_quality_monitor.h"
#include "engine/session/model_holder.h"
#include "engine/session/prefix_sharing.h"
#include "engine/session/sequence_pool.h"
#include "engine/session/text_pinner.h"
#include "engine/settings/conversation_settings.h"

namespace lacuna {

class TurnRunner {
  public:
    struct Dependencies {
        SequencePool& conversations;
        ModelHolder& models;
        CompactionSupervisor& compactions;
        StepTelemetry& telemetry;
        CacheFormatMigrations& recodings;
        PrefixSharing& prefixes;
        AutoRestore& lookBack;
        TextPinner& pinning;
        LiveQualityMonitor& quality;
        const ConversationSettings& settings;  ///< current settings
        const MachineFacts& machine;
        EngineIo& io;
        Logger& log;
    };
    /// All objects that `dependencies` refers to must outlive this one.
    explicit TurnRunner(Dependencies dependencies) : dependencies_(dependencies) {}

    /// Queues a turn.
    void ask(Submit question) { turns_.ask(std::move(question)); }
    /// Ends running turns and removes queued ones.
    void cancel(const ConversationFilter& which);
    /// Ends running turns; queued ones stay.
    void end(const ConversationFilter& which);
    /// Posts ReadingEstimated.
    void estimate(const EstimateReading& asked);
    /// Begins a queued turn, or takes one step of all running turns; returns false if there are
    /// none.
    [[nodiscard]] bool advance();

    [[nodiscard]] bool answering() const { return turns_.anyRunning(); }
    [[nodiscard]] bool answers(ConversationId id) const { return turns_.runs(id); }
    /// Returns the running turns in the order in which they began.
    [[nodiscard]] std::vector<Turn*> running() const { return turns_.running(); }
    /// Counts a compaction for the running turn of this conversation, if any.
    void countCompaction(ConversationId id) { turns_.countCompaction(id); }
    /// Publishes the engine state derived from all running turns.
    void updateActivity();
    /// Ends all turns and drops all references to the model.
    void release();

    // --- when memory ran out ---
    /// Releases the caches of idle conversations, which frees as much memory as possible.
    /// Conversations lose nothing; their next turn rereads the prompt.
    void releaseCaches() noexcept;
    /// Releases caches and ends all turns, because the state of an interrupted step is unknown.
    void endAllTurns();

  private:
    [[nodiscard]] Status estimate(const EstimateReading& asked, ReadingEstimated& estimateEvent);
    void start(Submit question);
    void beginOrFail(Submit question);
    [[nodiscard]] Status begin(Turn& turn, const Submit& asked, const StopRequested& stop);
    [[nodiscard]] Result<Sequence*> cacheFor(Turn& turn);
    [[nodiscard]] bool startFromStored(Turn& turn, Sequence& sequence,
                                       std::span<const TokenId> prompt, const Submit& asked,
                                       const StopRequested& stop);
    void defer(Turn& turn, FinishReason reason);
    void storePrompt(const Turn& turn, Sequence& sequence, const TurnStep& step);
    void lookBack();
    void step();
    [[nodiscard]] bool makeRoom();
    void afterStep(const TurnStep& one, const ForwardOptions& options);
    void endFailed(const TurnStep& failed);
    void end(Turn& turn, FinishReason reason, std::optional<Error> error = std::nullopt);
    void publishEnd(Turn& ended, FinishReason reason, const std::optional<Error>& error);
    void countStep();

    const Dependencies dependencies_;
    ActiveTurns turns_;
};

}  // namespace lacuna
