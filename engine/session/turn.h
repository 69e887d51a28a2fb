#pragma once
/// \file
/// One answer inside the engine: its generation, its bookkeeping and the events it causes.
/// Owned by the engine thread.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "engine/base/clock.h"
#include "engine/generate/batch_step.h"
#include "engine/session/command.h"
#include "engine/session/event.h"

namespace lacuna {

/// What stays the same for all steps of a turn.
struct TurnStart {
    Submit request;
    std::int64_t turn = 0;
    SafePoint at;  ///< the point it begins at, before its own are counted
    std::uint64_t seed = 0;
    EngineConfig config;  ///< at the start: what takes effect with the next turn is read from here
    int context = 0;      ///< tokens
};

class Turn {
  public:
    Turn(TurnStart start, EventSink& events, const Clock& clock)
        : start_(std::move(start)), events_(events), clock_(clock), beganNs_(clock.nowNs()) {}

    /// Prepares the cache for the prompt, whose newest user message begins after `question` tokens,
    /// where that is known. Errors: as Generation::start.
    [[nodiscard]] Status begin(Transformer& model, Sequence& sequence, std::vector<TokenId> prompt,
                               std::optional<std::int64_t> question,
                               std::unique_ptr<TokenConstraint> constraint);
    void noteReuse(std::string note) { extraNote_ = std::move(note); }
    /// What its prompt begins with was taken from the prefix cache.
    void tookStored(PrefixMatch match) { match_ = match; }
    [[nodiscard]] const PrefixUse& prefix() const { return start_.request.prefix; }
    /// Of answers that share their prompt; 0: none.
    [[nodiscard]] std::int64_t promptGroup() const { return start_.request.promptGroup; }
    /// Empty where it did not begin.
    [[nodiscard]] std::span<const TokenId> prompt() const {
        return generation_ == nullptr ? std::span<const TokenId>() : generation_->prompt();
    }
    /// What asking again would read, and editing the question; see TurnStats.
    void noteAskingAgain(std::int64_t again, std::int64_t edit) {
        stats_.againTokens = again;
        stats_.editTokens = edit;
    }
    /// Posts TurnStarted, and PrefillProgress with nothing done when there is a prompt to read.
    /// `precision`: what it is computed with; nothing without a model.
    void announce(Revision revision, std::optional<Precision> precision) const;

    /// Its part in the next step, under the settings now in force.
    [[nodiscard]] BatchEntry member(const EngineConfig& config, std::int64_t lastServed) const;
    /// Posts progress and text of a step that took `seconds` of wall time.
    void took(const GenerationStep& step, double seconds);
    /// Ends the turn and posts TurnFinished.
    void finish(FinishReason reason, SafePoint at, std::optional<Error> error = std::nullopt);

    [[nodiscard]] ConversationId conversation() const { return start_.request.conversation; }
    [[nodiscard]] const AnswerRules& rules() const { return start_.request.rules; }
    [[nodiscard]] std::int64_t number() const { return start_.turn; }
    [[nodiscard]] bool inPrefill() const {
        return generation_ != nullptr && generation_->inPrefill();
    }
    /// Whether its next step draws the first or second token of the answer, and what the question
    /// looks for was not asked yet.
    [[nodiscard]] bool looksBack() const {
        return generation_ != nullptr && !lookedBack_ && !inPrefill() &&
               generation_->answer().size() <= 1;
    }
    /// What is done about them.
    [[nodiscard]] BringBackMode bringBack(const EngineConfig& config) const {
        return start_.request.bringBack.value_or(config.bringBack);
    }
    /// So many tokens came back for it.
    void lookedBack(std::int64_t restored) {
        lookedBack_ = true;
        stats_.restoredTokens += restored;
    }
    /// Tokens of a prompt chunk; stays the same for the whole turn.
    [[nodiscard]] int chunk() const { return start_.config.prefillChunk; }
    /// Most tokens that its next step may append to its cache.
    [[nodiscard]] int stepTokens(const EngineConfig& config) const;
    void countCompaction() { ++stats_.compactions; }

  private:
    [[nodiscard]] GenerationSettings settings(const EngineConfig& config) const;
    void postProgress() const;
    void postText(const GenerationStep& step) const;
    void account(const GenerationStep& step, double seconds);

    TurnStart start_;
    EventSink& events_;
    const Clock& clock_;
    const std::int64_t beganNs_;
    std::unique_ptr<Generation> generation_;
    std::string extraNote_;
    PrefixMatch match_ = PrefixMatch::None;
    bool lookedBack_ = false;
    TurnStats stats_;
};

}  // namespace lacuna
