#pragma once
/// \file
/// Queued and running turns: selects which begins next, and runs one forward pass per step for all
/// of them (batch_step.h). Two turns of one conversation run one after the other. Owned by the
/// engine thread.

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/generate/batch_step.h"
#include "engine/session/turn.h"
#include "engine/settings/conversation_settings.h"

namespace lacuna {

/// Result of a step for one turn.
struct TurnStep {
    Turn* turn = nullptr;
    Result<GenerationStep> step;
    bool inconsistent = false;  ///< as in EntryResult::torn
    double seconds = 0;         ///< wall time of the whole step
};

/// Returns what a step does with a completed background compaction of a conversation.
using PolicyOf = std::function<BackgroundPolicy(ConversationId)>;

class ActiveTurns {
  public:
    void ask(Submit question) { waiting_.push_back(std::move(question)); }
    /// Puts a turn that was taken but could not begin yet back at the front of the queue.
    void requeue(Submit question) { waiting_.push_front(std::move(question)); }
    /// Takes the oldest turn that may begin, with at most `most` running at once.
    [[nodiscard]] std::optional<Submit> next(int most);
    /// Removes queued turns and returns their conversations.
    [[nodiscard]] std::vector<ConversationId> withdraw(const ConversationFilter& which);

    /// Adds a turn to the next step, behind those already waiting for theirs.
    Turn& begin(std::unique_ptr<Turn> turn);
    /// Removes a turn that has ended.
    [[nodiscard]] std::unique_ptr<Turn> remove(const Turn& turn);
    /// Returns the turns in the order in which they began.
    [[nodiscard]] std::vector<Turn*> running() const;
    [[nodiscard]] bool runs(ConversationId conversation) const;
    [[nodiscard]] bool anyRunning() const { return !running_.empty(); }
    [[nodiscard]] bool anyReading() const;
    /// Counts a compaction for the running turn of this conversation, if any.
    void countCompaction(ConversationId conversation);
    /// Returns the size of the largest prompt chunk among the running turns.
    [[nodiscard]] int largestChunk() const;

    /// Runs one step of as many turns as there is room for, each under its conversation's settings.
    /// Returns nothing if it was cancelled. @pre at least one turn is running
    [[nodiscard]] std::vector<TurnStep> step(const ConfigOf& config, const PolicyOf& policy,
                                             const StepContext& dependencies);

  private:
    struct Running {
        std::unique_ptr<Turn> turn;
        std::int64_t lastServed = 0;  ///< number of the last step that served it, or at its start
    };
    std::deque<Submit> waiting_;
    std::vector<Running> running_;
    std::int64_t steps_ = 0;
};

}  // namespace lacuna
