#pragma once
/// \file
/// Questions that wait and answers that are being written: how one begins, what a step of all that
/// run does, how one ends. It alone moves the safe point on.
///
/// Points (event.h) are counted so that a recording can be replayed. A point belongs to what comes
/// after it: commands first, one after another, then the beginning of a turn, which makes a new
/// point, or a step. A step that a cancel undid does not count; the point after it is the one
/// before it. When a turn ends the index moves on once more, so that no two ends share a point, and
/// idle commands share none with a turn's.
///
/// Owned by the engine thread; called at safe points.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/log.h"
#include "engine/session/cache_recodings.h"
#include "engine/session/compaction_supervisor.h"
#include "engine/session/conversation_store.h"
#include "engine/session/engine_doors.h"
#include "engine/session/live_quality_monitor.h"
#include "engine/session/model_holder.h"
#include "engine/session/prefix_sharing.h"
#include "engine/session/question_look_back.h"
#include "engine/session/text_pinning.h"
#include "engine/session/turns_in_flight.h"
#include "engine/settings/conversation_settings.h"

namespace lacuna {

class TurnRunner {
  public:
    struct Means {
        ConversationStore& conversations;
        ModelHolder& models;
        CompactionSupervisor& compactions;
        StepTelemetry& telemetry;
        CacheRecodings& recodings;
        PrefixSharing& prefixes;
        QuestionLookBack& lookBack;
        TextPinning& pinning;
        LiveQualityMonitor& quality;
        const ConversationSettings& settings;  ///< in force
        const MachineFacts& machine;
        EngineDoors& doors;
        Logger& log;
    };
    /// What `means` refers to must outlive it.
    explicit TurnRunner(Means means) : means_(means) {}

    /// A question waits for its turn.
    void ask(Submit question) { turns_.ask(std::move(question)); }
    /// Ends answers, and takes questions of them back that wait.
    void cancel(const WhichConversations& which);
    /// Ends answers; questions that wait stay.
    void end(const WhichConversations& which);
    /// Answers with ReadingEstimated.
    void estimate(const EstimateReading& asked);
    /// Begins a waiting answer, or takes one step of all that run; false when there is neither.
    [[nodiscard]] bool advance();

    [[nodiscard]] bool answering() const { return turns_.anyRunning(); }
    [[nodiscard]] bool answers(ConversationId id) const { return turns_.runs(id); }
    /// Of those that are being written, in the order in which they began.
    [[nodiscard]] std::vector<Turn*> running() const { return turns_.running(); }
    /// Of the answer of this conversation, if one is being written.
    void countCompaction(ConversationId id) { turns_.countCompaction(id); }
    /// Says what the engine does, all answers taken together.
    void sayActivity();
    /// The model goes: answers end, and nothing refers to it any more.
    void letGo();

    // --- when memory ran out ---
    /// Gives caches back that nobody is answered from, as far as memory for that goes.
    /// Conversations lose nothing; their next question reads the prompt again.
    void giveCachesBack() noexcept;
    /// Gives caches back and ends all answers: nobody knows how far their step came.
    void endForShortage();

  private:
    [[nodiscard]] Status estimate(const EstimateReading& asked, ReadingEstimated& said);
    void start(Submit question);
    void beginAndSay(Submit question);
    [[nodiscard]] Status begin(Turn& turn, const Submit& asked, const StopAsked& stop);
    [[nodiscard]] Result<Sequence*> cacheFor(Turn& turn);
    [[nodiscard]] bool takeStored(Turn& turn, Sequence& sequence, std::span<const TokenId> prompt,
                                  const Submit& asked, const StopAsked& stop);
    void leaveForLater(Turn& turn, FinishReason reason);
    void storePrompt(const Turn& turn, Sequence& sequence, const TurnStep& step);
    void lookBack();
    void step();
    [[nodiscard]] bool makeRoom();
    void afterStep(const TurnStep& one, const ForwardOptions& options);
    void endFailed(const TurnStep& failed);
    void end(Turn& turn, FinishReason reason, std::optional<Error> error = std::nullopt);
    void sayEnd(Turn& ended, FinishReason reason, const std::optional<Error>& error);
    void countStep();

    const Means means_;
    TurnsInFlight turns_;
};

}  // namespace lacuna
