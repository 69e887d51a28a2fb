#pragma once
/// \file
/// Questions that wait and answers that are being written: who begins next, and one forward pass a
/// step for all answers begun (batch_step.h). Two questions of one conversation follow one another.
/// Owned by the engine thread.

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

/// What a step did for one answer.
struct TurnStep {
    Turn* turn = nullptr;
    Result<GenerationStep> step;
    bool torn = false;   ///< as EntryResult::torn
    double seconds = 0;  ///< wall time of the whole step, for whoever waits for this answer
};

/// What a step does with a conversation's compaction that is ready in the background.
using OrderOf = std::function<BackgroundOrder(ConversationId)>;

class TurnsInFlight {
  public:
    void ask(Submit question) { waiting_.push_back(std::move(question)); }
    /// For a question that was taken and could not begin yet: before all others.
    void askAgain(Submit question) { waiting_.push_front(std::move(question)); }
    /// Takes the oldest question that may begin while at most `most` answers are written at once.
    [[nodiscard]] std::optional<Submit> next(int most);
    /// Takes waiting questions back and says whose.
    [[nodiscard]] std::vector<ConversationId> withdraw(const WhichConversations& which);

    /// The answer joins the next step, after those that wait for theirs.
    Turn& begin(std::unique_ptr<Turn> turn);
    /// Takes an answer out, for its end.
    [[nodiscard]] std::unique_ptr<Turn> remove(const Turn& turn);
    /// In the order in which they began.
    [[nodiscard]] std::vector<Turn*> running() const;
    [[nodiscard]] bool runs(ConversationId conversation) const;
    [[nodiscard]] bool anyRunning() const { return !running_.empty(); }
    [[nodiscard]] bool anyReading() const;
    /// Of the answer of this conversation, if one is written.
    void countCompaction(ConversationId conversation);
    /// Tokens of the largest prompt chunk that a running answer was begun with.
    [[nodiscard]] int largestChunk() const;

    /// One step of as many answers as there is room for, each under its conversation's settings;
    /// nothing when it was cancelled.
    /// @pre some answer runs
    [[nodiscard]] std::vector<TurnStep> step(const ConfigOf& config, const OrderOf& order,
                                             const StepMeans& means);

  private:
    struct Running {
        std::unique_ptr<Turn> turn;
        std::int64_t lastServed = 0;  ///< number of the step that last fed it, or in which it came
    };
    std::deque<Submit> waiting_;
    std::vector<Running> running_;
    std::int64_t steps_ = 0;
};

}  // namespace lacuna
